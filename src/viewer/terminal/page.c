/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/terminal/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

/* Length of a sequence that terminals might act on: control characters, and those that
 * change the text direction. The reader only lets UTF-8 through. */
static size_t harmful(const unsigned char *c)
{
	if (c[0] < ' ' || c[0] == 0x7f)
		return 1;
	if (c[0] == 0xc2 && c[1] < 0xa0)
		return 2;
	if (c[0] == 0xe2 && c[1] == 0x80 && c[2] >= 0xa8 && c[2] <= 0xae)
		return 3;
	if (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9)
		return 3;
	return 0;
}

static void print_some(const struct page *page, const char *words, size_t len)
{
	const unsigned char *c = (const unsigned char *)words, *end = c + len;
	while (c < end) {
		size_t bad = harmful(c);
		putc(bad ? '?' : *c, page->out);
		c += bad ? bad : 1;
	}
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
	print_some(page, words, strlen(words));
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
		print_some(page, words, len);
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
