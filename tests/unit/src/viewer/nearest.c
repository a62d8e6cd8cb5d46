/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/terminal/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/unit.h"

static const char *nearest(const char *word)
{
	static const char *const words[] = { "all",	    "show",    "layout",
					     "full-frames", "go-only", "no-system" };
	struct nearest n = { .word = word };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		nearest_try(&n, words[i]);
	return n.best;
}

static void test_mistakes(void **state)
{
	(void)state;
	assert_string_equal(nearest("shwo"), "show");
	assert_string_equal(nearest("sho"), "show");
	assert_string_equal(nearest("al"), "all");
	assert_string_equal(nearest("alll"), "all");
	assert_string_equal(nearest("lyaout"), "layout");
	assert_string_equal(nearest("fulframes"), "full-frames");
	assert_string_equal(nearest("nosystem"), "no-system");
	assert_string_equal(nearest("show"), "show");
}

static void test_other_words(void **state)
{
	(void)state;
	assert_null(nearest(""));
	assert_null(nearest("a"));
	assert_null(nearest("4711"));
	assert_null(nearest("nginx"));
	assert_null(nearest("a-word-that-is-longer-than-any-option-could-ever-be"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_other_words),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
