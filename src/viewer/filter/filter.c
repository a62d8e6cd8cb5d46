/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/filter_priv.h"

#include <string.h>

#include "src/viewer/filter/evaluate.h"
#include "src/viewer/filter/parser.h"

struct filter *filter_new(void)
{
	return xcalloc(1, sizeof(struct filter));
}

/* Of the model. */
static void end(struct filter *filter)
{
	subject_done(&filter->subject);
	xfree(filter->order);
	xfree(filter->group_frames);
	xfree(filter->group_known);
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->count; i++) {
		expression_free(filter->conjuncts[i].wanted);
		expression_free(filter->conjuncts[i].unwanted);
	}
	for (size_t i = 0; i < filter->given_count; i++)
		xfree(filter->given[i].words);
	xfree(filter->conjuncts);
	xfree(filter->given);
	end(filter);
	xfree(filter);
}

size_t filter_add_conjunct(struct filter *filter)
{
	GROW(filter->conjuncts, filter->count, filter->cap);
	filter->conjuncts[filter->count] = (struct conjunct){ .wanted = NULL };
	return filter->count++;
}

void filter_note_given(struct filter *filter, size_t conjunct, bool negated,
		       const char *name, char *words)
{
	GROW(filter->given, filter->given_count, filter->given_cap);
	filter->given[filter->given_count++] =
		(struct given){ conjunct, negated, name, words };
}

static void add_part(struct filter *filter, const char *name, const char *text,
		     struct expression *part)
{
	const size_t conjunct = filter_add_conjunct(filter);

	filter->conjuncts[conjunct].wanted = part;
	filter_note_given(filter, conjunct, false, name,
			  xstrndup(text + part->at, part->end - part->at));
}

/* Takes the part that comes first in the text; the list has them by cost. */
static struct expression *take_first(struct expression *x)
{
	struct expression **first = &x->first;

	for (struct expression **place = first; *place; place = &(*place)->next)
		if ((*place)->at < (*first)->at)
			first = place;
	struct expression *part = *first;
	*first = part->next;
	part->next = NULL;
	return part;
}

bool filter_add_where(struct filter *filter, const char *name, const char *text,
		      struct filter_error *error)
{
	struct expression *x = parse_expression(text, true, error);

	if (!x)
		return false;
	if (x->kind != EXPRESSION_AND) {
		add_part(filter, name, text, x);
		return true;
	}
	while (x->first)
		add_part(filter, name, text, take_first(x));
	expression_free(x);
	return true;
}

bool filter_check(const char *text, struct filter_error *error)
{
	AUTO(expression_free) struct expression *x = parse_expression(text, false, error);

	return x != NULL;
}

bool filter_is_empty(const struct filter *filter)
{
	return filter->count == 0;
}

struct expression *conjunct_ids(const struct conjunct *c)
{
	return c->wanted && expression_names_ids(c->wanted) ? c->wanted : NULL;
}

bool filter_names_goroutines(const struct filter *filter)
{
	for (size_t i = 0; i < filter->count; i++)
		if (conjunct_ids(&filter->conjuncts[i]))
			return true;
	return false;
}

static enum cost cost_of(const struct conjunct *c)
{
	const enum cost wanted = c->wanted ? c->wanted->cost : COST_ROW;
	const enum cost unwanted = c->unwanted ? c->unwanted->cost : COST_ROW;

	return wanted > unwanted ? wanted : unwanted;
}

bool filter_needs_values(const struct filter *filter)
{
	for (size_t i = 0; i < filter->count; i++)
		if (cost_of(&filter->conjuncts[i]) == COST_VALUES)
			return true;
	return false;
}

/* The cheapest first; those that cost the same as they were given. */
static void sort(struct filter *filter)
{
	for (size_t i = 0; i < filter->count; i++) {
		const enum cost cost = cost_of(&filter->conjuncts[i]);
		size_t place = i;
		while (place > 0 &&
		       cost_of(&filter->conjuncts[filter->order[place - 1]]) > cost) {
			filter->order[place] = filter->order[place - 1];
			place--;
		}
		filter->order[place] = i;
	}
}

/* part: or NULL. Returns the next free bit. */
static unsigned begin_part(struct expression *part, unsigned bits)
{
	if (!part)
		return bits;
	expression_forget(part);
	return number_frames(part, bits);
}

void filter_begin(struct filter *filter, struct model *m)
{
	unsigned bits = 0;
	size_t groups;

	end(filter);
	subject_init(&filter->subject, m);
	for (size_t i = 0; i < filter->count; i++) {
		struct conjunct *c = &filter->conjuncts[i];
		bits = begin_part(c->wanted, bits);
		bits = begin_part(c->unwanted, bits);
		c->asked = c->passed = 0;
	}
	model_groups(m, &groups);
	filter->group_frames = xcalloc(groups + 1, sizeof(*filter->group_frames));
	filter->group_known = xcalloc(groups + 1, sizeof(*filter->group_known));
	filter->order = xcalloc(filter->count + 1, sizeof(*filter->order));
	sort(filter);
}

/* Which ids there are is said whatever else is asked. */
static void note_id(const struct conjunct *c, int64_t id)
{
	struct expression *ids = conjunct_ids(c);

	for (size_t i = 0; ids && i < ids->count; i++)
		ids->literals[i].met |= (long double)id >= ids->literals[i].low &&
					(long double)id <= ids->literals[i].high;
}

static bool holds(struct evaluation *e, const struct conjunct *c)
{
	return (!c->wanted || evaluate(e, c->wanted)) &&
	       (!c->unwanted || !evaluate(e, c->unwanted));
}

static bool ask_all(struct filter *filter, struct evaluation *e, int64_t id)
{
	bool all = true;

	for (size_t i = 0; i < filter->count; i++) {
		struct conjunct *c = &filter->conjuncts[filter->order[i]];
		note_id(c, id);
		/* To know which is to blame, each has to be asked until it holds once; but not for
		 * values. */
		if (!all && (c->passed > 0 || cost_of(c) == COST_VALUES))
			continue;
		const bool passes = holds(e, c);
		c->asked++;
		c->passed += passes;
		all = all && passes;
	}
	return all;
}

static uint64_t frames_of(struct evaluation *e, const struct conjunct *c)
{
	return (c->wanted ? evaluate_frames(e, c->wanted) : 0) |
	       (c->unwanted ? evaluate_frames(e, c->unwanted) : 0);
}

/* Frames are the same for all of a group. */
static const uint64_t *group_frames(struct filter *filter, struct evaluation *e,
				    uint32_t group)
{
	if (!filter->group_known[group]) {
		subject_set_group(&filter->subject, group);
		for (size_t i = 0; i < filter->count; i++)
			filter->group_frames[group] |=
				frames_of(e, &filter->conjuncts[i]);
		filter->group_known[group] = true;
	}
	return &filter->group_frames[group];
}

bool filter_passes(struct filter *filter, uint32_t row)
{
	struct subject *s = &filter->subject;
	struct evaluation e = { .subject = s, .texts = model_text_count(s->model) };
	size_t n;
	const struct model_goroutine *goroutine = &model_goroutines(s->model, &n)[row];

	if (filter->count == 0)
		return true;
	if (goroutine->group != MODEL_NONE)
		e.frames = group_frames(filter, &e, goroutine->group);
	subject_set(s, row);
	return ask_all(filter, &e, goroutine->id);
}
