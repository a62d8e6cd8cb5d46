/* SPDX-License-Identifier: Apache-2.0 */
/* pane_variables.c - arguments and variables of a frame, as a tree. What a value refers to is read from the document
 * when it is opened. */
#include <inttypes.h>
#include <string.h>

#include "src/viewer/listing/values.h"
#include "lib/document/reader.h"
#include "src/viewer/lookup/objects.h"
#include "src/viewer/panes/tree.h"
#include "src/viewer/panes/words.h"
#include "src/viewer/screen/harmless.h"

enum {
	COPIED_MAX = 45000, /* bytes of a value */
	SEEN_MAX = 5000,    /* objects that are kept as they were drawn */
	KEY_COLUMNS = 60,
	LABEL_COLUMNS = 24, /* about as much as stands before a value */
};

enum kind { KIND_VALUE, KIND_ELEMENT, KIND_ENTRY, KIND_GOROUTINE, KIND_TEXT, KIND_NOTE };

struct variables {
	struct tree tree;
	struct objects objects;
	size_t needed;	      /* of them, by the rows of the tree */
	struct wrapped texts; /* of values that are too long for a row */
	unsigned columns;
	unsigned subject, frame; /* versions */
	bool filled;
};

static void add_value(struct variables *v, size_t parent, size_t number,
		      struct tree_row row);

static void add_named(struct variables *v, size_t parent, const struct reader_node *list)
{
	for (size_t i = 0; i < node_count(list); i++)
		add_value(v, parent, i,
			  (struct tree_row){
				  .kind = KIND_VALUE,
				  .node = node_at(list, i),
				  .name = text_of(node_get(node_at(list, i), "name"),
						  "_") });
}

static void add_elements(struct variables *v, size_t parent,
			 const struct reader_node *list)
{
	for (size_t i = 0; i < node_count(list); i++)
		add_value(v, parent, i,
			  (struct tree_row){ .kind = KIND_ELEMENT,
					     .node = node_at(list, i),
					     .number = i });
}

static void add_entries(struct variables *v, size_t parent,
			const struct reader_node *list)
{
	for (size_t i = 0; i < node_count(list); i++)
		add_value(v, parent, i,
			  (struct tree_row){ .kind = KIND_ENTRY,
					     .node = node_get(node_at(list, i), "value"),
					     .key = node_get(node_at(list, i), "key") });
}

/* Receivers are ids, senders objects with what they offer. */
static void add_queue(struct variables *v, size_t parent, size_t first,
		      const struct reader_node *list, const char *does)
{
	for (size_t i = 0; i < node_count(list); i++) {
		const struct reader_node *one = node_at(list, i),
					 *id = node_get(one, "goroutine");
		add_value(v, parent, first + i,
			  (struct tree_row){
				  .kind = KIND_GOROUTINE,
				  .node = node_get(one, "value"),
				  .name = does,
				  .number = (uint64_t)node_int(id ? id : one, 0) });
	}
}

static size_t part_count(const struct reader_node *value)
{
	static const char *const members[] = { "fields",  "captures",  "elements",
					       "entries", "receivers", "senders",
					       "contexts" };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		n += node_count(node_get(value, members[i]));
	return n;
}

static void add_parts(struct variables *v, size_t parent, const struct reader_node *value)
{
	const struct reader_node *elements = node_get(value, "elements"),
				 *receivers = node_get(value, "receivers");

	add_named(v, parent, node_get(value, "fields"));
	add_named(v, parent, node_get(value, "captures"));
	add_elements(v, parent, elements);
	add_entries(v, parent, node_get(value, "entries"));
	add_elements(v, parent, node_get(value, "contexts"));
	add_queue(v, parent, node_count(elements), receivers, "waits to receive");
	add_queue(v, parent, node_count(elements) + node_count(receivers),
		  node_get(value, "senders"), "waits to send");
}

/* A reference to a number or a string is a row of its own. */
static bool is_reference(const struct reader_node *value,
			 const struct reader_node *resolved)
{
	return resolved != value && !part_count(resolved);
}

/* An object is not parsed before somebody opens what refers to it. */
static bool has_parts(struct variables *v, const struct reader_node *value)
{
	if (objects_refers(value))
		return true;
	const struct reader_node *resolved = objects_resolve(&v->objects, value);
	return part_count(resolved) || resolved != value;
}

static bool is_long(const struct variables *v, const struct reader_node *value)
{
	struct text text = { .words = NULL };

	values_add(&text, value);
	const unsigned room = v->columns > LABEL_COLUMNS ? v->columns - LABEL_COLUMNS : 0;
	const bool is = line_fit(text_words(&text), text.len, room) < text.len;
	text_done(&text);
	return is;
}

static void add_long(struct variables *v, size_t parent, const struct reader_node *value)
{
	const unsigned in = 2 * (v->tree.rows[parent].depth + 2);
	struct text text = { .words = NULL };
	size_t i = v->texts.count;

	values_add_long(&text, value, COPIED_MAX);
	wrapped_add(&v->texts, text_words(&text),
		    v->columns > in + LABEL_COLUMNS ? v->columns - in : LABEL_COLUMNS, 0);
	text_done(&text);
	for (; i < v->texts.count; i++)
		tree_add(
			&v->tree, parent, i,
			(struct tree_row){ .kind = KIND_TEXT, .name = v->texts.rows[i] });
}

static void add_value(struct variables *v, size_t parent, size_t number,
		      struct tree_row row)
{
	const bool parts = has_parts(v, row.node);

	row.opens = parts || (row.node && is_long(v, row.node));
	const size_t at = tree_add(&v->tree, parent, number, row);
	if (at == SIZE_MAX || !v->tree.rows[at].open)
		return;
	if (!parts) {
		add_long(v, at, row.node);
		return;
	}
	const struct reader_node *resolved = objects_resolve(&v->objects, row.node);
	if (is_reference(row.node, resolved))
		add_value(v, at, 0,
			  (struct tree_row){
				  .kind = KIND_VALUE, .node = resolved, .name = "*" });
	else
		add_parts(v, at, resolved);
}

static void add_note(struct variables *v, size_t number, const char *words)
{
	tree_add(&v->tree, SIZE_MAX, number,
		 (struct tree_row){ .kind = KIND_NOTE, .name = words });
}

static const struct reader_node *frame_of(struct browse *b)
{
	return node_at(node_get(browse_node(b), "frames"), b->frame);
}

/* Why there are none. */
static void add_reason(struct browse *b, struct variables *v)
{
	const struct reader_node *node = browse_node(b), *frame = frame_of(b);
	const char *why = text_of(node_get(frame, "values_unreadable"), NULL);

	if (b->subject.kind == SUBJECT_NONE)
		add_note(v, 1, "no goroutine is chosen");
	else if (why)
		add_note(v, 1, why);
	else if (node_get(node, "values_omitted_by"))
		add_note(v, 1, "left out, as the document would be too large");
	else if (node_bool(node_get(frame, "hidden"), false))
		add_note(v, 1,
			 "a hidden frame: the document has its variables only "
			 "with --full");
	else
		add_note(v, 1, "the document has no variables of this frame");
}

static bool has_seen_many(const struct variables *v)
{
	return v->objects.count > v->needed + SEEN_MAX;
}

static void fill(struct browse *b, struct variables *v)
{
	const struct reader_node *frame = frame_of(b),
				 *arguments = node_get(frame, "arguments"),
				 *locals = node_get(frame, "locals");

	v->objects.model = b->model;
	if (v->subject != b->subject_version || has_seen_many(v))
		objects_forget(&v->objects);
	tree_empty(&v->tree);
	wrapped_done(&v->texts);
	add_named(v, SIZE_MAX, arguments);
	for (size_t i = 0; i < node_count(locals); i++)
		add_value(v, SIZE_MAX, node_count(arguments) + i,
			  (struct tree_row){
				  .kind = KIND_VALUE,
				  .node = node_at(locals, i),
				  .name = text_of(node_get(node_at(locals, i), "name"),
						  "_") });
	if (!node_count(arguments) && !node_count(locals))
		add_reason(b, v);
	if (node_get(frame, "values_omitted_by"))
		add_note(v, v->tree.count + 2,
			 "more were left out: too many bytes for one goroutine");
	tree_end(&v->tree, KIND_NOTE);
	v->needed = v->objects.count;
}

static size_t update(struct browse *b, void *state, unsigned columns)
{
	struct variables *v = state;

	if (v->filled && v->columns == columns && v->subject == b->subject_version &&
	    v->frame == b->frame_version)
		return v->tree.count;
	v->columns = columns;
	fill(b, v);
	v->filled = true;
	v->subject = b->subject_version;
	v->frame = b->frame_version;
	return v->tree.count;
}

static void done(void *state)
{
	struct variables *v = state;

	tree_done(&v->tree);
	wrapped_done(&v->texts);
	objects_done(&v->objects);
}

static void add_label(struct line *line, const struct tree_row *row)
{
	struct text text = { .words = NULL };

	switch ((enum kind)row->kind) {
	case KIND_ELEMENT:
		line_format(line, STYLE_PLAIN, "[%" PRIu64 "]", row->number);
		break;
	case KIND_ENTRY:
		values_add(&text, row->key);
		text_shorten(&text, KEY_COLUMNS);
		line_format(line, STYLE_PLAIN, "[%s]", text_words(&text));
		text_done(&text);
		break;
	case KIND_GOROUTINE:
		line_format(line, STYLE_PLAIN, "goroutine %" PRIu64 " %s", row->number,
			    row->name);
		break;
	case KIND_VALUE:
		line_add(line, STYLE_HEADING, row->name);
		break;
	case KIND_TEXT:
		line_add(line, STYLE_PLAIN, row->name);
		break;
	case KIND_NOTE:
		line_format(line, STYLE_FAINT, "(%s)", row->name);
	}
}

/* The value is above in the tree. */
static bool is_cycle(struct variables *v, size_t row)
{
	const struct reader_node *own =
		objects_resolve(&v->objects, v->tree.rows[row].node);

	for (size_t i = tree_parent(&v->tree, row); i != SIZE_MAX;
	     i = tree_parent(&v->tree, i))
		if (objects_resolve(&v->objects, v->tree.rows[i].node) == own)
			return true;
	return false;
}

/* With what it refers to. */
static void add_text(struct variables *v, const struct reader_node *value,
		     struct text *text)
{
	const struct reader_node *resolved = objects_resolve(&v->objects, value);
	const bool points =
		strcmp(node_string(node_get(value, "kind"), ""), "pointer") == 0;

	if (!objects_refers(value)) {
		values_add(text, value);
		return;
	}
	text_add(text, points && resolved != value ? "&" : "");
	values_add(text, resolved);
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	struct variables *v = state;
	struct text text = { .words = NULL };

	if (has_seen_many(v))
		fill(b, v);
	const struct tree_row *r = &v->tree.rows[row];
	tree_draw_begin(&v->tree, row, line);
	add_label(line, r);
	if (!r->node)
		return;
	line_format(line, STYLE_FAINT, " %s", text_of(node_get(r->node, "type"), ""));
	values_add_notes(&text, r->node);
	line_add(line, STYLE_FAINT, text_words(&text));
	text_done(&text);
	if (r->opens && is_cycle(v, row)) {
		line_add(line, STYLE_FAINT, " (is above)");
	} else if (!r->open || node_get(r->node, "text")) {
		add_text(v, r->node, &text);
		line_add(line, STYLE_PLAIN, " = ");
		line_add(line, STYLE_PLAIN, text_words(&text));
		text_done(&text);
	}
}

static void title(struct browse *b, void *state, struct text *text)
{
	const char *function = text_of(node_get(frame_of(b), "function"), NULL);

	(void)state;
	if (function)
		text_add(text, " of %s", function);
}

static void act(struct browse *b, void *state, size_t row, enum row_action action)
{
	struct variables *v = state;
	const struct tree_row *r = &v->tree.rows[row];
	const int64_t goroutine = node_int(node_get(r->node, "goroutine"), -1);

	if (action == ROW_CLOSE && !r->open) {
		const size_t parent = tree_parent(&v->tree, row);
		if (parent != SIZE_MAX)
			b->panes[PANE_VARIABLES].cursor = parent;
		else
			browse_say(b, "nothing is open here: [ goes back");
		return;
	}
	if (action == ROW_ENTER && (r->kind == KIND_GOROUTINE || goroutine >= 0)) {
		browse_goroutine(
			b, r->kind == KIND_GOROUTINE ? (int64_t)r->number : goroutine,
			PANE_STACK);
		return;
	}
	if (!r->opens || (action == ROW_OPEN && r->open)) {
		browse_say(b, r->open ? "it is open" : "it has no parts");
		return;
	}
	tree_turn(&v->tree, row);
	v->filled = false;
}

static uint64_t address(struct browse *b, void *state, size_t row)
{
	const struct variables *v = state;
	const struct reader_node *value = v->tree.rows[row].node;
	const uint64_t to = node_address(node_get(value, "to"), 0);

	(void)b;
	return to ? to : node_address(node_get(value, "address"), 0);
}

static int64_t goroutine(struct browse *b, void *state, size_t row)
{
	const struct variables *v = state;
	const struct tree_row *r = &v->tree.rows[row];

	(void)b;
	return r->kind == KIND_GOROUTINE ? (int64_t)r->number
					 : node_int(node_get(r->node, "goroutine"), -1);
}

static void copy(struct browse *b, void *state, size_t row, struct text *text)
{
	struct variables *v = state;
	struct text value = { .words = NULL };

	(void)b;
	if (!v->tree.rows[row].node)
		return;
	values_add_long(&value, objects_resolve(&v->objects, v->tree.rows[row].node),
			COPIED_MAX);
	harmless_add_bytes(text, text_words(&value), value.len);
	text_done(&value);
	text_add(text, "\n");
}

const struct pane_kind pane_variables = {
	.name = "Variables",
	.state_bytes = sizeof(struct variables),
	.update = update,
	.draw = draw,
	.done = done,
	.title = title,
	.act = act,
	.address = address,
	.goroutine = goroutine,
	.copy = copy,
};
