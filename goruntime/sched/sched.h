/* SPDX-License-Identifier: Apache-2.0 */
/* sched.h - reads the scheduler's data: goroutines, Ms, and what each thread runs on.
 * Private to goruntime. Fills the records of runtime_priv.h, which live until
 * runtimes_close(). Unwinds nothing: knows where a stack begins, not what is on it. */
#ifndef GOSNAP_SCHED_H
#define GOSNAP_SCHED_H

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/sched/threads.h"

/* allgs.c: finds allgs for rt->layout; accepts it only when the goroutines are
 * consistent. */
bool allgs_find(struct runtime *rt, struct err *err);
/* The goroutines that an array of so many names: all, or this many, evenly spread. 0: what
 * could not be read. */
enum { ALLGS_SAMPLE = 256 };
size_t allgs_sample(struct runtime *rt, uint64_t array, uint64_t len,
		    uint64_t ret[static ALLGS_SAMPLE]);
/* Reads every g struct from the target in its current state. */
bool goroutines_read(struct runtime *rt, struct err *err);
void goroutines_sort(struct runtime *rt);
/* Estimates: the length of allgs, and the bytes of stack in use, from a sample. 0: not
 * known. */
uint64_t goroutines_expected(struct runtime *rt);
uint64_t goroutines_expected_bytes(struct runtime *rt);
void goroutines_mark_changed(struct runtime *rt, struct target *source);
void goroutines_mark_changeable(struct runtime *rt,
				bool (*is_of_running)(void *arg, uint64_t addr,
						      uint64_t len),
				void *arg);

/* machine.c: reads the M of each thread and records the thread in its goroutine. */
void machines_read(struct runtime *rt);
/* What the runtime knows of a thread: its M, P and goroutine. */
void machine_describe(struct runtime *rt, size_t thread, struct thread_state *ret);

/* threads.c: walks each thread's stack and records what the thread runs on. Call once the
 * Ms of all runtimes are known. */
void threads_read(struct runtimes *all);

#endif
