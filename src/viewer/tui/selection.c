/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "src/viewer/tui/tui_priv.h"

void selection_copy(struct tui *t)
{
	struct text text = { .words = NULL };

	pane_copy(tui_focused(t), t->b, &text);
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

/* As a block of code, which nothing in it can end. */
static void to_markdown(struct text *text)
{
	struct text block = { .words = NULL };
	size_t ticks = 3, run = 0;

	for (size_t i = 0; i < text->len; i++) {
		run = text->words[i] == '`' ? run + 1 : 0;
		ticks = run >= ticks ? run + 1 : ticks;
	}
	for (size_t i = 0; i < ticks; i++)
		text_add(&block, "`");
	const size_t fence = block.len;
	text_add(&block, "\n");
	text_append(&block, text_words(text), text->len);
	text_append(&block, "````````````````", fence < 16 ? fence : 16);
	text_add(&block, "\n");
	text_done(text);
	*text = block;
}

void selection_write(struct tui *t)
{
	struct text text = { .words = NULL };
	bool markdown;

	pane_copy(tui_focused(t), t->b, &text);
	if (!text.len) {
		browse_say(t->b, "there is nothing here to write");
		return;
	}
	const int fd = screen_file(t->screen, &markdown);
	if (fd < 0) {
		if (fd == -ECANCELED)
			browse_say(t->b, "nothing was written");
		else
			browse_say(t->b, "cannot write it: %s", strerror(-fd));
		text_done(&text);
		return;
	}
	if (markdown)
		to_markdown(&text);
	const bool wrote = write_fully(fd, text.words, text.len);
	if (close(fd) == 0 && wrote)
		browse_say(t->b, "%zu bytes were written", text.len);
	else
		browse_say(t->b, "cannot write it: %s", strerror(errno));
	text_done(&text);
}
