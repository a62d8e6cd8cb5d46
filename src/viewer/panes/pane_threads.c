/* SPDX-License-Identifier: Apache-2.0 */
/* pane_threads.c - threads, one row each. */
#include <inttypes.h>

#include "lib/document/reader.h"
#include "src/viewer/panes/words.h"

static size_t update(struct browse *b, void *state, unsigned columns)
{
	(void)state, (void)columns;
	return model_list_count(b->model, MODEL_THREADS);
}

static const struct reader_node *open_row(struct browse *b, size_t row)
{
	return model_open(b->model, model_list_at(b->model, MODEL_THREADS, row));
}

static void add_number(struct line *line, const struct reader_node *node,
		       const char *member, const char *name)
{
	if (node_get(node, member))
		line_format(line, STYLE_PLAIN, "%s%" PRId64 " ", name,
			    node_int(node_get(node, member), -1));
}

/* Where it is: in a goroutine, or in the kernel. */
static void add_where(struct browse *b, struct line *line, const struct reader_node *node)
{
	const struct model_goroutine *g =
		words_find(b, node_int(node_get(node, "goroutine"), -1));
	const struct reader_node *frames = node_get(node, "frames");

	if (g) {
		line_format(line, STYLE_PLAIN, "goroutine %" PRId64 "  ", g->id);
		words_add_place(b, line, g->group);
		return;
	}
	for (size_t i = 0; i < node_count(frames); i++) {
		const struct frame_words frame = words_of_node(node_at(frames, i));
		if (!*frame.function)
			continue;
		words_add_frame(b, line, &frame);
		return;
	}
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	const struct reader_node *node = open_row(b, row);

	(void)state;
	line_format(line, STYLE_PLAIN, "%7" PRId64 "  %.15s",
		    node_int(node_get(node, "id"), -1),
		    text_of(node_get(node, "name"), ""));
	line_pad(line, 26);
	line_format(line, STYLE_PLAIN, "%.4s", text_of(node_get(node, "state"), "?"));
	line_pad(line, 29);
	add_number(line, node, "m", "m");
	add_number(line, node, "p", "p");
	line_pad(line, 40);
	if (node_get(node, "signal"))
		line_format(
			line, STYLE_ALARM, "%.20s ",
			text_of(node_get(node_get(node, "signal"), "name"), "signal"));
	add_where(b, line, node);
	node_drop(node);
}

static void title(struct browse *b, void *state, struct text *text)
{
	(void)state;
	text_add(text, " ");
	text_add_count(text, model_list_count(b->model, MODEL_THREADS));
}

static int64_t goroutine(struct browse *b, void *state, size_t row)
{
	const struct reader_node *node = open_row(b, row);
	const int64_t id = node_int(node_get(node, "goroutine"), -1);

	(void)state;
	node_drop(node);
	return id;
}

/* Its own frames, if it has any; those of a goroutine are with that. */
static void select_row(struct browse *b, void *state, size_t row)
{
	const struct reader_node *node = open_row(b, row);
	const bool has_own = node_count(node_get(node, "frames"));
	const uint32_t found =
		model_find_goroutine(b->model, node_int(node_get(node, "goroutine"), -1));

	(void)state;
	node_drop(node);
	if (found != MODEL_NONE && !has_own)
		browse_subject(b, SUBJECT_GOROUTINE, found, -1);
	else
		browse_subject(b, SUBJECT_THREAD, (uint32_t)row, -1);
}

static void act(struct browse *b, void *state, size_t row, enum row_action action)
{
	if (action == ROW_CLOSE) {
		browse_say(b, "nothing is open here: [ goes back");
		return;
	}
	browse_note(b);
	select_row(b, state, row);
	b->wanted = PANE_STACK;
}

const struct pane_kind pane_threads = {
	.name = "Threads",
	.update = update,
	.draw = draw,
	.title = title,
	.select = select_row,
	.act = act,
	.goroutine = goroutine,
};
