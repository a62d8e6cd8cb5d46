/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/reader_text.h"

#include <stdint.h>
#include <string.h>

#include "lib/base/utf8.h"

enum { DEPTH_MAX = 2048 }; /* as jansson has it */

/* at: none is behind end; what follows a failure does not matter. */
struct check {
	const char *at, *end;
	unsigned depth;
	bool is_object[DEPTH_MAX];
};

static int peek(const struct check *c)
{
	return c->at < c->end ? (unsigned char)*c->at : -1;
}

static int skip_space(struct check *c)
{
	while (c->at < c->end &&
	       (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
		c->at++;
	return peek(c);
}

static bool take(struct check *c, int wanted)
{
	if (peek(c) != wanted)
		return false;
	c->at++;
	return true;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int hex_digit(int c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Behind "\u"; -1: these are no four digits. */
static int take_unit(struct check *c)
{
	int unit = 0;

	for (int i = 0; i < 4; i++) {
		const int digit = hex_digit(peek(c));
		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
		c->at++;
	}
	return unit;
}

/* Behind the backslash. Halves of pairs stand beside each other. */
static bool take_escape(struct check *c)
{
	const int letter = peek(c);

	if (letter < 0 || !strchr("\"\\/bfnrtu", letter) || letter == 0)
		return false;
	c->at++;
	if (letter != 'u')
		return true;
	const int unit = take_unit(c);
	if (unit < 0xd800 || unit > 0xdfff)
		return unit >= 0;
	if (unit > 0xdbff || !take(c, '\\') || !take(c, 'u'))
		return false;
	const int low = take_unit(c);
	return low >= 0xdc00 && low <= 0xdfff;
}

/* Behind the opening quote. */
static bool take_string(struct check *c)
{
	const char *plain = c->at;

	for (;;) {
		while (c->at < c->end && (unsigned char)*c->at >= ' ' && *c->at != '"' &&
		       *c->at != '\\')
			c->at++;
		if (!utf8_valid(plain, (size_t)(c->at - plain)))
			return false;
		if (take(c, '"'))
			return true;
		if (!take(c, '\\') || !take_escape(c))
			return false;
		plain = c->at;
	}
}

static bool take_digits(struct check *c)
{
	if (!is_digit(peek(c)))
		return false;
	while (is_digit(peek(c)))
		c->at++;
	return true;
}

static bool take_number(struct check *c)
{
	take(c, '-');
	if (!take(c, '0') && !take_digits(c))
		return false;
	if (take(c, '.') && !take_digits(c))
		return false;
	if (!take(c, 'e') && !take(c, 'E'))
		return true;
	if (!take(c, '+'))
		take(c, '-');
	return take_digits(c);
}

static bool take_word(struct check *c, const char *word)
{
	const size_t len = strlen(word);

	if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0)
		return false;
	c->at += len;
	return true;
}

static bool take_scalar(struct check *c)
{
	switch (peek(c)) {
	case '"':
		c->at++;
		return take_string(c);
	case 't':
		return take_word(c, "true");
	case 'f':
		return take_word(c, "false");
	case 'n':
		return take_word(c, "null");
	default:
		return take_number(c);
	}
}

static bool take_name(struct check *c)
{
	skip_space(c);
	if (!take(c, '"') || !take_string(c))
		return false;
	skip_space(c);
	return take(c, ':');
}

static bool open(struct check *c, bool is_object)
{
	c->at++;
	if (c->depth == DEPTH_MAX)
		return false;
	c->is_object[c->depth++] = is_object;
	return true;
}

/* The brackets that end behind a value, up to where the next one begins. */
static bool take_ends(struct check *c)
{
	while (c->depth > 0) {
		const bool is_object = c->is_object[c->depth - 1];
		skip_space(c);
		if (take(c, ','))
			return !is_object || take_name(c);
		if (!take(c, is_object ? '}' : ']'))
			return false;
		c->depth--;
	}
	return true;
}

/* Up to where the first value in it begins; *ret_empty: there is none, and it has ended. */
static bool take_begin(struct check *c, bool is_object, bool *ret_empty)
{
	if (!open(c, is_object))
		return false;
	skip_space(c);
	*ret_empty = take(c, is_object ? '}' : ']');
	if (*ret_empty) {
		c->depth--;
		return true;
	}
	return !is_object || take_name(c);
}

bool text_is_json(const char *text, size_t bytes)
{
	struct check c; /* too large to be emptied each time */

	c.at = text;
	c.end = text + bytes;
	c.depth = 0;
	do {
		const int first = skip_space(&c);
		bool ended = true;
		if (first == '{' || first == '[') {
			if (!take_begin(&c, first == '{', &ended))
				return false;
		} else if (!take_scalar(&c)) {
			return false;
		}
		if (ended && !take_ends(&c))
			return false;
	} while (c.depth > 0);
	skip_space(&c);
	return c.at == c.end;
}
