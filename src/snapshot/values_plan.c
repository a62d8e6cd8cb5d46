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

struct values_plan {
	struct planned_group *groups;
	size_t count;
	struct measure stacks, values; /* over all groups */
	uint64_t room, estimated, aside, kept;
	uint64_t stacks_left; /* what the remaining ones take without values */
	uint64_t small_left;  /* ... and what values add in groups that get them all */
	uint32_t most;	      /* members of the largest group */
	/* Each group gets values for `level` members; groups of at most `small` members
	 * for one more; and so do groups of `next` members, the next larger size, while
	 * `rest` lasts. */
	uint32_t level, small, next;
	uint64_t rest;
};

struct values_plan *values_plan_new(size_t groups, uint64_t room)
{
	struct values_plan *plan = xcalloc(1, sizeof(*plan));

	plan->groups = xcalloc(groups, sizeof(*plan->groups));
	plan->count = groups;
	plan->room = room;
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

static uint64_t stack_of(const struct values_plan *plan, const struct planned_group *g)
{
	return estimate(&g->stacks, &plan->stacks, STACK_BYTES);
}

static uint64_t whole_of(const struct values_plan *plan, const struct planned_group *g)
{
	uint64_t bytes = estimate(&g->values, &plan->values, VALUES_BYTES);

	return bytes > stack_of(plan, g) ? bytes : stack_of(plan, g);
}

/* The cost of values for `level` members of each group. */
static uint64_t price(const struct values_plan *plan, uint32_t level)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct planned_group *g = &plan->groups[i];
		uint64_t more = level > g->given ? level - g->given : 0;
		more = more < g->left ? more : g->left;
		sum += more * (whole_of(plan, g) - stack_of(plan, g));
	}
	return sum;
}

/* ... and for one more member of each group with at most `small` members. */
static uint64_t price_of_next(const struct values_plan *plan, uint32_t level,
			      uint32_t small)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct planned_group *g = &plan->groups[i];
		if (g->count <= small && g->given <= level && g->left > level - g->given)
			sum += whole_of(plan, g) - stack_of(plan, g);
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

/* Leaves free as much as may be set aside. */
static uint64_t room_to_plan(const struct values_plan *plan)
{
	uint64_t room = values_plan_spare(plan) + plan->aside;
	uint64_t aside =
		(room + plan->estimated) / ASIDE_PART + ASIDE_TIMES * ASIDE_BYTES;

	return room > aside ? room - aside : 0;
}

void values_plan_make(struct values_plan *plan)
{
	uint64_t room;

	plan->stacks_left = plan->small_left = 0;
	for (size_t i = 0; i < plan->count; i++)
		plan->stacks_left +=
			plan->groups[i].left * stack_of(plan, &plan->groups[i]);
	room = room_to_plan(plan);
	uint32_t low = 0, high = plan->most; /* low always fits */
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;
		if (price(plan, middle) <= room)
			low = middle;
		else
			high = middle - 1;
	}
	plan->level = low;
	room -= price(plan, plan->level) < room ? price(plan, plan->level) : room;
	low = 0;
	high = plan->most;
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;
		if (price_of_next(plan, plan->level, middle) <= room)
			low = middle;
		else
			high = middle - 1;
	}
	plan->small = low;
	plan->next = size_after(plan, low);
	plan->rest = room - price_of_next(plan, plan->level, plan->small);
	for (size_t i = 0; i < plan->count; i++)
		if (has_all(plan, &plan->groups[i]))
			plan->small_left +=
				plan->groups[i].left * (whole_of(plan, &plan->groups[i]) -
							stack_of(plan, &plan->groups[i]));
}

static bool is_chosen(struct values_plan *plan, const struct planned_group *g,
		      uint64_t more)
{
	if (has_all(plan, g))
		plan->small_left -= plan->small_left < more ? plan->small_left : more;
	if (more > values_plan_spare(plan))
		return false;
	if (g->given < plan->level ||
	    (g->given == plan->level && g->count <= plan->small))
		return true;
	if (g->given > plan->level || g->count != plan->next || more > plan->rest)
		return false;
	plan->rest -= more;
	return true;
}

bool values_plan_next(struct values_plan *plan, size_t group, bool urgent,
		      uint64_t *ret_bytes)
{
	struct planned_group *g = &plan->groups[group];
	uint64_t stack = stack_of(plan, g), whole = whole_of(plan, g);

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
	plan->kept += whole_of(plan, &plan->groups[group]);
}

void values_plan_written(struct values_plan *plan, uint64_t estimated, uint64_t set_aside,
			 uint64_t bytes)
{
	plan->estimated -= estimated;
	plan->aside -= set_aside;
	plan->room -= bytes < plan->room ? bytes : plan->room;
}

uint64_t values_plan_spare(const struct values_plan *plan)
{
	uint64_t taken = plan->estimated + plan->aside + plan->stacks_left +
			 plan->small_left + plan->kept;

	return taken < plan->room ? plan->room - taken : 0;
}
