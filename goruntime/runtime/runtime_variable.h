/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_variable.h - where the runtime's own variables are: by symbol, else by the
 * code of functions that use them. Private to goruntime. Knows names and places; what a
 * variable must look like, its user says. */
#ifndef GOSNAP_RUNTIME_VARIABLE_H
#define GOSNAP_RUNTIME_VARIABLE_H

#include "goruntime/layout/layout.h"

struct runtime;

enum { VARIABLE_FUNCTIONS = 6, VARIABLE_FIELDS = 8 };

struct runtime_variable {
	const char *symbol;
	/* Functions whose code refers to it, tried in turn. */
	const char *functions[VARIABLE_FUNCTIONS];
	/* Of a struct: fields that the code may refer to instead of its beginning. */
	enum layout_slot fields[VARIABLE_FIELDS];
	size_t field_count;
	/* Does memory at addr look like it? */
	bool (*agrees)(struct runtime *rt, uint64_t addr);
	/* The same of the place that the symbol has, where less is enough; NULL: as elsewhere. */
	bool (*agrees_by_symbol)(struct runtime *rt, uint64_t addr);
};

/* Its address; 0: not found. Reads code and the process: look it up once. */
uint64_t runtime_variable_find(struct runtime *rt, const struct runtime_variable *v);

#endif
