/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - what holds for all values of a type, or of a field, found out when the first is printed:
 * there is one redaction and one set of people's rules in a process. Private to printers. */
#ifndef GOSNAP_NOTES_H
#define GOSNAP_NOTES_H

#include "printers/rules/rules_priv.h"
#include "printers/values/value_printers.h"

/* Members of an object, written before. */
struct members {
	const char *text; /* NULL: none */
	size_t len;
};

struct field_notes {
	const char *
		withheld; /* the rule that withholds what has its name; NULL: none does */
	bool hidden;	  /* by people's rules */
	bool is_public;	  /* of a private key */
	struct members head; /* its name, its type */
};

struct type_notes {
	const struct known *known; /* NULL: it is none of the known types */
	const struct rule *rule;   /* NULL: people have none for it */
	const char *withheld;	   /* the rule that withholds what has its type */
	bool is_public;		   /* in a private key */
	bool is_context;
	struct members head; /* its type and kind */
	/* Of a struct, by notes_of_fields(): */
	struct field_notes *fields; /* NULL: nobody asked */
};

struct type_notes *notes_of(struct printing *p, const struct type *type);
struct type_notes *notes_of_fields(struct printing *p, const struct type *type);
/* As withhold_named(). */
static inline const char *withhold_of_type(struct printing *p,
					   const struct type_notes *notes)
{
	const char *before = p->withheld;

	if (!before)
		p->withheld = notes->withheld;
	return before;
}

/* Of a variable, of which nothing but its place and value is another one in other frames. */
struct variable_notes {
	struct variable of;   /* what it was told to be */
	const char *withheld; /* the rule that withholds what has its name */
	struct members head;  /* its name, its type, and what is told of it */
};
/* NULL: nothing is kept of it. Borrowed until it is asked for the next time. */
const struct variable_notes *notes_of_variable(struct printing *p,
					       const struct variable *v);
/* value.c: those members. */
void print_variable_head(struct sink *out, const struct variable *v);

static inline void print_members(struct sink *out, struct members members)
{
	sink_add_members(out, members.text, members.len);
}

#endif
