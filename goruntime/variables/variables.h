/* SPDX-License-Identifier: Apache-2.0 */
/* variables.h - the arguments, results and local variables of a frame, and the
 * variables that a closure has captured. Says where a value lies and of which type,
 * or why that is not known; does not decode it. Knows debug information, stack maps
 * and the calling convention. A variable is valid until the caller's function
 * returns. */
#ifndef GOSNAP_VARIABLES_H
#define GOSNAP_VARIABLES_H

#include "goruntime/values/values.h"

struct frame_variables;

struct variable {
	const char
		*name; /* NULL: no variable; unreadable: why further ones are missing */
	bool argument, result;
	bool escaped;  /* on the heap */
	bool shadowed; /* a variable of the same name in an inner block hides it */
	bool captured; /* it belongs to the function around this closure */
	bool compiler; /* declared by the compiler */
	bool part;     /* of a larger variable, whose type is not known */
	bool optimized_out;
	bool dead;		/* the stack map says it is no longer live here */
	bool may_be_unset;	/* its declaration is on the current line */
	uint32_t line;		/* of its declaration; 0: not known */
	struct value value;	/* type NULL: not known */
	const char *unreadable; /* why it has no value; NULL: it has one */
	/* In a generic function: why only the shape of its type is known; or NULL. */
	const char *type_unresolved;
	void **notes; /* for the printers, xfree()d with the code; NULL: met only once */
};
/* v is valid until fn returns. */
typedef void variable_fn(void *arg, struct runtime *rt, const struct variable *v);
/* Calls fn for each argument and result, or for each local. */
void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg);

/* Calls fn for each captured variable that debugging information describes; for a method
 * value, for its receiver. */
void runtime_each_capture(struct runtime *rt, const struct func_value *f, variable_fn *fn,
			  void *arg);

/* What the printers found out about a function's arguments, for its argument words. Reads
 * debugging information. Lives as long as the code. */
struct words_notes {
	bool known;
	unsigned count; /* number of arguments */
	uint64_t which;
};
struct words_notes *words_notes(const struct frame_variables *frame); /* NULL: none */
typedef void argument_fn(void *arg, const char *name, const struct type *type);
void words_each_argument(const struct frame_variables *frame, argument_fn *fn, void *arg);

#endif
