/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/plan.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Nanoseconds. Medians of make bench on a machine with two cores (doc/performance.md);
 * the cost of a page is also measured at run time on request. */
enum {
	/* One goroutine: 0.28 to 0.54 ms. */
	COPY_BASE = 400 * 1000,
	/* Per present 4 KB page: 75 to 130, or 33 if copied before. */
	COPY_PAGE = 100,
	/* Per gigabyte of huge pages: copies only their page tables. */
	COPY_HUGE_GB = 750 * 1000,
	/* 5,000 mappings: 6.3 ms to copy, 5.9 to read while stopped. */
	COPY_MAPPING = 1200,
	STOP_MAPPING = 900,
	/* 1,000 threads: 12 ms to copy, 31 to read their stacks while stopped. */
	COPY_THREAD = 12 * 1000,
	STOP_THREAD = 25 * 1000,
	/* One goroutine: 1.2 ms. */
	STOP_BASE = 1000 * 1000,
	/* 10,000 goroutines: 19 ms, 100,000: 153 ms, with 5 and 48 MB of stacks. */
	STOP_GOROUTINE = 1500,
	/* Copying from a stopped process: 3.5 to 5.6 GB/s. */
	STOP_BYTES_PER_US = 4000,
	/* If the document is written meanwhile, with values: 200 goroutines 15 to 45 ms,
	 * 10,000 300 ms. */
	STOP_WRITING = 8 * 1000 * 1000,
	STOP_WRITING_GOROUTINE = 30 * 1000,
	/* The values of 10,000 goroutines, on 5,300 pages: 17 ms, of which 3 are to see
	 * which of them ran meanwhile. */
	GATHER_GOROUTINE = 300,
	GATHER_PAGE = 2600,
	PAGES_OF_TWO_GOROUTINES = 1, /* as long as nobody has counted */
	/* Of one that moved meanwhile, or of one with much to read: 0.3 ms. */
	GATHER_BASE = 1000 * 1000,
	/* A copy is chosen even if it costs a little more: it contains what may be needed
	 * later. */
	NEARLY_PART = 4,
	NEARLY_NS = 500 * 1000,
};

enum {
	TASKS_OF_COPY = 2, /* the helper, and the copy */
	/* Reserved for tasks that the process starts while a copy lives: a fraction of
	 * the limit, within bounds. */
	SPARE_PART = 10,
	SPARE_LEAST = 32,
	SPARE_MOST = 256,
	/* The fraction of its pages that may be written while the copy lives. */
	WRITTEN_PART = 8,
	/* For ourselves, and for what the process allocates meanwhile. */
	MEMORY_MARGIN = 16 << 20,
	/* Allows for locked keys and the like; mlockall() locks far more. Cloning costs
	 * the same. */
	LOCKED_SMALL = 1 << 20,
	/* Reserved by vm.overcommit_memory=2: vm.admin_reserve_kbytes. */
	COMMIT_MARGIN = 8 << 20,
	OVERCOMMIT_NEVER = 2,
	/* Of a promised limit: the tracer resumes the process after three quarters of it. */
	PROMISE_PART = 2,
};

static const char *const names[] = {
	[CAPTURE_AUTO] = "auto",     [CAPTURE_COPY] = "copy", [CAPTURE_STOP] = "stop",
	[CAPTURE_GATHER] = "gather", [CAPTURE_LIVE] = "live",
};

const char *capture_way_name(enum capture_way way)
{
	return names[way];
}

void plan_duration(uint64_t ns, char *ret, size_t size)
{
	if (ns < 10 * 1000 * 1000)
		snprintf(ret, size, "%.1f ms", (double)ns / 1e6);
	else if (ns < 1000 * 1000 * 1000)
		snprintf(ret, size, "%.0f ms", (double)ns / 1e6);
	else
		snprintf(ret, size, "%.1f s", (double)ns / 1e9);
}

static uint64_t megabytes(uint64_t bytes)
{
	return (bytes + (1 << 20) - 1) >> 20;
}

/* Each of these is a row in the table of obstacles to a copy: it says why and what would
 * help, or does nothing. */
struct row {
	struct plan_way *way;
	const struct conditions *c;
	const struct plan_demand *demand;
};

static void say(char *ret, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void say(char *ret, size_t size, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(ret, size, format, ap);
	va_end(ap);
}

#define SAY(array, ...) say((array), sizeof(array), __VA_ARGS__)
#define WHY(row, ...) SAY((row)->way->why, __VA_ARGS__)
#define REMEDY(row, ...) SAY((row)->way->remedy, __VA_ARGS__)

static void stands_still(const struct row *r)
{
	if (r->c->group_stopped)
		WHY(r, "it is already stopped by a signal");
	else if (r->c->cgroup.frozen)
		WHY(r, "its cgroup is frozen, so it is already stopped");
}

static void is_small(const struct row *r)
{
	if (r->c->elf_class == ELFCLASS32)
		WHY(r, "system calls cannot be injected into a 32-bit program");
}

/* PTRACE_O_SUSPEND_SECCOMP would let it pass, but only while its tracer lives: the kernel
 * consults the filter after the tracer's stop, and a filter that kills would then kill
 * the subject. */
static void is_filtered(const struct row *r)
{
	if (r->c->seccomp)
		WHY(r, "it has a seccomp filter, which might kill it for an injected "
		       "system call");
}

static void is_locked(const struct row *r)
{
	if (r->c->locked <= LOCKED_SMALL)
		return;
	WHY(r,
	    "it keeps %" PRIu64 " MB locked (mlock) to avoid page faults, and a copy "
	    "would make its writes fault",
	    megabytes(r->c->locked));
}

static uint64_t tasks_needed(uint64_t max)
{
	uint64_t spare = max / SPARE_PART;

	if (spare < SPARE_LEAST)
		spare = SPARE_LEAST;
	return TASKS_OF_COPY + (spare < SPARE_MOST ? spare : SPARE_MOST);
}

/* The lowest limit that would suffice. */
static uint64_t tasks_enough(uint64_t used)
{
	uint64_t max = used + TASKS_OF_COPY + SPARE_LEAST;

	while (max - used < tasks_needed(max))
		max++;
	return max;
}

static void tasks_are_few(const struct row *r)
{
	const struct cgroup_limit *pids = &r->c->cgroup.pids;

	if (cgroup_room(pids) >= tasks_needed(pids->max))
		return;
	WHY(r,
	    "pids.max of its cgroup %s is %" PRIu64 " with %" PRIu64
	    " in use: a copy needs two, and %" PRIu64
	    " are reserved for the process itself",
	    pids->group, pids->max, pids->used, tasks_needed(pids->max) - TASKS_OF_COPY);
	REMEDY(r, "raise that limit to %" PRIu64, tasks_enough(pids->used));
}

static void processes_are_few(const struct row *r)
{
	const struct cgroup_limit *limit = &r->c->processes;

	if (cgroup_room(limit) >= tasks_needed(limit->max))
		return;
	WHY(r,
	    "its user is limited to %" PRIu64 " tasks (RLIMIT_NPROC) and has %" PRIu64
	    ": a copy needs two, and %" PRIu64 " are reserved for the process itself",
	    limit->max, limit->used, tasks_needed(limit->max) - TASKS_OF_COPY);
	REMEDY(r, "raise that limit (prlimit --nproc=%" PRIu64 " --pid %d)",
	       tasks_enough(limit->used), r->c->pid);
}

static void machine_is_full(const struct row *r)
{
	const struct host_resources *m = &r->c->machine;

	if (m->tasks_max && m->tasks + tasks_needed(m->tasks_max) > m->tasks_max) {
		WHY(r,
		    "this machine has %" PRIu64 " tasks of at most %" PRIu64
		    ": a copy needs two, and %" PRIu64 " are reserved for others",
		    m->tasks, m->tasks_max, tasks_needed(m->tasks_max) - TASKS_OF_COPY);
		REMEDY(r, "raise kernel.threads-max and kernel.pid_max");
	}
}

static void commits_too_much(const struct row *r)
{
	const struct host_resources *m = &r->c->machine;

	if (m->overcommit != OVERCOMMIT_NEVER ||
	    m->committed + r->c->committed + COMMIT_MARGIN <= m->commit_limit)
		return;
	WHY(r,
	    "vm.overcommit_memory is 2, and its %" PRIu64
	    " MB of writable memory cannot be committed twice",
	    megabytes(r->c->committed));
	REMEDY(r, "set vm.overcommit_memory to 0, or add swap");
}

/* Memory that a copy may use while it lives: its page tables, and pages written
 * meanwhile. */
static uint64_t copy_bytes(const struct conditions *c)
{
	return c->page_tables + c->anonymous / WRITTEN_PART + MEMORY_MARGIN;
}

static void group_is_full(const struct row *r)
{
	const struct cgroup_limit *memory = &r->c->cgroup.memory;
	uint64_t needed = copy_bytes(r->c), room = cgroup_room(memory);

	/* With oom_group, running out of memory kills the whole group, not just the
	 * copy. */
	if (r->c->cgroup.oom_group)
		needed *= 2;
	if (room >= needed)
		return;
	WHY(r,
	    "its cgroup %s has %" PRIu64
	    " MB of memory left, but a copy may need %" PRIu64,
	    memory->group, room >> 20, megabytes(needed));
	REMEDY(r, "raise its memory limit by %" PRIu64 " MB", megabytes(needed - room));
}

static void memory_is_short(const struct row *r)
{
	uint64_t needed = copy_bytes(r->c), room = r->c->machine.memory_available;

	if (room && room < needed)
		WHY(r,
		    "this machine has %" PRIu64
		    " MB of memory left, but a copy may need %" PRIu64,
		    room >> 20, megabytes(needed));
}

static void is_in_vfork(const struct row *r)
{
	if (!r->c->vfork)
		return;
	WHY(r, "it is starting another program (vfork) and briefly shares its memory "
	       "with it");
	REMEDY(r, "try again");
	r->way->passing = true;
}

static void turned_out(const struct row *r)
{
	if (r->demand->no_copy)
		WHY(r, "%s", r->demand->no_copy);
}

static const struct {
	const char *what;
	void (*judge)(const struct row *);
} against_copy[] = {
	{ "stopped", stands_still },
	{ "program", is_small },
	{ "seccomp", is_filtered },
	{ "mlock", is_locked },
	{ "cgroup_tasks", tasks_are_few },
	{ "user_tasks", processes_are_few },
	{ "machine_tasks", machine_is_full },
	{ "overcommit", commits_too_much },
	{ "cgroup_memory", group_is_full },
	{ "machine_memory", memory_is_short },
	{ "thread", turned_out },
	{ "vfork", is_in_vfork },
};

void plan_each_obstacle(const struct conditions *c, plan_obstacle_fn *fn, void *arg)
{
	static const struct plan_demand none = { .no_copy = NULL };

	for (size_t i = 0; i < ARRAY_SIZE(against_copy); i++) {
		struct plan_way way = { .possible = false };
		against_copy[i].judge(&(struct row){ &way, c, &none });
		if (*way.why)
			fn(arg, against_copy[i].what, &way);
	}
}

/* Saturates so that several of these can be added without overflow. */
static uint64_t times(uint64_t n, uint64_t ns)
{
	const uint64_t most = UINT64_MAX / 8;

	return ns && n > most / ns ? most : n * ns;
}

static uint64_t copy_ns(const struct conditions *c)
{
	uint64_t huge = c->huge < c->anonymous ? c->huge : c->anonymous;
	uint64_t pages = (c->anonymous - huge + c->swapped) / PAGE_BYTES;

	return COPY_BASE +
	       times(pages, c->machine.page_ns ? c->machine.page_ns : COPY_PAGE) +
	       times(huge >> 20, COPY_HUGE_GB / 1024) + times(c->mappings, COPY_MAPPING) +
	       times(c->threads, COPY_THREAD);
}

static uint64_t stacks_ns(const struct conditions *c, const struct plan_demand *demand)
{
	return STOP_BASE + times(demand->goroutines, STOP_GOROUTINE) +
	       times(demand->stack_bytes / STOP_BYTES_PER_US, 1000) +
	       times(c->mappings, STOP_MAPPING) + times(c->threads, STOP_THREAD);
}

/* The process stays stopped until all is written. */
static uint64_t writing_ns(const struct plan_demand *demand)
{
	return STOP_WRITING + times(demand->goroutines, STOP_WRITING_GOROUTINE);
}

static uint64_t gathering_ns(const struct plan_demand *demand)
{
	const uint64_t pages = demand->value_pages
				       ? demand->value_pages
				       : demand->goroutines / 2 * PAGES_OF_TWO_GOROUTINES;
	const uint64_t values = GATHER_BASE +
				times(demand->goroutines, GATHER_GOROUTINE) +
				times(pages, GATHER_PAGE);

	return demand->max_pause_ns || values < PLAN_GATHER_NS ? values : PLAN_GATHER_NS;
}

uint64_t plan_values_ns(uint64_t max_pause_ns)
{
	return max_pause_ns ? max_pause_ns / PROMISE_PART : PLAN_GATHER_NS;
}

static void judge_copy(struct plan_way *way, const struct conditions *c,
		       const struct plan_demand *demand)
{
	struct row row = { .way = way, .c = c, .demand = demand };

	way->stacks_ns = way->values_ns = copy_ns(c);
	for (size_t i = 0; i < ARRAY_SIZE(against_copy) && !*way->why; i++)
		against_copy[i].judge(&row);
	way->possible = !*way->why;
	if (way->possible && !c->kernel.close_range)
		WHY(&row, "this kernel lacks close_range: files and connections that the "
			  "process closes stay open while the copy exists");
}

static void judge_traced(struct plan_way *way, const struct conditions *c)
{
	struct row row = { .way = way, .c = c };

	if (!c->tracer)
		return;
	way->possible = false;
	WHY(&row, "it is already traced by process %d (%s)", c->tracer,
	    *c->tracer_name ? c->tracer_name : "in another PID namespace");
	REMEDY(&row, "quit or detach that tracer first");
}

static void judge_promise(struct plan_way *way, uint64_t max_ns)
{
	struct row row = { .way = way };
	char estimate[16], most[16];

	if (!way->possible || !max_ns || way->estimate_ns <= max_ns)
		return;
	plan_duration(way->estimate_ns, estimate, sizeof(estimate));
	plan_duration(max_ns, most, sizeof(most));
	way->possible = false;
	WHY(&row, "it would stop the process for about %s, longer than the %s allowed",
	    estimate, most);
	REMEDY(&row, "raise --max-pause");
}

static void judge_stop(struct plan_way *way, const struct conditions *c,
		       const struct plan_demand *demand)
{
	way->possible = true;
	way->stacks_ns = stacks_ns(c, demand);
	way->values_ns = way->stacks_ns + writing_ns(demand);
}

/* A promised limit ends the gathering in time, as long as the stacks fit. */
static void judge_gather(struct plan_way *way, const struct conditions *c,
			 const struct plan_demand *demand)
{
	const uint64_t max = demand->max_pause_ns;

	judge_stop(way, c, demand);
	if (!demand->can_gather)
		return;
	way->values_ns = way->stacks_ns + gathering_ns(demand);
	if (way->stacks_ns <= max && way->values_ns > max)
		way->values_ns = max;
}

/* A stop has no values unless they are wanted anyway. */
static uint64_t estimate_of(const struct plan_way *way, enum capture_way kind,
			    const struct plan_demand *demand)
{
	const bool values = kind == CAPTURE_STOP ? demand->values_anyway : demand->values;

	return values ? way->values_ns : way->stacks_ns;
}

static void judge_all(const struct conditions *c, const struct plan_demand *demand,
		      struct plan *ret)
{
	struct plan_way *copy = &ret->of[CAPTURE_COPY], *stop = &ret->of[CAPTURE_STOP],
			*gather = &ret->of[CAPTURE_GATHER];

	*ret = (struct plan){
		.stands_still = conditions_stand_still(c),
	};
	judge_copy(copy, c, demand);
	judge_stop(stop, c, demand);
	judge_gather(gather, c, demand);
	for (enum capture_way way = CAPTURE_COPY; way <= CAPTURE_GATHER; way++) {
		ret->of[way].estimate_ns = estimate_of(&ret->of[way], way, demand);
		judge_traced(&ret->of[way], c);
		if (!ret->stands_still) /* a pause would cost it nothing */
			judge_promise(&ret->of[way], demand->max_pause_ns);
	}
	ret->of[CAPTURE_LIVE].possible = true;
	if (!ret->stands_still)
		SAY(ret->of[CAPTURE_LIVE].why, "goroutines change while they are read, "
					       "and running ones have no stack");
}

/* The better way that keeps the process stopped while it is read. */
static enum capture_way way_of_reading(const struct plan *plan,
				       const struct plan_demand *demand)
{
	return demand->values && demand->can_gather && plan->of[CAPTURE_GATHER].possible
		       ? CAPTURE_GATHER
		       : CAPTURE_STOP;
}

static bool copy_is_better(const struct plan *plan, const struct plan_demand *demand)
{
	const enum capture_way other = way_of_reading(plan, demand);
	uint64_t copy = plan->of[CAPTURE_COPY].estimate_ns;
	uint64_t read = plan->of[other].estimate_ns;
	uint64_t nearly = read / NEARLY_PART > NEARLY_NS ? read / NEARLY_PART : NEARLY_NS;

	return (demand->values && other == CAPTURE_STOP) || copy <= read + nearly;
}

/* Both are possible: which, and why. */
static void choose_shorter(struct plan *ret, const struct plan_demand *demand)
{
	const enum capture_way other = way_of_reading(ret, demand);
	char copy[16], read[16];

	plan_duration(ret->of[CAPTURE_COPY].estimate_ns, copy, sizeof(copy));
	plan_duration(ret->of[other].estimate_ns, read, sizeof(read));
	if (copy_is_better(ret, demand)) {
		ret->way = CAPTURE_COPY;
		SAY(ret->why, "a copy takes about %s, reading it while stopped %s", copy,
		    read);
	} else {
		ret->way = other;
		SAY(ret->why, "reading it while stopped takes about %s, a copy %s", read,
		    copy);
	}
}

static void choose(struct plan *ret, const struct plan_demand *demand)
{
	const struct plan_way *copy = &ret->of[CAPTURE_COPY];
	const enum capture_way other = way_of_reading(ret, demand);
	const struct plan_way *read = &ret->of[other];

	if (copy->possible && read->possible) {
		choose_shorter(ret, demand);
	} else if (copy->possible) {
		ret->way = CAPTURE_COPY;
		SAY(ret->why, "not read while stopped: %s", read->why);
	} else if (read->possible) {
		ret->way = other;
		SAY(ret->why, "no copy: %s", copy->why);
	} else {
		ret->way = CAPTURE_LIVE;
		SAY(ret->why, "no other method fits in --max-pause: %s", read->why);
	}
}

static bool refuse(const struct conditions *c, enum capture_way wanted,
		   const struct plan_way *way, struct err *err)
{
	if (c->tracer)
		return err_set(err, ERR_CANNOT,
			       "process %d (%s): %s: %s, or read it while it runs "
			       "(--capture=live)",
			       c->pid, c->name, way->why, way->remedy);
	return err_set(err, ERR_CANNOT,
		       "--capture=%s is not possible for process %d (%s): %s: %s%suse "
		       "--capture=auto",
		       names[wanted], c->pid, c->name, way->why, way->remedy,
		       *way->remedy ? ", or " : "");
}

bool plan_make(const struct conditions *c, const struct plan_demand *demand,
	       struct plan *ret, struct err *err)
{
	enum capture_way wanted = demand->wanted;

	judge_all(c, demand, ret);
	if (wanted != CAPTURE_AUTO && !ret->of[wanted].possible)
		return refuse(c, wanted, &ret->of[wanted], err);
	if (wanted == CAPTURE_AUTO && c->tracer)
		return refuse(c, wanted, &ret->of[CAPTURE_STOP], err);
	if (wanted == CAPTURE_AUTO) {
		choose(ret, demand);
	} else {
		ret->way = wanted;
		SAY(ret->why, "requested");
	}
	ret->estimate_ns = ret->of[ret->way].estimate_ns;
	return true;
}
