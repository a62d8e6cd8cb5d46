/* SPDX-License-Identifier: Apache-2.0 */
/* still.c - how long a sandbox has done nothing. Now and then the parent looks whether any process of ours, in the
 * sandbox or beside it (the tracer), runs, waits for a processor, or has used CPU time since. If none has, and
 * nobody else keeps the sandbox waiting, the time since the last look counts. Each CPU second makes up for ten
 * of it, so that a process that wakes up now and then for an instant has no more time than one that sleeps. A look
 * that comes late counts as one that does not: then we had no processor, or were stopped. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "lib/sandbox/sandbox_priv.h"

enum {
	LOOKS = 100, /* until the time is over */
	MADE_UP_TIMES = 10,
	DISK_TIMES = 10,   /* so much longer the kernel may wait for a disk */
	MEMBERS_MAX = 64,  /* processes that are looked at */
	LIST_MAX = 1 << 16 /* bytes of a list of children */
};

struct members {
	pid_t list[MEMBERS_MAX];
	size_t count;
};

/* What they all do. */
struct sight {
	bool known; /* false: /proc does not tell */
	bool runs, waits_for_disk;
	uint64_t ticks; /* of CPU time */
};

void still_begin(struct still *s, const struct sandbox *how)
{
	*s = (struct still){ .most_ns = how->max_still_ns == SANDBOX_RESTS
						? 0
						: how->max_still_ns };
	if (s->most_ns)
		s->most_ns = switched("GOSNAP_SANDBOX_STILL", s->most_ns / SECOND_NS) *
			     SECOND_NS;
	s->look_ns = s->most_ns / LOOKS + 1;
}

/* False: /proc does not tell which they are. */
static bool still_add_children(struct members *m, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	AUTO(xfree) char *list = slurp(path, LIST_MAX, NULL);
	for (char *p = list, *end; p && *p && m->count < MEMBERS_MAX; p = end) {
		const pid_t child = (pid_t)strtol(p, &end, 10);
		if (end == p || child <= 0)
			break;
		end += *end == ' ';
		m->list[m->count++] = child;
	}
	return list;
}

static void still_see_thread(const char *stat, struct sight *ret)
{
	const char *state = stat ? proc_stat_field(stat, PROC_STAT_STATE) : NULL;

	ret->runs |= state && *state == 'R';
	ret->waits_for_disk |= state && *state == 'D';
}

/* The file of the process has the state of its first thread, and the time of all. */
static void still_see(pid_t pid, struct sight *ret)
{
	AUTO(xfree) char *tasks = xasprintf("/proc/%d/task", (int)pid);
	AUTO(xfree) char *whole = proc_file(pid, "stat");
	DIR *threads = opendir(tasks);

	ret->known = whole && threads;
	if (whole)
		ret->ticks += proc_stat_number(whole, PROC_STAT_USER_TIME) +
			      proc_stat_number(whole, PROC_STAT_USER_TIME + 1);
	for (struct dirent *e; threads && !ret->runs && (e = readdir(threads));) {
		if (*e->d_name == '.')
			continue;
		AUTO(xfree) char *name = xasprintf("task/%.20s/stat", e->d_name);
		AUTO(xfree) char *stat = proc_file(pid, name);
		still_see_thread(stat, ret);
	}
	if (threads)
		closedir(threads);
}

/* A process that ended meanwhile has done something. */
static struct sight still_see_all(void)
{
	struct members m = { .count = 0 };
	struct sight ret = { .known = still_add_children(&m, getpid()) && m.count };

	for (size_t i = 0; i < m.count && ret.known; i++)
		ret.known = still_add_children(&m, m.list[i]);
	for (size_t i = 0; i < m.count && ret.known; i++)
		still_see(m.list[i], &ret);
	return ret;
}

/* Does a reader of what it writes, or a writer of what it reads, keep it waiting? Files never do. */
static bool still_is_kept_waiting_by(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return false;
	struct pollfd p = { .fd = fd,
			    .events =
				    (flags & O_ACCMODE) == O_RDONLY ? POLLIN : POLLOUT };
	return poll(&p, 1, 0) == 0;
}

static bool still_is_kept_waiting(const struct sandbox *how)
{
	if (still_is_kept_waiting_by(STDOUT_FILENO) ||
	    still_is_kept_waiting_by(STDERR_FILENO))
		return true;
	for (size_t i = 0; i < how->keep_count; i++)
		if (still_is_kept_waiting_by(how->keep[i]))
			return true;
	return false;
}

/* Since the last look. */
static void still_count(struct still *s, const struct sight *now, uint64_t ns)
{
	const uint64_t used = now->ticks > s->ticks ? now->ticks - s->ticks : 0,
		       made_up = used * MADE_UP_TIMES * SECOND_NS /
				 (uint64_t)sysconf(_SC_CLK_TCK);

	if (s->was_still && now->known)
		s->idle_ns += now->waits_for_disk ? ns / DISK_TIMES : ns;
	s->idle_ns -= made_up < s->idle_ns ? made_up : s->idle_ns;
}

bool still_is_over(struct still *s, const struct sandbox *how, bool is_owed)
{
	const uint64_t now_ns = monotonic_ns(), since_ns = now_ns - s->looked_ns;

	if (!s->most_ns || (s->looked_ns && since_ns < s->look_ns))
		return false;
	const struct sight sight = still_see_all();
	if (s->looked_ns)
		still_count(s, &sight, since_ns < 2 * s->look_ns ? since_ns : s->look_ns);
	s->was_still =
		sight.known && !sight.runs && !is_owed && !still_is_kept_waiting(how);
	s->ticks = sight.ticks;
	s->looked_ns = now_ns;
	return s->idle_ns >= s->most_ns;
}
