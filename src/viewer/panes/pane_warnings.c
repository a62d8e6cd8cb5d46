/* SPDX-License-Identifier: Apache-2.0 */
/* pane_warnings.c - what is doubtful or missing in the document. */
#include "lib/document/reader.h"
#include "src/viewer/panes/words.h"

struct warnings {
	struct wrapped lines;
	unsigned columns;
};

enum { WARNINGS_MAX = 5000 };

static void fill(struct browse *b, struct warnings *w)
{
	const size_t n = model_list_count(b->model, MODEL_WARNINGS);
	const char *damage = model_damage(b->model);

	if (damage)
		wrapped_add(&w->lines, damage, w->columns, 4);
	for (size_t i = 0; i < n && i < WARNINGS_MAX; i++) {
		const struct reader_node *node =
			model_open(b->model, model_list_at(b->model, MODEL_WARNINGS, i));
		struct text text = { .words = NULL };
		text_add(&text, "%s: %s", text_of(node_get(node, "where"), "?"),
			 text_of(node_get(node, "what"), "?"));
		wrapped_add(&w->lines, text_words(&text), w->columns, 4);
		text_done(&text);
		node_drop(node);
	}
	if (!w->lines.count)
		wrapped_add(&w->lines, "There are none.", w->columns, 4);
}

static size_t update(struct browse *b, void *state, unsigned columns)
{
	struct warnings *w = state;

	if (w->columns == columns)
		return w->lines.count;
	wrapped_done(&w->lines);
	w->columns = columns;
	fill(b, w);
	return w->lines.count;
}

static void done(void *state)
{
	struct warnings *w = state;

	wrapped_done(&w->lines);
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	const struct warnings *w = state;

	(void)b;
	line_add(line, STYLE_PLAIN, w->lines.rows[row]);
}

static void title(struct browse *b, void *state, struct text *text)
{
	(void)state;
	text_add(text, " ");
	text_add_count(text, model_list_count(b->model, MODEL_WARNINGS));
}

const struct pane_kind pane_warnings = {
	.name = "Warnings",
	.state_bytes = sizeof(struct warnings),
	.update = update,
	.draw = draw,
	.done = done,
	.title = title,
};
