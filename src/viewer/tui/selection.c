/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "src/viewer/tui/tui_priv.h"

void selection_copy(struct tui *t)
{
	struct text text = { .words = NULL };

	pane_copy(tui_focused(t), t->b, tui_focused(t)->cursor, &text);
	if (!text.len)
		browse_say(t->b, "there is nothing here to copy");
	else if (text.len > SCREEN_COPY_MAX)
		browse_say(t->b,
			   "too much for a terminal's clipboard: w writes it to a file");
	else if (screen_copy(t->screen, text.words, text.len))
		browse_say(t->b, "copied %zu bytes, if the terminal permits it",
			   text.len);
	else
		browse_say(t->b, "cannot copy");
	text_done(&text);
}

/* What of the pane there is to choose from: the row, or all. */
static size_t rows_of(const struct pane *pane)
{
	return pane->kind->copies_all ? 1 : pane->count;
}

static unsigned how_to_write(const struct screen_file_kind *kind)
{
	return (kind->markdown ? WRITING_MARKDOWN : 0) |
	       (kind->part == SCREEN_ROW      ? 0
		: kind->part == SCREEN_STACKS ? WRITING_LIST | WRITING_STACKS
					      : WRITING_LIST);
}

void selection_write(struct tui *t)
{
	struct pane *pane = tui_focused(t);
	struct text text = { .words = NULL };
	struct screen_file_kind kind;

	pane_copy(pane, t->b, pane->cursor, &text);
	const bool empty = !text.len;
	text_done(&text);
	if (empty) {
		browse_say(t->b, "there is nothing here to write");
		return;
	}
	const int fd =
		screen_file(t->screen, rows_of(pane), pane->kind->copies_stacks, &kind);
	if (fd >= 0)
		t->writing = writing_new(t, fd, how_to_write(&kind));
	else if (fd == -ECANCELED)
		browse_say(t->b, "nothing was written");
	else
		browse_say(t->b, "cannot write it: %s", strerror(-fd));
}
