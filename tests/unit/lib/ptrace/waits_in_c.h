/* SPDX-License-Identifier: Apache-2.0 */
/* waits_in_c.h - calls in which a thread waits for ever, or for an hour, and what each shows to who
 * made it when the thread is stopped: the table in doc/capture.md, which tests/man.test compares by
 * the calls' names. */
#ifndef GOSNAP_TEST_WAITS_IN_C_H
#define GOSNAP_TEST_WAITS_IN_C_H

#include "lib/base/util.h"

enum { WAITS_MAX = 40, MUCH = 1 << 20 };

enum wait_sees {
	NOTHING, /* the kernel begins again, or goes on */
	AGAIN,	 /* nothing, for gosnap has it begin again; in a filtered thread EINTR */
	INTERRUPTED, /* EINTR */
	PART,	     /* less than MUCH, more than nothing */
};

extern const struct wait {
	const char *name;
	long (*wait)(void); /* it may return: then it is called again */
	long number;
	enum wait_sees sees;
} waits[];
extern const size_t waits_count;

/* To be given by the test. Never returns: the kernel has no such call, or forbids it; errno. */
void wait_is_absent(void);
extern int wait_semaphore;

#endif
