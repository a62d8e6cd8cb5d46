/* SPDX-License-Identifier: Apache-2.0 */
/* expression.h - a filter as a tree of conditions, shared by the files of this room: what parse.c makes
 * of text and short_forms.c of options, and evaluate.c asks. */
#ifndef GOSNAP_FILTER_EXPRESSION_H
#define GOSNAP_FILTER_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/util.h"
#include "src/viewer/filter/fields.h"

struct ere;

/* Bounds on what hostile or careless text can cost. */
enum {
	EXPRESSION_BYTES = 16384,
	EXPRESSION_DEPTH = 64,
	EXPRESSION_PARTS = 1024,
	EXPRESSION_LITERALS = 4096,
	EXPRESSION_PATTERNS = 32, /* each may take a second to compile */
	EXPRESSION_STEPS = 32,	  /* of one path */
	EXPRESSION_FRAMES = 64,	  /* conditions on frames */
};

enum expression_kind {
	EXPRESSION_CONSTANT,
	EXPRESSION_AND, /* of its parts, the cheapest first */
	EXPRESSION_OR,
	EXPRESSION_NOT,
	EXPRESSION_COMPARE,
	EXPRESSION_HAS, /* there is a value */
	EXPRESSION_ANY, /* frames: its part holds for one */
	EXPRESSION_ALL,
	EXPRESSION_COUNT, /* the number of those is compared */
};

enum comparison {
	COMPARE_EQUAL,
	COMPARE_UNEQUAL,
	COMPARE_LESS,
	COMPARE_LESS_OR_EQUAL,
	COMPARE_GREATER,
	COMPARE_GREATER_OR_EQUAL,
	COMPARE_MATCHES,
	COMPARE_UNMATCHED,
	COMPARE_CONTAINS, /* whatever the case */
	COMPARE_IN,	  /* one of the literals is equal */
};

enum literal_kind {
	LITERAL_TEXT,
	LITERAL_NUMBER, /* or a range of them */
	LITERAL_BOOL,
	LITERAL_NIL, /* of Go */
};

struct literal {
	enum literal_kind kind;
	bool truth;
	bool address; /* it was written as 0x... */
	bool met;     /* of ids: a goroutine has one of them */
	long double low, high;
	char *words;
};

struct step {
	enum step_kind { STEP_NAME, STEP_INDEX, STEP_KEY } kind;
	char *name;	   /* of a field; the key of a map, if that is text */
	long double index; /* or a number */
};

/* A field, and of it what is asked for. */
struct path {
	const struct field *field;
	bool length;	    /* len() of the value */
	char *key;	    /* of a label */
	struct step *steps; /* of a variable; the first is its name */
	size_t count, cap;
};

/* What is known of a text of the model. */
enum known { KNOWN_NOT, KNOWN_NO, KNOWN_YES };

struct expression {
	enum expression_kind kind;
	enum cost cost;
	size_t at, end;		  /* in the text */
	bool truth;		  /* of a constant */
	struct expression *first; /* parts */
	struct expression *next;  /* the part behind this one */
	struct path path;
	enum comparison how;
	struct literal *literals;
	size_t count, cap;
	struct ere *ere;
	unsigned bit; /* of a condition on frames that needs no values: its number */
	/* By the number of a text; NULL: nothing is known. */
	uint8_t *known;
};

struct expression *expression_new(enum expression_kind kind);
void expression_free(struct expression *x); /* with its parts, not what is next */
DEFINE_AUTO(struct expression, expression_free)

/* Takes ownership of part, and keeps the parts of && and || sorted by cost. */
void expression_add(struct expression *to, struct expression *part);
struct expression *expression_of_field(enum expression_kind kind,
				       const struct field *field);
struct literal *expression_literal(struct expression *x, enum literal_kind kind);
struct step *path_add(struct path *path, enum step_kind kind);
/* Forgets what is known of the texts of a model. */
void expression_forget(struct expression *x);
/* It is true for these ids, and for nothing else: "id == 4", "id in (4, 7-9)". */
bool expression_names_ids(const struct expression *x);

#endif
