/* SPDX-License-Identifier: Apache-2.0 */
/* read_options.h - options shared by all commands that read values: where to look
 * for debug info, and rules for printers. These commands include the rows in their option
 * tables. */
#ifndef GOSNAP_READ_OPTIONS_H
#define GOSNAP_READ_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum read_option {
	READ_DEBUG_FILE,
	READ_DEBUGINFOD,
	READ_NO_CACHE,
	READ_PRINTERS,
	READ_OPTIONS
};

/* clang-format off */
/* first: the table index of the first of them. */
#define READ_ROWS(first)                                                               \
	[(first) + READ_DEBUG_FILE] = { 0, "debug-file", "FILE", "use the debug information in FILE" }, \
	[(first) + READ_DEBUGINFOD] = { 0, "debuginfod", NULL, "ask DEBUGINFOD_URLS for debug information" }, \
	[(first) + READ_NO_CACHE] = { 0, "no-cache", NULL, "neither use nor save the index of names" }, \
	[(first) + READ_PRINTERS] = { 0, "printers", "FILE", "print values by the rules in FILE" }
/* clang-format on */

enum { READ_FILES = 16 }; /* of rules, per command line */

/* Strings are borrowed. */
struct read_options {
	const char *debug_file; /* NULL: none */
	bool debuginfod;
	bool no_cache;
	const char *printers[READ_FILES];
	size_t printers_count;
};

/* Handles one of the options above. False: option is not one of them. */
bool read_option(struct read_options *options, int option, const char *argument);

struct err;
struct value_rules;

/* The rules from the given files and from $XDG_CONFIG_HOME/gosnap/printers. Owned by the
 * caller. NULL: err says what is wrong with one. */
struct value_rules *read_option_rules(const struct read_options *options,
				      struct err *err);

#endif
