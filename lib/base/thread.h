/* SPDX-License-Identifier: Apache-2.0 */
/* thread.h - a thread beside the one that reads, for what may wait: writing, a line of progress. Where
 * none may be started later, as in the sandbox, they are made beforehand and wait. Callers do without
 * one if they get none. Signals are for the other threads. */
#ifndef GOSNAP_THREAD_H
#define GOSNAP_THREAD_H

#include "lib/base/util.h"

enum { THREADS_RESERVED_MAX = 4 };

/* Makes at most count threads that wait for work; from now on no others are started, neither by this
 * process nor by its forks. */
void threads_reserve(unsigned count);

struct thread;

/* NULL: there is none. */
struct thread *thread_start(void (*work)(void *arg), void *arg);
/* Waits until work() has returned. */
void thread_join(struct thread *thread);

#endif
