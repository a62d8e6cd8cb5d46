/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/live_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/procfs/conditions.h"
#include "lib/procfs/proc_file.h"
#include "lib/ptrace/remote_syscall.h"

enum {
	CHILD_STACK = 8,
	UNSHARE_FILES = 2, /* CLOSE_RANGE_UNSHARE of linux/close_range.h */
	MOST_DEAD = 64,	   /* zombies reaped at a time */
	REAP_AT_ONCE = 8,
	REAP_ROUNDS = 100, /* six seconds: a busy subject may not see them immediately */
};
#define LOOK_AT_MEMORY_NS (UINT64_C(100) * 1000 * 1000)
#define MEMORY_RESERVE (UINT64_C(8) << 20)

/* At the clone event: I's first stop, while T0 is still stopped. Until EXITKILL is set,
 * our death would leave I to its SIGSEGV. That is harmless, except that before Linux 5.16
 * a core dump killed every process sharing the memory (commit 0258b5fd7c71). A core limit
 * of 1 prevents dumps, even to a pipe. */
static bool tame_helper(pid_t child, void *arg, struct err *err)
{
	struct live_copy *c = arg;
	uint64_t options =
		PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE;
	struct sched_param priority = { .sched_priority = 1 };

	/* It has a processor at once, whatever T0 had, and copies page tables during the stop;
	 * RESET_ON_FORK keeps G ordinary. */
	sched_setscheduler(child, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);
	int status = live_wait_stop(child, LIMIT_STOP_NS);
	if (status == LIVE_WAIT_LATE)
		return err_set(err, ERR_CANNOT,
			       "the new helper process did not stop in time: is the "
			       "machine overloaded?");
	if (!live_is_event(status, PTRACE_EVENT_STOP) ||
	    !live_trace(PTRACE_SETOPTIONS, child, options))
		return err_set(err, ERR_CANNOT, "the new helper process was killed");
	prlimit(child, RLIMIT_CORE, &(struct rlimit){ 1, 1 }, NULL);
	c->helper = child;
	return true;
}

static bool refused(struct err *err, const char *what, int64_t result)
{
	return err_set(err, ERR_CANNOT, "the kernel refused %s: %s", what,
		       strerror((int)-result));
}

static bool make_helper(struct live_copy *c, struct err *err)
{
	const uint64_t arguments[4] = { CLONE_VM | CLONE_FILES, CHILD_STACK };
	struct borrowed t0;

	for (;;) {
		struct remote_syscall call = { .born = tame_helper, .arg = c };
		if (!borrow(c->subject, &t0, err)) {
			if (err_is(err, ERR_NOT_FOUND))
				err->code = ERR_CANNOT;
			return false;
		}
		enum call_end end = remote_syscall(t0.tid, &t0.registers, SYS_clone,
						   arguments, &call, err);
		if (end == CALL_SIGNALLED) {
			borrow_let_go(&t0, call.status);
			continue;
		}
		c->broken = end == CALL_FAILED || !borrow_give_back(&t0, err);
		if (c->broken)
			return false;
		c->first_stop_ns = monotonic_ns() - t0.since;
		if (remote_syscall_interrupted(call.result))
			continue;
		return call.result >= 0 ||
		       refused(err, "to create a helper process", call.result);
	}
}

/* Gives I an empty file table of its own; otherwise G would keep connections open that
 * the subject closes, and their peers would not notice. Before Linux 5.9 the call does
 * not exist: then the file table remains shared with the subject, which does not keep
 * closed files open. */
static bool leave_files(struct live_copy *c, const struct user_regs_struct *at,
			struct err *err)
{
	const uint64_t arguments[4] = { 0, ~0U, UNSHARE_FILES };
	struct remote_syscall call = { 0 };
	enum call_end end;

	/* A signal to the process group is not meant for I. */
	do {
		end = remote_syscall(c->helper, at, SYS_close_range, arguments, &call,
				     err);
	} while (end == CALL_SIGNALLED);
	return end == CALL_DONE;
}

/* At the entry of the clone that creates G. CLONE_PARENT makes G a child of the subject,
 * with I's exit signal: none. */
static bool park_helper(struct live_copy *c, struct err *err)
{
	const uint64_t arguments[4] = { CLONE_FILES | CLONE_PARENT, CHILD_STACK };
	struct user_regs_struct r;

	if (live_ptrace(PTRACE_GETREGS, c->helper, 0, &r) != 0)
		return err_set(err, ERR_CANNOT, "the helper process has exited");
	return leave_files(c, &r, err) &&
	       remote_syscall_prepare(c->helper, &r, SYS_clone, arguments, err) &&
	       remote_syscall_enter(c->helper, err);
}

/* For tests: GOSNAP_REFUSE_COPY=prepare and =make fail when that is done. */
static bool is_permitted(const char *what, struct err *err)
{
#ifdef GOSNAP_FAULTS
	const char *refused = getenv("GOSNAP_REFUSE_COPY");

	if (refused && strcmp(refused, what) == 0)
		return err_set(err, ERR_CANNOT, "GOSNAP_REFUSE_COPY=%s", what);
#else
	(void)what, (void)err;
#endif
	return true;
}

bool live_copy_prepare(struct live_copy *c, struct err *err)
{
	return make_helper(c, err) && park_helper(c, err) && is_permitted("prepare", err);
}

bool live_copy_make(struct live_copy *c, struct err *err)
{
	uint64_t start = monotonic_ns();
	struct user_regs_struct r;
	unsigned long child = 0;

	if (!live_trace(PTRACE_SYSCALL, c->helper, 0))
		return err_set(err, ERR_CANNOT, "the helper process has exited");
	/* No timeout of our own: the watchdog enforces any promised limit. */
	int status = LIVE_WAIT_GONE;
	while (tracee_wait(c->helper, &status) == LIVE_NOTHING)
		;
	if (!live_is_event(status, PTRACE_EVENT_CLONE)) {
		if (status > 0 && live_ptrace(PTRACE_GETREGS, c->helper, 0, &r) == 0)
			return refused(err, "to copy the process", (int64_t)r.rax);
		return err_set(err, ERR_CANNOT, "the helper process has exited");
	}
	live_ptrace(PTRACE_GETEVENTMSG, c->helper, 0, &child);
	c->copy = (pid_t)child;
	c->copy_ns = monotonic_ns() - start;
	return is_permitted("make", err);
}

static void kill_and_wait(pid_t *pid)
{
	int status;
	pid_t r;

	if (*pid <= 0)
		return;
	kill(*pid, SIGKILL);
	/* Its initial stop may be reported first. */
	do {
		r = waitpid(*pid, &status, __WALL);
	} while (r < 0 ? errno == EINTR : WIFSTOPPED(status));
	*pid = 0;
}

static void offer_to_oom_killer(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)pid);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Never for I: the kernel writes the value to all processes that share the
	 * memory. */
	if (write(fd, "1000", 4) != 4) {
		/* Then it is merely not preferred. */
	}
	close(fd);
}

void live_copy_settle(struct live_copy *c)
{
	kill_and_wait(&c->helper);
	offer_to_oom_killer(c->copy);
}

static bool is_lost(struct live_copy *c)
{
	int status;

	if (!c->copy)
		return false;
	pid_t r = waitpid(c->copy, &status, __WALL | WNOHANG);
	if (r == 0 || (r > 0 && WIFSTOPPED(status)))
		return false;
	c->copy = 0;
	return true;
}

/* Each page that the process writes now costs another page. */
static bool memory_left(const struct live_copy *c)
{
	struct cgroup group;
	struct host_resources machine;

	cgroup_read(target_pid(c->subject), &group);
	machine_read(&machine);
	return cgroup_room(&group.memory) >= MEMORY_RESERVE &&
	       (!machine.memory_available || machine.memory_available >= MEMORY_RESERVE);
}

const char *live_copy_over(struct live_copy *c, uint64_t over_at, uint64_t *look_at)
{
	const uint64_t now = monotonic_ns();

	if (is_lost(c))
		return "it was killed";
	if (now >= over_at)
		return "it reached the age allowed by --max-copy-age";
	if (now < *look_at)
		return NULL;
	*look_at = now + LOOK_AT_MEMORY_NS;
	return memory_left(c) ? NULL
			      : "memory nearly reached the limit of its cgroup or of the "
				"machine";
}

static size_t ids_of(pid_t pid, pid_t ret[static PROC_NAMESPACES])
{
	AUTO(xfree) char *status = proc_file(pid, "status");

	return proc_ids(status, ret, PROC_NAMESPACES);
}

/* Ours and those of a killed run, as pids in the subject's pid namespace. */
static bool find_dead(struct target *subject, pid_t *ret, size_t max, size_t *ret_n,
		      struct err *err)
{
	AUTO(xfree) pid_t *dead = xcalloc(max, sizeof(*dead));
	pid_t ids[PROC_NAMESPACES];
	size_t found, n = 0, depth = ids_of(target_pid(subject), ids);

	if (!conditions_leftovers(target_pid(subject), dead, max, &found))
		return err_sys(err, "cannot look for zombies of the copy");
	for (size_t i = 0; i < found; i++)
		if (depth && depth <= PROC_NAMESPACES && ids_of(dead[i], ids) >= depth)
			ret[n++] = ids[depth - 1];
	*ret_n = n;
	return true;
}

static bool reap(struct live_copy *c, const pid_t *zombies, size_t n, struct err *err)
{
	struct borrowed t0;

	if (!borrow(c->subject, &t0, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		const uint64_t arguments[4] = { (uint64_t)zombies[i], 0,
						__WALL | WNOHANG };
		struct remote_syscall call = { 0 };
		enum call_end end = remote_syscall(t0.tid, &t0.registers, SYS_wait4,
						   arguments, &call, err);
		if (end == CALL_FAILED)
			return false;
		if (end == CALL_SIGNALLED) {
			borrow_let_go(&t0, call.status);
			return true;
		}
		if (remote_syscall_interrupted(call.result))
			break;
	}
	return borrow_give_back(&t0, err);
}

/* A busy program receives signals all the time, and must handle them first. */
static void wait_a_little(unsigned round)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000L << (round < 6 ? round : 6) },
		  NULL);
}

bool live_copy_end(struct live_copy *c, struct err *err)
{
	pid_t zombies[MOST_DEAD];
	size_t n = 0;

	kill_and_wait(&c->helper);
	kill_and_wait(&c->copy);
	for (int i = 0;; i++) {
		if (!find_dead(c->subject, zombies, MOST_DEAD, &n, err))
			return false;
		if (!n)
			return true;
		if (i == REAP_ROUNDS)
			return err_set(err, ERR_CANNOT, "%zu zombies remain", n);
		if (i >= REAP_AT_ONCE)
			wait_a_little((unsigned)(i - REAP_AT_ONCE));
		/* On a busy machine threads that were held wait for a processor, and in no
		 * call. */
		if (!reap(c, zombies, n, err) && !err_is(err, ERR_NOT_FOUND))
			return false;
	}
}
