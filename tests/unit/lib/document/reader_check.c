/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/reader_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

/* A copy, so that a byte behind its end would be noticed. */
static void compare(const char *text, size_t len)
{
	char *copy = xcalloc(len + !len, 1);

	memcpy(copy, text, len);
	const struct reader_node *node = node_of_text(copy, len);
	if (text_is_json(copy, len) != !!node)
		fail_msg("%s: %.*s", node ? "refused" : "accepted", (int)len, text);
	node_drop(node);
	xfree(copy);
}

static const char *const texts[] = {
	"{\"a\":[1,-0.5e+1,{}],\"b\":\"\\u00e9\\ud83d\\ude00\\n\"}",
	"[ true , false,\tnull,\"\xc3\xa9\xf0\x9f\x98\x80\" , [[ ]] ]",
	"\"a\\\"b\"",
	"-10.25E-3",
	"{ \"a\" : { \"b\" : [ ] , \"c\" : 0 } }",
};

static void test_cuts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		for (size_t len = 0; len <= strlen(texts[i]); len++)
			compare(texts[i], len);
}

/* Not zero, which jansson passes over behind words and numbers, and browsers do not. */
static void test_each_byte(void **state)
{
	char text[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const size_t len = strlen(texts[i]);
		for (size_t at = 0; at < len; at++) {
			for (int byte = 1; byte < 256; byte++) {
				memcpy(text, texts[i], len);
				text[at] = (char)byte;
				compare(text, len);
			}
		}
	}
}

static void test_depth(void **state)
{
	enum { MOST = 2048 };
	char text[2 * (MOST + 1)];

	(void)state;
	for (size_t depth = MOST - 1; depth <= MOST + 1; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		compare(text, 2 * depth);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_each_byte),
		cmocka_unit_test(test_depth),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
