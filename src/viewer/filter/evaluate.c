/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/evaluate.h"

#include <string.h>

#include "lib/base/ere.h"
#include "src/viewer/filter/subject.h"

static bool compare_numbers(enum comparison how, long double a, long double b)
{
	switch (how) {
	case COMPARE_EQUAL:
	case COMPARE_UNEQUAL: /* the caller turns the answer */
		return a == b;
	case COMPARE_LESS:
		return a < b;
	case COMPARE_LESS_OR_EQUAL:
		return a <= b;
	case COMPARE_GREATER:
		return a > b;
	case COMPARE_GREATER_OR_EQUAL:
		return a >= b;
	case COMPARE_MATCHES:
	case COMPARE_UNMATCHED:
	case COMPARE_CONTAINS:
	case COMPARE_IN:
		break;
	}
	return false;
}

static bool fits(enum comparison how, long double number, const struct literal *literal)
{
	return how == COMPARE_IN ? number >= literal->low && number <= literal->high
				 : compare_numbers(how, number, literal->low);
}

static bool has_text(const struct expression *x, const char *text,
		     const struct literal *literal)
{
	size_t begin, end;

	switch (x->how) {
	case COMPARE_MATCHES:
	case COMPARE_UNMATCHED:
		return x->ere && ere_find(x->ere, text, strlen(text), 0, &begin, &end);
	case COMPARE_CONTAINS:
		return strcasestr(text, literal->words) != NULL;
	default:
		return strcmp(text, literal->words) == 0;
	}
}

/* They can be compared at all. *ret: the comparison holds, != and !~ as == and ~. */
static bool compare(const struct expression *x, const struct fact *fact,
		    const struct literal *literal, bool *ret)
{
	*ret = false;
	switch (fact->kind) {
	case FACT_TEXT:
		*ret = literal->kind == LITERAL_TEXT && has_text(x, fact->text, literal);
		return literal->kind == LITERAL_TEXT;
	case FACT_NUMBER:
		*ret = literal->kind == LITERAL_NUMBER &&
		       fits(x->how, fact->number, literal);
		return literal->kind == LITERAL_NUMBER;
	case FACT_ADDRESS:
		*ret = literal->kind == LITERAL_NUMBER && literal->address &&
		       fits(x->how, fact->number, literal);
		return literal->kind == LITERAL_NUMBER && literal->address;
	case FACT_BOOL:
		*ret = literal->kind == LITERAL_BOOL && fact->truth == literal->truth;
		return literal->kind == LITERAL_BOOL;
	case FACT_PRESENT:
		*ret = literal->kind == LITERAL_NIL && fact->truth;
		return literal->kind == LITERAL_NIL;
	}
	return false;
}

static bool compare_value(const struct expression *x, const struct fact *facts,
			  size_t count)
{
	const bool negative = x->how == COMPARE_UNEQUAL || x->how == COMPARE_UNMATCHED;
	bool comparable = false, holds = false;

	for (size_t i = 0; i < count && !holds; i++)
		for (size_t k = 0; k < x->count && !holds; k++)
			comparable |= compare(x, &facts[i], &x->literals[k], &holds);
	return negative ? comparable && !holds : holds;
}

struct asking {
	struct expression *x;
	size_t texts;
};

/* What is known of that text of the model. */
static uint8_t *known(struct expression *x, size_t texts, uint32_t number)
{
	if (!x->known)
		x->known = xcalloc(texts, sizeof(*x->known));
	return &x->known[number];
}

/* A text of the model is compared once. */
static bool compare_known(const struct asking *asking, const struct fact *fact)
{
	struct expression *x = asking->x;
	uint8_t *answer = known(x, asking->texts, fact->interned);

	if (*answer == KNOWN_NOT)
		*answer = compare_value(x, fact, 1) ? KNOWN_YES : KNOWN_NO;
	return *answer == KNOWN_YES;
}

static bool ask(void *arg, const struct fact *facts, size_t count)
{
	const struct asking *asking = arg;

	if (asking->x->kind == EXPRESSION_HAS)
		return true;
	if (count == 1 && facts->interned > 0 && facts->interned < asking->texts)
		return compare_known(asking, facts);
	return compare_value(asking->x, facts, count);
}

static bool is_of_frames(const struct expression *x)
{
	return x->kind == EXPRESSION_ANY || x->kind == EXPRESSION_ALL ||
	       x->kind == EXPRESSION_COUNT;
}

static bool holds_for(struct evaluation *e, struct expression *x, size_t frame)
{
	e->subject->frame = frame;
	return !x->first || evaluate(e, x->first);
}

static bool evaluate_any(struct evaluation *e, struct expression *x, size_t frames)
{
	for (size_t i = 0; i < frames; i++)
		if (holds_for(e, x, i))
			return true;
	return false;
}

static bool evaluate_all(struct evaluation *e, struct expression *x, size_t frames)
{
	for (size_t i = 0; i < frames; i++)
		if (!holds_for(e, x, i))
			return false;
	return true;
}

static bool evaluate_count(struct evaluation *e, struct expression *x, size_t frames)
{
	struct fact fact = { .kind = FACT_NUMBER };

	for (size_t i = 0; i < frames; i++)
		fact.number += holds_for(e, x, i);
	return compare_value(x, &fact, 1);
}

static bool evaluate_of_frames(struct evaluation *e, struct expression *x)
{
	const size_t frames = subject_frame_count(e->subject);
	const bool holds = x->kind == EXPRESSION_ANY   ? evaluate_any(e, x, frames)
			   : x->kind == EXPRESSION_ALL ? evaluate_all(e, x, frames)
						       : evaluate_count(e, x, frames);

	e->subject->frame = SUBJECT_NO_FRAME;
	return holds;
}

/* Goroutines with the same labels have the same answer. */
static bool evaluate_label(struct evaluation *e, struct expression *x)
{
	const uint32_t labels = e->subject->row ? e->subject->row->labels : MODEL_NO_TEXT;
	struct asking asking = { x, e->texts };

	if (labels == MODEL_NO_TEXT)
		return false;
	uint8_t *answer = known(x, e->texts, labels);
	if (*answer == KNOWN_NOT)
		*answer = facts_each(e->subject, &x->path, ask, &asking) ? KNOWN_YES
									 : KNOWN_NO;
	return *answer == KNOWN_YES;
}

static bool evaluate_field(struct evaluation *e, struct expression *x)
{
	struct asking asking = { x, e->texts };

	return x->path.field->source == SOURCE_LABEL
		       ? evaluate_label(e, x)
		       : facts_each(e->subject, &x->path, ask, &asking);
}

bool evaluate(struct evaluation *e, struct expression *x)
{
	switch (x->kind) {
	case EXPRESSION_CONSTANT:
		return x->truth;
	case EXPRESSION_AND:
		for (struct expression *part = x->first; part; part = part->next)
			if (!evaluate(e, part))
				return false;
		return true;
	case EXPRESSION_OR:
		for (struct expression *part = x->first; part; part = part->next)
			if (evaluate(e, part))
				return true;
		return false;
	case EXPRESSION_NOT:
		return !evaluate(e, x->first);
	case EXPRESSION_COMPARE:
	case EXPRESSION_HAS:
		return evaluate_field(e, x);
	case EXPRESSION_ANY:
	case EXPRESSION_ALL:
	case EXPRESSION_COUNT:
		return e->frames && x->bit < EXPRESSION_FRAMES ? *e->frames >> x->bit & 1
							       : evaluate_of_frames(e, x);
	}
	return false;
}

uint64_t evaluate_frames(struct evaluation *e, struct expression *x)
{
	uint64_t ret = 0;

	if (is_of_frames(x))
		return x->bit < EXPRESSION_FRAMES && evaluate_of_frames(e, x)
			       ? UINT64_C(1) << x->bit
			       : 0;
	for (struct expression *part = x->first; part; part = part->next)
		ret |= evaluate_frames(e, part);
	return ret;
}

unsigned number_frames(struct expression *x, unsigned next)
{
	if (is_of_frames(x)) {
		x->bit = x->cost == COST_FRAMES && next < EXPRESSION_FRAMES
				 ? next++
				 : EXPRESSION_FRAMES;
		return next;
	}
	for (struct expression *part = x->first; part; part = part->next)
		next = number_frames(part, next);
	return next;
}
