/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/utf8.h"
#include "src/viewer/screen/glyph.h"

enum { NO_STYLE = ~0u };

void line_begin(struct line *line, unsigned columns)
{
	*line = (struct line){ .columns = columns, .style = NO_STYLE };
}

void line_done(struct line *line)
{
	text_done(&line->text);
}

void line_flags(struct line *line, unsigned flags)
{
	line->flags = flags;
}

static void set_style(struct line *line, unsigned style)
{
	const char said[] = { LINE_STYLE, (char)(LINE_SAYS_STYLE + style) };

	if (style == line->style)
		return;
	text_append(&line->text, said, sizeof(said));
	line->style = style;
}

/* False: there is no room. */
static bool add_columns(struct line *line, const char *bytes, size_t len, unsigned width)
{
	line->full |= line->used + width > line->columns ||
		      line->text.len + len > LINE_BYTES_MAX;
	if (line->full)
		return false;
	text_append(&line->text, bytes, len);
	line->used += width;
	return true;
}

static void add_plain(struct line *line, const char *words)
{
	while (*words && add_columns(line, words, 1, 1))
		words++;
	line->marks = GLYPH_MARKS; /* it carries none */
}

static void add_name(struct line *line, uint32_t c, bool byte)
{
	char name[GLYPH_NAME_BYTES];

	glyph_name(c, byte, name);
	add_plain(line, name);
}

static void add_character(struct line *line, uint32_t c, const char *bytes, size_t len)
{
	unsigned width;

	switch (glyph_of(c, &width)) {
	case GLYPH_PLAIN:
		add_columns(line, bytes, len, width);
		line->marks = 0;
		break;
	case GLYPH_MARK:
		if (line->used && line->marks < GLYPH_MARKS)
			add_columns(line, bytes, len, 0);
		else
			add_name(line, c, false);
		line->marks++;
		break;
	case GLYPH_UNSEEN:
		if (c == '\t')
			add_plain(line, " ");
		else
			add_name(line, c, false);
	}
}

void line_add_bytes(struct line *line, enum style style, const char *words, size_t len)
{
	uint32_t c;

	if (line->full || !len)
		return;
	set_style(line, style | line->flags);
	for (size_t at = 0, n; at < len && !line->full; at += n ? n : 1) {
		n = utf8_next(words + at, len - at, &c);
		if (n)
			add_character(line, c, words + at, n);
		else
			add_name(line, (uint8_t)words[at], true);
	}
}

void line_add(struct line *line, enum style style, const char *words)
{
	line_add_bytes(line, style, words, strlen(words));
}

void line_format(struct line *line, enum style style, const char *format, ...)
{
	char words[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	line_add(line, style, words);
}

void line_pad(struct line *line, unsigned column)
{
	/* The end of what was cut off may be a wide character that did not fit. */
	line->full = line->text.len >= LINE_BYTES_MAX;
	if (line->used >= column)
		return;
	set_style(line, STYLE_PLAIN | line->flags);
	while (line->used < column && add_columns(line, " ", 1, 1))
		continue;
	line->marks = GLYPH_MARKS;
}

void line_append(struct line *line, const struct line *other)
{
	if (line->text.len + other->text.len > LINE_BYTES_MAX ||
	    line->used + other->used > line->columns)
		return;
	text_append(&line->text, text_words(&other->text), other->text.len);
	line->used += other->used;
	line->style = NO_STYLE;
}

char *line_words(const struct line *line)
{
	struct text words = { .words = NULL };

	for (size_t i = 0; i < line->text.len; i++) {
		if (line->text.words[i] == LINE_STYLE)
			i++;
		else
			text_append(&words, line->text.words + i, 1);
	}
	return words.words ? words.words : xstrdup("");
}

size_t line_fit(const char *words, size_t len, unsigned columns)
{
	struct line line;
	size_t at = 0, n;
	uint32_t c;

	line_begin(&line, columns);
	while (at < len) {
		n = utf8_next(words + at, len - at, &c);
		n = n ? n : 1;
		line_add_bytes(&line, STYLE_PLAIN, words + at, n);
		if (line.full)
			break;
		at += n;
	}
	line_done(&line);
	return at;
}

bool line_has(const struct line *line, const char *words)
{
	AUTO(xfree) char *own = line_words(line);

	return strcasestr(own, words);
}
