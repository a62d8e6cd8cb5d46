/* SPDX-License-Identifier: Apache-2.0 */
/* catcher.h - a child of ours that stops a process, has it read, and lets it go, whatever happens to us and to it:
 * the kernel ends the child after a time, and the process goes on. It holds nothing of the kernel's probes.
 * Knows neither why there is a snapshot nor where it goes. */
#ifndef GOSNAP_CATCHER_H
#define GOSNAP_CATCHER_H

#include <time.h>

#include "lib/ptrace/watch.h"
#include "src/run/traced.h"

/* From now on we run before others, as a thread that is kept uses a CPU meanwhile. */
void catcher_run_first(int flags); /* 0 or SCHED_RESET_ON_FORK */
/* A fork that does. */
pid_t catcher_fork(void);

struct catcher_life {
	uint64_t max_ns;
	timer_t timer;
	bool has_timer;
};
/* In the child: the kernel ends it after this time. */
struct catcher_life catcher_begin(uint64_t max_ns);
/* That time begins now. */
void catcher_put_off(struct catcher_life *life);
/* It has no descriptors but these, as its parent's probes are not to outlive that. As long as a program that
 * sleeps keeps a thread, closing one of it may take as long. */
void catcher_drop_descriptors(const int *keep, size_t n);

struct catcher_reading {
	/* In a child of its own, which then exits. values_failed: as in struct traced_reading. */
	void (*read)(void *arg, const struct tracer_service *service,
		     const char *values_failed);
	void *arg;
	struct traced_result *result; /* in memory shared with it */
	uint64_t max_pause_ns;	      /* then the process goes on */
	bool goes_on;	      /* anyway: then it does so as soon as it is copied */
	uint64_t max_copy_ns; /* how long there is a copy */
	struct catcher_life *life;
};
/* Once, while the process stands still, or of its copy. Without a copy also a second time, without values, if that
 * fails. *ret_status is the reader's, as from waitpid(). False: there is none. */
MUST_CHECK bool catcher_read(struct watch *w, const struct catcher_reading *reading,
			     int *ret_status, struct err *err);

#endif
