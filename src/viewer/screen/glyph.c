/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/glyph.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "lib/base/util.h"

/* Direction of text, joiners, spaces without width, variants, tags: the locale knows them as printable. */
static bool is_unseen(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0, 0x1f },	      { 0x7f, 0x9f },	    { 0xad, 0xad },
		{ 0x34f, 0x34f },     { 0x61c, 0x61c },	    { 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x200b, 0x200f },
		{ 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 },
		{ 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb },   { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff }, { 0xe000, 0xf8ff },   { 0xf0000, 0x10ffff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

enum glyph glyph_of(uint32_t c, unsigned *ret_width)
{
	*ret_width = 1;
	if (c >= ' ' && c < 0x7f)
		return GLYPH_PLAIN;
	if (is_unseen(c) || !iswprint((wint_t)c))
		return GLYPH_UNSEEN;
	const int width = wcwidth((wchar_t)c);
	if (width < 0 || width > 2)
		return GLYPH_UNSEEN;
	*ret_width = (unsigned)width;
	return width ? GLYPH_PLAIN : GLYPH_MARK;
}

void glyph_name(uint32_t c, bool byte, char ret[GLYPH_NAME_BYTES])
{
	if (c == '\n')
		strcpy(ret, "\\n");
	else if (c == '\t')
		strcpy(ret, "\\t");
	else
		snprintf(ret, GLYPH_NAME_BYTES, byte || c < 0x80 ? "\\x%02x" : "<U+%04X>",
			 c);
}
