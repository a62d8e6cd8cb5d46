/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/values_plan.h"

/* Assumed bytes per goroutine until sizes are measured. */
enum { STACK_BYTES = 800, VALUES_BYTES = 16 << 10 };
/* Percentage of predicted bytes that is left free, the same for a well-known group, and
 * how many measurements make a group well known. */
enum { MARGIN = 4, MARGIN_KNOWN = 1, KNOWN = 16 };

/* What is set aside: a fraction of the prediction, plus a constant. */
enum { ASIDE_PART = 32, ASIDE_BYTES = 4096, ASIDE_TIMES = 8 };

struct measure {
	uint64_t bytes;
	uint32_t n;
};

struct planned_group {
	uint32_t left;	/* not decided yet */
	uint32_t given; /* given values */
	uint32_t count;
	struct measure stacks, values; /* without and with values */
};

/* The budget is bytes of the document; the cost of a goroutine is the bytes that it is
 * estimated to take. Everyone's stack is paid for; what remains of the budget buys values,
 * level by level: at level n, each group has values for n members, or for all it has. */
struct values_plan {
	struct planned_group *groups;
	size_t count;
	struct measure stacks, values; /* over all groups */
	uint64_t budget;	       /* not written yet */
	uint64_t estimated;	       /* of goroutines that are decided, not written */
	uint64_t aside, kept;
	uint64_t stacks_left; /* what the remaining ones take without values */
	uint64_t small_left;  /* ... and what values add in groups that get them all */
	uint32_t most;	      /* members of the largest group */
	uint32_t level;	      /* the highest that the budget pays for */
	/* The remainder pays for one more member of each group of at most `small` members,
	 * and, while `rest` lasts, of groups of `next` members, the next larger size. */
	uint32_t small, next;
	uint64_t rest;
};

struct values_plan *values_plan_new(size_t groups, uint64_t budget)
{
	struct values_plan *plan = xcalloc(1, sizeof(*plan));

	plan->groups = xcalloc(groups, sizeof(*plan->groups));
	plan->count = groups;
	plan->budget = budget;
	return plan;
}

void values_plan_free(struct values_plan *plan)
{
	if (plan)
		xfree(plan->groups);
	xfree(plan);
}

void values_plan_set_count(struct values_plan *plan, size_t group, uint32_t count)
{
	plan->groups[group].count = plan->groups[group].left = count;
	if (count > plan->most)
		plan->most = count;
}

static void add(struct measure *m, uint64_t bytes)
{
	m->bytes += bytes;
	m->n++;
}

void values_plan_measured(struct values_plan *plan, size_t group, bool values,
			  uint64_t bytes)
{
	struct planned_group *g = &plan->groups[group];

	add(values ? &g->values : &g->stacks, bytes);
	add(values ? &plan->values : &plan->stacks, bytes);
}

static uint64_t estimate(const struct measure *own, const struct measure *all,
			 uint64_t unknown)
{
	const struct measure *m = own->n ? own : all;
	uint64_t bytes = m->n ? m->bytes / m->n : unknown;

	return bytes + bytes * (own->n < KNOWN ? MARGIN : MARGIN_KNOWN) / 100 + 1;
}

static uint64_t stack_cost(const struct values_plan *plan, const struct planned_group *g)
{
	return estimate(&g->stacks, &plan->stacks, STACK_BYTES);
}

static uint64_t whole_cost(const struct values_plan *plan, const struct planned_group *g)
{
	uint64_t bytes = estimate(&g->values, &plan->values, VALUES_BYTES);

	return bytes > stack_cost(plan, g) ? bytes : stack_cost(plan, g);
}

static uint64_t values_cost(const struct values_plan *plan, const struct planned_group *g)
{
	return whole_cost(plan, g) - stack_cost(plan, g);
}

/* The cost of values for `level` members of each group. */
static uint64_t level_cost(const struct values_plan *plan, uint32_t level)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct planned_group *g = &plan->groups[i];
		uint64_t more = level > g->given ? level - g->given : 0;
		more = more < g->left ? more : g->left;
		sum += more * values_cost(plan, g);
	}
	return sum;
}

/* The cost of one more than level of each group with at most `small` members. */
static uint64_t one_more_cost(const struct values_plan *plan, uint32_t small)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct planned_group *g = &plan->groups[i];
		if (g->count <= small && g->given <= plan->level &&
		    g->left > plan->level - g->given)
			sum += values_cost(plan, g);
	}
	return sum;
}

static bool has_all(const struct values_plan *plan, const struct planned_group *g)
{
	return g->count <= plan->level;
}

/* The next larger group size that could have one more. */
static uint32_t size_after(const struct values_plan *plan, uint32_t small)
{
	uint32_t size = UINT32_MAX;

	for (size_t i = 0; i < plan->count; i++) {
		const struct planned_group *g = &plan->groups[i];
		if (g->count > small && g->count < size && g->left &&
		    g->given <= plan->level)
			size = g->count;
	}
	return size;
}

/* For values. Leaves free as much as may be set aside. */
static uint64_t budget_of_values(const struct values_plan *plan)
{
	uint64_t budget = values_plan_spare(plan) + plan->aside;
	uint64_t aside =
		(budget + plan->estimated) / ASIDE_PART + ASIDE_TIMES * ASIDE_BYTES;

	return budget > aside ? budget - aside : 0;
}

/* The largest number up to plan->most whose cost is within the budget; 0 always is. */
static uint32_t affordable(const struct values_plan *plan, uint64_t budget,
			   uint64_t (*cost)(const struct values_plan *plan, uint32_t n))
{
	uint32_t low = 0, high = plan->most;

	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;
		if (cost(plan, middle) <= budget)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

void values_plan_make(struct values_plan *plan)
{
	uint64_t budget, cost;

	plan->stacks_left = plan->small_left = 0;
	for (size_t i = 0; i < plan->count; i++)
		plan->stacks_left +=
			plan->groups[i].left * stack_cost(plan, &plan->groups[i]);
	budget = budget_of_values(plan);
	plan->level = affordable(plan, budget, level_cost);
	cost = level_cost(plan, plan->level);
	budget -= cost < budget ? cost : budget;
	plan->small = affordable(plan, budget, one_more_cost);
	plan->next = size_after(plan, plan->small);
	plan->rest = budget - one_more_cost(plan, plan->small);
	for (size_t i = 0; i < plan->count; i++)
		if (has_all(plan, &plan->groups[i]))
			plan->small_left += plan->groups[i].left *
					    values_cost(plan, &plan->groups[i]);
}

static bool is_chosen(struct values_plan *plan, const struct planned_group *g,
		      uint64_t cost)
{
	if (has_all(plan, g))
		plan->small_left -= plan->small_left < cost ? plan->small_left : cost;
	if (cost > values_plan_spare(plan))
		return false;
	if (g->given < plan->level ||
	    (g->given == plan->level && g->count <= plan->small))
		return true;
	if (g->given > plan->level || g->count != plan->next || cost > plan->rest)
		return false;
	plan->rest -= cost;
	return true;
}

bool values_plan_next(struct values_plan *plan, size_t group, bool urgent,
		      uint64_t *ret_bytes)
{
	struct planned_group *g = &plan->groups[group];
	uint64_t stack = stack_cost(plan, g), whole = whole_cost(plan, g);

	if (urgent)
		plan->kept -= plan->kept < whole ? plan->kept : whole;
	bool chosen = urgent ? whole - stack <= values_plan_spare(plan)
			     : is_chosen(plan, g, whole - stack);
	*ret_bytes = chosen ? whole : stack;
	g->left--;
	g->given += chosen;
	plan->estimated += *ret_bytes;
	plan->stacks_left -= plan->stacks_left < stack ? plan->stacks_left : stack;
	return chosen;
}

uint64_t values_plan_set_aside(struct values_plan *plan, uint64_t estimated)
{
	uint64_t bytes = estimated / ASIDE_PART + ASIDE_BYTES;
	uint64_t spare = values_plan_spare(plan);

	/* If there is room for all, do not omit a goroutine for being larger than its
	 * group's others. */
	if (plan->level >= plan->most && bytes < spare / (2 * ASIDE_TIMES))
		bytes = spare / (2 * ASIDE_TIMES);
	bytes = bytes < spare / 2 ? bytes : spare / 2;
	plan->aside += bytes;
	return bytes;
}

void values_plan_keep(struct values_plan *plan, size_t group)
{
	plan->kept += whole_cost(plan, &plan->groups[group]);
}

void values_plan_written(struct values_plan *plan, uint64_t estimated, uint64_t set_aside,
			 uint64_t bytes)
{
	plan->estimated -= estimated;
	plan->aside -= set_aside;
	plan->budget -= bytes < plan->budget ? bytes : plan->budget;
}

uint64_t values_plan_spare(const struct values_plan *plan)
{
	uint64_t taken = plan->estimated + plan->aside + plan->stacks_left +
			 plan->small_left + plan->kept;

	return taken < plan->budget ? plan->budget - taken : 0;
}
