/* SPDX-License-Identifier: Apache-2.0 */
/* Where the variables of the scheduler are, and what they must look like: a place that only
 * the code names may be another variable's. */
#include "goruntime/runtime/runtime_variable.h"
#include "goruntime/sched/state_priv.h"
#include "lib/base/limit.h"

enum { PROCESSORS_MOST = 1 << 16, COUNT_MOST = 1 << 24 };

static bool load(struct runtime *rt, uint64_t base, enum layout_slot slot, uint64_t *ret)
{
	struct err ignored;

	return layout_load(&rt->layout, rt->target, base, slot, ret, &ignored);
}

/* No release lacks these fields; a layout may. */
static bool is_below(struct runtime *rt, uint64_t base, enum layout_slot slot,
		     uint64_t end)
{
	uint64_t v;

	return load(rt, base, slot, &v) && v < end;
}

static bool is_machine(struct runtime *rt, uint64_t m)
{
	uint64_t g0, back;

	return m % WORD == 0 && load(rt, m, L_m_g0, &g0) && g0 &&
	       load(rt, g0, L_g_m, &back) && back == m;
}

static bool is_sched(struct runtime *rt, uint64_t addr)
{
	uint64_t created, most, idle, midle;

	return addr % WORD == 0 && load(rt, addr, L_sched_mnext, &created) &&
	       load(rt, addr, L_sched_maxmcount, &most) && created > 0 &&
	       created < COUNT_MOST && created <= most &&
	       is_below(rt, addr, L_sched_nmfreed, created) &&
	       load(rt, addr, L_sched_nmidle, &idle) && idle <= created &&
	       load(rt, addr, L_sched_midle, &midle) &&
	       (!midle || is_machine(rt, midle)) &&
	       is_below(rt, addr, L_sched_npidle, PROCESSORS_MOST) &&
	       is_below(rt, addr, L_sched_gcwaiting, 2) &&
	       is_below(rt, addr, L_sched_sysmonwait, 2);
}

/* allp[i].id is i. */
static bool is_allp(struct runtime *rt, uint64_t addr)
{
	struct {
		uint64_t array, len, cap;
	} s;
	uint64_t first, last, first_id, last_id;
	struct err ignored;

	return addr % WORD == 0 &&
	       target_read(rt->target, addr, &s, sizeof(s), &ignored) && s.len > 0 &&
	       s.len <= s.cap && s.cap <= PROCESSORS_MOST && s.array % WORD == 0 &&
	       target_read_uint(rt->target, s.array, WORD, &first, &ignored) &&
	       target_read_uint(rt->target, s.array + (s.len - 1) * WORD, WORD, &last,
				&ignored) &&
	       first && last && load(rt, first, L_p_id, &first_id) && first_id == 0 &&
	       load(rt, last, L_p_id, &last_id) && last_id == s.len - 1;
}

/* The newest M, which links to the one before. */
static bool is_allm(struct runtime *rt, uint64_t addr)
{
	uint64_t m, id, before, before_id;
	struct err ignored;

	if (addr % WORD != 0 || !target_read_uint(rt->target, addr, WORD, &m, &ignored) ||
	    !is_machine(rt, m) || !load(rt, m, L_m_id, &id) ||
	    !load(rt, m, L_m_alllink, &before))
		return false;
	return before ? is_machine(rt, before) && load(rt, before, L_m_id, &before_id) &&
				before_id < id
		      : id == 0;
}

static const struct runtime_variable sched_variable = {
	.symbol = "runtime.sched",
	.functions = { "runtime.gcstopm", "runtime.schedinit", "runtime.stopm" },
	.fields = { L_sched_lock, L_sched_lastpoll, L_sched_mnext },
	.field_count = 3,
	.agrees = is_sched,
};
static const struct runtime_variable allp_variable = {
	.symbol = "runtime.allp",
	.functions = { "runtime.procresize", "runtime.retake" },
	.agrees = is_allp,
};
static const struct runtime_variable allm_variable = {
	.symbol = "runtime.allm",
	.functions = { "runtime.mcommoninit", "runtime.mexit", "runtime.checkdead" },
	.agrees = is_allm,
};

void state_places_find(struct runtime *rt)
{
	struct state_places *p = &rt->places;

	if (p->known || !rt->modules)
		return;
	target_budget_unit(rt->target);
	p->sched = runtime_variable_find(rt, &sched_variable);
	p->allp = runtime_variable_find(rt, &allp_variable);
	p->allm = runtime_variable_find(rt, &allm_variable);
	gc_places_find(rt);
	pool_places_find(rt);
	queue_places_find(rt);
	p->known = true;
}
