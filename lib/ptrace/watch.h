/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - follows a program from its start to its death, as the tracer of all its threads, so
 * that it can be read at that moment: PTRACE_O_TRACEEXIT holds each thread as it exits, with its
 * registers, and the memory stays. Its children are not followed.
 * Until then the program runs. Each signal stops the thread that gets it, for as long as it
 * takes us to pass it on; no stop is consumed before the thread goes on, so that nothing is lost if
 * we are killed, whenever that is: the kernel then detaches every thread.
 * A child of ours reads what stands still; it joins with tracer_join() and says when. All calls must
 * come from one thread, and no other child may be waited for meanwhile. Uses SIGRTMAX - 3. */
#ifndef GOSNAP_WATCH_H
#define GOSNAP_WATCH_H

#include <signal.h>

#include "lib/ptrace/tracer.h"

struct watch;

struct watch_options {
	bool keep_quit;	     /* SIGQUIT is not passed on */
	uint64_t timeout_ns; /* 0: none */
};

enum watch_event {
	WATCH_ENDED, /* the process is gone; nothing more will happen */
	/* It ends as a crash would, by a signal or with a status that Go's runtime has for that. It
	 * stands still until our thread exits. */
	WATCH_DYING,
	WATCH_QUIT,    /* it got SIGQUIT, and runs on */
	WATCH_TIMEOUT, /* likewise; comes once */
	WATCH_READ,    /* the child that was lent to has exited */
};

/* Seizes a process that has a single thread and has not called execve yet. NULL: ERR_PERMISSION,
 * ERR_GONE. */
struct watch *watch_begin(pid_t pid, const struct watch_options *options,
			  struct err *err);
/* Or one of which a thread is about to end it, which somebody keeps in the kernel until release() is called:
 * when it can run no further. All threads stand still then, and until our thread exits. */
struct watch *watch_catch(pid_t pid, pid_t thread, void (*release)(void *arg), void *arg,
			  struct err *err);
/* Or one that a SIGSTOP has stopped, or is about to: it is continued, which it does not see, before any of its threads
 * runs on. NULL: it may be stopped still. */
struct watch_stopped {
	pid_t pid, thread;
	/* Its parent may have heard that it was stopped. Of one that dies now, it is not to hear that it was
	 * continued. */
	bool goes_on;
	void (*continued)(void *arg); /* called then */
	void *arg;
};
struct watch *watch_catch_stopped(const struct watch_stopped *stopped, struct err *err);
/* After that: when all threads stood still (monotonic). */
uint64_t watch_stopped_at(const struct watch *w);
/* The process is let go when our thread exits. */
void watch_end(struct watch *w);
DEFINE_AUTO(struct watch, watch_end)

/* Waits for the next event. */
enum watch_event watch_next(struct watch *w);

/* After WATCH_DYING: as from waitpid(). */
int watch_status(const struct watch *w);
/* The thread that got the signal; 0: not known. */
pid_t watch_thread(const struct watch *w);
/* Has the process called execve? */
bool watch_has_started(const struct watch *w);

/* As fork(): a child that reads, one at a time, and is killed if we end; what it joins by is *ret. In us, the
 * process runs on, and WATCH_READ tells the end. -1: err. */
pid_t watch_fork(struct watch *w, const struct tracer_service **ret, struct err *err);
/* Or the process stands still until the child has ended, which is killed at this time
 * (monotonic). */
void watch_stand(struct watch *w, uint64_t limit);
/* For watch_fork() after watch_catch(): the child may have the process copied, once, which then runs on. The child
 * reads the copy, until watch_stand() returns. */
struct watch_copying {
	bool wanted;
	uint64_t max_ns; /* how long there is a copy */
	/* We may take so long from now on: the process runs, or a thread of it is borrowed. */
	void (*put_off)(void *arg, uint64_t ns);
	void *arg;
};
void watch_permit_copy(struct watch *w, const struct watch_copying *how);
/* When it was let go (monotonic), in watch_stand(). If it still stands: now. */
uint64_t watch_released_at(const struct watch *w);

#endif
