/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/tui/layout.h"

enum { WIDE = 140, TALL = 40, VERDICT_ROWS = 2 };

bool layout_is_list(enum pane_id pane)
{
	return pane != PANE_STACK && pane != PANE_VARIABLES && pane != PANE_SOURCE;
}

static void add(struct layout *l, enum pane_id pane, unsigned x, unsigned y,
		unsigned columns, unsigned rows)
{
	l->areas[l->count++] = (struct area){ pane, x, y, columns, rows };
}

static unsigned part(unsigned rows, unsigned percent)
{
	return rows * percent / 100;
}

/* The list and the source at the left, the stack and its variables at the right. */
static void make_wide(struct layout *l, unsigned columns, unsigned rows)
{
	const unsigned y = l->body_row, upper = part(rows, 55),
		       right = columns - l->left - 1, stack = part(rows, 45);

	add(l, l->list, 0, y, l->left, upper);
	add(l, PANE_SOURCE, 0, y + upper, l->left, rows - upper);
	add(l, PANE_STACK, l->left + 1, y, right, stack);
	add(l, PANE_VARIABLES, l->left + 1, y + stack, right, rows - stack);
}

static void make_tall(struct layout *l, unsigned columns, unsigned rows)
{
	const unsigned y = l->body_row, upper = part(rows, 34), stack = part(rows, 33);

	add(l, l->list, 0, y, columns, upper);
	add(l, PANE_STACK, 0, y + upper, columns, stack);
	add(l, l->below, 0, y + upper + stack, columns, rows - upper - stack);
}

/* Nothing belongs to a row of it. */
static bool is_alone(enum pane_id pane)
{
	return pane == PANE_RUNTIME || pane == PANE_WARNINGS;
}

static void make_small(struct layout *l, unsigned columns, unsigned rows)
{
	const unsigned upper = part(rows, l->list == PANE_LOCKS ? 60 : 42);

	add(l, l->list, 0, l->body_row, columns, upper);
	add(l, l->detail, 0, l->body_row + upper, columns, rows - upper);
}

static void choose(struct layout *l, enum pane_id focus)
{
	if (layout_is_list(focus)) {
		l->list = focus;
		return;
	}
	l->detail = focus;
	if (focus != PANE_STACK)
		l->below = focus;
}

void layout_make(struct layout *l, enum pane_id focus, unsigned columns, unsigned rows)
{
	choose(l, focus);
	l->count = 0;
	l->verdict_rows = rows >= 20 ? VERDICT_ROWS : 1;
	l->tabs_row = 1 + l->verdict_rows;
	l->body_row = l->tabs_row + 1;
	l->left = columns >= WIDE ? columns / 2 : 0;
	const unsigned body = rows - l->body_row - 1;
	if (l->left)
		make_wide(l, columns, body);
	else if (is_alone(focus))
		add(l, focus, 0, l->body_row, columns, body);
	else if (rows >= TALL)
		make_tall(l, columns, body);
	else
		make_small(l, columns, body);
}

const struct area *layout_find(const struct layout *layout, enum pane_id pane)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->areas[i].pane == pane)
			return &layout->areas[i];
	return NULL;
}
