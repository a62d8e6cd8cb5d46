/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/tui/tui.h"

#include <string.h>

#include "src/viewer/lookup/search.h"
#include "src/viewer/tui/keymap.h"
#include "src/viewer/tui/tui_priv.h"

enum { NUMBER_MAX = 100000000 };

void tui_focus(struct tui *t, enum pane_id pane)
{
	t->b->focus = pane;
	layout_make(&t->layout, pane, t->columns, t->rows);
	const struct area *area = layout_find(&t->layout, pane);
	if (!area)
		return;
	pane_update(&t->b->panes[pane], t->b, area->columns, area->rows - 1);
	if (!t->b->stays)
		pane_follow(&t->b->panes[pane], t->b);
}

/* Where an action has led. */
static void go_on(struct tui *t)
{
	const enum pane_id wanted = t->b->wanted;

	t->b->wanted = PANES;
	if (wanted != PANES)
		tui_focus(t, wanted);
}

void tui_search(struct tui *t, bool forward, size_t times)
{
	if (!t->search) {
		browse_say(t->b, "nothing was looked for: / does");
		return;
	}
	const size_t row = pane_search(tui_focused(t), t->b, t->search, forward, times);
	if (row == SIZE_MAX)
		browse_say(t->b, "not found: %.100s", search_words(t->search));
	else
		pane_move(tui_focused(t), t->b, row);
}

static void begin_search(struct tui *t, bool forward)
{
	if (t->prompt.len) {
		search_free(t->search);
		t->search = search_new(t->b->model, t->prompt.words);
	}
	t->forward = forward;
	tui_search(t, forward, 1);
}

static void list_words(struct tui *t)
{
	struct narrowing words = { .kind = NARROW_WORDS };

	if (!t->prompt.len)
		words.kind = NARROW_NOT;
	else
		words.words = xstrdup(t->prompt.words);
	browse_list(t->b, words);
}

/* False: it cannot be done, and is typed on. */
static bool do_asked(struct tui *t)
{
	if (t->asking == ASKING_FILTER)
		return filtering_begin(t);
	if (t->asking == ASKING_WORDS)
		list_words(t);
	else
		begin_search(t, t->asking == ASKING_SEARCH);
	return true;
}

static void answer(struct tui *t)
{
	if (t->asking == ASKING_FILTER && t->key.code == KEYS_TAB) {
		filtering_complete(t);
		return;
	}
	const enum prompt_end end = prompt_key(&t->prompt, &t->key);
	if (end == PROMPT_GIVEN_UP || (end == PROMPT_DONE && do_asked(t)))
		t->asking = ASKING_NOTHING;
}

/* A list that was narrowed is whole again. */
static void escape(struct tui *t)
{
	if (t->has_number)
		return;
	if (t->b->narrowing.kind != NARROW_NOT && t->b->focus == PANE_GOROUTINES) {
		browse_note(t->b);
		browse_narrow(t->b, (struct narrowing){ .kind = NARROW_NOT });
		t->b->wanted = PANE_GOROUTINES;
	}
}

static bool take_digit(struct tui *t)
{
	const int32_t c = t->key.code;

	if (c < '0' || c > '9' || (c == '0' && !t->has_number))
		return false;
	t->number = t->number * 10 + (size_t)(c - '0');
	if (t->number > NUMBER_MAX)
		t->number = NUMBER_MAX;
	t->has_number = true;
	return true;
}

static void act(struct tui *t)
{
	const struct binding *binding = keymap_find(t->key.code);

	if (take_digit(t))
		return;
	if (t->key.code >= KEYS_PRESSED)
		mouse_act(t);
	else if (t->key.code == KEYS_ESCAPE)
		escape(t);
	else if (binding && binding->run)
		binding->run(t);
	else if (binding)
		tui_focus(t, binding->pane);
	else if (t->key.code == KEYS_CONTROL('L'))
		screen_forget(t->screen);
	else
		browse_say(t->b, "no such key: ? lists them");
	t->has_number = false;
	t->number = 0;
}

/* True: there was some. */
static bool end_work(struct tui *t)
{
	const bool works = t->job || t->writing;

	job_free(t->job);
	t->job = NULL;
	writing_free(t->writing);
	t->writing = NULL;
	return works;
}

/* Rows that are being written stay as they were wrapped. */
static void take_size(struct tui *t)
{
	const struct key *key = &t->key;

	if (t->writing)
		return;
	t->columns =
		key->columns < SCREEN_COLUMNS_MAX ? key->columns : SCREEN_COLUMNS_MAX;
	t->rows = key->rows < SCREEN_ROWS_MAX ? key->rows : SCREEN_ROWS_MAX;
}

static void handle(struct tui *t)
{
	if (t->key.code == KEYS_NONE || t->key.code == KEYS_RESIZED)
		return;
	text_done(&t->b->message);
	if (end_work(t) && t->key.code == KEYS_ESCAPE)
		browse_say(t->b, "given up");
	else if (t->helps)
		help_key(t);
	else if (t->asking != ASKING_NOTHING)
		answer(t);
	else
		act(t);
	go_on(t);
}

static void work(struct tui *t)
{
	const bool done = t->job ? job_step(t->job, t->b) : writing_step(t->writing, t);

	if (!done)
		return;
	end_work(t);
	go_on(t);
}

static unsigned how_to_wait(const struct tui *t)
{
	return (t->job || t->writing ? 0 : SCREEN_WAITS) |
	       (t->asking == ASKING_NOTHING ? 0 : SCREEN_TYPES);
}

static bool loop(struct tui *t)
{
	while (!t->quits) {
		take_size(t);
		draw_all(t);
		if (!screen_key(t->screen, how_to_wait(t), &t->key))
			return false;
		handle(t);
		if ((t->job || t->writing) && t->key.code == KEYS_NONE)
			work(t);
	}
	return true;
}

/* Its size comes with the first answer. */
static bool begin(struct tui *t)
{
	if (!screen_key(t->screen, 0, &t->key))
		return false;
	take_size(t);
	handle(t);
	heading_read(t);
	tui_focus(t, PANE_FINDINGS);
	heading_open(t);
	return true;
}

static void done(struct tui *t)
{
	end_work(t);
	search_free(t->search);
	browse_free(t->b);
	xfree(t->title);
	xfree(t->verdict);
}

bool tui_run(struct model *model, struct screen *screen, struct source_files *sources,
	     struct err *err)
{
	struct tui t = { .screen = screen, .b = browse_new(model, sources) };

	t.layout.detail = PANE_STACK;
	t.layout.below = PANE_VARIABLES;
	t.forward = true;
	const bool went = begin(&t) && loop(&t);
	done(&t);
	return went || err_set(err, ERR_SYS, "the terminal cannot be used");
}
