/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/tui/writing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/viewer/screen/harmless.h"
#include "src/viewer/terminal/markdown.h"
#include "src/viewer/tui/tui_priv.h"

#define STEP_NS (UINT64_C(10) * 1000 * 1000)

struct writing {
	int fd, why; /* why: errno, if it failed */
	FILE *file;  /* of the descriptor */
	FILE *out;   /* the same, or Markdown into it */
	struct pane *pane;
	unsigned how;
	size_t next, end; /* rows */
};

static ssize_t put(void *cookie, const char *bytes, size_t size)
{
	struct writing *w = cookie;

	if (!w->why && !write_fully(w->fd, bytes, size))
		w->why = errno;
	return w->why ? 0 : (ssize_t)size;
}

/* In Markdown, what begins with a tab is code, but not to markdown.h. */
static void add_lines(struct writing *w, const char *words)
{
	while (*words) {
		const size_t n = strcspn(words, "\n");
		fprintf(w->out, "%s%.*s\n",
			w->how & WRITING_MARKDOWN && *words == '\t' ? "    " : "", (int)n,
			words);
		words += n + (words[n] == '\n');
	}
}

static void add_heading(struct writing *w, struct tui *t)
{
	struct text text = { .words = NULL }, title = { .words = NULL };

	harmless_add(&text, t->title);
	text_add(&text, "\n\n");
	harmless_add(&text, t->verdict);
	text_add(&title, "%s", w->pane->kind->name);
	if (w->pane->kind->title)
		w->pane->kind->title(t->b, w->pane->state, &title);
	text_add(&text, "\n\n");
	harmless_add(&text, text_words(&title));
	fprintf(w->out, "%s\n%s", text_words(&text), w->how & WRITING_STACKS ? "\n" : "");
	text_done(&title);
	text_done(&text);
}

struct writing *writing_new(struct tui *t, int fd, unsigned how)
{
	struct writing *w = xcalloc(1, sizeof(*w));
	const cookie_io_functions_t functions = { .write = put };

	w->fd = fd;
	w->how = how;
	w->pane = tui_focused(t);
	w->next = how & WRITING_LIST ? 0 : w->pane->cursor;
	w->end = how & WRITING_LIST ? w->pane->count : w->next + 1;
	w->file = fopencookie(w, "w", functions);
	w->out = how & WRITING_MARKDOWN && w->file ? markdown_open(w->file) : w->file;
	if (!w->out)
		out_of_memory();
	if (how & WRITING_LIST)
		add_heading(w, t);
	return w;
}

static void end(struct writing *w)
{
	if (w->out != w->file)
		fclose(w->out);
	fclose(w->file);
	if (close(w->fd) < 0 && !w->why)
		w->why = errno;
}

void writing_free(struct writing *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		end(w);
	xfree(w);
}

static void add_row(struct writing *w, struct browse *b, size_t row)
{
	struct text text = { .words = NULL };

	if (w->how & WRITING_LIST && !(w->how & WRITING_STACKS)) {
		AUTO(xfree) char *words = pane_words(w->pane, b, row);
		fprintf(w->out, "  %s\n", words);
		return;
	}
	pane_copy(w->pane, b, row, &text);
	add_lines(w, text_words(&text));
	if (w->how & WRITING_STACKS)
		fputs("\n", w->out);
	text_done(&text);
}

bool writing_step(struct writing *w, struct tui *t)
{
	const uint64_t until = monotonic_ns() + STEP_NS;
	const size_t first = w->how & WRITING_LIST ? 0 : w->next;

	while (w->next < w->end && !w->why) {
		if (monotonic_ns() >= until) {
			browse_say(t->b, "writing: %zu of %zu", w->next - first,
				   w->end - first);
			return false;
		}
		add_row(w, t->b, w->next++);
	}
	end(w);
	w->fd = -1;
	if (w->why)
		browse_say(t->b, "cannot write it: %s", strerror(w->why));
	else
		browse_say(t->b,
			   w->end - first == 1 ? "it is written" : "%zu rows are written",
			   w->end - first);
	return true;
}
