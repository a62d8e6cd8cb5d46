/* SPDX-License-Identifier: Apache-2.0 */
/* type.h - the types of the subject's values: from debug information, else from type
 * descriptors. Created on request and borrowed until runtimes_close(). Fields are
 * found by name, never by release. Knows how values lie in memory, but reads none. */
#ifndef GOSNAP_TYPE_H
#define GOSNAP_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/base/util.h"

struct runtime;
struct runtimes;

enum type_kind { /* the numbers of internal/abi/type.go, then kinds that only C has */
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
	const char *name; /* "_" if it has none */
	const struct type *type;
	uint64_t off;
	bool embedded;
};

enum type_kind type_kind(const struct type *type);
/* In Go spelling; never NULL. */
const char *type_name(const struct type *type);
uint64_t type_size(const struct type *type);
/* Of an array, slice, pointer, channel or map. NULL: not known. */
const struct type *type_elem(const struct type *type);
const struct type *type_key(const struct type *type);
uint64_t type_count(const struct type *type); /* elements of an array */
/* Of a struct or union; a string, slice or interface has none. */
size_t type_field_count(const struct type *type);
const struct type_field *type_field(const struct type *type, size_t i);
/* NULL: no field of that name. */
const struct type_field *type_field_named(const struct type *type, const char *name);
/* Does this interface have methods, as error does and any does not? */
bool type_has_methods(const struct type *type);

/* name: "*net/http.Request", "[]int". NULL, ERR_NOT_FOUND: no such type is known. */
const struct type *runtime_type_named(struct runtime *rt, const char *name,
				      struct err *err);
/* By the address of its descriptor, which an interface has. */
const struct type *runtime_type_at(struct runtime *rt, uint64_t descriptor,
				   struct err *err);

/* A typed piece of memory. */
struct value {
	const struct type *type;
	uint64_t addr;
};

/* What the printers found out about a type, so they need not look again. Memory given to
 * type_keep() is freed with the type, using xfree(). */
enum type_leads { TYPE_LEADS_UNKNOWN, TYPE_LEADS_NOWHERE, TYPE_LEADS };
struct type_found {
	uint8_t leads;	   /* can it lead to secrets: enum type_leads */
	bool naming_known; /* naming is the field that names the others; NULL: none */
	const struct type_field *naming;
	void *notes; /* NULL at first */
};
struct type_found *type_found(const struct type *type);
void *type_keep(const struct type *type, void *memory);

/* Guards every walk over the parts of a type. Hostile types contain themselves, or each
 * other in so many ways that a walk would never end. Use one for each walk, zeroed. */
struct type_walk {
	unsigned depth; /* up to LIMIT_TYPE_DEPTH */
	uint64_t steps; /* up to LIMIT_TYPE_STEPS */
	bool over;	/* not all was looked at */
	bool of_value;	/* for one value only: what is read of values is bounded anyway */
};
/* Counts the type and its fields. False: do not look into it; `over` is set. Otherwise
 * call type_leave() afterwards. */
bool type_enter(struct type_walk *w, const struct type *type);
void type_leave(struct type_walk *w);

/* Calls fn for each enumerator of a C enum, in declaration order, until it returns
 * false. */
typedef bool enumerator_fn(void *arg, const char *name, int64_t value);
void type_each_enumerator(const struct type *type, enumerator_fn *fn, void *arg);
/* Does it have an enumerator below zero? */
bool type_is_signed_enum(const struct type *type);

#endif
