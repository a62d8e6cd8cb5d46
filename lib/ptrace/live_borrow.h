/* SPDX-License-Identifier: Apache-2.0 */
/* live_borrow.h - one thread of the subject, stopped, borrowed for a system call and given
 * back. Knows nothing of copies. For live_copy.c only. After a failure the calling process
 * is to exit: see live_copy.h. amd64. */
#ifndef GOSNAP_LIVE_BORROW_H
#define GOSNAP_LIVE_BORROW_H

#include <sys/user.h>

#include "lib/ptrace/live_priv.h"

struct borrowed {
	pid_t tid;
	uint64_t since; /* monotonic, when it was interrupted */
	struct user_regs_struct registers;
};

/* Takes a thread that waits in a stub of Go's. ERR_NOT_FOUND: none does now; ERR_CANNOT: it may
 * not be traced, or does not stop; ERR_GONE. */
MUST_CHECK bool borrow(struct target *t, struct borrowed *ret, struct err *err);
/* Gives it back from the exit stop of a call. */
MUST_CHECK bool borrow_give_back(const struct borrowed *b, struct err *err);
/* Lets it go as it is, handing over the signal of a signal-delivery stop. */
bool borrow_let_go(pid_t tid, int status);

/* Sets a stopped thread back onto its SYSCALL instruction, with another call. */
MUST_CHECK bool borrow_prepare_call(pid_t tid, const struct user_regs_struct *at,
				    long number, const uint64_t arguments[4],
				    struct err *err);
/* Leads it to the entry stop of that call, no further. */
MUST_CHECK bool borrow_enter_call(pid_t tid, struct err *err);

enum call_end {
	CALL_DONE,	/* it stands in the exit stop, result is set */
	CALL_SIGNALLED, /* a signal-delivery stop came first: the registers are as before;
			   hand status over by borrow_let_go() and try again */
	CALL_FAILED,	/* err */
};

struct borrowed_call {
	/* What the call gives birth to, while the caller is still held; NULL is fine. */
	bool (*born)(pid_t child, void *arg, struct err *err);
	void *arg;
	pid_t child;
	int64_t result;
	int status;
};

/* One whole call. */
enum call_end borrow_call(pid_t tid, const struct user_regs_struct *at, long number,
			  const uint64_t arguments[4], struct borrowed_call *ret,
			  struct err *err);
/* A result that means the same as CALL_SIGNALLED: a signal was waiting. */
bool borrow_interrupted(int64_t result);

#endif
