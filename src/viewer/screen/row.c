/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/row.h"

#include <curses.h>

#include "lib/base/utf8.h"
#include "lib/base/util.h"
#include "src/viewer/screen/glyph.h"
#include "src/viewer/screen/line.h"

enum { PAIR_OWN = 1, PAIR_ALARM };

/* On the terminal's own background, in colours that are readable on dark and on light ones. */
static const struct look {
	attr_t attributes, without; /* without colours */
	short pair;
} looks[STYLES] = {
	[STYLE_PLAIN] = { A_NORMAL, A_NORMAL, 0 },
	[STYLE_HEADING] = { A_BOLD, A_BOLD, 0 },
	[STYLE_OWN] = { A_NORMAL, A_BOLD, PAIR_OWN },
	[STYLE_ALARM] = { A_NORMAL, A_BOLD, PAIR_ALARM },
	[STYLE_FAINT] = { A_DIM, A_DIM, 0 },
	[STYLE_KEY] = { A_BOLD | A_UNDERLINE, A_BOLD | A_UNDERLINE, 0 },
	[STYLE_BAR] = { A_UNDERLINE, A_UNDERLINE, 0 },
	[STYLE_BAR_ON] = { A_BOLD | A_REVERSE, A_BOLD | A_REVERSE, 0 },
};

static bool coloured;

void row_begin(bool colours)
{
	coloured = colours && start_color() == OK && use_default_colors() == OK;
	if (!coloured)
		return;
	init_pair(PAIR_OWN, COLOR_GREEN, -1);
	init_pair(PAIR_ALARM, COLOR_RED, -1);
}

static attr_t attributes_of(unsigned style, short *ret_pair)
{
	const struct look *look =
		&looks[(style & STYLE_MASK) < STYLES ? style & STYLE_MASK : 0];
	attr_t all = coloured ? look->attributes : look->without;

	*ret_pair = coloured ? look->pair : 0;
	if (style & STYLE_SELECTED)
		all |= A_REVERSE;
	if (style & STYLE_MARKED)
		all |= A_BOLD;
	return all;
}

struct drawing {
	int row, column;
	unsigned style;
	wchar_t cell[2 + GLYPH_MARKS]; /* a character, its marks, and 0 */
	int parts;
	unsigned width;
};

static void put_cell(struct drawing *d)
{
	cchar_t cell;
	short pair;
	const attr_t attributes = attributes_of(d->style, &pair);
	const bool fits = d->parts && d->column + (int)d->width <= COLS;

	d->cell[d->parts] = 0;
	d->parts = 0;
	if (!fits)
		return;
	if (setcchar(&cell, d->cell, attributes, pair, NULL) == OK)
		mvadd_wch(d->row, d->column,
			  &cell); /* fails in the last corner, where it is drawn */
	d->column += (int)d->width;
}

static void take_character(struct drawing *d, uint32_t c)
{
	unsigned width;
	const enum glyph glyph = glyph_of(c, &width);

	if (glyph == GLYPH_MARK) {
		if (d->parts && d->parts <= GLYPH_MARKS)
			d->cell[d->parts++] = (wchar_t)c;
		return;
	}
	put_cell(d);
	d->cell[d->parts++] = glyph == GLYPH_PLAIN ? (wchar_t)c : L'?';
	d->width = width;
}

void row_draw(unsigned row, const char *bytes, size_t len)
{
	struct drawing d = { .row = (int)row };
	uint32_t c;

	move((int)row, 0);
	clrtoeol();
	for (size_t at = 0, n; at < len; at += n ? n : 1) {
		n = utf8_next(bytes + at, len - at, &c);
		if (n == 1 && c == LINE_STYLE && at + 1 < len) {
			put_cell(&d);
			d.style = (unsigned char)bytes[++at] - LINE_SAYS_STYLE;
			continue;
		}
		take_character(&d, n ? c : '?');
	}
	put_cell(&d);
}
