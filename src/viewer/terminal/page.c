/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/terminal/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/utf8.h"
#include "src/viewer/terminal/text.h"

/* Only colours that are readable on dark and light backgrounds. */
static const char *const escapes[] = {
	[COLOR_PLAIN] = "",
	[COLOR_HEADING] = "\033[1m", /* bold */
	[COLOR_OWN] = "\033[32m",    /* green */
	[COLOR_ALARM] = "\033[31m",  /* red */
};

size_t page_columns(int fd)
{
	struct winsize size;
	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col < PAGE_COLUMNS)
		return PAGE_COLUMNS;
	return size.ws_col;
}

bool page_is_terminal(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

static void begin(const struct page *page, enum color color)
{
	if (page->color)
		fputs(escapes[color], page->out);
}

static void end(const struct page *page, enum color color)
{
	if (page->color && color != COLOR_PLAIN)
		fputs("\033[0m", page->out);
}

void page_print(const struct page *page, enum color color, const char *words)
{
	begin(page, color);
	utf8_print_harmless(page->out, words, strlen(words));
	end(page, color);
}

/* Pagers drop colours at the end of a line: repeat them on each one. */
static void break_line(const struct page *page, enum color color, int blanks)
{
	end(page, color);
	fprintf(page->out, "\n%*s", blanks, "");
	begin(page, color);
}

void page_paragraph(const struct page *page, enum color color, int first, int rest,
		    const char *words)
{
	size_t column = (size_t)first;
	bool fresh = true;
	fprintf(page->out, "%*s", first, "");
	begin(page, color);
	while (*words) {
		size_t len = strcspn(words, " "), width = 0;
		for (size_t i = 0; i < len; i++)
			width += text_starts_character(words[i]);
		if (!fresh && column + 1 + width > page->columns) {
			break_line(page, color, rest);
			column = (size_t)rest;
			fresh = true;
		}
		if (!fresh)
			putc(' ', page->out);
		column += width + !fresh;
		fresh = false;
		utf8_print_harmless(page->out, words, len);
		words += len;
		words += strspn(words, " ");
	}
	end(page, color);
	putc('\n', page->out);
}

void page_say(const struct page *page, enum color color, int first, int rest,
	      struct text *text)
{
	page_paragraph(page, color, first, rest, text_words(text));
	text_done(text);
}
