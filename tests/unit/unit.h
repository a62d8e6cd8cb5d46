/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Runs the cases of a unit test and prints their results as TAP. With the arguments --case TEXT, runs only
 * the cases whose function's name contains TEXT, or is TEXT after `=`. Exits with status 2 if the arguments
 * are others. Include this instead of cmocka.h, after the headers that cmocka.h needs.
 */
#define unit_run(argc, argv, tests, setup, teardown)                                     \
	(unit_choose(argc, argv), cmocka_run_group_tests(tests, setup, teardown))

static inline void unit_choose(int argc, char **argv)
{
	static char pattern[256]; /* cmocka keeps the pointer */

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (argc == 1)
		return;
	if (argc != 3 || strcmp(argv[1], "--case") != 0) {
		fprintf(stderr, "usage: %s [--case [=]FUNCTION]\n", argv[0]);
		exit(2);
	}
	if (argv[2][0] == '=')
		snprintf(pattern, sizeof(pattern), "%s", argv[2] + 1);
	else
		snprintf(pattern, sizeof(pattern), "*%s*", argv[2]);
	cmocka_set_test_filter(pattern);
}

#endif
