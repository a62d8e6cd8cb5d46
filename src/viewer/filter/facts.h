/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - what is known of one goroutine. What is absent, unreadable or redacted is no fact. */
#ifndef GOSNAP_FILTER_FACTS_H
#define GOSNAP_FILTER_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/viewer/filter/expression.h"

struct reader_node;
struct findings;
struct subject;

enum fact_kind {
	FACT_PRESENT, /* there is a value; truth: it is Go's nil */
	FACT_TEXT,
	FACT_NUMBER, /* in the unit of the field */
	FACT_ADDRESS,
	FACT_BOOL,
};

struct fact {
	enum fact_kind kind;
	bool truth;
	const char *text;  /* borrowed until the goroutine is done with */
	uint32_t interned; /* number of the text in the model; 0: it has none */
	long double number;
};

enum { FACTS_MAX = 24 }; /* of one value */

/* All facts of one value; true: enough. */
typedef bool facts_fn(void *arg, const struct fact *facts, size_t count);
/* Calls fn for each value of that field. True: fn said so. */
bool facts_each(struct subject *s, const struct path *path, facts_fn *fn, void *arg);
/* Likewise for variables: values.c. */
bool values_each(struct subject *s, const struct path *path, facts_fn *fn, void *arg);

/* Of a member of the document. False: it has another type, or is not there. */
bool fact_of_node(const struct reader_node *node, enum field_type type, struct fact *ret);
/* The package of a function, "net/http"; its length; 0: it has none. */
size_t package_length(const char *function);
/* The function is in the program's own module. */
bool is_own(const char *module, const char *function);

#endif
