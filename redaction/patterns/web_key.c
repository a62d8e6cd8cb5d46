/* SPDX-License-Identifier: Apache-2.0 */
/* web_key.c - private keys in JSON (RFC 7517, RFC 7518, 6). */
#include <string.h>
#include <strings.h>

#include "redaction/patterns/patterns.h"

enum {
	OBJECT_MAX = 8 << 10, /* bytes around a member */
	VALUE_MIN = 16,	      /* characters */
	CUT_MIN = 40,	      /* ... if the text ends before anything tells */
};

const char rule_of_web_key[] = "key_value";

bool is_web_key_member(const char *name, size_t len)
{
	static const char *const names[] = { "d", "k", "p", "q", "dp", "dq", "qi" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && strncasecmp(name, names[i], len) == 0)
			return true;
	return false;
}

/* The object around text[at]. *ret_whole: its end is there. */
static struct span web_key_object(const char *text, size_t len, size_t at,
				  bool *ret_whole)
{
	const size_t least = at > OBJECT_MAX ? at - OBJECT_MAX : 0;
	const size_t most = len - at > OBJECT_MAX ? at + OBJECT_MAX : len;
	struct span object = { .begin = at, .end = at };

	while (object.begin > least && text[object.begin - 1] != '{')
		object.begin--;
	while (object.end < most && text[object.end] != '}')
		object.end++;
	*ret_whole = object.end < len;
	return object;
}

static bool web_key_has(const char *text, struct span object, const char *name)
{
	return memmem(text + object.begin, object.end - object.begin, name, strlen(name));
}

/* The type may come after a long number at which the text ends. */
static bool is_in_web_key(const char *text, size_t len, size_t at, size_t value,
			  bool usual)
{
	bool whole;
	const struct span object = web_key_object(text, len, at, &whole);

	return web_key_has(text, object, "\"kty\"") ||
	       (!whole &&
		((value >= CUT_MIN && !usual) || web_key_has(text, object, "\"crv\"")));
}

bool is_web_key(const char *text, size_t len, size_t at, struct span *ret)
{
	size_t end = at, begin, value;

	while (end > 0 && at - end < 2 && text[end - 1] == ' ')
		end--;
	if (end < 3 || text[end - 1] != '"')
		return false;
	for (begin = --end; begin > 0 && end - begin < 3 && text[begin - 1] != '"';)
		begin--;
	if (begin == 0 || text[begin - 1] != '"' ||
	    !is_web_key_member(text + begin, end - begin))
		return false;
	for (value = at + 1; value < len && value < at + 3 && text[value] == ' ';)
		value++;
	if (value == len || text[value] != '"')
		return false;
	const size_t n = count_letters(text, len, ++value, LETTERS_BASE64);
	/* The names of others, too, such as a query's. */
	const bool is_usual = end == begin + 1 && text[begin] != 'd';
	*ret = (struct span){ value, value + n, rule_of_web_key };
	return n >= VALUE_MIN && (value + n == len || text[value + n] == '"') &&
	       is_in_web_key(text, len, at, n, is_usual);
}
