/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/conditions.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/base/limit.h"
#include "lib/procfs/conditions_priv.h"
#include "lib/procfs/proc_file.h"
#include "lib/procfs/process.h"

enum {
	SMALL_FILE = 4096,
	VFORK_FLAG = 0x4000, /* CLONE_VFORK */
	COMM_MAX = 16,
	NEAR_TASKS = 1024,
};

typedef bool id_fn(void *arg, pid_t id); /* false: stop */

/* False: errno says why. */
static bool each_id(const char *folder, id_fn *fn, void *arg)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	for (struct dirent *e; dir && n < LIMIT_THREADS && (e = readdir(dir));) {
		if (!isdigit((unsigned char)*e->d_name))
			continue;
		n++;
		if (!fn(arg, (pid_t)strtol(e->d_name, NULL, 10)))
			break;
	}
	if (dir)
		closedir(dir);
	return dir != NULL;
}

static bool each_thread(pid_t pid, id_fn *fn, void *arg)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return each_id(path, fn, arg);
}

/* "58 0x... sp pc": a thread waiting in vfork, or in a clone with that flag. The flags of
 * clone3 are in memory, but it waits for nothing else. */
static bool waits_for_vfork(const char *line)
{
	char *args;

	if (!line || !isdigit((unsigned char)*line))
		return false;
	long number = strtol(line, &args, 10);
	return number == SYS_vfork || number == SYS_clone3 ||
	       (number == SYS_clone && strtoull(args, NULL, 16) & VFORK_FLAG);
}

static bool note_vfork(void *arg, pid_t tid)
{
	struct conditions *c = arg;
	AUTO(xfree) char *line = proc_file(tid, "syscall");

	c->vfork = waits_for_vfork(line);
	return !c->vfork;
}

static void read_status(struct conditions *c, const char *status)
{
	const char *state = proc_line(status, "State");

	proc_name(status, c->name, sizeof(c->name));
	c->group_stopped = state && *state == 'T';
	c->seccomp = (int)proc_number(status, "Seccomp", 10);
	c->threads = proc_number(status, "Threads", 10);
	c->tracer = (pid_t)proc_number(status, "TracerPid", 10);
	if (!c->tracer)
		return;
	AUTO(xfree) char *tracer = proc_file(c->tracer, "status");
	if (tracer)
		proc_name(tracer, c->tracer_name, sizeof(c->tracer_name));
}

static uint64_t kilobytes(const char *status, const char *key)
{
	return proc_number(status, key, 10) * 1024;
}

static void read_memory(struct conditions *c, pid_t tid, const char *status)
{
	c->anonymous = kilobytes(status, "RssAnon");
	c->shared = kilobytes(status, "RssShmem");
	c->swapped = kilobytes(status, "VmSwap");
	c->page_tables = kilobytes(status, "VmPTE");
	c->locked = kilobytes(status, "VmLck");
	c->committed = kilobytes(status, "VmData") + kilobytes(status, "VmStk");
	conditions_mappings(c, tid);
}

struct census {
	uint64_t uid, tasks;
};

static bool count_tasks(void *arg, pid_t pid)
{
	struct census *census = arg;
	AUTO(xfree) char *status = proc_file(pid, "status");

	if (status && proc_number(status, "Uid", 10) == census->uid)
		census->tasks += proc_number(status, "Threads", 10);
	return true;
}

/* "Max processes             96365                96365                processes" */
static uint64_t soft_limit(pid_t pid)
{
	static const char key[] = "Max processes";
	AUTO(xfree) char *limits = proc_file(pid, "limits");
	const char *line = limits ? strstr(limits, key) : NULL;
	char *end;

	if (!line)
		return UINT64_MAX;
	line += strlen(key);
	uint64_t max = strtoull(line, &end, 10);
	return end == line ? UINT64_MAX : max; /* "unlimited" */
}

/* The superuser, and processes with one of two capabilities, are not limited. Counting is
 * only worthwhile if the limit is not well above the number of all tasks. */
static void read_processes(struct conditions *c, const char *status)
{
	AUTO(xfree) char *uid_map = proc_file(c->pid, "uid_map");
	uint64_t capabilities = proc_number(status, "CapEff", 16);
	struct census census = { .uid = proc_number(status, "Uid", 10) };

	if (in_first_user_namespace(uid_map) &&
	    (census.uid == 0 || has_capability(capabilities, CAP_SYS_RESOURCE) ||
	     has_capability(capabilities, CAP_SYS_ADMIN)))
		return;
	uint64_t max = soft_limit(c->pid);
	if (max > c->machine.tasks + c->threads + NEAR_TASKS)
		return;
	each_id("/proc", count_tasks, &census);
	c->processes =
		(struct cgroup_limit){ .set = true, .used = census.tasks, .max = max };
}

void conditions_read(pid_t pid, struct conditions *ret)
{
	unsigned char head[EI_NIDENT];

	memset(ret, 0, sizeof(*ret));
	ret->pid = pid;
	kernel_features_probe(&ret->kernel);
	our_rights_read(&ret->ours);
	machine_read(&ret->machine);
	AUTO(xfree) char *first = pid > 0 ? proc_file(pid, "status") : NULL;
	if (!first)
		return;
	/* A leader that has exited has no memory; the other threads do. */
	pid_t tid = process_with_files(pid);
	AUTO(xfree) char *alive = proc_file(tid, "status");
	const char *status = alive ? alive : first;
	ret->exists = true;
	read_status(ret, status);
	proc_name(first, ret->name, sizeof(ret->name));
	read_memory(ret, tid, status);
	if (proc_elf_head(tid, head, sizeof(head)))
		ret->elf_class = head[EI_CLASS];
	each_thread(pid, note_vfork, ret);
	read_processes(ret, status);
	cgroup_read(tid, &ret->cgroup);
}

bool conditions_stand_still(const struct conditions *c)
{
	return c->group_stopped || c->cgroup.frozen;
}

struct leftovers {
	pid_t parent, *pids;
	size_t count, max;
	int error;
};

/* Other errors mean that it has exited, or belongs to another user. */
static void note_error(int *error)
{
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		*error = errno;
}

static char *file_of(pid_t pid, const char *name, int *error)
{
	char *text = proc_file(pid, name);

	if (!text)
		note_error(error);
	return text;
}

struct namesake {
	const char *comm;
	bool found;
	int error;
};

static bool compare_name(void *arg, pid_t tid)
{
	struct namesake *of = arg;
	AUTO(xfree) char *comm = file_of(tid, "comm", &of->error);

	of->found = comm && strcmp(comm, of->comm) == 0;
	return !of->found;
}

/* The copy of a thread has that thread's name. */
static bool has_thread_named(struct leftovers *found, const char *comm)
{
	struct namesake of = { .comm = comm };

	if (!each_thread(found->parent, compare_name, &of))
		note_error(&of.error);
	if (of.error)
		found->error = of.error;
	return of.found;
}

/* One whose memory is large is no zombie yet some time after its tracer was killed. */
static bool is_dying(const char *stat)
{
	return proc_stat_is_exiting(stat) ||
	       (proc_stat_number(stat, PROC_STAT_PENDING) & UINT64_C(1) << (SIGKILL - 1));
}

static bool keep_leftover(void *arg, pid_t pid)
{
	struct leftovers *found = arg;
	AUTO(xfree) char *stat = file_of(pid, "stat", &found->error);

	if (!proc_stat_field(stat, PROC_STAT_EXIT_SIGNAL) ||
	    proc_stat_number(stat, PROC_STAT_EXIT_SIGNAL) != 0 ||
	    (pid_t)proc_stat_number(stat, PROC_STAT_PARENT) != found->parent ||
	    !is_dying(stat))
		return true;
	AUTO(xfree) char *comm = file_of(pid, "comm", &found->error);
	if (comm && has_thread_named(found, comm))
		found->pids[found->count++] = pid;
	return found->count < found->max;
}

bool conditions_leftovers(pid_t pid, pid_t *ret, size_t max, size_t *ret_n)
{
	struct leftovers found = { .parent = pid, .pids = ret, .max = max };

	if (max && !each_id("/proc", keep_leftover, &found))
		found.error = errno;
	*ret_n = found.count;
	errno = found.error;
	return !found.error;
}
