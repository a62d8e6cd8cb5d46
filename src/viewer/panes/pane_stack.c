/* SPDX-License-Identifier: Apache-2.0 */
/* pane_stack.c - what is to be known of one goroutine or thread, and its stack. */
#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/document/details.h"
#include "src/viewer/lookup/locks.h"
#include "src/viewer/lookup/search.h"
#include "src/viewer/panes/words.h"
#include "src/viewer/screen/harmless.h"

enum row_kind { ROW_WORDS, ROW_FRAME, ROW_CREATOR };

struct row {
	enum row_kind kind;
	enum style style;
	char *words; /* owned; NULL: of a frame */
	size_t frame;
	uint64_t address; /* 0: none */
};

struct stack {
	struct row *rows;
	size_t count, cap;
	unsigned version, columns;
	bool filled;
};

static struct row *add_row(struct stack *s, enum row_kind kind)
{
	GROW(s->rows, s->count, s->cap);
	s->rows[s->count] = (struct row){ .kind = kind };
	return &s->rows[s->count++];
}

static void add_words(struct stack *s, enum style style, struct text *text,
		      uint64_t address)
{
	struct wrapped w = { .rows = NULL };

	wrapped_add(&w, text_words(text), s->columns, 4);
	for (size_t i = 0; i < w.count; i++) {
		struct row *row = add_row(s, ROW_WORDS);
		row->style = style;
		row->words = xstrdup(w.rows[i]);
		row->address = address;
	}
	wrapped_done(&w);
	text_done(text);
}

static void add_finding(struct browse *b, struct stack *s)
{
	struct text text = { .words = NULL };
	const size_t i = (size_t)b->subject.finding;

	if (b->subject.finding < 0 || i >= model_list_count(b->model, MODEL_FINDINGS))
		return;
	const struct reader_node *node =
		model_open(b->model, model_list_at(b->model, MODEL_FINDINGS, i));
	text_add(&text, "%s: %s", text_of(node_get(node, "severity"), "?"),
		 text_of(node_get(node, "text"), "?"));
	add_words(s, STYLE_ALARM, &text,
		  node_address(node_at(node_get(node, "addresses"), 0), 0));
	text_add(&text, "%s", text_of(node_get(node, "advice"), ""));
	add_words(s, STYLE_PLAIN, &text, 0);
	node_drop(node);
}

/* Which of those that others wait for it has. */
static void add_locks(const struct browse *b, struct stack *s, int64_t id)
{
	size_t count;
	const struct lock *all = locks_all(b->locks, &count);
	struct text text = { .words = NULL };

	for (size_t i = locks_of(b->locks, id, SIZE_MAX); i < count;
	     i = locks_of(b->locks, id, i)) {
		text_add(&text, "has %s 0x%" PRIx64 "%s, for which %" PRIu64 " wait",
			 all[i].kind, all[i].address, all[i].certain ? "" : ", probably",
			 all[i].waiters);
		add_words(s, STYLE_ALARM, &text, all[i].address);
	}
}

/* One row each: keys are about the channel of a row. */
static void add_cases(struct stack *s, const struct reader_node *cases)
{
	struct text text = { .words = NULL };

	for (size_t i = 0; node_count(cases) > 1 && i < node_count(cases); i++) {
		const struct reader_node *one = node_at(cases, i);
		text_add(&text, "  case: ");
		details_add_case(&text, one);
		add_words(s, STYLE_PLAIN, &text,
			  node_address(node_get(one, "address"), 0));
	}
}

static void add_details(struct browse *b, struct stack *s,
			const struct model_goroutine *g)
{
	const struct reader_node *node = browse_node(b);
	struct text text = { .words = NULL };

	text_add(&text, "goroutine %" PRId64 ": ", g->id);
	words_add_state(b, &text, g);
	if (g->thread >= 0)
		text_add(&text, ", thread %" PRId64, g->thread);
	add_words(s, STYLE_HEADING, &text, g->waits_address);
	details_add_panic(&text, node_get(node, "panics"));
	add_words(s, STYLE_ALARM, &text, 0);
	if (node_get(node, "waiting_for")) {
		text_add(&text, "waits for ");
		details_add_waiting(&text, node_get(node, "waiting_for"));
		add_words(s, STYLE_PLAIN, &text, g->waits_address);
	}
	add_cases(s, node_get(node_get(node, "waiting_for"), "cases"));
	add_locks(b, s, g->id);
	if (node_get(node, "labels")) {
		text_add(&text, "labels ");
		details_add_labels(&text, node_get(node, "labels"));
		add_words(s, STYLE_PLAIN, &text, 0);
	}
}

/* Of a thread, or of a goroutine whose group the document has lost. */
static const struct reader_node *frames_of_node(struct browse *b)
{
	return node_get(browse_node(b), "frames");
}

static size_t frame_count(struct browse *b)
{
	const struct model_frame *frames;
	const size_t n = browse_frames(b, &frames);

	return n ? n : node_count(frames_of_node(b));
}

static struct frame_words frame_at(struct browse *b, size_t i)
{
	const struct model_frame *frames;

	return i < browse_frames(b, &frames)
		       ? words_of_frame(b, &frames[i])
		       : words_of_node(node_at(frames_of_node(b), i));
}

/* As in a traceback of the runtime, but with C. */
static bool is_shown(const struct browse *b, const struct frame_words *frame)
{
	return b->all || !frame->hidden || frame->is_c;
}

static void add_frames(struct browse *b, struct stack *s)
{
	const size_t n = frame_count(b);
	size_t shown = 0;

	for (size_t i = 0; i < n; i++) {
		const struct frame_words frame = frame_at(b, i);
		shown += is_shown(b, &frame);
	}
	for (size_t i = 0; i < n; i++) {
		const struct frame_words frame = frame_at(b, i);
		if (!shown || is_shown(b, &frame))
			add_row(s, ROW_FRAME)->frame = i;
	}
}

static void add_end(struct browse *b, struct stack *s)
{
	const struct reader_node *unwind = node_get(browse_node(b), "unwind");
	const char *status = text_of(node_get(unwind, "status"), "complete");
	struct text text = { .words = NULL };

	if (strcmp(status, "complete") == 0)
		return;
	text_add(&text, "... %s: %s", status, text_of(node_get(unwind, "reason"), "?"));
	add_words(s, STYLE_ALARM, &text, 0);
}

static void add_creator(struct browse *b, struct stack *s)
{
	const struct reader_node *by = node_get(browse_node(b), "created_by");
	struct text text = { .words = NULL };
	const int64_t parent = node_int(node_get(by, "goroutine"), -1);

	if (!by)
		return;
	text_add(&text, "created by %s at %s:%" PRId64,
		 text_of(node_get(by, "function"), "?"),
		 stack_file(&b->style, text_of(node_get(by, "file"), "?")),
		 node_int(node_get(by, "line"), 0));
	if (parent > 0)
		text_add(&text, " in goroutine %" PRId64, parent);
	const size_t first = s->count;
	add_words(s, STYLE_FAINT, &text, 0);
	for (size_t i = first; i < s->count; i++)
		s->rows[i].kind = ROW_CREATOR;
}

static void add_thread(struct browse *b, struct stack *s)
{
	const struct reader_node *node = browse_node(b);
	struct text text = { .words = NULL };

	text_add(&text, "thread %" PRId64 " %s, state %s",
		 node_int(node_get(node, "id"), -1), text_of(node_get(node, "name"), ""),
		 text_of(node_get(node, "state"), "?"));
	if (node_get(node, "goroutine"))
		text_add(&text, ", with goroutine %" PRId64,
			 node_int(node_get(node, "goroutine"), -1));
	add_words(s, STYLE_HEADING, &text, 0);
}

static void add_group(struct browse *b, struct stack *s)
{
	size_t count;
	const struct model_group *g = &model_groups(b->model, &count)[b->subject.row];
	struct text text = { .words = NULL };

	text_add_counted(&text, g->count, "goroutine");
	text_add(&text, ", none of which the document has");
	add_words(s, STYLE_HEADING, &text, 0);
}

static void empty(struct stack *s)
{
	for (size_t i = 0; i < s->count; i++)
		xfree(s->rows[i].words);
	s->count = 0;
}

static void fill(struct browse *b, struct stack *s)
{
	const struct model_goroutine *g = browse_current(b);

	empty(s);
	if (g)
		add_details(b, s, g);
	else if (b->subject.kind == SUBJECT_GROUP)
		add_group(b, s);
	else if (b->subject.kind == SUBJECT_THREAD)
		add_thread(b, s);
	if (b->subject.kind != SUBJECT_NONE) {
		add_frames(b, s);
		add_end(b, s);
		add_creator(b, s);
	}
	add_finding(b, s);
}

static size_t update(struct browse *b, void *state, unsigned columns)
{
	struct stack *s = state;

	if (s->filled && s->version == b->subject_version && s->columns == columns)
		return s->count;
	s->filled = true;
	s->version = b->subject_version;
	s->columns = columns;
	fill(b, s);
	return s->count;
}

static void done(void *state)
{
	struct stack *s = state;

	empty(s);
	xfree(s->rows);
}

static bool has_values(struct browse *b, size_t frame)
{
	const struct reader_node *f = node_at(frames_of_node(b), frame);

	return node_count(node_get(f, "arguments")) || node_count(node_get(f, "locals"));
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	const struct stack *s = state;
	const struct row *r = &s->rows[row];

	if (r->kind != ROW_FRAME) {
		line_add(line, r->style, r->words);
		return;
	}
	const struct frame_words frame = frame_at(b, r->frame);
	line_add(line, STYLE_FAINT, has_values(b, r->frame) ? "  + " : "    ");
	words_add_frame(b, line, &frame);
}

static void title(struct browse *b, void *state, struct text *text)
{
	const struct model_goroutine *g = browse_current(b);

	(void)state;
	if (g)
		text_add(text, " of goroutine %" PRId64, g->id);
	else if (b->subject.kind == SUBJECT_THREAD)
		text_add(text, " of a thread");
}

static void select_row(struct browse *b, void *state, size_t row)
{
	const struct stack *s = state;

	if (s->rows[row].kind == ROW_FRAME && s->rows[row].frame != b->frame)
		browse_frame(b, s->rows[row].frame);
}

static void act(struct browse *b, void *state, size_t row, enum row_action action)
{
	const struct stack *s = state;
	const struct model_goroutine *g = browse_current(b);

	if (action == ROW_CLOSE) {
		browse_say(b, "nothing is open here: [ goes back");
		return;
	}
	if (s->rows[row].kind == ROW_CREATOR && g) {
		browse_creator(b, g);
		return;
	}
	if (s->rows[row].kind == ROW_FRAME) {
		browse_note(b);
		b->wanted = PANE_VARIABLES;
	} else if (locks_find(b->locks, s->rows[row].address) != SIZE_MAX) {
		browse_note(b);
		b->lock = s->rows[row].address;
		b->wanted = PANE_LOCKS;
	} else {
		browse_say(b, "the row leads nowhere: a frame leads to its variables");
	}
}

static size_t find(struct browse *b, void *state)
{
	const struct stack *s = state;
	const uint64_t wanted = b->lock;

	b->lock = 0;
	for (size_t i = 0; wanted && i < s->count; i++)
		if (s->rows[i].address == wanted)
			return i;
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].kind == ROW_FRAME && s->rows[i].frame == b->frame)
			return i;
	return s->count ? 0 : SIZE_MAX;
}

static uint64_t address(struct browse *b, void *state, size_t row)
{
	const struct stack *s = state;

	(void)b;
	return s->rows[row].address;
}

static void copy(struct browse *b, void *state, size_t row, struct text *text)
{
	const struct stack *s = state;

	(void)row;
	if (browse_current(b)) {
		words_add_whole(b, text, b->subject.row);
		return;
	}
	for (size_t i = 0; i < s->count; i++) {
		if (s->rows[i].kind != ROW_FRAME) {
			harmless_add(text, s->rows[i].words);
			text_add(text, "\n");
			continue;
		}
		const struct frame_words f = frame_at(b, s->rows[i].frame);
		words_add_frame_text(text, &f);
	}
}

const struct pane_kind pane_stack = {
	.name = "Stack",
	.state_bytes = sizeof(struct stack),
	.update = update,
	.draw = draw,
	.done = done,
	.title = title,
	.select = select_row,
	.act = act,
	.find = find,
	.address = address,
	.copies_all = true,
	.copy = copy,
};
