/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "lib/sandbox/sandbox_priv.h"

enum {
	MEMBERS_MAX = 64,	/* that are looked at: more are too many */
	CHILDREN_MAX = 1 << 16, /* bytes of a list of them */
};

struct group {
	pid_t leader, list[MEMBERS_MAX];
	size_t count;
	bool more;
};

static void add(struct group *g, pid_t pid)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->list[i] == pid)
			return;
	if (getpgid(pid) != g->leader)
		return;
	if (g->count < MEMBERS_MAX)
		g->list[g->count++] = pid;
	else
		g->more = true;
}

static void add_children(struct group *g, pid_t pid, pid_t thread)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)thread);
	AUTO(xfree) char *list = slurp(path, CHILDREN_MAX, NULL);
	for (char *p = list, *end; p && *p; p = end) {
		pid_t child = (pid_t)strtol(p, &end, 10);
		if (end == p || child <= 0)
			break;
		end += *end == ' ';
		add(g, child);
	}
}

/* Each thread has children of its own. */
static void add_children_of(struct group *g, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *threads = opendir(path);
	for (struct dirent *e; threads && (e = readdir(threads));)
		if (*e->d_name != '.')
			add_children(g, pid, (pid_t)strtol(e->d_name, NULL, 10));
	if (threads)
		closedir(threads);
}

static void find(struct group *g, pid_t leader)
{
	*g = (struct group){ .leader = leader };
	add(g, leader);
	add_children_of(g, getpid()); /* whose parents have ended */
	for (size_t i = 0; i < g->count; i++)
		add_children_of(g, g->list[i]);
}

static uint64_t resident_bytes(pid_t pid)
{
	AUTO(xfree) char *status = proc_file(pid, "status");

	return proc_number(status, "RssAnon", 10) * 1024;
}

/* What several processes share, each has in part. 0: only CAP_SYS_PTRACE lets us know, since what is in
 * there is nobody's business. Each still has the limit of its own. */
static uint64_t own_bytes(pid_t pid)
{
	AUTO(xfree) char *rollup = proc_file(pid, "smaps_rollup");

	return proc_number(rollup, "Pss_Anon", 10) * 1024;
}

static uint64_t sum(const struct group *g, uint64_t (*bytes)(pid_t pid))
{
	uint64_t total = 0;

	for (size_t i = 0; i < g->count; i++)
		total += bytes(g->list[i]);
	return total;
}

bool group_watch(const struct sandbox *how, pid_t leader, struct err *err)
{
	const uint64_t most = sandbox_memory();
	struct group g;

	find(&g, leader);
	if (g.more || g.count > how->workers + 1)
		return err_set(err, ERR_SYS,
			       SANDBOXED " started more processes than it may (%u)",
			       how->workers);
	/* Forks share most of it, so the quick look may count it several times. */
	if (sum(&g, resident_bytes) > most && sum(&g, own_bytes) > most)
		return err_set(err, ERR_SYS,
			       SANDBOXED " and its workers used more memory "
					 "than they may (%llu bytes)",
			       (unsigned long long)most);
	return true;
}

/* No member can leave the group, nor start another while it is killed. While one is a child of ours, the
 * number is that of this group. */
void group_end(pid_t leader)
{
	pid_t pid;

	do
		pid = waitpid(-leader, NULL, WNOHANG);
	while (pid > 0);
	if (pid == 0)
		kill(-leader, SIGKILL);
	while (waitpid(-leader, NULL, 0) > 0)
		continue;
}
