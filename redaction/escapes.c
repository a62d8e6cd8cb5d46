/* SPDX-License-Identifier: Apache-2.0 */
/* escapes.c - texts within texts: how JSON, Go, URLs and HTML write characters that are
 * special to them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "redaction/redaction_priv.h"

struct letter {
	char bytes[4];
	size_t count;
};

/* Parses exactly `digits` hexadecimal digits. Returns how many; 0: they are not there. */
static size_t take_hex(const char *text, size_t len, size_t digits, uint32_t *ret)
{
	*ret = 0;
	if (len < digits)
		return 0;
	for (size_t i = 0; i < digits; i++) {
		unsigned char c = (unsigned char)text[i];
		if (!isxdigit(c))
			return 0;
		*ret = *ret << 4 | (isdigit(c) ? c - 0x30U : (c | 0x20U) - 'a' + 10U);
	}
	return digits;
}

/* UTF-8. */
static size_t put_letter(uint32_t letter, char ret[static 4])
{
	static const uint8_t heads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; letter >>= 6)
		ret[i] = (char)(0x80 | (letter & 0x3f));
	ret[0] = (char)(heads[n] | letter);
	return n;
}

/* A character given by a mark and its number: \u0026, \xff, %26. */
static size_t of_number(const char *text, size_t len, size_t mark, size_t digits,
			struct letter *ret)
{
	uint32_t letter;
	const size_t n =
		len < mark ? 0 : take_hex(text + mark, len - mark, digits, &letter);

	if (!n || letter > 0x10ffff)
		return 0;
	ret->count = digits == 2 ? 1 : put_letter(letter, ret->bytes);
	if (digits == 2)
		ret->bytes[0] = (char)letter;
	return mark + n;
}

static size_t of_backslash(const char *text, size_t len, struct letter *ret)
{
	static const char marks[] = "nrt\"'\\/", letters[] = "\n\r\t\"'\\/";
	const char *mark;

	if (len < 2 || !text[1])
		return 0;
	switch (text[1]) {
	case 'u':
		return of_number(text, len, 2, 4, ret);
	case 'U':
		return of_number(text, len, 2, 8, ret);
	case 'x':
		return of_number(text, len, 2, 2, ret);
	}
	if (!(mark = strchr(marks, text[1])))
		return 0;
	ret->bytes[0] = letters[mark - marks];
	ret->count = 1;
	return 2;
}

/* &#38; and &#x26; */
static size_t of_numbered_entity(const char *text, size_t len, struct letter *ret)
{
	enum { DIGITS_MAX = 7 };
	const bool hex = len > 2 && (text[2] | 0x20) == 'x';
	uint32_t letter = 0, digit;
	size_t at = hex ? 3 : 2, first = at;

	for (; at < len && at < first + DIGITS_MAX; at++) {
		if (!take_hex(text + at, 1, 1, &digit) || (!hex && digit > 9))
			break;
		letter = letter * (hex ? 16 : 10) + digit;
	}
	if (at == first || at == len || text[at] != ';' || letter > 0x10ffff)
		return 0;
	ret->count = put_letter(letter, ret->bytes);
	return at + 1;
}

static size_t of_entity(const char *text, size_t len, struct letter *ret)
{
	static const struct {
		const char *name, letter;
	} entities[] = {
		{ "&amp;", '&' },  { "&lt;", '<' },    { "&gt;", '>' },
		{ "&quot;", '"' }, { "&apos;", '\'' },
	};

	if (len > 1 && text[1] == '#')
		return of_numbered_entity(text, len, ret);
	for (size_t i = 0; i < ARRAY_SIZE(entities); i++) {
		if (!follows(text, len, 0, entities[i].name))
			continue;
		ret->bytes[0] = entities[i].letter;
		ret->count = 1;
		return strlen(entities[i].name);
	}
	return 0;
}

/* Length of the escape at the start of text; 0: none. */
static size_t escape_at(const char *text, size_t len, struct letter *ret)
{
	switch (*text) {
	case '\\':
		return of_backslash(text, len, ret);
	case '%':
		return of_number(text, len, 1, 2, ret);
	case '&':
		return of_entity(text, len, ret);
	}
	return 0;
}

/* Most texts have no such character. */
static bool has_escape(const char *text, size_t len)
{
	static const char first[] = { '\\', '%', '&' };
	const char *end = text + len;
	struct letter ignored;

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		for (const char *at = text;
		     (at = memchr(at, first[i], (size_t)(end - at))); at++)
			if (escape_at(at, (size_t)(end - at), &ignored))
				return true;
	return false;
}

struct plain_text *unescape(const char *text, size_t len)
{
	if (!has_escape(text, len))
		return NULL;
	struct plain_text *plain = xcalloc(1, sizeof(*plain));
	plain->text = xmalloc(len + 1); /* an escape is longer than its character */
	plain->from = xreallocarray(NULL, len + 1, sizeof(*plain->from));
	for (size_t at = 0, n; at < len; at += n) {
		struct letter letter = { { text[at] }, 1 };
		if (!(n = escape_at(text + at, len - at, &letter)))
			n = 1;
		for (size_t i = 0; i < letter.count; i++) {
			plain->from[plain->len] = at;
			plain->text[plain->len++] = letter.bytes[i];
		}
	}
	plain->from[plain->len] = len;
	plain->text[plain->len] = '\0';
	return plain;
}

void plain_text_free(struct plain_text *plain)
{
	if (!plain)
		return;
	explicit_bzero(plain->text, plain->len);
	xfree(plain->text);
	xfree(plain->from);
	xfree(plain);
}

struct span escaped_span(const struct plain_text *plain, struct span span)
{
	size_t end = span.end;

	while (end > 0 && end < plain->len && plain->from[end] == plain->from[end - 1])
		end++; /* of the same character */
	return (struct span){ plain->from[span.begin], plain->from[end], span.rule };
}
