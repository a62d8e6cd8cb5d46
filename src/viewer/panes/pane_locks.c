/* SPDX-License-Identifier: Apache-2.0 */
/* pane_locks.c - who waits for whom, as a tree: below a lock or channel, who has it or will do something with it,
 * and below that what it waits for itself; then the goroutines that wait, each with what it keeps from others. */
#include <inttypes.h>

#include "lib/document/reader.h"
#include "src/viewer/lookup/locks.h"
#include "src/viewer/panes/tree.h"
#include "src/viewer/panes/words.h"

enum kind { KIND_LOCK, KIND_PARTNER, KIND_WAITER, KIND_AGAIN, KIND_NOTE };

struct waits {
	struct tree tree;
	const struct reader_node **nodes; /* of locks that were opened */
	size_t count;
	bool filled;
};

static const struct lock *lock_at(const struct browse *b, size_t i)
{
	size_t count;

	return &locks_all(b->locks, &count)[i];
}

static const struct reader_node *node_of(struct browse *b, struct waits *w, size_t i)
{
	if (!w->nodes[i])
		w->nodes[i] = model_open(b->model, lock_at(b, i)->place);
	return w->nodes[i];
}

/* It is above: they wait in a ring. */
static bool is_above(const struct tree *tree, size_t row, size_t lock)
{
	for (; row != SIZE_MAX; row = tree_parent(tree, row))
		if (tree->rows[row].kind == KIND_LOCK && tree->rows[row].number == lock)
			return true;
	return false;
}

static void add_lock(struct browse *b, struct waits *w, size_t parent, size_t number,
		     size_t lock);

/* The lock that it waits for. */
static size_t waits_for(const struct browse *b, int64_t goroutine)
{
	const struct model_goroutine *g = words_find(b, goroutine);

	return g ? locks_find(b->locks, g->waits_address) : SIZE_MAX;
}

static void add_partner(struct browse *b, struct waits *w, size_t parent, size_t number,
			const struct reader_node *partner)
{
	const int64_t id = node_int(node_get(partner, "goroutine"), -1);
	const size_t next = waits_for(b, id);
	const size_t at =
		tree_add(&w->tree, parent, number,
			 (struct tree_row){ .kind = KIND_PARTNER,
					    .node = partner,
					    .number = (uint64_t)id,
					    .opens = next != SIZE_MAX,
					    .open = node_get(partner, "holds") != NULL });

	if (at != SIZE_MAX && w->tree.rows[at].open)
		add_lock(b, w, at, 0, next);
}

static void add_waiter(struct browse *b, struct waits *w, size_t parent, size_t number,
		       int64_t id)
{
	size_t has = locks_of(b->locks, id, SIZE_MAX);
	const size_t at = tree_add(&w->tree, parent, number,
				   (struct tree_row){ .kind = KIND_WAITER,
						      .number = (uint64_t)id,
						      .opens = has != SIZE_MAX });

	if (at == SIZE_MAX || !w->tree.rows[at].open)
		return;
	for (size_t i = 0; has != SIZE_MAX; has = locks_of(b->locks, id, has))
		add_lock(b, w, at, i++, has);
}

static void add_below(struct browse *b, struct waits *w, size_t at, size_t lock)
{
	const struct reader_node *node = node_of(b, w, lock),
				 *partners = node_get(node, "partners"),
				 *waiters = node_get(node, "goroutines");
	const size_t n = node_count(partners);

	for (size_t i = 0; i < n; i++)
		add_partner(b, w, at, i, node_at(partners, i));
	for (size_t i = 0; i < node_count(waiters); i++)
		add_waiter(b, w, at, n + i, node_int(node_at(waiters, i), -1));
}

static void add_lock(struct browse *b, struct waits *w, size_t parent, size_t number,
		     size_t lock)
{
	const bool again = is_above(&w->tree, parent, lock);
	const size_t at =
		tree_add(&w->tree, parent, number,
			 (struct tree_row){ .kind = again ? KIND_AGAIN : KIND_LOCK,
					    .number = lock,
					    .opens = !again,
					    .open = false });

	if (at != SIZE_MAX && w->tree.rows[at].open)
		add_below(b, w, at, lock);
}

static size_t update(struct browse *b, void *state, unsigned columns)
{
	struct waits *w = state;

	(void)columns;
	if (w->filled)
		return w->tree.count;
	locks_all(b->locks, &w->count);
	if (!w->nodes)
		w->nodes = xcalloc(w->count + 1, sizeof(struct reader_node *));
	w->filled = true;
	tree_empty(&w->tree);
	for (size_t i = 0; i < w->count; i++)
		add_lock(b, w, SIZE_MAX, i, i);
	tree_end(&w->tree, KIND_NOTE);
	return w->tree.count;
}

static void done(void *state)
{
	struct waits *w = state;

	for (size_t i = 0; i < w->count && w->nodes; i++)
		node_drop(w->nodes[i]);
	xfree(w->nodes);
	tree_done(&w->tree);
}

static void draw_lock(const struct browse *b, const struct tree_row *row,
		      struct line *line)
{
	const struct lock *lock = lock_at(b, row->number);

	line_format(line, STYLE_HEADING, "%.20s 0x%" PRIx64, lock->kind, lock->address);
	if (row->kind == KIND_AGAIN) {
		line_add(line, STYLE_ALARM, " again: they wait in a ring");
		return;
	}
	line_format(line, STYLE_PLAIN, ": %" PRIu64 " wait%s", lock->waiters,
		    lock->waiters == 1 ? "s" : "");
	if (lock->holder >= 0)
		line_format(line, STYLE_ALARM, ", goroutine %" PRId64 " has it%s",
			    lock->holder, lock->certain ? "" : ", probably");
}

static void add_goroutine(const struct browse *b, int64_t id, struct line *line)
{
	const struct model_goroutine *g = words_find(b, id);
	struct text text = { .words = NULL };

	line_format(line, STYLE_PLAIN, "goroutine %" PRId64, id);
	if (!g)
		return;
	text_add(&text, ": ");
	words_add_state(b, &text, g);
	text_add(&text, "  ");
	line_add(line, STYLE_PLAIN, text_words(&text));
	text_done(&text);
	words_add_place(b, line, g->group);
}

static void draw_partner(const struct browse *b, const struct tree_row *row,
			 struct line *line)
{
	const char *holds = text_of(node_get(row->node, "holds"), NULL),
		   *operation = text_of(node_get(row->node, "operation"), "?");
	const struct reader_node *at = node_get(row->node, "locked_at");

	if (holds)
		line_format(line, STYLE_ALARM, "held by ");
	else
		line_format(line, STYLE_PLAIN, "may %.20s: ", operation);
	add_goroutine(b, (int64_t)row->number, line);
	if (at)
		line_format(line, STYLE_FAINT, "  locked in %.200s:%" PRId64,
			    stack_file(&b->style, text_of(node_get(at, "file"), "?")),
			    node_int(node_get(at, "line"), 0));
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	const struct waits *w = state;
	const struct tree_row *r = &w->tree.rows[row];

	tree_draw_begin(&w->tree, row, line);
	switch ((enum kind)r->kind) {
	case KIND_LOCK:
	case KIND_AGAIN:
		draw_lock(b, r, line);
		break;
	case KIND_PARTNER:
		draw_partner(b, r, line);
		break;
	case KIND_WAITER:
		line_add(line, STYLE_FAINT, "waits: ");
		add_goroutine(b, (int64_t)r->number, line);
		break;
	case KIND_NOTE:
		line_format(line, STYLE_FAINT, "(%s)", r->name);
	}
}

static void title(struct browse *b, void *state, struct text *text)
{
	size_t count;

	(void)state;
	locks_all(b->locks, &count);
	text_add(text, " and channels: ");
	text_add_count(text, count);
}

static int64_t goroutine(struct browse *b, void *state, size_t row)
{
	const struct waits *w = state;
	const struct tree_row *r = &w->tree.rows[row];

	if (r->kind == KIND_NOTE)
		return -1;
	return r->kind == KIND_PARTNER || r->kind == KIND_WAITER
		       ? (int64_t)r->number
		       : lock_at(b, r->number)->holder;
}

static void select_row(struct browse *b, void *state, size_t row)
{
	const int64_t id = goroutine(b, state, row);
	const uint32_t found = id < 0 ? MODEL_NONE : model_find_goroutine(b->model, id);

	if (found != MODEL_NONE)
		browse_subject(b, SUBJECT_GOROUTINE, found, -1);
}

static void act(struct browse *b, void *state, size_t row, enum row_action action)
{
	struct waits *w = state;
	const struct tree_row *r = &w->tree.rows[row];

	if (action == ROW_CLOSE && !r->open) {
		const size_t parent = tree_parent(&w->tree, row);
		if (parent != SIZE_MAX)
			pane_move(&b->panes[PANE_LOCKS], b, parent);
		else
			browse_say(b, "nothing is open here: [ goes back");
		return;
	}
	if (action == ROW_ENTER && (r->kind == KIND_PARTNER || r->kind == KIND_WAITER)) {
		browse_goroutine(b, (int64_t)r->number, PANE_STACK);
		return;
	}
	if (!r->opens || (action == ROW_OPEN && r->open)) {
		browse_say(b, r->open ? "it is open" : "nothing more is known of it");
		return;
	}
	tree_turn(&w->tree, row);
	w->filled = false;
}

/* Once: then the cursor is free. */
static size_t find(struct browse *b, void *state)
{
	const struct waits *w = state;
	const size_t lock = b->lock ? locks_find(b->locks, b->lock) : SIZE_MAX;

	b->lock = 0;
	for (size_t i = 0; lock != SIZE_MAX && i < w->tree.count; i++)
		if (w->tree.rows[i].kind == KIND_LOCK && w->tree.rows[i].number == lock)
			return i;
	return SIZE_MAX;
}

static uint64_t address(struct browse *b, void *state, size_t row)
{
	const struct waits *w = state;
	const struct tree_row *r = &w->tree.rows[row];

	return r->kind == KIND_LOCK || r->kind == KIND_AGAIN
		       ? lock_at(b, r->number)->address
		       : 0;
}

const struct pane_kind pane_locks = {
	.name = "Locks",
	.state_bytes = sizeof(struct waits),
	.update = update,
	.draw = draw,
	.done = done,
	.title = title,
	.select = select_row,
	.act = act,
	.find = find,
	.address = address,
	.goroutine = goroutine,
};
