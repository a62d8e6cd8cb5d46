/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/live_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/procfs/cgroup.h"
#include "lib/procfs/proc_file.h"

enum {
	SMALL_FILE = 4096,
	KERNEL_STACK_MAX = 16384,
	MAPS_LINE_MAX = 256, /* on average */
};

static void proc_path(const struct live *l, char *buf, size_t size, const char *rest)
{
	/* Through our own descriptor the path stays valid even if the pid is reused. */
	snprintf(buf, size, "/proc/self/fd/%d/%s", l->proc_fd, rest);
}

char *live_slurp(const struct live *l, size_t limit, size_t *ret_len, const char *format,
		 ...)
{
	char rest[64], path[128];
	va_list ap;

	va_start(ap, format);
	vsnprintf(rest, sizeof(rest), format, ap);
	va_end(ap);
	proc_path(l, path, sizeof(path), rest);
	return slurp(path, limit, ret_len);
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

pid_t *live_tasks(const struct live *l, size_t *ret_n, struct err *err)
{
	char path[128];
	pid_t *tids = NULL;
	size_t n = 0, cap = 0;

	proc_path(l, path, sizeof(path), "task");
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && n < LIMIT_THREADS && (e = readdir(dir));) {
		if (!isdigit((unsigned char)*e->d_name))
			continue;
		GROW(tids, n, cap);
		tids[n++] = (pid_t)strtol(e->d_name, NULL, 10);
	}
	int saved = errno;
	if (dir)
		closedir(dir);
	if (n == 0) {
		errno = saved;
		if (dir || saved == ESRCH || saved == ENOENT)
			err_set(err, ERR_GONE, "process %d has exited", l->pid);
		else
			err_sys(err, "cannot list the threads of process %d", l->pid);
		return NULL;
	}
	qsort(tids, n, sizeof(*tids), by_pid);
	*ret_n = n;
	return tids;
}

size_t live_task_count(const struct live *l)
{
	char path[128];
	struct stat st;

	proc_path(l, path, sizeof(path), "task");
	return stat(path, &st) ? 0 : (size_t)st.st_nlink - 2;
}

char live_state(const struct live *l, pid_t tid)
{
	AUTO(xfree) char *stat = live_slurp(l, SMALL_FILE, NULL, "task/%d/stat", tid);
	const char *p = proc_stat_field(stat, PROC_STAT_STATE);

	return p ? *p : 0;
}

bool live_is_alive(const struct live *l, pid_t tid)
{
	AUTO(xfree) char *stat = live_slurp(l, SMALL_FILE, NULL, "task/%d/stat", tid);

	return !proc_stat_is_exiting(stat);
}

pid_t live_tracer(const struct live *l, pid_t tid)
{
	AUTO(xfree) char *status = live_slurp(l, SMALL_FILE, NULL, "task/%d/status", tid);

	return (pid_t)proc_number(status, "TracerPid", 10);
}

/* A seized thread that was stopped by a signal says by which one: ptrace(2), "Group-stop". The first thread must
 * be among them: a SIGCONT that is not for it leaves no trace. */
static bool was_stopped_by_signal(const struct live *l)
{
	for (size_t i = 0; i < l->thread_count; i++) {
		const struct live_thread *th = &l->threads[i];
		if (th->info.tid == l->pid)
			return th->at == LIVE_STOPPED &&
			       th->status >> 16 == PTRACE_EVENT_STOP &&
			       WSTOPSIG(th->status) != SIGTRAP;
	}
	return false;
}

/* While it is stopped by us, too, the signal that continues it stays pending. */
static bool stopped_by_signal(const struct live *l, const char *status, bool held)
{
	const uint64_t continued = UINT64_C(1) << (SIGCONT - 1);
	const char *state = proc_line(status, "State");

	return state && (held ? was_stopped_by_signal(l) : *state == 'T') &&
	       !(proc_number(status, "ShdPnd", 16) & continued);
}

bool live_stands_anyway(const struct live *l, bool held)
{
	AUTO(xfree)
	char *status = live_slurp(l, SMALL_FILE, NULL, "task/%d/status", l->reader);
	struct cgroup group;

	if (stopped_by_signal(l, status, held))
		return true;
	cgroup_read(l->reader, &group);
	return group.frozen != CGROUP_RUNS;
}

static uint64_t cpu_ticks_ns(const char *stat)
{
	const char *p = proc_stat_field(stat, PROC_STAT_USER_TIME);
	char *rest;

	if (!p)
		return 0;
	uint64_t ticks = strtoull(p, &rest, 10);
	ticks += strtoull(rest, NULL, 10);
	return ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t ran_ns(const struct live *l, pid_t tid, const char *stat)
{
	AUTO(xfree)
	char *sched = live_slurp(l, SMALL_FILE, NULL, "task/%d/schedstat", tid);

	return sched ? strtoull(sched, NULL, 10) : cpu_ticks_ns(stat);
}

uint64_t live_ran_ns(const struct live *l, pid_t tid)
{
	AUTO(xfree) char *stat = live_slurp(l, SMALL_FILE, NULL, "task/%d/stat", tid);

	return ran_ns(l, tid, stat);
}

static pid_t innermost_id(const char *status, pid_t tid)
{
	pid_t ids[PROC_NAMESPACES];
	size_t n = proc_ids(status, ids, PROC_NAMESPACES);

	return n && n <= PROC_NAMESPACES ? ids[n - 1] : tid;
}

/* "se.exec_start                                :      37481436.236840", milliseconds of a
 * clock of the scheduler's */
static uint64_t last_ran_ns(const char *sched)
{
	static const char name[] = "\nse.exec_start"; /* not in the thread's name */
	const char *p = sched ? strstr(sched, name) : NULL;
	uint64_t ms;
	char *rest;

	if (!p)
		return 0;
	p += 1 + strcspn(p + 1, "0123456789\n");
	ms = strtoull(p, &rest, 10);
	return ms * 1000000 + (*rest == '.' ? strtoull(rest + 1, NULL, 10) : 0);
}

/* It notes when a thread is switched to, so we have ourselves switched to. */
void live_set_clock(struct live *l)
{
	sched_yield();
	AUTO(xfree) char *ours = slurp("/proc/thread-self/sched", SMALL_FILE, NULL);
	const uint64_t ran = last_ran_ns(ours);

	l->clock_known = ran != 0;
	l->clock_ahead = (int64_t)(monotonic_ns() - ran);
}

static uint64_t when_ran(const struct live *l, pid_t tid)
{
	if (!l->clock_known)
		return 0;
	AUTO(xfree) char *sched = live_slurp(l, SMALL_FILE, NULL, "task/%d/sched", tid);
	const uint64_t ran = last_ran_ns(sched);

	return ran ? ran + (uint64_t)l->clock_ahead : 0;
}

static void wait_facts(const struct live *l, pid_t tid, struct target_thread *ret)
{
	AUTO(xfree)
	char *wchan = live_slurp(l, sizeof(ret->wchan) - 1, NULL, "task/%d/wchan", tid);

	if (wchan && strcmp(wchan, "0"))
		snprintf(ret->wchan, sizeof(ret->wchan), "%s", wchan);
	ret->ran_ns = when_ran(l, tid);
	ret->kernel_stack = live_slurp(l, KERNEL_STACK_MAX, NULL, "task/%d/stack", tid);
	if (ret->kernel_stack && !*ret->kernel_stack) {
		xfree(ret->kernel_stack);
		ret->kernel_stack = NULL;
	}
}

bool live_thread_facts(const struct live *l, pid_t tid, bool with_wait,
		       struct target_thread *ret)
{
	AUTO(xfree) char *stat = live_slurp(l, SMALL_FILE, NULL, "task/%d/stat", tid);
	const char *state = proc_stat_field(stat, PROC_STAT_STATE);
	const char *comm = stat ? strchr(stat, '(') : NULL;

	memset(ret, 0, sizeof(*ret));
	ret->tid = tid;
	if (!state || !comm || state < comm + 3)
		return false;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)(state - comm - 3), comm + 1);
	ret->state = *state;
	ret->cpu_ns = ran_ns(l, tid, stat);
	ret->has_cpu = true;
	AUTO(xfree) char *status = live_slurp(l, SMALL_FILE, NULL, "task/%d/status", tid);
	ret->tid_inside = innermost_id(status, tid);
	ret->filtered = !status || proc_number(status, "Seccomp", 10) != 0;
	if (with_wait)
		wait_facts(l, tid, ret);
	return true;
}

bool live_thread_syscall(const struct live *l, struct target_thread *thread)
{
	AUTO(xfree)
	char *line = live_slurp(l, SMALL_FILE, NULL, "task/%d/syscall", thread->tid);
	uint64_t word[8]; /* six arguments, sp, pc */
	char *p;

	if (!line || !(isdigit((unsigned char)*line) || *line == '-'))
		return false; /* "running" */
	int64_t number = strtoll(line, &p, 10);
	/* -1: in the kernel but not in a system call; then only sp and pc follow. */
	unsigned first = number < 0 ? 6 : 0;
	for (unsigned i = first; i < ARRAY_SIZE(word); i++) {
		if (*p != ' ')
			return false;
		word[i] = strtoull(p, &p, 16);
	}
	if (number >= 0) {
		thread->in_syscall = true;
		thread->syscall_number = number;
		memcpy(thread->syscall_args, word, sizeof(thread->syscall_args));
	}
	reg_set(&thread->regs, arch_amd64.sp, word[6]);
	reg_set(&thread->regs, arch_amd64.pc, word[7]);
	return word[7] != 0; /* a worker of io_uring has never been outside */
}

/* The kernel escapes newlines in paths as \012, and nothing else. */
static char *unescape(const char *s, size_t len)
{
	static const char escape[] = "\\012";
	char *ret = xmalloc(len + 1), *to = ret;

	for (size_t i = 0; i < len;) {
		if (len - i >= 4 && !memcmp(s + i, escape, 4)) {
			*to++ = '\n';
			i += 4;
		} else {
			*to++ = s[i++];
		}
	}
	*to = 0;
	return ret;
}

static bool expect(const char **p, char c)
{
	if (**p != c)
		return false;
	++*p;
	return true;
}

static uint64_t number(const char **p, int base)
{
	char *rest;
	uint64_t v = strtoull(*p, &rest, base);

	*p = rest;
	return v;
}

/* "start-end rwxp offset major:minor inode   path" */
static bool parse_mapping(const char *p, const char *eol, struct target_mapping *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->start = number(&p, 16);
	if (!expect(&p, '-'))
		return false;
	ret->end = number(&p, 16);
	if (!expect(&p, ' ') || eol - p < 5 || ret->start >= ret->end)
		return false;
	ret->readable = p[0] == 'r';
	ret->writable = p[1] == 'w';
	ret->executable = p[2] == 'x';
	ret->shared = p[3] == 's';
	p += 4;
	ret->offset = number(&p, 16);
	if (!expect(&p, ' '))
		return false;
	ret->device_major = (uint32_t)number(&p, 16);
	if (!expect(&p, ':'))
		return false;
	ret->device_minor = (uint32_t)number(&p, 16);
	if (!expect(&p, ' '))
		return false;
	ret->inode = number(&p, 10);
	while (p < eol && *p == ' ')
		p++;
	ret->path = unescape(p, (size_t)(eol - p));
	return true;
}

bool live_mappings(const struct live *l, struct target_mapping **ret, size_t *ret_n,
		   struct err *err)
{
	AUTO(xfree)
	char *text = live_slurp(l, LIMIT_MAPPINGS * MAPS_LINE_MAX, NULL, "task/%d/maps",
				l->reader);
	struct target_mapping *mappings = NULL;
	size_t n = 0, cap = 0;

	if (!text && (errno == ESRCH || errno == ENOENT))
		return err_set(err, ERR_GONE, "process %d has exited", l->pid);
	if (!text)
		return err_sys(err, "/proc/%d/maps", l->pid);
	for (const char *line = text, *eol; (eol = strchr(line, '\n')); line = eol + 1) {
		if (n == LIMIT_MAPPINGS)
			break;
		GROW(mappings, n, cap);
		if (parse_mapping(line, eol, &mappings[n]))
			n++;
	}
	*ret = mappings;
	*ret_n = n;
	return true;
}
