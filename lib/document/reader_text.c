/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/reader_text.h"

#include <string.h>

#include "lib/document/skip.h"

/* A buffer with all that there is. */
static struct input input_of(const char *text, size_t bytes)
{
	return (struct input){ .buf = (char *)(uintptr_t)text,
			       .end = bytes,
			       .broken.code = ERR_BAD_DATA };
}

size_t text_members(const char *object, size_t bytes, struct reader_member *ret)
{
	struct input in = input_of(object, bytes);
	struct skip_member places[READER_MEMBERS];
	size_t n;

	if (input_peek(&in) != '{' || skip_object(&in, places, &n) != SKIP_DONE)
		return 0;
	for (size_t i = 0; i < n; i++)
		ret[i] = reader_member_at(object, &places[i]);
	return n;
}

const struct reader_member *text_member(const struct reader_member *members, size_t n,
					const char *name)
{
	const size_t len = strlen(name);

	while (n-- > 0)
		if (members[n].name_bytes == len &&
		    memcmp(members[n].name, name, len) == 0)
			return &members[n];
	return NULL;
}

void text_elements(const char *array, size_t bytes, text_element_fn *fn, void *arg)
{
	struct input in = input_of(array, bytes);
	int c = input_peek(&in);

	if (c != '[')
		return;
	do {
		in.at++; /* [ or a comma */
		if (skip_space(&in) == ']')
			return;
		const size_t at = in.at;
		if (skip_value(&in) != SKIP_DONE || !fn(arg, array + at, in.at - at))
			return;
		c = skip_space(&in);
	} while (c == ',');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool plain_int(const struct reader_member *member, int64_t *ret)
{
	const bool negative = member->bytes > 0 && member->value[0] == '-';
	int64_t value = 0;

	for (size_t i = negative; i < member->bytes; i++)
		if (!is_digit(member->value[i]) ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, member->value[i] - '0', &value))
			return false;
	*ret = negative ? -value : value;
	return member->bytes > (size_t)negative;
}

int64_t text_int(const struct reader_member *member, int64_t fallback)
{
	int64_t value;

	if (!member)
		return fallback;
	if (plain_int(member, &value))
		return value;
	const struct reader_node *node = node_of_text(member->value, member->bytes);
	value = node_int(node, fallback);
	node_drop(node);
	return value;
}

bool text_bool(const struct reader_member *member, bool fallback)
{
	if (member && member->bytes == 4 && memcmp(member->value, "true", 4) == 0)
		return true;
	if (member && member->bytes == 5 && memcmp(member->value, "false", 5) == 0)
		return false;
	return fallback;
}

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

uint64_t text_address(const struct reader_member *member, uint64_t fallback)
{
	enum { DIGITS = 16, AROUND = 4 }; /* the quotes, and 0x */
	uint64_t value = 0;

	if (!member || member->bytes <= AROUND || member->bytes > AROUND + DIGITS ||
	    memcmp(member->value, "\"0x", 3) != 0)
		return fallback;
	for (size_t i = 3; i < member->bytes - 1; i++) {
		int digit = digit_of(member->value[i]);
		if (digit < 0)
			return fallback;
		value = value << 4 | (unsigned)digit;
	}
	return value;
}
