/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/cut.h"

#include <string.h>

enum state {
	VALUE,	      /* one begins */
	VALUE_OR_END, /* or the array ends */
	KEY,	      /* one begins */
	KEY_OR_END,   /* or the object ends */
	COLON,
	AFTER, /* of a value */
	STRING,
	ESCAPE,
	DIGITS_OF_ESCAPE,
	WORD,
	/* Of numbers, by what came last. */
	MINUS,
	ZERO,
	DIGIT,
	POINT,
	FRACTION,
	EXPONENT,
	SIGN,
	POWER,
	ENDED, /* only blanks follow */
};

void cut_init(struct cut *c)
{
	memset(c, 0, sizeof(*c));
	c->state = VALUE;
}

static bool is_blank(uint8_t b)
{
	return b == ' ' || b == '\n' || b == '\r' || b == '\t';
}

static bool is_digit(uint8_t b)
{
	return b >= '0' && b <= '9';
}

static bool is_hex(uint8_t b)
{
	return is_digit(b) || (b >= 'a' && b <= 'f') || (b >= 'A' && b <= 'F');
}

/* A container was closed, and so may be what is around it. */
static void note(struct cut *c)
{
	const bool is_end = c->key_len == 3 && memcmp(c->key, "end", 3) == 0;

	if (c->open > 2 || (c->open == 2 && c->kinds[1] != '[') || (c->open && is_end))
		return;
	c->place = c->taken;
	c->depth = c->open;
}

static bool open_one(struct cut *c, uint8_t kind)
{
	if (c->open == CUT_DEPTH_MAX || (c->open == 0 && kind != '{'))
		return false;
	c->kinds[c->open++] = kind;
	c->state = kind == '{' ? KEY_OR_END : VALUE_OR_END;
	return true;
}

static bool close_one(struct cut *c, uint8_t kind)
{
	if (c->kinds[c->open - 1] != kind)
		return false;
	c->open--;
	c->state = c->open ? AFTER : ENDED;
	note(c);
	return true;
}

static bool begin_string(struct cut *c, bool is_key)
{
	c->state = STRING;
	c->is_key = is_key;
	if (is_key && c->open == 1)
		c->key_len = 0;
	return true;
}

static bool begin_word(struct cut *c, const char *rest)
{
	c->state = WORD;
	c->word = rest;
	return true;
}

static bool begin_value(struct cut *c, uint8_t b)
{
	switch (b) {
	case '{':
	case '[':
		return open_one(c, b);
	case '"':
		return c->open && begin_string(c, false);
	case 't':
		return c->open && begin_word(c, "rue");
	case 'f':
		return c->open && begin_word(c, "alse");
	case 'n':
		return c->open && begin_word(c, "ull");
	}
	c->state = b == '-' ? MINUS : b == '0' ? ZERO : DIGIT;
	return c->open && (b == '-' || is_digit(b));
}

static bool after(struct cut *c, uint8_t b)
{
	const uint8_t kind = c->kinds[c->open - 1];

	if (b == ',') {
		c->state = kind == '{' ? KEY : VALUE;
		return true;
	}
	return (b == '}' && close_one(c, '{')) || (b == ']' && close_one(c, '['));
}

/* UTF-8, the shortest form of what is no surrogate. */
static bool begin_character(struct cut *c, uint8_t b)
{
	c->least = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
	c->most = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
	c->more = b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
	return b >= 0xc2 && b <= 0xf4;
}

static bool more_of_character(struct cut *c, uint8_t b)
{
	const bool fits = b >= c->least && b <= c->most;

	c->more--;
	c->least = 0x80;
	c->most = 0xbf;
	return fits;
}

static bool in_string(struct cut *c, uint8_t b)
{
	if (c->more)
		return more_of_character(c, b);
	if (b == '"') {
		c->state = c->is_key ? COLON : AFTER;
		return true;
	}
	if (c->is_key && c->open == 1 && c->key_len < sizeof(c->key))
		c->key[c->key_len++] = (char)b;
	if (b == '\\')
		c->state = ESCAPE;
	return b < 0x80 ? b >= 0x20 : begin_character(c, b);
}

static bool in_escape(struct cut *c, uint8_t b)
{
	if (c->state == DIGITS_OF_ESCAPE) {
		c->state = --c->digits ? DIGITS_OF_ESCAPE : STRING;
		return is_hex(b);
	}
	c->state = b == 'u' ? DIGITS_OF_ESCAPE : STRING;
	c->digits = 4;
	return b && strchr("\"\\/bfnrtu", b);
}

static bool in_word(struct cut *c, uint8_t b)
{
	if (b != (uint8_t)*c->word++)
		return false;
	if (!*c->word)
		c->state = AFTER;
	return true;
}

/* The number goes on with this byte; else it may have ended before. */
static bool continue_number(struct cut *c, uint8_t b)
{
	const enum state was = (enum state)c->state;
	enum state next = AFTER;

	if (is_digit(b))
		next = was == MINUS			 ? (b == '0' ? ZERO : DIGIT)
		       : was == DIGIT			 ? DIGIT
		       : was == POINT || was == FRACTION ? FRACTION
		       : was == ZERO			 ? AFTER
							 : POWER;
	else if (b == '.' && (was == ZERO || was == DIGIT))
		next = POINT;
	else if ((b == 'e' || b == 'E') &&
		 (was == ZERO || was == DIGIT || was == FRACTION))
		next = EXPONENT;
	else if ((b == '+' || b == '-') && was == EXPONENT)
		next = SIGN;
	c->state = (uint8_t)next;
	return next != AFTER;
}

static bool number_may_end(enum state was)
{
	return was == ZERO || was == DIGIT || was == FRACTION || was == POWER;
}

static bool take(struct cut *c, uint8_t b);

static bool in_number(struct cut *c, uint8_t b)
{
	const enum state was = (enum state)c->state;

	return continue_number(c, b) ||
	       (number_may_end(was) && !is_digit(b) && take(c, b));
}

static bool begin_key(struct cut *c, uint8_t b)
{
	return b == '"' ? begin_string(c, true)
			: b == '}' && c->state == KEY_OR_END && close_one(c, '{');
}

static bool is_between(enum state state)
{
	return state <= AFTER || state == ENDED;
}

static bool take(struct cut *c, uint8_t b)
{
	if (is_between((enum state)c->state) && is_blank(b))
		return true;
	switch ((enum state)c->state) {
	case VALUE_OR_END:
		if (b == ']')
			return close_one(c, '[');
		return begin_value(c, b);
	case VALUE:
		return begin_value(c, b);
	case KEY:
	case KEY_OR_END:
		return begin_key(c, b);
	case COLON:
		c->state = VALUE;
		return b == ':';
	case AFTER:
		return after(c, b);
	case STRING:
		return in_string(c, b);
	case ESCAPE:
	case DIGITS_OF_ESCAPE:
		return in_escape(c, b);
	case WORD:
		return in_word(c, b);
	case ENDED:
		return false;
	default:
		return in_number(c, b);
	}
}

/* How many of these bytes leave a string as it is: most of a document is that. The name of a member is kept. */
static size_t cut_plain_bytes(const struct cut *c, const char *text, size_t len)
{
	size_t n = 0;

	if (c->state != STRING || c->more || (c->is_key && c->open == 1))
		return 0;
	while (n < len && (uint8_t)text[n] >= 0x20 && (uint8_t)text[n] < 0x80 &&
	       text[n] != '"' && text[n] != '\\')
		n++;
	return n;
}

bool cut_take(struct cut *c, const char *text, size_t len)
{
	for (size_t i = 0; i < len && !c->failed; i++) {
		const size_t plain = cut_plain_bytes(c, text + i, len - i);
		c->taken += plain;
		i += plain;
		if (i == len)
			break;
		c->taken++;
		c->failed = !take(c, (uint8_t)text[i]);
	}
	return !c->failed;
}
