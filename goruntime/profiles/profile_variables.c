/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/profiles/profile_variables.h"

#include "goruntime/profiles/profile_records.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/runtime_variable.h"

#define RATE_MAX (UINT64_C(1) << 48)
#define MEMORY_RATE_MAX (UINT64_C(1) << 32)
#define TICKS_MIN UINT64_C(1000000)
#define TICKS_MAX UINT64_C(100000000000)

static bool is_rate(struct runtime *rt, uint64_t addr)
{
	uint64_t value;
	struct err ignored;

	return target_read_uint(rt->target, addr, 8, &value, &ignored) &&
	       value <= RATE_MAX;
}

/* In its function, mcache0 comes first, which is nil once the runtime has begun, and a constant text last. */
static bool is_memory_rate(struct runtime *rt, uint64_t addr)
{
	uint64_t value;
	struct err ignored;

	return target_read_uint(rt->target, addr, 8, &value, &ignored) && value &&
	       value <= MEMORY_RATE_MAX;
}

/* Of the others it is the first word that a function refers to. */
static const struct runtime_variable rates[] = {
	[PROFILE_MEMORY] = { .symbol = "runtime.MemProfileRate",
			     .functions = { "runtime.profilealloc" },
			     .agrees = is_memory_rate },
	[PROFILE_BLOCKING] = { .symbol = "runtime.blockprofilerate",
			       .functions = { "runtime.SetBlockProfileRate" },
			       .agrees = is_rate },
	[PROFILE_MUTEXES] = { .symbol = "runtime.mutexprofilerate",
			      .functions = { "sync.event", "runtime.mutexevent" },
			      .agrees = is_rate },
};

static const char scaler[] = "runtime/pprof.scaleMutexProfile";

bool runtime_profile_rate(struct runtime *rt, enum profile_list which, uint64_t *ret)
{
	const uint64_t addr = runtime_variable_find(rt, &rates[which]);
	uint64_t end;
	struct err ignored;

	if (!addr && which == PROFILE_MEMORY &&
	    modules_function(rt->modules, rates[which].functions[0], &end)) {
		*ret = 0;
		return true;
	}
	return addr && target_read_uint(rt->target, addr, 8, ret, &ignored);
}

bool runtime_never_records_blocking(const struct runtime *rt)
{
	uint64_t end;

	return !modules_unnamed(rt->modules) &&
	       !modules_function(rt->modules, rates[PROFILE_BLOCKING].functions[0], &end);
}

bool runtime_scales_mutexes_late(const struct runtime *rt)
{
	uint64_t end;

	return modules_function(rt->modules, scaler, &end) != 0;
}

static bool is_cycle(struct runtime *rt, uint64_t addr)
{
	uint64_t value;
	struct err ignored;

	return target_read_uint(rt->target, addr, 4, &value, &ignored);
}

static const struct runtime_variable holder = {
	.symbol = "runtime.mProfCycle",
	.functions = { "runtime.mProf_Flush" },
	.agrees = is_cycle,
};

bool profile_cycle(struct runtime *rt, uint64_t *ret)
{
	const struct slot field = rt->layout.slot[L_prof_cycle];
	struct image_range old;
	struct err ignored;

	if (field.off >= 0) {
		const uint64_t addr = runtime_variable_find(rt, &holder);
		if (!addr || !target_read_uint(rt->target, addr + (uint64_t)field.off, 4,
					       ret, &ignored))
			return false;
		*ret >>= 1;
		return true;
	}
	/* Its code refers to this one in a way that is not recognised. */
	return image_symbol(rt->image, "runtime.mProf", &old) &&
	       target_read_uint(rt->target, old.addr, 4, ret, &ignored);
}

/* All of them refer to ticks.val first. */
uint64_t runtime_ticks_per_second(struct runtime *rt)
{
	static const char *const functions[] = { "runtime.ticksPerSecond",
						 "runtime.tickspersecond" };
	uint64_t addr, ticks;
	struct err ignored;

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (modules_references(rt->modules, functions[i], &addr, 1) &&
		    target_read_uint(rt->target, addr, 8, &ticks, &ignored) &&
		    ticks >= TICKS_MIN && ticks <= TICKS_MAX)
			return ticks;
	return 0;
}
