/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/tui/keymap.h"

#include "src/viewer/tui/tui_priv.h"

static size_t times(const struct tui *t)
{
	return t->has_number && t->number ? t->number : 1;
}

static void move(struct tui *t, size_t rows, bool down)
{
	struct pane *pane = tui_focused(t);
	const size_t room = down ? pane->count - pane->cursor : pane->cursor;

	rows = rows < room ? rows : room;
	pane_move(pane, t->b, down ? pane->cursor + rows : pane->cursor - rows);
}

static void down(struct tui *t)
{
	move(t, times(t), true);
}

static void up(struct tui *t)
{
	move(t, times(t), false);
}

static size_t page(struct tui *t)
{
	const unsigned height = tui_focused(t)->height;

	return height > 1 ? height - 1 : 1;
}

static void page_down(struct tui *t)
{
	move(t, times(t) * page(t), true);
}

static void page_up(struct tui *t)
{
	move(t, times(t) * page(t), false);
}

static void half_down(struct tui *t)
{
	move(t, times(t) * (page(t) / 2 + 1), true);
}

static void half_up(struct tui *t)
{
	move(t, times(t) * (page(t) / 2 + 1), false);
}

/* To the row of the number before it. */
static void first(struct tui *t)
{
	pane_move(tui_focused(t), t->b, t->has_number && t->number ? t->number - 1 : 0);
}

static void last(struct tui *t)
{
	struct pane *pane = tui_focused(t);

	if (t->has_number)
		first(t);
	else
		pane_move(pane, t->b, pane->count ? pane->count - 1 : 0);
}

static void enter(struct tui *t)
{
	pane_act(tui_focused(t), t->b, ROW_ENTER);
}

static void open_row(struct tui *t)
{
	pane_act(tui_focused(t), t->b, ROW_OPEN);
}

static void close_row(struct tui *t)
{
	pane_act(tui_focused(t), t->b, ROW_CLOSE);
}

/* Lists and details in turn, whether they are on the screen or not. */
static void next_pane(struct tui *t)
{
	static const enum pane_id next[PANES] = {
		[PANE_STACK] = PANE_VARIABLES, [PANE_VARIABLES] = PANE_SOURCE
	};
	const enum pane_id focus = t->b->focus;

	tui_focus(t, layout_is_list(focus)  ? PANE_STACK
		     : focus == PANE_SOURCE ? t->layout.list
					    : next[focus]);
}

static void previous_pane(struct tui *t)
{
	static const enum pane_id before[PANES] = {
		[PANE_VARIABLES] = PANE_STACK, [PANE_SOURCE] = PANE_VARIABLES
	};
	const enum pane_id focus = t->b->focus;

	tui_focus(t, layout_is_list(focus) ? PANE_SOURCE
		     : focus == PANE_STACK ? t->layout.list
					   : before[focus]);
}

static void ask(struct tui *t, enum asking what, const char *question)
{
	t->asking = what;
	prompt_begin(&t->prompt, question);
}

static void search(struct tui *t)
{
	ask(t, ASKING_SEARCH, "/");
}

static void search_backward(struct tui *t)
{
	ask(t, ASKING_BACKWARD, "search backward: ");
}

static void words(struct tui *t)
{
	ask(t, ASKING_WORDS, "&");
}

static void filter(struct tui *t)
{
	ask(t, ASKING_FILTER, ":");
}

static void search_next(struct tui *t)
{
	tui_search(t, t->forward, times(t));
}

static void search_previous(struct tui *t)
{
	tui_search(t, !t->forward, times(t));
}

static void back(struct tui *t)
{
	browse_back(t->b, times(t));
}

static void forward(struct tui *t)
{
	browse_forward(t->b, times(t));
}

static void sort(struct tui *t)
{
	browse_sort(t->b);
}

static void toggle_all(struct tui *t)
{
	browse_toggle_all(t->b);
}

static void help(struct tui *t)
{
	t->helps = true;
	t->help_top = 0;
}

static void quit(struct tui *t)
{
	t->quits = true;
}

const struct binding keymap[] = {
	{ { 'j', KEYS_DOWN }, "j, Down", "next row", down, PANES },
	{ { 'k', KEYS_UP }, "k, Up", "previous row", up, PANES },
	{ { KEYS_PAGE_DOWN, KEYS_CONTROL('F'), ' ' },
	  "PgDn, Ctrl-F, Space",
	  "a page down",
	  page_down,
	  PANES },
	{ { KEYS_PAGE_UP, KEYS_CONTROL('B') },
	  "PgUp, Ctrl-B",
	  "a page up",
	  page_up,
	  PANES },
	{ { KEYS_CONTROL('D') }, "Ctrl-D", "half a page down", half_down, PANES },
	{ { KEYS_CONTROL('U') }, "Ctrl-U", "half a page up", half_up, PANES },
	{ { 'g', KEYS_HOME },
	  "g, Home",
	  "first row, or that of the number before it",
	  first,
	  PANES },
	{ { 'G', KEYS_END },
	  "G, End",
	  "last row, or that of the number before it",
	  last,
	  PANES },
	{ { KEYS_ENTER, '\n' }, "Enter", "open the row: what it is about", enter, PANES },
	{ { KEYS_RIGHT, '+' }, "Right, +", "open a row of a tree", open_row, PANES },
	{ { KEYS_LEFT, '-' },
	  "Left, -",
	  "close it, or go to the row above it",
	  close_row,
	  PANES },
	{ { KEYS_TAB }, "Tab", "next pane", next_pane, PANES },
	{ { KEYS_BACK_TAB }, "Shift-Tab", "previous pane", previous_pane, PANES },
	{ { 'f' }, "f", "findings, and groups of goroutines", NULL, PANE_FINDINGS },
	{ { 'o' }, "o", "goroutines", NULL, PANE_GOROUTINES },
	{ { 's' }, "s", "stack", NULL, PANE_STACK },
	{ { 'v' }, "v", "variables of the frame", NULL, PANE_VARIABLES },
	{ { 'c' }, "c", "source code of the frame", NULL, PANE_SOURCE },
	{ { 't' }, "t", "threads", NULL, PANE_THREADS },
	{ { 'l' }, "l", "locks and channels: who waits for whom", NULL, PANE_LOCKS },
	{ { 'r' }, "r", "the runtime, the process and the snapshot", NULL, PANE_RUNTIME },
	{ { 'a' }, "a", "warnings", NULL, PANE_WARNINGS },
	{ { KEYS_SEARCH }, "/", "search in the pane", search, PANES },
	{ { KEYS_SEARCH_BACKWARD }, "\\", "search backward", search_backward, PANES },
	{ { 'n' }, "n", "next row that was looked for", search_next, PANES },
	{ { 'N' }, "N", "the one before", search_previous, PANES },
	{ { KEYS_FILTER },
	  ":",
	  "list only goroutines that pass an expression, see gosnap-filter(7)",
	  filter,
	  PANES },
	{ { KEYS_WORDS },
	  "&",
	  "list only goroutines that have these words",
	  words,
	  PANES },
	{ { 'H' },
	  "H",
	  "who has the lock, or serves the channel; else who refers to it",
	  jump_to_holder,
	  PANES },
	{ { 'W' }, "W", "who waits for it", jump_to_waiters, PANES },
	{ { 'p' }, "p", "the goroutine that created this one", jump_to_creator, PANES },
	{ { 'C' }, "C", "goroutines that this one created", jump_to_children, PANES },
	{ { 'P' },
	  "P",
	  "goroutines whose frames have this pointer",
	  jump_to_pointers,
	  PANES },
	{ { '[', KEYS_CONTROL('O'), KEYS_BACKSPACE },
	  "[, Ctrl-O, Backspace",
	  "back, before the last jump",
	  back,
	  PANES },
	{ { ']' }, "]", "forward again", forward, PANES },
	{ { 'z' }, "z", "sort goroutines in another way", sort, PANES },
	{ { '.' },
	  ".",
	  "show or hide frames and goroutines of the runtime",
	  toggle_all,
	  PANES },
	{ { 'y' },
	  "y",
	  "copy the value or the stack to the clipboard (OSC 52)",
	  selection_copy,
	  PANES },
	{ { 'w' },
	  "w",
	  "write it to a file, as text or Markdown; with Tab, the whole list",
	  selection_write,
	  PANES },
	{ { KEYS_HELP }, "?", "these keys", help, PANES },
	{ { 'q' }, "q", "leave", quit, PANES },
};
const size_t keymap_count = ARRAY_SIZE(keymap);

const struct binding *keymap_find(int32_t key)
{
	for (size_t i = 0; i < keymap_count; i++)
		for (size_t j = 0; j < ARRAY_SIZE(keymap[i].keys); j++)
			if (keymap[i].keys[j] == key && key)
				return &keymap[i];
	return NULL;
}
