/* SPDX-License-Identifier: Apache-2.0 */
/* type_priv.h - the internals of types. What a type is made of is looked up when first
 * needed: one type leads to thousands of others. Private to goruntime. */
#ifndef GOSNAP_TYPE_PRIV_H
#define GOSNAP_TYPE_PRIV_H

#include "goruntime/types/type.h"
#include "lib/dwarf/dwarf_names.h"
#include "lib/dwarf/dwarf_types.h"

struct types;

struct type {
	struct types *types; /* all types of one set of debugging information */
	enum type_kind kind;
	const char *name;
	uint64_t size, count;
	uint64_t descriptor; /* its address; 0: not known */
	uint64_t ref;	     /* in the debugging information */
	uint64_t header_ref, elem_ref, key_ref, fields_ref;
	uint64_t elem_at, key_at, fields_at, fields_n;	/* type_descriptor.c: addresses */
	uint64_t group_at;				/* likewise, of a map */
	const struct type *elem, *key, *header, *group; /* found so far */
	const struct type *pointer;			/* to this type, composed */
	struct type_field *fields;
	size_t field_count, field_cap;
	bool has_fields;		 /* fields have been looked up */
	bool has_context_place;		 /* contexts.c has looked for it */
	struct type_field context_place; /* type NULL: none */
	struct type_found found;
	bool c; /* of a language other than Go */
};

/* d must outlive it. descriptors: where the module's type descriptors begin; 0: not
 * known. d NULL: types known by their descriptors only; a ref is then the address of a
 * descriptor. */
struct types *types_new(struct runtime *rt, struct dwarf *d, uint64_t descriptors);
void types_free(struct types *types);
DEFINE_AUTO(struct types, types_free)

/* NULL: ERR_NOT_FOUND, ERR_BAD_DATA, ERR_LIMIT. Borrowed until types_free(). */
const struct type *types_at(struct types *types, uint64_t ref, struct err *err);
const struct type *types_named(struct types *types, const char *name, struct err *err);
/* A pointer to elem, a slice or an array of it; the program need not have such a type.
 * Lives as long as elem. count * type_size(elem) must fit into 64 bits. */
const struct type *types_compose(enum type_kind kind, uint64_t count,
				 const struct type *elem);
const struct type *types_of_descriptor(struct types *types, uint64_t descriptor,
				       struct err *err);

/* Do values of that kind have that size? */
bool type_is_sound(enum type_kind kind, uint64_t size);

/* type_descriptor.c: what a descriptor says about its type, and about its fields. */
MUST_CHECK bool type_describe(struct runtime *rt, struct type *ret, uint64_t descriptor,
			      struct err *err);
void type_describe_fields(struct runtime *rt, struct type *type);
/* Takes ownership of name and keeps it as long as types. */
const char *types_keep_name(struct types *types, char *name);

/* The struct that a map or channel points to (map<K,V>, hchan<T>). NULL: not known. */
const struct type *type_header(const struct type *type);
/* The bucket or group type of a map known by its descriptor only. NULL: for any other
 * type. */
const struct type *type_group(const struct type *type);
/* Is it known by its descriptor only? */
bool type_is_described(const struct type *type);

#endif
