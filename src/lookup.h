/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.h - the options of every command that reads values: where debugging information is
 * looked for, and rules for printers. Their rows are side by side in the tables of those commands. */
#ifndef GOSNAP_LOOKUP_H
#define GOSNAP_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

enum lookup_option {
	LOOKUP_DEBUG_FILE,
	LOOKUP_DEBUGINFOD,
	LOOKUP_NO_CACHE,
	LOOKUP_PRINTERS,
	LOOKUP_OPTIONS
};

/* clang-format off */
/* first: the index of the first one in the table. */
#define LOOKUP_ROWS(first)                                                               \
	[(first) + LOOKUP_DEBUG_FILE] = { 0, "debug-file", "FILE", "debugging information that was kept apart" }, \
	[(first) + LOOKUP_DEBUGINFOD] = { 0, "debuginfod", NULL, "ask DEBUGINFOD_URLS for it, once the process runs on" }, \
	[(first) + LOOKUP_NO_CACHE] = { 0, "no-cache", NULL, "keep no index of names for the next time" }, \
	[(first) + LOOKUP_PRINTERS] = { 0, "printers", "FILE", "rules for how values are printed" }
/* clang-format on */

enum { LOOKUP_FILES = 16 }; /* of rules, on one command line */

/* Strings are borrowed. */
struct lookup {
	const char *debug_file; /* NULL: none */
	bool debuginfod;
	bool no_cache;
	const char *printers[LOOKUP_FILES];
	size_t printers_count;
};

/* One of the options above, on the command line. False: it is none of them. */
bool lookup_option(struct lookup *lookup, int option, const char *argument);

struct err;
struct value_rules;

/* Those of the files that were named, and of $XDG_CONFIG_HOME/gosnap/printers. Owned. NULL: err
 * says what is wrong with one. */
struct value_rules *lookup_rules(const struct lookup *lookup, struct err *err);

#endif
