/* SPDX-License-Identifier: Apache-2.0 */
/* pane_runtime.c - what the document says of the process, the snapshot and the Go runtime, as a tree. */
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/panes/tree.h"
#include "src/viewer/panes/words.h"

struct facts {
	struct tree tree;
	bool filled;
};

struct adding {
	struct tree *tree;
	size_t parent, number;
};

static void add(struct tree *tree, size_t parent, size_t number, const char *name,
		const struct reader_node *node, bool open);

static void add_member(void *arg, const char *name, const struct reader_node *node)
{
	struct adding *a = arg;

	add(a->tree, a->parent, a->number++, name, node, false);
}

static void add_below(struct tree *tree, size_t parent, const struct reader_node *node)
{
	struct adding adding = { tree, parent, 0 };

	node_each(node, add_member, &adding);
	for (size_t i = 0; i < node_count(node); i++)
		add(tree, parent, adding.number + i, NULL, node_at(node, i), false);
}

static void note_any(void *arg, const char *name, const struct reader_node *node)
{
	(void)name, (void)node;
	*(bool *)arg = true;
}

static bool has_members(const struct reader_node *node)
{
	bool any = node_count(node) > 0;

	node_each(node, note_any, &any);
	return any;
}

static void add(struct tree *tree, size_t parent, size_t number, const char *name,
		const struct reader_node *node, bool open)
{
	const size_t at = tree_add(tree, parent, number,
				   (struct tree_row){ .node = node,
						      .name = name,
						      .number = number,
						      .opens = has_members(node),
						      .open = open });

	if (at != SIZE_MAX && tree->rows[at].open)
		add_below(tree, at, node);
}

static void fill(struct browse *b, struct tree *tree)
{
	const struct model_heads *h = model_heads(b->model);
	const struct {
		const char *name;
		const struct reader_node *node;
		bool open;
	} all[] = {
		{ "fault", h->fault, true },
		{ "trigger", h->trigger, true },
		{ "runtime", h->runtime, true },
		{ "process", h->process, false },
		{ "go", h->go, false },
		{ "snapshot", h->snapshot, false },
		{ "verification", h->verification, false },
		{ "end", h->end, false },
	};

	tree_empty(tree);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].node)
			add(tree, SIZE_MAX, i, all[i].name, all[i].node, all[i].open);
}

static size_t update(struct browse *b, void *state, unsigned columns)
{
	struct facts *f = state;

	(void)columns;
	if (!f->filled)
		fill(b, &f->tree);
	f->filled = true;
	return f->tree.count;
}

static void done(void *state)
{
	struct facts *f = state;

	tree_done(&f->tree);
}

static bool ends_with(const char *words, const char *end)
{
	const size_t len = strlen(words), n = strlen(end);

	return len > n && strcmp(words + len - n, end) == 0;
}

/* By the document's rule, names say what numbers are. */
static void add_value(struct text *text, const char *name, const struct reader_node *node)
{
	AUTO(xfree) char *words = node_words(node);
	const int64_t n = node_int(node, -1);

	if (n >= 0 && ends_with(name, "_ns"))
		text_add_duration(text, n);
	else if (n >= 0 && ends_with(name, "_bytes"))
		text_add_size(text, (uint64_t)n);
	else
		text_add(text, "%s", words);
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	const struct facts *f = state;
	const struct tree_row *r = &f->tree.rows[row];
	struct text text = { .words = NULL };

	(void)b;
	tree_draw_begin(&f->tree, row, line);
	if (r->name)
		line_add(line, r->depth ? STYLE_PLAIN : STYLE_HEADING, r->name);
	else
		line_format(line, STYLE_PLAIN, "[%zu]", (size_t)r->number);
	if (r->opens) {
		if (node_count(r->node))
			line_format(line, STYLE_FAINT, " (%zu)", node_count(r->node));
		return;
	}
	add_value(&text, r->name ? r->name : "", r->node);
	line_add(line, STYLE_FAINT, ": ");
	line_add(line, STYLE_PLAIN, text_words(&text));
	text_done(&text);
}

static void act(struct browse *b, void *state, size_t row, enum row_action action)
{
	struct facts *f = state;
	const struct tree_row *r = &f->tree.rows[row];

	if (action == ROW_CLOSE && !r->open) {
		const size_t parent = tree_parent(&f->tree, row);
		if (parent != SIZE_MAX)
			b->panes[PANE_RUNTIME].cursor = parent;
		else
			browse_say(b, "nothing is open here: [ goes back");
		return;
	}
	if (!r->opens || (action == ROW_OPEN && r->open)) {
		browse_say(b, r->open ? "it is open" : "it has no parts");
		return;
	}
	tree_turn(&f->tree, row);
	f->filled = false;
}

const struct pane_kind pane_runtime = {
	.name = "Runtime",
	.state_bytes = sizeof(struct facts),
	.update = update,
	.draw = draw,
	.done = done,
	.act = act,
};
