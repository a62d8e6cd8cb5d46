/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - what holds for all values of a type or field, found out when the first is
 * printed: a process has one redaction and one set of user rules. Private to printers. */
#ifndef GOSNAP_NOTES_H
#define GOSNAP_NOTES_H

#include "printers/rules/rules_priv.h"
#include "printers/values/value_printers.h"

/* Members of an object, already encoded. */
struct members {
	const char *text; /* NULL: none */
	size_t len;
};

struct buffer_type;

struct field_notes {
	const char *redacted; /* the rule that redacts by its name; NULL: none */
	bool hidden;	      /* by the user's rules */
	bool is_public;	      /* a public part of a private key */
	bool open;	      /* not secret, though the struct is */
	bool is_buffer;	      /* the bytes of a buffer; buffer.h */
	bool is_of_web_key;   /* a secret number of a private key in JSON */
	struct members head;  /* name and type */
};

struct type_notes {
	bool is_enum;			  /* its numbers are constants of the program */
	const struct known *known;	  /* NULL: not a known type */
	const struct rule *rule;	  /* NULL: the user has none for it */
	const char *redacted;		  /* the rule that redacts by type */
	bool is_public;			  /* public, in a private key */
	const struct buffer_type *buffer; /* NULL: not a buffer */
	bool is_context;
	bool is_goroutine;   /* the runtime's own record of one */
	struct members head; /* type and kind */
	/* For a struct, set by notes_of_fields(): */
	struct field_notes *fields; /* NULL: not requested yet */
};

struct type_notes *notes_of(struct printing *p, const struct type *type);
struct type_notes *notes_of_fields(struct printing *p, const struct type *type);
/* Like redact_named(). */
static inline const char *redact_of_type(struct printing *p,
					 const struct type_notes *notes)
{
	const char *before = p->redacted;

	if (!before)
		p->redacted = notes->redacted;
	return before;
}

/* For a variable: only its place and value differ between frames. */
struct variable_notes {
	struct variable of;   /* the variable as first described */
	const char *redacted; /* the rule that redacts by its name */
	struct members head;  /* its name, type and flags */
};
/* NULL: nothing is kept for it. Borrowed until the next call for the same variable. */
const struct variable_notes *notes_of_variable(struct printing *p,
					       const struct variable *v);
/* Member kind, unless the type is called so. */
void print_kind(struct sink *out, const struct type *type);
/* value.c: prints those members. */
void print_variable_head(struct sink *out, const struct variable *v);

static inline void print_members(struct sink *out, struct members members)
{
	sink_add_members(out, members.text, members.len);
}

#endif
