/* SPDX-License-Identifier: Apache-2.0 */
#include "src/monitor/last_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/unit/unit.h"

/* The number of the packet after which it is known; -1: it is not. */
static int known_after(const char *const *packets)
{
	struct last_words w = { .dying = false };

	for (int i = 0; packets[i]; i++) {
		last_words_hear(&w, packets[i], strlen(packets[i]));
		if (w.dying)
			return i;
	}
	return -1;
}

static void runtime_ends(void **state)
{
	static const char *const panics[] = { "log line\n", "panic: ", "assignment",
					      NULL };
	static const char *const throws[] = {
		"fatal error: ", "concurrent map ", "writes", "\n", "\n", NULL
	};
	static const char *const gets[] = { "SIGABRT: abort", "\n", "PC=0x", NULL };

	(void)state;
	assert_int_equal(known_after(panics), 1);
	/* Not before its line ends: then no thread counts as dying yet. */
	assert_int_equal(known_after(throws), 3);
	assert_int_equal(known_after(gets), 0);
}

static void program_says(void **state)
{
	static const char *const lines[] = { "panic: not really\n",
					     "fatal error: mine\n",
					     "SIGHUP: reloading\n",
					     "SIG",
					     "panic:",
					     "",
					     "x panic: ",
					     NULL };

	(void)state;
	assert_int_equal(known_after(lines), -1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runtime_ends),
		cmocka_unit_test(program_says),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
