/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"

enum {
	SMALL_FILE = 65536,
	FILES_MAX = 1 << 20,
	CONTAINER_ID_LEN = 64,
	NS_PER_S = 1000000000,
};

static char *proc_link(pid_t pid, const char *name)
{
	AUTO(xfree) char *path = xasprintf("/proc/%d/%s", pid, name);

	return xreadlink(path);
}

/* Removes the kernel's " (deleted)" suffix, unless the file is really named so. */
static bool cut_deleted(pid_t proc, char *path)
{
	static const char deleted[] = " (deleted)";
	char link[64];
	size_t len = strlen(path), tail = strlen(deleted);
	struct stat file, named;

	if (len <= tail || strcmp(path + len - tail, deleted) != 0)
		return false;
	snprintf(link, sizeof(link), "/proc/%d/exe", proc);
	AUTO(xfree) char *inside = xasprintf("/proc/%d/root%s", proc, path);
	if (stat(link, &file) == 0 && stat(inside, &named) == 0 &&
	    file.st_ino == named.st_ino && file.st_dev == named.st_dev)
		return false;
	path[len - tail] = 0;
	return true;
}

static void read_status(struct process *p, const char *status)
{
	const char *ppid = proc_line(status, "PPid"), *uid = proc_line(status, "Uid");
	const char *gid = proc_line(status, "Gid");
	pid_t ids[PROC_NAMESPACES];
	size_t namespaces = proc_ids(status, ids, PROC_NAMESPACES);
	unsigned real, effective, group, effective_group;

	if (namespaces > 1 && namespaces <= PROC_NAMESPACES)
		p->ns_pid = ids[namespaces - 1];
	if (ppid)
		p->ppid = (pid_t)strtol(ppid, NULL, 10);
	if (uid && gid && sscanf(uid, "%u %u", &real, &effective) == 2 &&
	    sscanf(gid, "%u %u", &group, &effective_group) == 2) {
		p->has_ids = true;
		p->uid = effective;
		p->gid = effective_group;
	}
}

static uint64_t boot_realtime_ns(void)
{
	struct timespec up;

	clock_gettime(CLOCK_BOOTTIME, &up);
	return realtime_ns() - ((uint64_t)up.tv_sec * NS_PER_S + (uint64_t)up.tv_nsec);
}

static void read_stat(struct process *p, const char *stat)
{
	const char *open = strchr(stat, '('), *close = strrchr(stat, ')');

	if (!open || !close || close < open)
		return;
	p->comm = xstrndup(open + 1, (size_t)(close - open - 1));
	const char *field = proc_stat_field(stat, PROC_STAT_START);
	if (!field)
		return;
	uint64_t ticks = strtoull(field, NULL, 10), hz = (uint64_t)sysconf(_SC_CLK_TCK);
	p->has_started = true;
	p->started_at_ns =
		boot_realtime_ns() + ticks / hz * NS_PER_S + ticks % hz * (NS_PER_S / hz);
}

bool process_cpu(pid_t pid, uint64_t *ret_ns)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return false;
	*ret_ns = (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
	return true;
}

static void read_cpu(struct process *p)
{
	p->has_cpu = process_cpu(p->pid, &p->cpu_ns);
	p->cpu_at_ns = monotonic_ns();
}

static void read_rss(struct process *p, const char *status, pid_t proc)
{
	AUTO(xfree) char *statm = proc_file(proc, "statm");
	const char *peak = proc_line(status, "VmHWM");
	uint64_t pages;

	if (peak)
		p->peak_rss_bytes = strtoull(peak, NULL, 10) * 1024;
	if (!statm || sscanf(statm, "%*u %" SCNu64, &pages) != 1)
		return;
	p->has_rss = true;
	p->rss_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

char *process_cgroup(const char *text)
{
	char *best = NULL;

	for (const char *line = text; line && *line;) {
		const char *eol = strchrnul(line, '\n'), *path = strchr(line, '/');
		bool says = path && path < eol;
		bool version2 = !strncmp(line, "0::", 3);
		if (says &&
		    (!best || !strcmp(best, "/") || (version2 && eol - path > 1))) {
			xfree(best);
			best = xstrndup(path, (size_t)(eol - path));
		}
		line = *eol ? eol + 1 : NULL;
	}
	return best;
}

char *process_container(const char *cgroup)
{
	const char *found = NULL;
	size_t run = 0;

	for (const char *p = cgroup; p; p++) {
		if (isxdigit((unsigned char)*p)) {
			run++;
			continue;
		}
		if (run == CONTAINER_ID_LEN)
			found = p - run;
		run = 0;
		if (!*p)
			break;
	}
	return found ? xstrndup(found, CONTAINER_ID_LEN) : NULL;
}

static int by_fd(const void *a, const void *b)
{
	const struct process_file *x = a, *y = b;

	return (x->fd > y->fd) - (x->fd < y->fd);
}

static void read_files(struct process *p, pid_t proc)
{
	char path[64];
	size_t cap = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", proc);
	DIR *dir = opendir(path);
	if (!dir)
		return;
	p->files_readable = true;
	for (struct dirent *e; p->file_count < FILES_MAX && (e = readdir(dir));) {
		if (!isdigit((unsigned char)*e->d_name))
			continue;
		snprintf(path, sizeof(path), "fd/%.20s", e->d_name);
		char *target = proc_link(proc, path);
		if (!target)
			continue; /* closed since */
		GROW(p->files, p->file_count, cap);
		p->files[p->file_count++] =
			(struct process_file){ (int)strtol(e->d_name, NULL, 10), target };
	}
	closedir(dir);
	if (p->file_count)
		qsort(p->files, p->file_count, sizeof(*p->files), by_fd);
}

pid_t process_with_files(pid_t pid)
{
	char path[64];
	pid_t found = pid;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		AUTO(xfree) char *exe = tid > 0 ? proc_link(tid, "exe") : NULL;
		if (!exe)
			continue;
		found = tid;
		break;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The field in columns [from, to) of a line, without padding. */
static char *column(const char *line, size_t len, size_t from, size_t to)
{
	if (to > len)
		to = len;
	if (from > to)
		from = to;
	while (to > from && line[to - 1] == ' ')
		to--;
	return to > from ? xstrndup(line + from, to - from) : NULL;
}

/* fs/proc/base.c: "%-25s %-20s %-20s %-10s" since 2.6.24 */
static void read_limits(struct process *p)
{
	AUTO(xfree) char *text = proc_file(p->pid, "limits");
	size_t cap = 0;

	const char *line = text ? strchr(text, '\n') : NULL; /* the first is a heading */
	for (line = line ? line + 1 : NULL; line && *line;) {
		size_t len = (size_t)(strchrnul(line, '\n') - line);
		GROW(p->limits, p->limit_count, cap);
		p->limits[p->limit_count++] = (struct process_limit){
			.name = column(line, len, 0, 25),
			.soft = column(line, len, 26, 46),
			.hard = column(line, len, 47, 67),
			.units = column(line, len, 68, len),
		};
		line += len + (line[len] == '\n');
	}
}

/* A quarter of the stack limit: fs/exec.c. */
enum { WORDS_MAX = 8 << 20 };

static struct process_words read_words(pid_t proc, const char *name)
{
	struct process_words words = { .len = 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", proc, name);
	words.bytes = slurp(path, WORDS_MAX, &words.len);
	return words;
}

const char *process_next_word(const struct process_words *words, const char *word)
{
	if (!words->bytes)
		return NULL;
	word = word ? word + strlen(word) + 1 : words->bytes;
	return word < words->bytes + words->len ? word : NULL;
}

struct process *process_read(pid_t pid, struct err *err)
{
	AUTO(xfree) char *stat = proc_file(pid, "stat");
	AUTO(xfree) char *status = proc_file(pid, "status");

	if (!stat || !status) {
		err_set(err, ERR_NOT_FOUND, "no such process: %d", pid);
		return NULL;
	}
	struct process *p = xcalloc(1, sizeof(*p));
	pid_t proc = process_with_files(pid);
	p->pid = pid;
	read_stat(p, stat);
	read_status(p, status);
	read_rss(p, status, proc);
	read_cpu(p);
	p->exe = proc_link(proc, "exe");
	p->exe_deleted = p->exe && cut_deleted(proc, p->exe);
	p->cwd = proc_link(proc, "cwd");
	AUTO(xfree) char *cgroup = proc_file(pid, "cgroup");
	p->cgroup = process_cgroup(cgroup);
	p->container = process_container(p->cgroup);
	read_files(p, proc);
	read_limits(p);
	p->args = read_words(proc, "cmdline");
	p->environment = read_words(proc, "environ");
	return p;
}

void process_free(struct process *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->file_count; i++)
		xfree(p->files[i].target);
	for (size_t i = 0; i < p->limit_count; i++) {
		xfree(p->limits[i].name);
		xfree(p->limits[i].soft);
		xfree(p->limits[i].hard);
		xfree(p->limits[i].units);
	}
	xfree(p->files);
	xfree(p->limits);
	xfree(p->exe);
	xfree(p->cwd);
	xfree(p->cgroup);
	xfree(p->container);
	xfree(p->comm);
	xfree(p->args.bytes);
	xfree(p->environment.bytes);
	xfree(p);
}

static bool exe_is(pid_t pid, const char *name)
{
	AUTO(xfree) char *exe = proc_link(pid, "exe");

	if (!exe)
		return false;
	cut_deleted(pid, exe);
	const char *base = strrchr(exe, '/');
	return base && !strcmp(base + 1, name);
}

static int by_pid(const void *a, const void *b)
{
	const struct process_candidate *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void process_each(process_fn *fn, void *arg)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct process_candidate process = { .pid = 0 };
		if (isdigit((unsigned char)*e->d_name))
			process.pid = (pid_t)strtol(e->d_name, NULL, 10);
		AUTO(xfree)
		char *comm = process.pid && process.pid != getpid()
				     ? proc_file(process.pid, "comm")
				     : NULL;
		if (!comm)
			continue;
		comm[strcspn(comm, "\n")] = 0;
		snprintf(process.name, sizeof(process.name), "%s", comm);
		fn(arg, &process);
	}
	if (dir)
		closedir(dir);
}

struct search {
	const char *name;
	struct process_candidate *found;
	size_t count, max;
};

static void keep_named(void *arg, const struct process_candidate *process)
{
	struct search *search = arg;

	if (search->count < search->max &&
	    (!strcmp(process->name, search->name) || exe_is(process->pid, search->name)))
		search->found[search->count++] = *process;
}

size_t process_find(const char *name, struct process_candidate *ret, size_t max)
{
	struct search search = { .name = name, .found = ret, .max = max };

	process_each(keep_named, &search);
	if (search.count)
		qsort(ret, search.count, sizeof(*ret), by_pid);
	return search.count;
}
