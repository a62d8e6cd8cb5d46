/* SPDX-License-Identifier: Apache-2.0 */
/* pane_goroutines.c - goroutines, one row each. */
#include <inttypes.h>

#include "src/viewer/lookup/search.h"
#include "src/viewer/panes/words.h"

enum { ID_COLUMN = 9, TITLE_COLUMNS = 120 };

static size_t update(struct browse *b, void *state, unsigned columns)
{
	(void)state, (void)columns;
	return b->row_count;
}

static const struct model_goroutine *at(const struct browse *b, size_t row)
{
	size_t count;

	return &model_goroutines(b->model, &count)[b->rows[row]];
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	const struct model_goroutine *g = at(b, row);

	(void)state;
	line_format(line, STYLE_PLAIN, "%7" PRId64, g->id);
	line_pad(line, ID_COLUMN);
	words_add_goroutine(b, line, g);
}

static void title(struct browse *b, void *state, struct text *text)
{
	const struct narrowing *n = &b->narrowing;
	size_t all;

	(void)state;
	model_goroutines(b->model, &all);
	text_add(text, " ");
	text_add_count(text, b->row_count);
	if (b->row_count != all) {
		text_add(text, " of ");
		text_add_count(text, all);
	}
	switch (n->kind) {
	case NARROW_GROUP:
		text_add(text, ", of one group");
		break;
	case NARROW_CHILDREN:
		text_add(text, ", created by %" PRId64, n->number);
		break;
	case NARROW_ROWS:
	case NARROW_WORDS:
		text_add(text, ", %s", n->words);
		text_shorten(text, TITLE_COLUMNS);
		break;
	case NARROW_NOT:
		break;
	}
	if (b->sorting != SORT_AS_WRITTEN)
		text_add(text, ", %s", sorting_name(b->sorting));
}

static void select_row(struct browse *b, void *state, size_t row)
{
	(void)state;
	browse_subject(b, SUBJECT_GOROUTINE, b->rows[row], -1);
}

static void act(struct browse *b, void *state, size_t row, enum row_action action)
{
	(void)state, (void)row;
	if (action == ROW_CLOSE) {
		browse_say(b, "nothing is open here: [ goes back");
		return;
	}
	browse_note(b);
	b->wanted = PANE_STACK;
}

static size_t find(struct browse *b, void *state)
{
	(void)state;
	for (size_t i = 0; b->subject.kind == SUBJECT_GOROUTINE && i < b->row_count; i++)
		if (b->rows[i] == b->subject.row)
			return i;
	return SIZE_MAX;
}

static bool matches(struct browse *b, void *state, size_t row, struct search *search)
{
	(void)state;
	return search_goroutine(search, at(b, row));
}

static int64_t goroutine(struct browse *b, void *state, size_t row)
{
	(void)state;
	return at(b, row)->id;
}

static void copy(struct browse *b, void *state, size_t row, struct text *text)
{
	(void)state;
	words_add_whole(b, text, b->rows[row]);
}

const struct pane_kind pane_goroutines = {
	.name = "Goroutines",
	.update = update,
	.draw = draw,
	.title = title,
	.select = select_row,
	.act = act,
	.find = find,
	.matches = matches,
	.goroutine = goroutine,
	.copies_stacks = true,
	.copy = copy,
};
