/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowing one stopped thread of the subject for system calls. */
#include "lib/ptrace/remote_syscall.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/procfs/proc_file.h"

enum {
	TRIES = 500, /* even a busy program has a parked thread within milliseconds */
	RUNNABLE_EVERY = 50,
	RUNNABLE_MAX = 8, /* threads: sysmon is among the first */
	BETWEEN_NS = 200 * 1000,
	SYSCALL_BYTES = 2,   /* length of the instruction */
	STUB_TO_SYSCALL = 7, /* from the start of the code below to after SYSCALL */
	FUTEX_COMMAND = 0x7f,
};

/* runtime.futex and runtime.usleep of runtime/sys_linux_amd64.s, from `MOVL $nr, AX;
 * SYSCALL` to RET; the same bytes in every release from 1.15 to 1.27. A thread that waits
 * there is safe to borrow: after SYSCALL only SP matters, so clobbered registers do no
 * harm; the callers loop on a spurious return; and the first memory access is relative to
 * SP, so that a child with stack pointer 8 faults at once. */
static const struct {
	int64_t number;
	uint8_t len, code[17];
} stubs[] = {
	/* MOVL AX, ret+40(FP); RET */
	{ SYS_futex,
	  12,
	  { 0xb8, 0xca, 0, 0, 0, 0x0f, 0x05, 0x89, 0x44, 0x24, 0x30, 0xc3 } },
	/* ADDQ $16, SP; POPQ BP; RET (1.21) */
	{ SYS_nanosleep,
	  13,
	  { 0xb8, 0x23, 0, 0, 0, 0x0f, 0x05, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3 } },
	/* MOVQ 16(SP), BP; ADDQ $24, SP; RET (before) */
	{ SYS_nanosleep,
	  17,
	  { 0xb8, 0x23, 0, 0, 0, 0x0f, 0x05, 0x48, 0x8b, 0x6c, 0x24, 0x10, 0x48, 0x83,
	    0xc4, 0x18, 0xc3 } },
};

/* The system call of the stub whose SYSCALL returns to pc; -1: not in a stub. */
static int64_t stub_at(struct target *t, uint64_t pc)
{
	const struct target_mapping *map = target_mapping_at(t, pc - STUB_TO_SYSCALL);
	uint8_t code[sizeof(stubs[0].code)];
	struct err ignored;

	if (!map || !map->executable || map->writable ||
	    !target_read(t, pc - STUB_TO_SYSCALL, code, sizeof(code), &ignored))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(stubs); i++)
		if (memcmp(code, stubs[i].code, stubs[i].len) == 0)
			return stubs[i].number;
	return -1;
}

static bool wakes(int64_t number, uint64_t operation)
{
	return number == SYS_futex && (operation & FUTEX_COMMAND) != FUTEX_WAIT;
}

/* A timed wait that was interrupted, perhaps by an earlier snapshot, continues as
 * restart_syscall, with the registers of the original call. -1: not in a stub. */
static int64_t waits_in(struct target *t, const struct target_thread *th)
{
	if (!th->in_syscall ||
	    (th->syscall_number != SYS_futex && th->syscall_number != SYS_nanosleep &&
	     th->syscall_number != SYS_restart_syscall))
		return -1;
	int64_t number = stub_at(t, th->regs.value[arch_amd64.pc]);
	bool same =
		th->syscall_number == number || th->syscall_number == SYS_restart_syscall;
	return same && !wakes(number, th->syscall_args[1]) ? number : -1;
}

/* Has it just waited? The kernel leaves the arguments in their registers. */
static bool has_waited(struct target *t, const struct user_regs_struct *at)
{
	const int64_t number = stub_at(t, at->rip);

	return number >= 0 && !wakes(number, at->rsi);
}

/* Filters are per thread, and might kill a thread for injected calls. */
static bool is_filtered(pid_t tid)
{
	AUTO(xfree) char *status = proc_file(tid, "status");

	return proc_number(status, "Seccomp", 10) != 0;
}

/* It is ours, and stands where it may be borrowed. */
static bool is_at_hand(pid_t tid)
{
	int status = 0;

	return tracee_poll(tid, &status) == LIVE_STOP &&
	       live_is_event(status, PTRACE_EVENT_STOP);
}

/* Prefers a futex: sysmon's usleep may end within 20 us. */
static pid_t find_parked(struct target *t)
{
	const struct live *l = target_self(t, &live_ops);
	size_t n = 0;
	pid_t found = 0;
	struct err ignored;
	AUTO(xfree) pid_t *tids = live_tasks(l, &n, &ignored);

	for (size_t i = 0; tids && i < n; i++) {
		struct target_thread th = { .tid = tids[i] };
		live_thread_syscall(l, &th);
		int64_t number = waits_in(t, &th);
		if (number < 0 || (number != SYS_futex && found) ||
		    is_filtered(tids[i]) ||
		    (live_tracer(l, tids[i]) == gettid() && !is_at_hand(tids[i])))
			continue;
		found = tids[i];
		if (number == SYS_futex)
			break;
	}
	return found;
}

static bool get_registers(pid_t tid, struct user_regs_struct *ret, struct err *err)
{
	return live_ptrace(PTRACE_GETREGS, tid, 0, ret) == 0 ||
	       err_set(err, ERR_GONE, "thread %d exited while it was stopped", tid);
}

static bool set_registers(pid_t tid, const struct user_regs_struct *registers,
			  struct err *err)
{
	return live_ptrace(PTRACE_SETREGS, tid, 0, (void *)(uintptr_t)registers) == 0 ||
	       err_set(err, ERR_GONE, "thread %d exited while it was stopped", tid);
}

static const uint64_t borrow_options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE;

static bool let_go(pid_t tid, int status)
{
	return live_trace(PTRACE_DETACH, tid, (uint64_t)live_signal_of(status));
}

bool borrow_let_go(const struct borrowed *b, int status)
{
	if (b->ours)
		return live_trace(PTRACE_SETOPTIONS, b->tid, LIVE_OPTIONS);
	return let_go(b->tid, status);
}

static bool take_own(struct borrowed *b, struct target *t, pid_t tid)
{
	b->since = monotonic_ns();
	if (!is_at_hand(tid) || live_ptrace(PTRACE_GETREGS, tid, 0, &b->registers) ||
	    !has_waited(t, &b->registers) ||
	    !live_trace(PTRACE_SETOPTIONS, tid, borrow_options))
		return false;
	b->tid = tid;
	b->ours = true;
	return true;
}

/* The kernel says the same of one that is exiting. */
static bool is_forbidden(const struct live *l, pid_t tid, int error)
{
	const char state = live_state(l, tid);

	return error == EINVAL ||
	       (error == EPERM && state && state != 'Z' && state != 'X');
}

/* A thread that runs may have come elsewhere meanwhile, or have got a filter. The options
 * come now: what it creates before would be seized, too. */
static bool take_suitable(struct borrowed *b, struct target *t, pid_t tid, int status)
{
	return live_is_event(status, PTRACE_EVENT_STOP) &&
	       live_ptrace(PTRACE_GETREGS, tid, 0, &b->registers) == 0 &&
	       has_waited(t, &b->registers) && !is_filtered(tid) &&
	       live_trace(PTRACE_SETOPTIONS, tid, borrow_options);
}

/* False: err; true with b->tid 0: this thread is unsuitable, and not stopped. Seizes only
 * this thread: a seized thread stops at every signal, and Go sends many (SIGURG). */
static bool try_borrow(struct borrowed *b, struct target *t, pid_t tid, struct err *err)
{
	const struct live *l = target_self(t, &live_ops);

	if (!live_trace(PTRACE_SEIZE, tid, 0)) {
		const int error = errno;
		if (error == EPERM && take_own(b, t, tid))
			return true;
		if (is_forbidden(l, tid, error))
			return err_set(err, ERR_CANNOT,
				       "cannot trace any of its threads");
		return true;
	}
	b->since = monotonic_ns();
	live_trace(PTRACE_INTERRUPT, tid, 0);
	int status = live_wait_stop(tid, LIMIT_STOP_NS);
	if (status == LIVE_WAIT_LATE)
		return err_set(err, ERR_CANNOT, "thread %d did not stop: is it frozen?",
			       tid);
	if (status == LIVE_WAIT_GONE)
		return true;
	if (take_suitable(b, t, tid, status)) {
		b->tid = tid;
		return true;
	}
	live_begin_again(tid, status);
	let_go(tid, status);
	return true;
}

/* A thread that has no processor is about to return from its wait for most of the time;
 * if one of them sleeps for short only, as sysmon does, it may never be met asleep. Where
 * it is shows when it is stopped. */
static bool try_runnable(struct borrowed *b, struct target *t, struct err *err)
{
	const struct live *l = target_self(t, &live_ops);
	size_t n = 0, tried = 0;
	struct err ignored;
	AUTO(xfree) pid_t *tids = live_tasks(l, &n, &ignored);

	for (size_t i = 0; tids && i < n && tried < RUNNABLE_MAX && !b->tid; i++) {
		if (live_state(l, tids[i]) != 'R' || is_filtered(tids[i]) ||
		    live_tracer(l, tids[i]))
			continue;
		tried++;
		if (!try_borrow(b, t, tids[i], err))
			return false;
	}
	return true;
}

static bool try_any(struct borrowed *b, struct target *t, unsigned try, struct err *err)
{
	const pid_t tid = find_parked(t);

	if (tid)
		return try_borrow(b, t, tid, err);
	return try % RUNNABLE_EVERY != RUNNABLE_EVERY - 1 || try_runnable(b, t, err);
}

bool borrow(struct target *t, struct borrowed *b, struct err *err)
{
	*b = (struct borrowed){ 0 };
	for (unsigned i = 0; i < TRIES; i++) {
		if (!try_any(b, t, i, err))
			return false;
		if (b->tid)
			return true;
		if (target_live_gone(t))
			return err_set(err, ERR_GONE, "process %d has exited",
				       (int)target_pid(t));
		nanosleep(&(struct timespec){ .tv_nsec = BETWEEN_NS }, NULL);
	}
	return err_set(err, ERR_NOT_FOUND,
		       "none of its threads waits in runtime.futex or runtime.usleep");
}

/* Restores the registers at once, in case we die. But the kernel acts on a restart code
 * in RAX (-512 to -516) only in get_signal(), which the thread has already passed: one
 * more trap leads it there again, or the program would see the code. */
bool borrow_give_back(const struct borrowed *b, struct err *err)
{
	if (!set_registers(b->tid, &b->registers, err))
		return false;
	live_trace(PTRACE_INTERRUPT, b->tid, 0);
	live_trace(PTRACE_CONT, b->tid, 0);
	/* Only what is borrowed stands still meanwhile, and that waits anyway. */
	int status = live_wait_stop(b->tid, LIMIT_STARVED_NS);
	if (status == LIVE_WAIT_LATE)
		return err_set(err, ERR_CANNOT,
			       "thread %d, which was borrowed, did not stop in time",
			       b->tid);
	if (status < 0 || !borrow_let_go(b, status))
		return err_set(err, ERR_GONE, "thread %d exited while it was borrowed",
			       b->tid);
	return true;
}

bool remote_syscall_prepare(pid_t tid, const struct user_regs_struct *at, long number,
			    const uint64_t arguments[4], struct err *err)
{
	struct user_regs_struct r = *at;

	r.rip -= SYSCALL_BYTES;
	r.rax = (uint64_t)number;
	r.orig_rax = UINT64_MAX; /* or the kernel would restart the interrupted call */
	r.rdi = arguments[0];
	r.rsi = arguments[1];
	r.rdx = arguments[2];
	r.r10 = arguments[3];
	r.r8 = 0;
	return set_registers(tid, &r, err);
}

static bool is_syscall_stop(int status)
{
	return status > 0 && status >> 8 == (SIGTRAP | SYSCALL_STOP);
}

bool remote_syscall_enter(pid_t tid, struct err *err)
{
	if (!live_trace(PTRACE_SYSCALL, tid, 0) ||
	    !is_syscall_stop(live_wait_stop(tid, LIMIT_STOP_NS)))
		return err_set(err, ERR_CANNOT,
			       "the helper process did not reach its clone call");
	return true;
}

/* A waiting thread does not exit by itself. */
static enum call_end vanished(pid_t tid, struct err *err)
{
	err_set(err, ERR_GONE, "thread %d vanished: its process exited or called execve",
		tid);
	return CALL_FAILED;
}

enum call_end remote_syscall(pid_t tid, const struct user_regs_struct *at, long number,
			     const uint64_t arguments[4], struct remote_syscall *ret,
			     struct err *err)
{
	bool entered = false;
	struct user_regs_struct r;

	if (!remote_syscall_prepare(tid, at, number, arguments, err))
		return CALL_FAILED;
	for (;;) {
		if (!live_trace(PTRACE_SYSCALL, tid, 0))
			return vanished(tid, err);
		int status = live_wait_stop(tid, LIMIT_STOP_NS);
		if (status == LIVE_WAIT_GONE)
			return vanished(tid, err);
		if (status < 0)
			goto lost;
		if (is_syscall_stop(status)) {
			if (entered)
				break;
			entered = true;
		} else if (live_is_event(status, PTRACE_EVENT_CLONE)) {
			unsigned long child = 0;
			live_ptrace(PTRACE_GETEVENTMSG, tid, 0, &child);
			ret->child = (pid_t)child;
			if (ret->born && !ret->born(ret->child, ret->arg, err))
				return CALL_FAILED;
		} else if (live_signal_of(status)) {
			ret->status = status;
			return set_registers(tid, at, err) ? CALL_SIGNALLED : CALL_FAILED;
		}
	}
	if (!get_registers(tid, &r, err))
		return CALL_FAILED;
	ret->result = (int64_t)r.rax;
	return CALL_DONE;
lost:
	err_set(err, ERR_CANNOT, "thread %d did not return from a system call", tid);
	return CALL_FAILED;
}

bool remote_syscall_interrupted(int64_t result)
{
	return result <= -512 && result >= -516; /* include/linux/errno.h ERESTARTSYS */
}
