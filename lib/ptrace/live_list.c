/* SPDX-License-Identifier: Apache-2.0 */
/* The list of threads while they are being stopped, and the fate of unlisted ones. No
 * ptrace calls here. */
#include "lib/ptrace/live_priv.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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
