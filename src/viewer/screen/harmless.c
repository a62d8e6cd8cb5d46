/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/harmless.h"

#include <string.h>

#include "lib/base/utf8.h"
#include "src/viewer/screen/glyph.h"

static bool is_shown(uint32_t c, unsigned *marks)
{
	unsigned width;

	switch (glyph_of(c, &width)) {
	case GLYPH_PLAIN:
		*marks = 0;
		return true;
	case GLYPH_MARK:
		return ++*marks <= GLYPH_MARKS;
	case GLYPH_UNSEEN:
		break;
	}
	return false;
}

void harmless_add_bytes(struct text *text, const char *words, size_t len)
{
	unsigned marks = GLYPH_MARKS; /* nothing is there to carry them */
	char name[GLYPH_NAME_BYTES];
	uint32_t c;

	for (size_t at = 0, n; at < len; at += n ? n : 1) {
		n = utf8_next(words + at, len - at, &c);
		if (n && is_shown(c, &marks)) {
			text_append(text, words + at, n);
			continue;
		}
		glyph_name(n ? c : (uint8_t)words[at], !n, name);
		text_append(text, name, strlen(name));
	}
}

void harmless_add(struct text *text, const char *words)
{
	harmless_add_bytes(text, words, strlen(words));
}
