/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "src/viewer/tui/tui_priv.h"

static void send(struct tui *t, unsigned row, struct line *line)
{
	screen_row(t->screen, row, line);
	line_done(line);
}

static void draw_heading(struct tui *t)
{
	struct line line;

	line_begin(&line, t->columns);
	line_add(&line, STYLE_HEADING, t->title);
	send(t, 0, &line);
}

static void draw_verdict(struct tui *t)
{
	struct wrapped w = { .rows = NULL };
	struct line line;

	wrapped_add(&w, t->verdict, t->columns > 4 ? t->columns - 4 : 1, 0);
	for (unsigned i = 0; i < t->layout.verdict_rows; i++) {
		line_begin(&line, t->columns);
		if (i < w.count)
			line_add(&line, t->alarming ? STYLE_ALARM : STYLE_PLAIN,
				 w.rows[i]);
		if (i + 1 == t->layout.verdict_rows && i + 1 < w.count)
			line_add(&line, STYLE_FAINT, " ...");
		send(t, 1 + i, &line);
	}
	wrapped_done(&w);
}

/* The letter of its key stands out. */
static void add_tab(struct tui *t, struct line *line, const char *name, size_t letter,
		    enum pane_id pane)
{
	line_flags(line, pane == t->b->focus ? STYLE_SELECTED : 0);
	line_add_bytes(line, STYLE_PLAIN, name, letter);
	line_add_bytes(line, STYLE_KEY, name + letter, 1);
	line_add(line, STYLE_PLAIN, name + letter + 1);
	line_flags(line, 0);
	line_add(line, STYLE_PLAIN, " ");
}

static void draw_tabs(struct tui *t)
{
	static const struct {
		const char *name;
		size_t letter;
		enum pane_id pane;
	} tabs[] = {
		{ "Findings", 0, PANE_FINDINGS }, { "gOroutines", 1, PANE_GOROUTINES },
		{ "Stack", 0, PANE_STACK },	  { "Variables", 0, PANE_VARIABLES },
		{ "Code", 0, PANE_SOURCE },	  { "Threads", 0, PANE_THREADS },
		{ "Locks", 0, PANE_LOCKS },	  { "Runtime", 0, PANE_RUNTIME },
		{ "wArnings", 1, PANE_WARNINGS },
	};
	struct line line;

	line_begin(&line, t->columns);
	for (size_t i = 0; i < ARRAY_SIZE(tabs); i++)
		add_tab(t, &line, tabs[i].name, tabs[i].letter, tabs[i].pane);
	line_format(&line, STYLE_KEY, "?");
	send(t, t->layout.tabs_row, &line);
}

static void draw_title(struct tui *t, const struct area *area, struct line *line)
{
	struct pane *pane = &t->b->panes[area->pane];
	struct text text = { .words = NULL };

	line_flags(line, area->pane == t->b->focus ? STYLE_SELECTED : 0);
	text_add(&text, "%s", pane->kind->name);
	if (pane->kind->title)
		pane->kind->title(t->b, pane->state, &text);
	line_add(line, STYLE_BAR, text_words(&text));
	text_done(&text);
	while (line->used < area->columns && !line->full)
		line_add(line, STYLE_BAR, " ");
	line_flags(line, 0);
}

static void draw_row(struct tui *t, const struct area *area, unsigned i,
		     struct line *line)
{
	struct pane *pane = &t->b->panes[area->pane];
	const size_t row = pane->top + i;
	const bool at = row == pane->cursor;

	if (row >= pane->count)
		return;
	line_flags(line, !at			     ? 0
			 : area->pane == t->b->focus ? STYLE_SELECTED
						     : STYLE_MARKED);
	pane_draw(pane, t->b, row, line);
	if (at)
		line_pad(line, area->columns);
	line_flags(line, 0);
}

/* The part of a row of the screen that is the area's. */
static void add_area(struct tui *t, const struct area *area, unsigned y,
		     struct line *line)
{
	struct line part;

	line_begin(&part, area->columns);
	if (y == area->y)
		draw_title(t, area, &part);
	else
		draw_row(t, area, y - area->y - 1, &part);
	line_append(line, &part);
	line_done(&part);
}

static void draw_body_row(struct tui *t, unsigned y)
{
	struct line line;

	line_begin(&line, t->columns);
	for (size_t i = 0; i < t->layout.count; i++) {
		const struct area *area = &t->layout.areas[i];
		if (y < area->y || y >= area->y + area->rows)
			continue;
		if (area->x) {
			line_pad(&line, area->x - 1);
			line_add(&line, STYLE_FAINT, "|");
		}
		add_area(t, area, y, &line);
	}
	send(t, y, &line);
}

static void draw_status(struct tui *t)
{
	struct pane *pane = tui_focused(t);
	struct line line;

	line_begin(&line, t->columns);
	if (t->asking != ASKING_NOTHING) {
		prompt_draw(&t->prompt, &line);
	} else if (t->has_number) {
		line_format(&line, STYLE_PLAIN, "%zu", t->number);
	} else if (*text_words(&t->b->message)) {
		line_add(&line, STYLE_PLAIN, text_words(&t->b->message));
	} else {
		line_format(&line, STYLE_FAINT, "%zu of %zu",
			    pane->count ? pane->cursor + 1 : 0, pane->count);
		line_pad(&line, 18);
		line_add(&line, STYLE_FAINT,
			 "Enter: open  [: back  /: search  :: filter  H: holder  ?: keys "
			 " q: leave");
	}
	send(t, t->rows - 1, &line);
}

/* Above what is typed. */
static void draw_hint(struct tui *t)
{
	struct line line;

	line_begin(&line, t->columns);
	filtering_hint(t, &line);
	send(t, t->rows - 2, &line);
}

static void draw_too_small(struct tui *t)
{
	struct line line;

	for (unsigned y = 0; y < t->rows; y++) {
		line_begin(&line, t->columns);
		line_add(&line, STYLE_PLAIN, y ? "" : "too small");
		send(t, y, &line);
	}
}

/* Before panes are drawn, as one may change what the next shows. */
static void update(struct tui *t)
{
	for (size_t i = 0; i < t->layout.count; i++) {
		const struct area *area = &t->layout.areas[i];
		pane_update(&t->b->panes[area->pane], t->b, area->columns,
			    area->rows - 1);
		if (area->pane != t->b->focus && !t->b->stays)
			pane_follow(&t->b->panes[area->pane], t->b);
	}
	t->b->stays = false;
}

void draw_all(struct tui *t)
{
	if (t->rows < LAYOUT_ROWS_MIN || t->columns < LAYOUT_COLUMNS_MIN) {
		draw_too_small(t);
		return;
	}
	layout_make(&t->layout, t->b->focus, t->columns, t->rows);
	update(t);
	if (t->helps) {
		help_draw(t);
		return;
	}
	draw_heading(t);
	draw_verdict(t);
	draw_tabs(t);
	for (unsigned y = t->layout.body_row; y + 1 < t->rows; y++)
		draw_body_row(t, y);
	if (t->asking == ASKING_FILTER)
		draw_hint(t);
	draw_status(t);
}
