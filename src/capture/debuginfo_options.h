/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfo_options.h - options shared by all commands that read values: where to look
 * for debug info, and rules for printers. These commands include the rows in their option
 * tables. */
#ifndef GOSNAP_DEBUGINFO_OPTIONS_H
#define GOSNAP_DEBUGINFO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum debuginfo_option {
	DEBUGINFO_DEBUG_FILE,
	DEBUGINFO_DEBUGINFOD,
	DEBUGINFO_NO_CACHE,
	DEBUGINFO_PRINTERS,
	DEBUGINFO_OPTIONS
};

/* clang-format off */
/* first: the table index of the first of them. */
#define DEBUGINFO_ROWS(first)                                                               \
	[(first) + DEBUGINFO_DEBUG_FILE] = { 0, "debug-file", "FILE", "read debugging information from FILE" }, \
	[(first) + DEBUGINFO_DEBUGINFOD] = { 0, "debuginfod", NULL, "fetch it from DEBUGINFOD_URLS after resuming" }, \
	[(first) + DEBUGINFO_NO_CACHE] = { 0, "no-cache", NULL, "do not cache the index of names" }, \
	[(first) + DEBUGINFO_PRINTERS] = { 0, "printers", "FILE", "read rules for printing values from FILE" }
/* clang-format on */

enum { DEBUGINFO_FILES = 16 }; /* of rules, per command line */

/* Strings are borrowed. */
struct debuginfo_options {
	const char *debug_file; /* NULL: none */
	bool debuginfod;
	bool no_cache;
	const char *printers[DEBUGINFO_FILES];
	size_t printers_count;
};

/* Handles one of the options above. False: option is not one of them. */
bool debuginfo_option(struct debuginfo_options *options, int option,
		      const char *argument);

struct err;
struct value_rules;

/* The rules from the given files and from $XDG_CONFIG_HOME/gosnap/printers. Owned by the
 * caller. NULL: err says what is wrong with one. */
struct value_rules *debuginfo_rules(const struct debuginfo_options *options,
				    struct err *err);

#endif
