/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - where text goes: how wide it may be, and whether it has colours. Whatever comes
 * from a document is made harmless on its way out: it can move no cursor. */
#ifndef GOSNAP_PAGE_H
#define GOSNAP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text;

enum { PAGE_COLUMNS = 80 }; /* at least */

/* What colours are for; the table in page.c has them. */
enum color {
	COLOR_PLAIN,
	COLOR_HEADING, /* of a group, a goroutine, a thread */
	COLOR_OWN,     /* functions of the program, not of the standard library */
	COLOR_ALARM,   /* warnings, panics, stacks that are lost */
};

struct page {
	FILE *out;
	size_t columns;
	bool color;
};

/* The width of the terminal behind that descriptor, but not less than PAGE_COLUMNS, which
 * is also the answer when there is no terminal. */
size_t page_columns(int fd);
/* A terminal that understands escape sequences. */
bool page_is_terminal(int fd);

void page_print(const struct page *page, enum color color, const char *words);
/* Broken at spaces; the first line starts after first blanks, the others after rest. */
void page_paragraph(const struct page *page, enum color color, int first, int rest,
		    const char *words);
/* The same of a text, which then is done. */
void page_say(const struct page *page, enum color color, int first, int rest,
	      struct text *text);

#endif
