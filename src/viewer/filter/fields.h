/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h - what conditions are about: the table of fields.def. */
#ifndef GOSNAP_FILTER_FIELDS_H
#define GOSNAP_FILTER_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

enum field_type {
	FIELD_TEXT,
	FIELD_NUMBER,
	FIELD_DURATION,
	FIELD_SIZE,
	FIELD_ADDRESS,
	FIELD_BOOL,
	FIELD_ANY, /* a value of Go */
};

enum field_source {
	SOURCE_ROW,
	SOURCE_MEMBER,
	SOURCE_WAITS,	  /* words of waiting_for */
	SOURCE_ADDRESSES, /* addresses in it */
	SOURCE_LABEL,
	SOURCE_FINDING,
	SOURCE_FRAME,
	SOURCE_VALUE,
};

/* What is in a row of the model, or in a frame. */
enum field_row {
	ROW_NONE,
	ROW_ID,
	ROW_STATUS,
	ROW_REASON,
	ROW_STATE,
	ROW_WAITING,
	ROW_RUNNABLE,
	ROW_SYSTEM,
	ROW_LOCKED,
	ROW_PANICS,
	ROW_INCOMPLETE,
	ROW_GROUP,
	ROW_THREAD,
	ROW_PARENT,
	ROW_CREATOR,
	ROW_CREATOR_FILE,
	ROW_CREATOR_LINE,
	ROW_ENTRY,
	ROW_WAITS_KIND,
	ROW_WAITS_OPERATION,
	ROW_WAITS_ADDRESS,
	ROW_FUNCTION,
	ROW_PACKAGE,
	ROW_FILE,
	ROW_LINE,
	ROW_PC,
	ROW_HIDDEN,
	ROW_INLINED,
	ROW_OWN,
	ROW_LANGUAGE,
};

/* What a condition costs for one goroutine, the least first. */
enum cost {
	COST_ROW,    /* nothing is parsed */
	COST_FRAMES, /* once for each group */
	COST_LABEL,  /* a small part of some is parsed */
	COST_MEMBER, /* a part of the goroutine is parsed */
	COST_VALUES, /* all of it is */
};

struct field {
	const char *name;
	enum field_type type;
	enum field_source source;
	enum field_row row;
	const char *member, *inner, *about;
};

/* The i-th; NULL: there are no more. */
const struct field *field_at(size_t i);
/* NULL: there is none of that name. */
const struct field *field_find(const char *name);
enum cost field_cost(const struct field *field);
/* What is typed behind it as its value: "a duration", "5m". */
const char *field_type_name(enum field_type type);
const char *field_type_example(enum field_type type);

/* What takes something in parentheses. */
struct filter_function {
	const char *name, *about;
};
/* The i-th; NULL: there are no more. */
const struct filter_function *filter_function_at(size_t i);

#endif
