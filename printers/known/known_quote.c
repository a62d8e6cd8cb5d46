/* SPDX-License-Identifier: Apache-2.0 */
/* strconv.Quote(): strconv/quote.go; also %q of fmt. */
#include <string.h>

#include "lib/base/utf8.h"
#include "printers/known/known.h"

enum { DELETE = 0x7f }; /* "\u007f" in older releases, "\x7f" in newer ones */

/* All releases agree on whether these are printable. */
static bool is_printable(uint32_t c, bool *ret_known)
{
	static const struct {
		uint32_t first, last;
		bool printable;
	} ranges[] = {
		{ 0x80, 0xa0, false },	   { 0xa1, 0xac, true },
		{ 0xad, 0xad, false },	   { 0xae, 0x2af, true },
		{ 0x400, 0x481, true },	   { 0x5d0, 0x5ea, true },
		{ 0x2000, 0x200f, false }, { 0x2010, 0x2027, true },
		{ 0x2028, 0x202f, false }, { 0x2030, 0x205e, true },
		{ 0x20a0, 0x20b9, true },  { 0x2190, 0x21ff, true },
		{ 0x3041, 0x3096, true },  { 0x30a1, 0x30fa, true },
		{ 0x4e00, 0x9fa5, true },  { 0xac00, 0xd7a3, true },
		{ 0xe000, 0xf8ff, false }, { 0xfeff, 0xfeff, false },
		{ 0xfffd, 0xfffd, true },  { 0x1f600, 0x1f64f, true },
	};

	*ret_known = true;
	if (c < DELETE)
		return c >= ' ';
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].printable;
	*ret_known = false;
	return false;
}

static void add_control(uint32_t c, struct known_words *ret)
{
	static const char named[] = "abtnvfr";

	if (c >= '\a' && c <= '\r')
		known_add(ret, "\\%c", named[c - '\a']);
	else if (c < ' ')
		known_add(ret, "\\x%02x", c);
	else
		known_add(ret, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}

bool known_go_quoted(const struct known_words *s, struct known_words *ret)
{
	bool known = s->len < sizeof(s->bytes);

	known_add(ret, "\"");
	for (size_t i = 0; known && i < s->len;) {
		uint32_t c;
		size_t n = utf8_next(s->bytes + i, s->len - i, &c);

		if (!n)
			known_add(ret, "\\x%02x", (uint8_t)s->bytes[i]);
		else if (c == '"' || c == '\\')
			known_add(ret, "\\%c", (char)c);
		else if (is_printable(c, &known))
			known_add_bytes(ret, s->bytes + i, n);
		else
			add_control(c, ret);
		i += n ? n : 1;
	}
	known_add(ret, "\"");
	return known;
}
