/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - text output: its width, and whether it has colours. Text from documents is
 * sanitized on output: it cannot move the cursor. */
#ifndef GOSNAP_PAGE_H
#define GOSNAP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text;

enum { PAGE_COLUMNS = 80 }; /* at least */

/* The purposes of colours; see the table in page.c. */
enum color {
	COLOR_PLAIN,
	COLOR_HEADING, /* of a group, a goroutine, a thread */
	COLOR_OWN,     /* functions of the program, not of the standard library */
	COLOR_ALARM,   /* warnings, panics, incomplete stacks */
};

struct page {
	FILE *out;
	size_t columns;
	bool color;
};

/* The width of the terminal on fd, at least PAGE_COLUMNS; PAGE_COLUMNS if it is not a
 * terminal. */
size_t page_columns(int fd);
/* Is it a terminal that understands escape sequences? */
bool page_is_terminal(int fd);

void page_print(const struct page *page, enum color color, const char *words);
/* Wrapped at spaces; first and rest are the indentation of the first and of other
 * lines. */
void page_paragraph(const struct page *page, enum color color, int first, int rest,
		    const char *words);
/* The same for a text, which it then frees. */
void page_say(const struct page *page, enum color color, int first, int rest,
	      struct text *text);

#endif
