/* SPDX-License-Identifier: Apache-2.0 */
/* rules_priv.h - people's own rules for values, as rules_read.c reads them: gosnap-printers(5).
 * Applied by rules_text.c and, for the fields of a struct, by struct.c. Private to printers. */
#ifndef GOSNAP_RULES_PRIV_H
#define GOSNAP_RULES_PRIV_H

#include "printers/rules/rules.h"

enum format_kind {
	FORMAT_PLAIN, /* none was said */
	FORMAT_TIME,
	FORMAT_DURATION,
	FORMAT_IP,
	FORMAT_HEX,
	FORMAT_FLAGS,
	FORMAT_ENUM,
	FORMAT_LEN,
	FORMAT_QUOTED,
	FORMAT_KINDS
};

struct rule_word {
	uint64_t value;
	char *name;
};

struct rule_format {
	enum format_kind kind;
	uint64_t unit_ns;	 /* of times and durations */
	struct rule_word *words; /* of flags and enums, in the order of the file */
	size_t count, cap;
};

/* Words as they are, or what a path leads to. */
struct rule_piece {
	char *words; /* as they stand in the file: of a path with its braces */
	char *path;  /* "" is the value itself; NULL: these are words */
	struct rule_format format;
};

struct rule_renaming {
	char *from, *to;
};

struct rule {
	char *pattern; /* of a type's name */
	char *printer; /* its name */
	struct rule_piece *pieces;
	size_t piece_count, piece_cap;
	char **hidden; /* patterns of fields' names */
	size_t hidden_count, hidden_cap;
	struct rule_renaming *renamings;
	size_t renaming_count, renaming_cap;
};

struct value_rules {
	struct rule *list;
	size_t count, cap;
	char **files; /* that they were read from */
	size_t file_count, file_cap;
};

/* "*" stands for any bytes, "?" for one. */
bool rule_matches(const char *pattern, const char *name);
/* The first for a type; NULL: there is none. rules may be NULL. */
const struct rule *rule_for(const struct value_rules *rules, const struct type *type);
bool rule_hides(const struct rule *rule, const char *field);
/* The name that a field gets; its own when the rule, which may be NULL, gives none. */
const char *rule_name(const struct rule *rule, const char *field);

#endif
