/* SPDX-License-Identifier: Apache-2.0 */
/* glyph.h - what a character does on a terminal. */
#ifndef GOSNAP_GLYPH_H
#define GOSNAP_GLYPH_H

#include <stdbool.h>
#include <stdint.h>

enum glyph {
	GLYPH_PLAIN,  /* takes one column or two */
	GLYPH_MARK,   /* stands above or below the one before it */
	GLYPH_UNSEEN, /* acts on the terminal or on other characters, or cannot be seen */
};

enum {
	GLYPH_MARKS = 2, /* on one character: more of them would cover other lines */
	GLYPH_NAME_BYTES = 16,
};

/* By the locale, which must be one of UTF-8. *ret_width: in columns. */
enum glyph glyph_of(uint32_t c, unsigned *ret_width);
/* What stands for one that is not shown as it is: "<U+202E>", "\x1b", "\n". byte: it is none, but a byte that is not
 * UTF-8. */
void glyph_name(uint32_t c, bool byte, char ret[GLYPH_NAME_BYTES]);

#endif
