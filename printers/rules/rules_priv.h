/* SPDX-License-Identifier: Apache-2.0 */
/* rules_priv.h - the user's rules for values as rules_read.c reads them:
 * gosnap-printers(5). rules_text.c and, for the fields of a struct, struct.c apply them.
 * Private to printers. */
#ifndef GOSNAP_RULES_PRIV_H
#define GOSNAP_RULES_PRIV_H

#include "printers/rules/rules.h"

enum format_kind {
	FORMAT_PLAIN, /* none given */
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
	struct rule_word *words; /* of flags and enums, in file order */
	size_t count, cap;
};

/* Literal text, or the path of a value. */
struct rule_piece {
	char *words; /* as in the file; for a path, with its braces */
	char *path;  /* "": the value itself; NULL: literal text */
	struct rule_format format;
};

struct rule_renaming {
	char *from, *to;
};

struct rule {
	char *pattern; /* of type names */
	char *printer; /* its name */
	struct rule_piece *pieces;
	size_t piece_count, piece_cap;
	char **hidden; /* patterns of field names */
	size_t hidden_count, hidden_cap;
	struct rule_renaming *renamings;
	size_t renaming_count, renaming_cap;
};

struct value_rules {
	struct rule *list;
	size_t count, cap;
	char **files; /* that the rules were read from */
	size_t file_count, file_cap;
};

/* The first rule for a type; NULL: none. rules may be NULL. */
const struct rule *rule_for(const struct value_rules *rules, const struct type *type);
bool rule_hides(const struct rule *rule, const char *field);
/* A field's new name; its own if the rule, which may be NULL, does not rename it. */
const char *rule_name(const struct rule *rule, const char *field);

#endif
