/* SPDX-License-Identifier: Apache-2.0 */
/* type.h - the types of the subject's values. Borrowed from their runtime. Fields are found by
 * name, never by release. */
#ifndef GOSNAP_TYPE_H
#define GOSNAP_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/base/util.h"

struct runtime;
struct runtimes;

/* Types: what the subject's debugging information, or else its type descriptors, say of them.
 * Made when they are asked for, kept as long as their runtime. */
enum type_kind { /* the numbers of internal/abi/type.go, and behind them what only C has */
		 KIND_UNKNOWN,
		 KIND_BOOL,
		 KIND_INT,
		 KIND_INT8,
		 KIND_INT16,
		 KIND_INT32,
		 KIND_INT64,
		 KIND_UINT,
		 KIND_UINT8,
		 KIND_UINT16,
		 KIND_UINT32,
		 KIND_UINT64,
		 KIND_UINTPTR,
		 KIND_FLOAT32,
		 KIND_FLOAT64,
		 KIND_COMPLEX64,
		 KIND_COMPLEX128,
		 KIND_ARRAY,
		 KIND_CHAN,
		 KIND_FUNC,
		 KIND_INTERFACE,
		 KIND_MAP,
		 KIND_POINTER,
		 KIND_SLICE,
		 KIND_STRING,
		 KIND_STRUCT,
		 KIND_UNSAFE_POINTER,
		 KIND_UNION,
		 KIND_ENUM,
		 KIND_VOID,
		 TYPE_KINDS
};

struct type;

struct type_field {
	const char *name; /* "_" for one without */
	const struct type *type;
	uint64_t off;
	bool embedded;
};

enum type_kind type_kind(const struct type *type);
/* Go spelling; never NULL. */
const char *type_name(const struct type *type);
uint64_t type_size(const struct type *type);
/* Of an array, slice, pointer, channel or map. NULL: not known. */
const struct type *type_elem(const struct type *type);
const struct type *type_key(const struct type *type);
uint64_t type_count(const struct type *type); /* of an array */
/* Of a struct or union; of a string, slice or interface none. */
size_t type_field_count(const struct type *type);
const struct type_field *type_field(const struct type *type, size_t i);
/* NULL: it has none of that name. */
const struct type_field *type_field_named(const struct type *type, const char *name);
/* Does it have methods besides, as error and not as any? Of an interface. */
bool type_has_methods(const struct type *type);

/* "*net/http.Request", "[]int". NULL, ERR_NOT_FOUND: nothing of that name is known. */
const struct type *runtime_type_named(struct runtime *rt, const char *name,
				      struct err *err);
/* By its descriptor, as an interface points to it. */
const struct type *runtime_type_at(struct runtime *rt, uint64_t descriptor,
				   struct err *err);

/* Memory of a type. */
struct value {
	const struct type *type;
	uint64_t addr;
};

/* What who prints has found out of a type, so that it need not look again. Memory that is kept is
 * xfree()d with the type. */
enum type_leads { TYPE_LEADS_UNKNOWN, TYPE_LEADS_NOWHERE, TYPE_LEADS };
struct type_found {
	uint8_t leads; /* to secrets: enum type_leads */
	bool naming_known; /* which field says what the others are called; naming NULL: none */
	const struct type_field *naming;
	void *notes; /* NULL at first */
};
struct type_found *type_found(const struct type *type);
void *type_keep(const struct type *type, void *memory);

/* The guard of every walk over what a type consists of. Hostile types contain themselves, or hold
 * each other in so many ways that no walk ends. One for each walk, all zero at its beginning. */
struct type_walk {
	unsigned depth; /* up to LIMIT_TYPE_DEPTH */
	uint64_t steps; /* up to LIMIT_TYPE_STEPS */
	bool over;	/* not all was looked at */
	bool of_value;	/* for one value only: what is read of values is bounded anyway */
};
/* Counts the type and its fields. False: it is not to be looked into, and `over` is set. Else
 * type_leave() follows. */
bool type_enter(struct type_walk *w, const struct type *type);
void type_leave(struct type_walk *w);

/* The names that an enumeration of C has for its numbers, in the order of the declaration, until fn
 * says false. */
typedef bool enumerator_fn(void *arg, const char *name, int64_t value);
void type_each_enumerator(const struct type *type, enumerator_fn *fn, void *arg);
/* Has it any for a number below zero? */
bool type_is_signed_enum(const struct type *type);

#endif
