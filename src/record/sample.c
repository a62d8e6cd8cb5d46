/* SPDX-License-Identifier: Apache-2.0 */
#include "src/record/sample.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"

enum { ENOUGH_NS = 50 * 1000 * 1000, IDLE_PART = 100 };

static bool of_status(pid_t pid, const char *field, uint64_t unit, uint64_t *ret)
{
	AUTO(xfree) char *status = proc_file(pid, "status");

	if (!status || !proc_line(status, field))
		return false;
	*ret = proc_number(status, field, 10) * unit;
	return true;
}

/* Of all threads, also those that have ended. */
static bool read_cpu(pid_t pid, uint64_t *ret_ns)
{
	AUTO(xfree) char *stat = proc_file(pid, "stat");
	const char *at = proc_stat_field(stat, PROC_STAT_USER_TIME);
	char *rest;

	if (!at)
		return false;
	uint64_t ticks = strtoull(at, &rest, 10);
	ticks += strtoull(rest, NULL, 10);
	*ret_ns = ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
}

static bool since_before(struct sampler *s, uint64_t *ret)
{
	const uint64_t now = monotonic_ns(), before = s->at_ns;
	uint64_t cpu;

	if (!read_cpu(s->pid, &cpu) || (before && now - before < ENOUGH_NS))
		return false;
	*ret = before ? (cpu - s->cpu_ns) * 100 / (now - before) : 0;
	s->cpu_ns = cpu;
	s->at_ns = now;
	return before != 0;
}

/* Runtimes that have nothing to do still wake up now and then. */
static bool idle(struct sampler *s, uint64_t *ret)
{
	const uint64_t now = monotonic_ns();
	uint64_t cpu;

	if (!read_cpu(s->pid, &cpu))
		return false;
	if (!s->idle.at_ns || (cpu - s->idle.cpu_ns) * IDLE_PART > now - s->idle.at_ns)
		s->idle.since_ns = now;
	s->idle.cpu_ns = cpu;
	s->idle.at_ns = now;
	*ret = now - s->idle.since_ns;
	return true;
}

static bool count_files(pid_t pid, uint64_t *ret)
{
	char path[64];
	uint64_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return false;
	for (struct dirent *e; (e = readdir(dir));)
		n += e->d_name[0] != '.';
	closedir(dir);
	*ret = n;
	return true;
}

/* In a child, which may spoil what it knows. */
static bool count_goroutines(struct capture *c, uint64_t *ret)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC))
		return false;
	pid_t child = fork();
	if (child == 0) {
		const uint64_t n = runtimes_living(c->runtimes, c->live);
		_exit(!write_fully(pipes[1], &n, sizeof(n)));
	}
	close(pipes[1]);
	bool ok = child > 0 && read_fully(pipes[0], ret, sizeof(*ret));
	close(pipes[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return ok;
}

/* The list has those that ended, too, and never gets shorter: it is quickly seen that there are
 * fewer. */
static bool goroutines(struct capture *c, uint64_t limit, uint64_t *ret)
{
	if (!c || !runtimes_count(c->runtimes) ||
	    runtime_unusable(runtimes_get(c->runtimes, 0)))
		return false;
	*ret = runtimes_expected_goroutines(c->runtimes);
	return *ret < limit || count_goroutines(c, ret);
}

bool sample(struct sampler *s, enum quantity quantity, uint64_t limit, uint64_t *ret)
{
	switch (quantity) {
	case QUANTITY_GOROUTINES:
		return goroutines(s->capture, limit, ret);
	case QUANTITY_THREADS:
		return of_status(s->pid, "Threads", 1, ret);
	case QUANTITY_RSS:
		return of_status(s->pid, "VmRSS", 1024, ret);
	case QUANTITY_CPU:
		return since_before(s, ret);
	case QUANTITY_FILES:
		return count_files(s->pid, ret);
	case QUANTITY_IDLE:
		return idle(s, ret);
	default:
		return false;
	}
}

/* All that is measured is measured even if one term is not met, for the times since. */
bool sampler_meets(struct sampler *s, const struct condition *condition,
		   struct trigger *ret)
{
	bool met = true;

	*ret = (struct trigger){ .kind = TRIGGER_THRESHOLD,
				 .condition = condition->text };
	for (size_t i = 0; i < condition->count; i++) {
		const struct term *term = &condition->terms[i];
		uint64_t value;
		const bool known = sample(s, term->quantity, term->limit, &value);
		met = met && known && condition_holds(condition, i, value);
		if (known)
			ret->measures[ret->measure_count++] =
				(struct trigger_measure){ quantity_name(term->quantity),
							  value };
	}
	return met;
}
