/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/stack/pointees.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/base/table.h"
#include "lib/document/reader.h"
#include "src/viewer/model/model.h"
#include "src/viewer/stack/raw_words.h"
#include "src/viewer/terminal/text.h"

enum {
	LEAST_ADDRESS = 4096,
	NAME_MAX_BYTES = 200,
};

struct stack_range {
	uint64_t low, high;
	int64_t goroutine;
};

struct pointees {
	const struct raw_words *raw;
	struct table wanted; /* words; 1, or the number of a name plus 2 */
	char **names;
	size_t name_count, name_cap;
	struct stack_range *stacks; /* sorted */
	size_t stack_count, stack_cap;
};

enum { NOT_KNOWN = 1, FIRST_NAME = 2 };

static bool is_wanted(const struct pointees *p, uint64_t address)
{
	return table_get(&p->wanted, address, 0) == NOT_KNOWN;
}

/* Takes the text. */
static void name(struct pointees *p, uint64_t address, struct text *text)
{
	GROW(p->names, p->name_count, p->name_cap);
	p->names[p->name_count++] = xstrdup(text_words(text));
	table_set(&p->wanted, address, 0, p->name_count - 1 + FIRST_NAME);
	text_done(text);
}

static uint64_t open_address(struct model *model, struct model_place place,
			     const char *member)
{
	const struct reader_node *node = model_open_member(model, place, member);
	const uint64_t ret = node_address(node, 0);

	node_drop(node);
	return ret;
}

static void add_stack(struct pointees *p, struct model *model,
		      const struct model_goroutine *g)
{
	const struct reader_node *node = model_open_member(model, g->place, "stack");
	const struct stack_range range = {
		.low = node_address(node_get(node, "low"), 0),
		.high = node_address(node_get(node, "high"), 0),
		.goroutine = g->id,
	};

	node_drop(node);
	if (range.low >= range.high)
		return;
	GROW(p->stacks, p->stack_count, p->stack_cap);
	p->stacks[p->stack_count++] = range;
}

static void add_goroutine(struct pointees *p, struct model *model,
			  const struct model_goroutine *g)
{
	const uint64_t address = open_address(model, g->place, "address");
	struct text text = { 0 };

	add_stack(p, model, g);
	if (is_wanted(p, address)) {
		text_add(&text, "goroutine %" PRId64, g->id);
		name(p, address, &text);
	}
	if (!is_wanted(p, g->waits_address))
		return;
	text_add(&text, "the %s that goroutine %" PRId64 " waits for",
		 model_text_of(model, g->waits_kind), g->id);
	name(p, g->waits_address, &text);
}

static void add_object(struct pointees *p, struct model *model, struct model_place place)
{
	const uint64_t address = open_address(model, place, "address");
	struct text text = { 0 };

	if (!is_wanted(p, address))
		return;
	const struct reader_node *type = model_open_member(model, place, "type");
	text_add(&text, "a %.*s", NAME_MAX_BYTES, text_of(type, "?"));
	node_drop(type);
	name(p, address, &text);
}

static int compare_stacks(const void *a, const void *b)
{
	const struct stack_range *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

struct pointees *pointees_new(struct model *model, const struct raw_words *raw)
{
	struct pointees *p = xcalloc(1, sizeof(*p));
	size_t n;
	const struct model_goroutine *rows = model_goroutines(model, &n);

	p->raw = raw;
	for (size_t i = 0; i < raw->count; i++)
		if (raw->words[i].value >= LEAST_ADDRESS)
			table_set(&p->wanted, raw->words[i].value, 0, NOT_KNOWN);
	for (size_t i = 0; i < n; i++)
		add_goroutine(p, model, &rows[i]);
	for (size_t i = 0; i < model_object_count(model); i++)
		add_object(p, model, model_object_at(model, i));
	if (p->stack_count)
		qsort(p->stacks, p->stack_count, sizeof(*p->stacks), compare_stacks);
	return p;
}

void pointees_free(struct pointees *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->name_count; i++)
		xfree(p->names[i]);
	xfree(p->names);
	xfree(p->stacks);
	table_free(&p->wanted);
	xfree(p);
}

bool pointees_add(const struct pointees *p, uint64_t address, struct text *text)
{
	const uint64_t found = table_get(&p->wanted, address, 0);
	const size_t i = LOWER_BOUND(k, p->stack_count, p->stacks[k].low <= address);

	if (found >= FIRST_NAME) {
		text_add(text, "%s", p->names[found - FIRST_NAME]);
		return true;
	}
	if (i == 0 || address >= p->stacks[i - 1].high)
		return false;
	if (raw_word_at(p->raw, p->stacks[i - 1].high - 1) != NOT_THERE)
		text_add(text, "the unused part of this stack");
	else
		text_add(text, "the stack of goroutine %" PRId64,
			 p->stacks[i - 1].goroutine);
	return true;
}
