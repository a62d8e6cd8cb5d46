/* SPDX-License-Identifier: Apache-2.0 */

#ifndef SIDE_H
#define SIDE_H

/* The names of the C functions that are on a thread's stack, outermost first. */
struct trail {
	int tid, count;
	const char *names[32];
};

struct trail *trail_mine(void);
struct trail *trail_of_thread(int n);

void await_blocked(int n);
void start_thread_into_go(int what);
void start_thread(int signalled);

void c_wait(void);
void c_run(void);
void c_signalled(void);
void c_call(int what);
void c_sort(void);

#endif
