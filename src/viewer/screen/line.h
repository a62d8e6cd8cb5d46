/* SPDX-License-Identifier: Apache-2.0 */
/* line.h - one row of the screen, as it is made: words in styles, cut off at its width. What a terminal
 * may act on, or a reader cannot see, is written as its number: <U+202E>. */
#ifndef GOSNAP_LINE_H
#define GOSNAP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/viewer/terminal/text.h"

/* Purposes; tty.c has their looks. */
enum style {
	STYLE_PLAIN,
	STYLE_HEADING, /* titles */
	STYLE_OWN,     /* functions of the program */
	STYLE_ALARM,   /* findings, panics, what is damaged */
	STYLE_FAINT,   /* what matters less */
	STYLE_KEY,     /* the letter of a key */
	STYLE_BAR,     /* between panes */
	STYLE_BAR_ON,  /* of the pane that has the keys */
	STYLES,
	STYLE_MASK = 0x0f,
	STYLE_SELECTED = 0x10, /* with one of those above */
	STYLE_MARKED = 0x20,   /* likewise, where the keys are elsewhere */
};

/* In the encoded row: what follows has the style LINE_SAYS_STYLE + style. */
enum { LINE_STYLE = 1, LINE_SAYS_STYLE = '@' };
enum { LINE_BYTES_MAX = 3800 }; /* encoded: one message, see screen.c */

/* Initialize with line_begin(); the owner calls line_done(). */
struct line {
	struct text text;
	unsigned columns, used;
	unsigned style, flags; /* flags: of all its words */
	unsigned marks;	       /* on the last character */
	bool full;
};

void line_begin(struct line *line, unsigned columns);
void line_done(struct line *line);
void line_flags(struct line *line, unsigned flags);
void line_add(struct line *line, enum style style, const char *words);
void line_add_bytes(struct line *line, enum style style, const char *words, size_t len);
void line_format(struct line *line, enum style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Spaces up to that column. */
void line_pad(struct line *line, unsigned column);
/* Appends one that is made. */
void line_append(struct line *line, const struct line *other);
/* How many of these bytes are shown within so many columns. */
size_t line_fit(const char *words, size_t len, unsigned columns);
/* Whether its words have these, in any case. */
bool line_has(const struct line *line, const char *words);
/* Its words without styles; the caller frees them. */
char *line_words(const struct line *line);

#endif
