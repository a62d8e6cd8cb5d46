/* SPDX-License-Identifier: Apache-2.0 */
/* remote_syscall.h - borrows one stopped thread of the subject for system calls and gives it
 * back. Only for live_copy.c; knows nothing of copies. After an error the calling process
 * must exit: see live_copy.h. amd64. */
#ifndef GOSNAP_REMOTE_SYSCALL_H
#define GOSNAP_REMOTE_SYSCALL_H

#include <sys/user.h>

#include "lib/ptrace/live_priv.h"

struct borrowed {
	pid_t tid;
	bool ours;	/* it was before, and stays so, stopped */
	uint64_t since; /* monotonic time of the interrupt */
	struct user_regs_struct registers;
};

/* Takes a thread that waits in one of Go's system call stubs, or has just waited there and
 * has no processor yet: to find that out, a few that could run are stopped. ERR_NOT_FOUND:
 * none does now; ERR_CANNOT: we may not trace it, or it does not stop; ERR_GONE. */
MUST_CHECK bool borrow(struct target *t, struct borrowed *ret, struct err *err);
/* Restores and releases the thread from the exit stop of a call. */
MUST_CHECK bool borrow_give_back(const struct borrowed *b, struct err *err);
/* Releases the thread as it is, delivering the signal of a signal-delivery stop. */
bool borrow_let_go(const struct borrowed *b, int status);

/* Points a stopped thread at its SYSCALL instruction again, with another call. */
MUST_CHECK bool remote_syscall_prepare(pid_t tid, const struct user_regs_struct *at,
				       long number, const uint64_t arguments[4],
				       struct err *err);
/* Runs the thread to the entry stop of that call. */
MUST_CHECK bool remote_syscall_enter(pid_t tid, struct err *err);

enum call_end {
	CALL_DONE, /* in the exit stop; result is set */
	/* A signal-delivery stop came first, registers unchanged: pass status to
	 * borrow_let_go() and retry. */
	CALL_SIGNALLED,
	CALL_FAILED, /* err */
};

struct remote_syscall {
	/* Called for a task created by the call, before the caller is resumed; may be
	 * NULL. */
	bool (*born)(pid_t child, void *arg, struct err *err);
	void *arg;
	pid_t child;
	int64_t result;
	int status;
};

/* Runs one complete system call. */
enum call_end remote_syscall(pid_t tid, const struct user_regs_struct *at, long number,
			     const uint64_t arguments[4], struct remote_syscall *ret,
			     struct err *err);
/* Does the result mean the same as CALL_SIGNALLED, a pending signal? */
bool remote_syscall_interrupted(int64_t result);

#endif
