/* SPDX-License-Identifier: Apache-2.0 */
/* tui_priv.h - what the parts of the screen share. */
#ifndef GOSNAP_TUI_PRIV_H
#define GOSNAP_TUI_PRIV_H

#include "src/viewer/panes/browse.h"
#include "src/viewer/panes/words.h"
#include "src/viewer/screen/prompt.h"
#include "src/viewer/screen/screen.h"
#include "src/viewer/tui/job.h"
#include "src/viewer/tui/layout.h"
#include "src/viewer/tui/tui.h"
#include "src/viewer/tui/writing.h"

struct search;

enum asking {
	ASKING_NOTHING,
	ASKING_SEARCH,
	ASKING_BACKWARD,
	ASKING_WORDS,
	ASKING_FILTER
};

struct tui {
	struct browse *b;
	struct screen *screen;
	struct layout layout;
	unsigned columns, rows; /* of the terminal */
	struct key key;		/* the last */
	size_t number;		/* typed before a key */
	bool has_number;
	bool helps; /* the screen of keys is shown */
	size_t help_top;
	enum asking asking;
	struct prompt prompt;
	struct search *search; /* NULL: nothing was looked for */
	bool forward;
	struct job *job;	 /* what goes on between keys; NULL: nothing */
	struct writing *writing; /* likewise */
	char *title, *verdict;
	bool alarming; /* the verdict */
	bool quits;
};

static inline struct pane *tui_focused(struct tui *t)
{
	return &t->b->panes[t->b->focus];
}
void tui_focus(struct tui *t, enum pane_id pane);
/* What was looked for, again. */
void tui_search(struct tui *t, bool forward, size_t times);

/* draw.c */
void draw_all(struct tui *t);
/* help.c */
void help_draw(struct tui *t);
void help_key(struct tui *t);
/* heading.c: whose document it is, and what is wrong; where to begin. */
void heading_read(struct tui *t);
void heading_open(struct tui *t);
/* mouse.c */
void mouse_act(struct tui *t);
/* selection.c */
void selection_copy(struct tui *t);
void selection_write(struct tui *t);
/* jumps.c */
void jump_to_creator(struct tui *t);
void jump_to_children(struct tui *t);
void jump_to_holder(struct tui *t);
void jump_to_waiters(struct tui *t);
void jump_to_pointers(struct tui *t);
/* filtering.c: what is to be said of the expression; Tab; Enter: false: it is wrong. */
void filtering_hint(struct tui *t, struct line *line);
void filtering_complete(struct tui *t);
bool filtering_begin(struct tui *t);

#endif
