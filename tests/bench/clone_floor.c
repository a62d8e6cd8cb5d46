/* SPDX-License-Identifier: Apache-2.0 */
/* clone_floor PID: the least that a copy costs. Stops the threads of a process, lets one of
 * them fork, and lets all go: the fork copies the page tables of the very process that is
 * measured. Prints how long the process was held, and since when. Only for the bench: no care
 * is taken of the process should this be killed, of threads that are born meanwhile, of where
 * the child's descriptors go. It leaves a zombie. amd64. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "threads.h"

enum { SYSCALL_INSN = 0x050f };

/* As gosnap does it: neither we nor the one that forks wait for a CPU meanwhile. */
static void hurry(pid_t tid, int policy)
{
	struct sched_param p = { .sched_priority = policy == SCHED_OTHER ? 0 : 1 };

	sched_setscheduler(tid, policy, &p);
}

static bool waits_for_futex(pid_t tid, struct user_regs_struct *regs)
{
	return ptrace(PTRACE_GETREGS, tid, 0, regs) == 0 && regs->orig_rax == SYS_futex &&
	       (ptrace(PTRACE_PEEKTEXT, tid, regs->rip - 2, 0) & 0xffff) == SYSCALL_INSN;
}

/* The child never runs: it is born stopped. */
static pid_t fork_in(pid_t tid, struct user_regs_struct regs)
{
	unsigned long child = 0;
	int status;

	regs.rip -= 2;
	regs.rax = SYS_clone;
	regs.orig_rax = (unsigned long long)-1;
	regs.rdi = SIGCHLD;
	regs.rsi = regs.rdx = regs.r10 = regs.r8 = 0;
	ptrace(PTRACE_SETREGS, tid, 0, &regs);
	ptrace(PTRACE_CONT, tid, 0, 0);
	waitpid(tid, &status, __WALL);
	ptrace(PTRACE_GETEVENTMSG, tid, 0, &child);
	return (pid_t)child;
}

int main(int argc, char **argv)
{
	static pid_t tids[THREADS_MAX];
	struct user_regs_struct regs;
	size_t n, one = 0;

	if (argc != 2 || !(n = seize_threads(atoi(argv[1]), PTRACE_O_TRACEFORK, tids)))
		return 1;
	hurry(0, SCHED_FIFO);
	uint64_t begin = now_ns();
	stop_threads(tids, n);
	while (one < n && !waits_for_futex(tids[one], &regs))
		one++;
	if (one == n)
		return 2;
	hurry(tids[one], SCHED_FIFO | SCHED_RESET_ON_FORK);
	pid_t child = fork_in(tids[one], regs);
	for (size_t i = 0; i < n; i++)
		if (i != one)
			ptrace(PTRACE_DETACH, tids[i], 0, 0);
	/* To the next stop, from which the wait for the futex is taken up again. */
	ptrace(PTRACE_INTERRUPT, tids[one], 0, 0);
	ptrace(PTRACE_CONT, tids[one], 0, 0);
	waitpid(tids[one], NULL, __WALL);
	ptrace(PTRACE_SETREGS, tids[one], 0, &regs);
	hurry(tids[one], SCHED_OTHER);
	ptrace(PTRACE_DETACH, tids[one], 0, 0);
	uint64_t end = now_ns();
	hurry(0, SCHED_OTHER);
	if (child <= 0)
		return 3;
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
	print_hold(begin, end);
	return 0;
}
