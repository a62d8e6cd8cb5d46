/* SPDX-License-Identifier: Apache-2.0 */
/* Where the variables of the garbage collector and of the memory statistics are. */
#include "goruntime/runtime/runtime_variable.h"
#include "goruntime/sched/state_priv.h"

enum {
	REFERENCES_MAX = 256,
	PHASES = 3,
	FUNCTIONS = 3,
	TRIES = 4, /* as the process runs, a cycle may end meanwhile */
};

#define BYTES_MOST (UINT64_C(1) << 47)
#define PERCENT_MOST (UINT64_C(1) << 24)
/* runtime/mgcpacer.go, mgc.go */
#define HEAP_MINIMUM_DEFAULT (UINT64_C(4) << 20)
/* CLOCK_REALTIME in 2006, before there was Go */
#define LONG_AGO (UINT64_C(1) << 60)

static bool load(struct runtime *rt, uint64_t base, enum layout_slot slot, uint64_t *ret)
{
	struct err ignored;

	return layout_load(&rt->layout, rt->target, base, slot, ret, &ignored);
}

static bool is_size(struct runtime *rt, uint64_t base, enum layout_slot slot)
{
	uint64_t v;

	return load(rt, base, slot, &v) && v && v < BYTES_MOST;
}

static bool load_pause_end(struct runtime *rt, uint64_t addr, uint64_t cycle,
			   uint64_t *ret)
{
	const struct slot ends = rt->layout.slot[L_stats_pause_end];
	struct err ignored;

	return ends.off >= 0 &&
	       target_read_uint(rt->target,
				addr + (uint64_t)ends.off + cycle % GC_PAUSES * WORD,
				WORD, ret, &ignored);
}

/* When the last cycle ended is noted twice, before it is counted. */
static bool has_last_pause(struct runtime *rt, uint64_t addr)
{
	uint64_t cycles, again, ended, counted, next;

	for (unsigned i = 0; i < TRIES; i++) {
		if (!load(rt, addr, L_stats_numgc, &cycles) ||
		    !load_pause_end(rt, addr, cycles ? cycles - 1 : 0, &counted) ||
		    !load_pause_end(rt, addr, cycles, &next) ||
		    !load(rt, addr, L_stats_last_gc, &ended) ||
		    !load(rt, addr, L_stats_numgc, &again))
			return false;
		if (ended == counted || ended == next)
			return true;
		if (cycles == again)
			return false;
	}
	return false;
}

static bool is_memstats(struct runtime *rt, uint64_t addr)
{
	uint64_t cycles, forced, ended, enabled;

	return addr % WORD == 0 && is_size(rt, addr, L_stats_mspan_sys) &&
	       is_size(rt, addr, L_stats_mcache_sys) &&
	       is_size(rt, addr, L_stats_other_sys) &&
	       load(rt, addr, L_stats_numgc, &cycles) &&
	       load(rt, addr, L_stats_numforcedgc, &forced) && forced <= cycles &&
	       load(rt, addr, L_stats_last_gc, &ended) &&
	       (cycles ? ended > LONG_AGO : !ended || ended > LONG_AGO) &&
	       load(rt, addr, L_stats_enablegc, &enabled) && enabled <= 1 &&
	       has_last_pause(rt, addr);
}

/* What setGCPercent() makes of a percentage. */
static uint64_t heap_minimum(uint64_t percent)
{
	return HEAP_MINIMUM_DEFAULT * (uint64_t)(int32_t)percent / 100;
}

static bool is_pacer(struct runtime *rt, uint64_t addr)
{
	uint64_t percent, minimum;

	return addr % WORD == 0 && load(rt, addr, L_pacer_percent, &percent) &&
	       load(rt, addr, L_pacer_minimum, &minimum) &&
	       minimum == heap_minimum(percent);
}

/* While no cycle begins or ends, both semaphores are free. */
static bool is_work(struct runtime *rt, uint64_t addr)
{
	uint64_t begin, done, cycles, counted, forced;

	return addr % WORD == 0 && rt->places.memstats &&
	       load(rt, addr, L_work_start_sema, &begin) &&
	       load(rt, addr, L_work_done_sema, &done) && begin <= 1 && done <= 1 &&
	       begin + done > 0 && load(rt, addr, L_work_cycles, &cycles) &&
	       load(rt, rt->places.memstats, L_stats_numgc, &counted) &&
	       cycles - counted <= 1 && load(rt, addr, L_work_forced, &forced) &&
	       forced <= 1;
}

/* What is in use has been got from the system. */
static bool is_mheap(struct runtime *rt, uint64_t addr)
{
	uint64_t spans, caches, of_spans, of_caches;
	const uint64_t stats = rt->places.memstats;

	return addr % WORD == 0 && stats && load(rt, addr, L_mheap_span_in_use, &spans) &&
	       load(rt, addr, L_mheap_mcache_in_use, &caches) && spans && caches &&
	       load(rt, stats, L_stats_mspan_sys, &of_spans) && spans <= of_spans &&
	       load(rt, stats, L_stats_mcache_sys, &of_caches) && caches <= of_caches;
}

static const struct runtime_variable memstats_variable = {
	.symbol = "runtime.memstats",
	.functions = { "runtime.(*mheap).init", "runtime.gcMarkTermination" },
	.fields = { L_stats_mspan_sys, L_stats_mcache_sys, L_stats_pause_total,
		    L_stats_pause_ns, L_stats_pause_end },
	.field_count = 5,
	.agrees = is_memstats,
};
static const struct runtime_variable pacer_variable = {
	.symbol = "runtime.gcController",
	.functions = { "runtime.gcinit", "runtime.gcControllerCommit",
		       "runtime.gcMarkTermination" },
	.fields = { L_pacer_minimum, L_pacer_live, L_pacer_goal, L_pacer_marked },
	.field_count = 4,
	.agrees = is_pacer,
};
static const struct runtime_variable work_variable = {
	.symbol = "runtime.work",
	.functions = { "runtime.gcParkAssist", "runtime.gcWakeAllAssists",
		       "runtime.gcStart" },
	.fields = { L_work_assist_lock, L_work_assists, L_work_start_sema },
	.field_count = 3,
	.agrees = is_work,
};
static const struct runtime_variable mheap_variable = {
	.symbol = "runtime.mheap_",
	.functions = { "runtime.mallocinit" },
	.agrees = is_mheap,
};

/* It has as many seconds as there are Ps. */
static bool is_limiter(struct runtime *rt, uint64_t addr)
{
	uint64_t enabled, used, budget, processors;
	struct err ignored;

	return addr % WORD == 0 && load(rt, addr, L_limiter_enabled, &enabled) &&
	       load(rt, addr, L_limiter_fill, &used) &&
	       load(rt, addr, L_limiter_capacity, &budget) && enabled <= 1 &&
	       used <= budget && rt->places.allp &&
	       target_read_uint(rt->target, rt->places.allp + WORD, WORD, &processors,
				&ignored) &&
	       budget == processors * 1000000000;
}

static const struct runtime_variable limiter_variable = {
	.symbol = "runtime.gcCPULimiter",
	.functions = { "runtime.gcAssistAlloc", "runtime.gcMarkTermination",
		       "runtime.gcDrainN", "runtime.gcStart", "runtime.procresize" },
	.fields = { L_limiter_enabled, L_limiter_fill, L_limiter_capacity },
	.field_count = 3,
	.agrees = is_limiter,
};

static uint64_t symbol(const struct runtime *rt, const char *name)
{
	struct image_range found;

	return image_symbol(rt->image, name, &found) ? found.addr : 0;
}

static bool refers(struct runtime *rt, const char *function, uint64_t addr)
{
	uint64_t refs[REFERENCES_MAX];
	const size_t n =
		modules_narrow_references(rt->modules, function, refs, REFERENCES_MAX);

	for (size_t i = 0; i < n; i++)
		if (refs[i] == addr)
			return true;
	return false;
}

static uint64_t word32(struct runtime *rt, uint64_t addr)
{
	struct err ignored;
	uint64_t v;

	return addr % 4 == 0 && target_read_uint(rt->target, addr, 4, &v, &ignored)
		       ? v
		       : UINT64_MAX;
}

/* The one number that small functions with nothing else in common refer to. */
static uint64_t find_phase(struct runtime *rt)
{
	static const char *const functions[FUNCTIONS] = { "runtime.freeSomeWbufs",
							  "runtime.stackfree",
							  "runtime.queuefinalizer" };
	uint64_t refs[REFERENCES_MAX], found = symbol(rt, "runtime.gcphase");

	if (found)
		return found;
	const size_t n = modules_narrow_references(rt->modules, functions[0], refs,
						   REFERENCES_MAX);
	for (size_t i = 0; i < n; i++)
		if (word32(rt, refs[i]) < PHASES && refers(rt, functions[1], refs[i]) &&
		    refers(rt, functions[2], refs[i]))
			return refs[i];
	return 0;
}

/* Where it is no part of the pacer, it stands in a function beside the smallest heap that
 * follows from it. */
static uint64_t find_percent(struct runtime *rt)
{
	static const char function[] = "runtime.gcSetTriggerRatio";
	uint64_t wide[REFERENCES_MAX], narrow[REFERENCES_MAX], v,
		found = symbol(rt, "runtime.gcpercent");
	struct err ignored;

	if (found)
		return found;
	const size_t m = modules_references(rt->modules, function, wide, REFERENCES_MAX);
	const size_t n =
		modules_narrow_references(rt->modules, function, narrow, REFERENCES_MAX);
	for (size_t i = 0; i < n; i++) {
		const uint64_t percent = word32(rt, narrow[i]);
		if (percent > PERCENT_MOST && percent != UINT32_MAX)
			continue;
		for (size_t k = 0; k < m; k++)
			if (target_read_uint(rt->target, wide[k], WORD, &v, &ignored) &&
			    v && v == heap_minimum(percent))
				return narrow[i];
	}
	return 0;
}

void gc_places_find(struct runtime *rt)
{
	struct state_places *p = &rt->places;

	p->memstats = runtime_variable_find(rt, &memstats_variable);
	p->mheap = runtime_variable_find(rt, &mheap_variable);
	p->phase = find_phase(rt);
	if (layout_has(&rt->layout, L_pacer_percent))
		p->pacer = runtime_variable_find(rt, &pacer_variable);
	else
		p->percent = find_percent(rt);
	if (layout_has(&rt->layout, L_limiter_fill))
		p->limiter = runtime_variable_find(rt, &limiter_variable);
	if (layout_has(&rt->layout, L_work_cycles))
		p->work = runtime_variable_find(rt, &work_variable);
}
