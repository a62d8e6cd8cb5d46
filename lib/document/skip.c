/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/skip.h"

#include <string.h>

enum class { PLAIN, QUOTE, OPENS, CLOSES };

static const unsigned char classes[256] = {
	['"'] = QUOTE, ['{'] = OPENS, ['['] = OPENS, ['}'] = CLOSES, [']'] = CLOSES,
};

int skip_space(struct input *in)
{
	while (is_space(input_peek(in)))
		in->at++;
	return input_peek(in);
}

/* The first of these two that is in the buffer, or its end. */
static void skip_to_quote_or_escape(struct input *in)
{
	const char *p = in->buf + in->at;
	const char *end = in->buf + in->end;

	while (p < end && *p != '"' && *p != '\\')
		p++;
	in->at = (size_t)(p - in->buf);
}

/* From its opening quote. */
static enum skip skip_string(struct input *in)
{
	in->at++;
	for (;;) {
		skip_to_quote_or_escape(in);
		int c = input_peek(in);
		if (c == END_OF_INPUT)
			return SKIP_END;
		if (c != '"' && c != '\\')
			continue;
		in->at++;
		if (c == '"')
			return SKIP_DONE;
		if (input_peek(in) == END_OF_INPUT)
			return SKIP_END;
		in->at++;
	}
}

static enum skip skip_scalar(struct input *in)
{
	int c = input_peek(in);
	while (c != END_OF_INPUT && !is_space(c) && !strchr(",:[]{}\"", c)) {
		in->at++;
		c = input_peek(in);
	}
	return c == END_OF_INPUT ? SKIP_END : SKIP_DONE;
}

static void skip_plain(struct input *in)
{
	const unsigned char *buf = (const unsigned char *)in->buf;
	size_t at = in->at;

	while (at < in->end && classes[buf[at]] == PLAIN)
		at++;
	in->at = at;
}

static enum skip skip_brackets(struct input *in)
{
	size_t depth = 0;

	do {
		skip_plain(in);
		int c = input_peek(in);
		if (c == END_OF_INPUT)
			return SKIP_END;
		switch ((enum class)classes[c]) {
		case PLAIN:
			break;
		case QUOTE:
			if (skip_string(in) != SKIP_DONE)
				return SKIP_END;
			break;
		case OPENS:
			depth++;
			in->at++;
			break;
		case CLOSES:
			depth--;
			in->at++;
			break;
		}
	} while (depth > 0);
	return SKIP_DONE;
}

enum skip skip_value(struct input *in)
{
	int c = input_peek(in);

	if (c == '"')
		return skip_string(in);
	return c == '{' || c == '[' ? skip_brackets(in) : skip_scalar(in);
}

/* Skips c, which must come next. */
static enum skip skip_mark(struct input *in, int c)
{
	int next = skip_space(in);

	if (next != c)
		return next == END_OF_INPUT ? SKIP_END : SKIP_DAMAGE;
	in->at++;
	return SKIP_DONE;
}

static enum skip skip_member(struct input *in, struct skip_member *ret)
{
	int c = skip_space(in);
	enum skip done;

	if (c != '"')
		return c == END_OF_INPUT ? SKIP_END : SKIP_DAMAGE;
	ret->name = in->at + 1 - in->mark;
	done = skip_string(in);
	ret->name_bytes = in->at - 1 - in->mark - ret->name;
	if (done == SKIP_DONE)
		done = skip_mark(in, ':');
	if (done != SKIP_DONE)
		return done;
	skip_space(in);
	ret->value = in->at - in->mark;
	done = skip_value(in);
	ret->bytes = in->at - in->mark - ret->value;
	return done;
}

enum skip skip_object(struct input *in, struct skip_member *ret, size_t *ret_count)
{
	*ret_count = 0;
	in->at++; /* { */
	if (skip_space(in) == '}') {
		in->at++;
		return SKIP_DONE;
	}
	for (;;) {
		struct skip_member member;
		enum skip done = skip_member(in, &member);
		if (done != SKIP_DONE)
			return done;
		if (*ret_count < READER_MEMBERS)
			ret[(*ret_count)++] = member;
		if (skip_space(in) == '}') {
			in->at++;
			return SKIP_DONE;
		}
		done = skip_mark(in, ',');
		if (done != SKIP_DONE)
			return done;
	}
}
