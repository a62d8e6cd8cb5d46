/* SPDX-License-Identifier: Apache-2.0 */
/* The list of threads while they are being stopped, and the fate of unlisted ones, and of those that
 * do not stop. No ptrace calls here. */
#include "lib/ptrace/live_priv.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/limit.h"

static int by_tid(const void *a, const void *b)
{
	const struct live_thread *x = a, *y = b;

	return (x->info.tid > y->info.tid) - (x->info.tid < y->info.tid);
}

static void sort(struct live *l)
{
	if (l->thread_count)
		qsort(l->threads, l->thread_count, sizeof(*l->threads), by_tid);
}

/* A tid can be reused by a new thread, which an entry of a dead one must not hide. */
static void drop_gone(struct live *l)
{
	size_t kept = 0;

	if (l->releasing)
		return;
	for (size_t i = 0; i < l->thread_count; i++) {
		if (l->threads[i].at == LIVE_GONE)
			xfree(l->threads[i].info.kernel_stack);
		else
			l->threads[kept++] = l->threads[i];
	}
	l->thread_count = kept;
}

static void add_thread(struct live *l, pid_t tid, enum live_at at,
		       const struct target_thread *facts)
{
	GROW(l->threads, l->thread_count, l->thread_cap);
	l->threads[l->thread_count++] = (struct live_thread){ .info = *facts, .at = at };
	l->threads[l->thread_count - 1].info.tid = tid;
}

static bool is_listed(const struct live *l, size_t n, pid_t tid)
{
	struct live_thread key = { .info.tid = tid };

	return n && bsearch(&key, l->threads, n, sizeof(key), by_tid);
}

static void adopt(struct live *l, pid_t tid)
{
	struct target_thread facts = { .tid_inside = tid, .filtered = true };

	/* It is ours even if nothing about it can be read any more. */
	live_thread_facts(l, tid, false, &facts);
	add_thread(l, tid, LIVE_SEIZED, &facts);
	l->threads[l->thread_count - 1].interrupted = true;
}

void live_adopt_born(struct live *l)
{
	if (!l->born_count)
		return;
	drop_gone(l);
	size_t before = l->thread_count;
	for (size_t i = 0; i < l->born_count; i++)
		if (!is_listed(l, before, l->born[i]))
			adopt(l, l->born[i]);
	l->born_count = 0;
	sort(l);
}

bool live_adopt_ours(struct live *l)
{
	struct err why;
	size_t n = 0;
	AUTO(xfree) pid_t *tids = live_tasks(l, &n, &why);

	drop_gone(l);
	size_t before = l->thread_count;
	for (size_t i = 0; tids && i < n; i++)
		if (!is_listed(l, before, tids[i]) && live_tracer(l, tids[i]) == gettid())
			adopt(l, tids[i]);
	sort(l);
	return l->thread_count > before;
}

bool live_scan(struct live *l, enum live_depth depth, size_t *ret_new, struct err *err)
{
	size_t n = 0;

	drop_gone(l);
	size_t before = l->thread_count;
	AUTO(xfree) pid_t *tids = live_tasks(l, &n, err);
	if (!tids)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct target_thread facts = { .tid_inside = tids[i], .filtered = true };
		if (is_listed(l, before, tids[i]) ||
		    (depth != LIVE_BARE &&
		     !live_thread_facts(l, tids[i], depth == LIVE_FULL, &facts)))
			continue;
		add_thread(l, tids[i], LIVE_FOUND, &facts);
	}
	*ret_new = l->thread_count - before;
	sort(l);
	return true;
}

void live_forget(struct live *l)
{
	for (size_t i = 0; i < l->thread_count; i++)
		xfree(l->threads[i].info.kernel_stack);
	l->thread_count = l->born_count = 0;
	l->disturbed = false;
}

/* First with WNOWAIT: a tracer also gets stops, whatever it asks for. */
static void reap_if_dead(pid_t tid)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
	    info.si_pid == tid && info.si_code != CLD_TRAPPED &&
	    info.si_code != CLD_STOPPED)
		waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL);
}

void live_reap_dead(const struct live *l)
{
	_Alignas(struct dirent64) char buf[4096];
	long n;

	/* Not readdir(): it allocates, which a signal handler must not. */
	int fd = openat(l->proc_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && (n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent64 *e = (const struct dirent64 *)(buf + at);
			if (e->d_name[0] != '.')
				reap_if_dead((pid_t)strtol(e->d_name, NULL, 10));
			at += e->d_reclen;
		}
	}
	if (fd >= 0)
		close(fd);
}

const char live_why_leader[] =
	"the thread-group leader has exited, other threads still run";
static const char why_sleep[] = "in uninterruptible sleep (state D)";
static const char why_late[] = "did not stop in time";

/* Its stack may not be its own any more: runtime.exitThread. */
static bool in_exit(const struct target_thread *th)
{
	return th->in_syscall &&
	       (th->syscall_number == SYS_exit || th->syscall_number == SYS_exit_group);
}

static void give_up(struct live *l, struct live_thread *th, const char *why)
{
	th->at = LIVE_LATE;
	th->info.why = why;
	th->info.blocked = live_thread_syscall(l, &th->info) && why == why_sleep &&
			   !in_exit(&th->info);
}

/* Whoever may stay in state D for longer is not in it all the time. */
uint64_t live_late_ns(const struct live *l)
{
	return l->patience_ns > LIMIT_STOP_NS ? l->patience_ns : LIMIT_STOP_NS;
}

/* To stop, a thread needs a processor, which others may have: time in which it has none does not count, up to a limit.
 * Less of a stop that is to end soon. */
static bool is_late(const struct live *l, const struct live_thread *th, char state,
		    uint64_t waited)
{
	uint64_t most = LIMIT_STARVED_NS;

	if (waited <= live_late_ns(l))
		return false;
	if (l->give_up_at && (l->give_up_at - l->first_stop) / 2 < most)
		most = (l->give_up_at - l->first_stop) / 2;
	return state != 'R' || waited > most ||
	       live_ran_ns(l, th->info.tid) - th->info.cpu_ns > live_late_ns(l);
}

/* An execve waits, in state D, until we have reaped each thread that it killed. */
void live_inspect(struct live *l, uint64_t waited)
{
	live_reap_dead(l);
	for (size_t i = 0; i < l->thread_count; i++) {
		struct live_thread *th = &l->threads[i];
		int status;
		if (th->at == LIVE_STOPPED &&
		    tracee_poll(th->info.tid, &status) == LIVE_ENDED)
			th->at = LIVE_GONE;
		if (th->at != LIVE_SEIZED)
			continue;
		char state = live_state(l, th->info.tid);
		if (state == 'Z' && th->info.tid == l->pid)
			give_up(l, th, live_why_leader);
		else if (!th->interrupted)
			continue; /* its turn is to come */
		else if (state == 'D' && waited > l->patience_ns)
			give_up(l, th, why_sleep);
		else if (is_late(l, th, state, waited))
			give_up(l, th, why_late);
	}
}
