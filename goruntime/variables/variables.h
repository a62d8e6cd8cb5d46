/* SPDX-License-Identifier: Apache-2.0 */
/* variables.h - the arguments, results and local variables of a frame, and those that a closure has
 * captured. */
#ifndef GOSNAP_VARIABLES_H
#define GOSNAP_VARIABLES_H

#include "goruntime/values/values.h"

struct frame_variables;

/* An argument, result or local variable of a frame. */
struct variable {
	const char *name;
	bool argument, result;
	bool escaped;  /* it lives on the heap */
	bool shadowed; /* an inner one of its name hides it */
	bool captured; /* it belongs to the function around this closure */
	bool compiler; /* only the compiler declares it */
	bool optimized_out;
	bool stale;	   /* the collector's map says that it is no longer needed here */
	bool may_be_unset; /* its declaration is being executed */
	uint32_t line;	   /* of its declaration; 0: not known */
	struct value value;	/* type NULL: not known */
	const char *unreadable; /* why it has no value; NULL: it has */
	/* In a generic function: why its type is only what all instances share, or NULL. */
	const char *shape;
	void **notes; /* of who prints, xfree()d with the code; NULL: it is met once */
};
/* Valid during the call. */
typedef void variable_fn(void *arg, struct runtime *rt, const struct variable *v);
/* Arguments and results, or locals. */
void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg);

/* The variables that it has captured, as far as the debugging information tells of them; of a
 * method value its receiver. */
void runtime_each_capture(struct runtime *rt, const struct func_value *f, variable_fn *fn,
			  void *arg);

/* What who prints has found out of a function's arguments, for its words. Looks into its debugging information. */
struct words_notes {
	bool known;
	unsigned count; /* arguments */
	uint64_t which;
};
struct words_notes *
words_notes(const struct frame_variables *frame); /* NULL: there are none */
typedef void argument_fn(void *arg, const char *name, const struct type *type);
void words_each_argument(const struct frame_variables *frame, argument_fn *fn, void *arg);

#endif
