/* SPDX-License-Identifier: Apache-2.0 */
/* strict.h - holds programs that are about to be executed, until somebody has looked at their files: fanotify(7).
 * A process of its own, the holder, has the kernel's group, and lets each program go after a time, whatever
 * becomes of us; the kernel does if the holder ends. Nothing is ever denied. Knows files, file systems
 * and their mounts; not what is looked for. */
#ifndef GOSNAP_STRICT_H
#define GOSNAP_STRICT_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

/* How long a program is held at most. */
#define STRICT_HOLD_NS (UINT64_C(1000) * 1000 * 1000)

struct strict;

/* In shared memory, which the holder writes, and no sandbox is to have. */
struct strict_counts {
	uint64_t held;	     /* until we had looked */
	uint64_t let_by;     /* before that, as we took too long or they were too many */
	uint64_t longest_ns; /* that one was held */
};

/* Are we permitted to, and can the kernel? */
MUST_CHECK bool strict_is_possible(struct err *err);
/* Holds nothing yet. counts: borrowed, goes on. NULL: err. */
struct strict *strict_new(struct strict_counts *counts, struct err *err);
/* What is in the folder of this file, now and later. */
MUST_CHECK bool strict_add_file(struct strict *strict, const char *file, struct err *err);
/* All file systems that this process sees, or, 0, we see, where programs can be held. */
void strict_add_mounts(struct strict *strict, pid_t pid);
/* Of a process that runs a program there: strict_add_mounts(), if it may see what has not been met yet. */
bool strict_has_met(const struct strict *strict, dev_t device);
void strict_meet(struct strict *strict, dev_t device);
/* Begins: no other process of ours but the holder may have been forked since strict_new(). */
MUST_CHECK bool strict_begin(struct strict *strict, struct err *err);
/* Whoever is held goes on. NULL is fine. */
void strict_free(struct strict *strict);
DEFINE_AUTO(struct strict, strict_free)

/* Readable when strict_read() has something to do; POLLPRI when we see other file systems than before, -1: does
 * not matter. Borrowed. */
int strict_fd(const struct strict *strict);
int strict_mounts_fd(const struct strict *strict);
/* Calls fn for each ELF file that is about to be executed, which is held meanwhile. It returns whether the file is not
 * to be held again before it is written to. False: the holder has ended, or was stopped and is ended. */
typedef bool strict_fn(void *arg, int file);
MUST_CHECK bool strict_read(struct strict *strict, strict_fn *fn, void *arg);
/* monotonic: since when */
uint64_t strict_since(const struct strict *strict);

#endif
