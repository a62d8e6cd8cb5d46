/* SPDX-License-Identifier: Apache-2.0 */
/* type_priv.h - types of the subject from within. What a type is made of
 * is looked up when it is first asked for: one leads to thousands of others. Private to
 * goruntime. */
#ifndef GOSNAP_TYPE_PRIV_H
#define GOSNAP_TYPE_PRIV_H

#include "goruntime/types/type.h"
#include "lib/dwarf/dwarf_names.h"
#include "lib/dwarf/dwarf_types.h"

struct types;

struct type {
	struct types *types; /* all that there are, of one debugging information */
	enum type_kind kind;
	const char *name;
	uint64_t size, count;
	uint64_t descriptor; /* its address; 0: not known */
	uint64_t ref;	     /* in the debugging information */
	uint64_t header_ref, elem_ref, key_ref, fields_ref;
	uint64_t elem_at, key_at, fields_at, fields_n;	/* type_descriptor.c: addresses */
	uint64_t group_at;				/* likewise, of a map */
	const struct type *elem, *key, *header, *group; /* found so far */
	const struct type *pointer;			/* to it, that was composed */
	struct type_field *fields;
	size_t field_count, field_cap;
	bool has_fields;		 /* fields were looked up */
	bool has_context_place;		 /* contexts.c looked for it */
	struct type_field context_place; /* type NULL: there is none */
	struct type_found found;
	bool c; /* of a language that is not Go */
};

/* d outlives it. descriptors: where the module's type descriptors begin, 0: not known. d NULL:
 * its types are those that only their descriptors tell of, and a ref is the address of one. */
struct types *types_new(struct runtime *rt, struct dwarf *d, uint64_t descriptors);
void types_free(struct types *types);
DEFINE_AUTO(struct types, types_free)

/* NULL: ERR_NOT_FOUND, ERR_BAD_DATA, ERR_LIMIT. Borrowed until types_free(). */
const struct type *types_at(struct types *types, uint64_t ref, struct err *err);
const struct type *types_named(struct types *types, const char *name, struct err *err);
/* A pointer to elem, a slice of it or an array: the program need not have such a type. As long as
 * elem; count * its size fits into 64 bits. */
const struct type *types_compose(enum type_kind kind, uint64_t count,
				 const struct type *elem);
const struct type *types_of_descriptor(struct types *types, uint64_t descriptor,
				       struct err *err);

/* Is that the size of values of the kind? */
bool type_is_sound(enum type_kind kind, uint64_t size);

/* type_descriptor.c: what a descriptor says of its type, or of its fields. */
MUST_CHECK bool type_describe(struct runtime *rt, struct type *ret, uint64_t descriptor,
			      struct err *err);
void type_describe_fields(struct runtime *rt, struct type *type);
/* Keeps a name as long as the types; it becomes theirs. */
const char *types_keep_name(struct types *types, char *name);

/* The struct behind what Go calls a map or channel (map<K,V>, hchan<T>). NULL: not known. */
const struct type *type_header(const struct type *type);
/* Of a map that only its descriptor tells of: what its buckets or groups are. NULL: of another. */
const struct type *type_group(const struct type *type);
/* Only its descriptor tells of it. */
bool type_is_described(const struct type *type);

#endif
