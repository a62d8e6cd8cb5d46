/* SPDX-License-Identifier: Apache-2.0 */
/* object_types.h - the types of objects: as the runtime has them in headers and spans (1.22 on), else
 * carried along pointers from global variables, variables on stacks, interfaces, finalizers and from objects
 * whose types are known. Private to goruntime/heap. */
#ifndef GOSNAP_OBJECT_TYPES_H
#define GOSNAP_OBJECT_TYPES_H

#include "goruntime/heap/heap_priv.h"
#include "goruntime/types/type.h"

/* What an object is to its type. */
enum object_form {
	FORM_VALUE,
	FORM_ARRAY,   /* of values: what a slice has */
	FORM_BYTES,   /* of a string */
	FORM_CLOSURE, /* of a function type; its code is in its first word */
	FORM_CHANNEL, /* of a channel type */
	FORM_MAP,     /* of a map type: its head */
	FORM_GROUPS,  /* likewise: its buckets or groups */
	FORM_TABLES,  /* likewise: the list of its tables */
	FORM_TABLE
};

/* Has a value pointers? */
enum slots { SLOTS_UNKNOWN, SLOTS_NONE, SLOTS_SOME };

struct object_type {
	const struct type *type; /* borrowed until runtimes_close(); NULL: of a closure */
	uint64_t code;		 /* of a closure: where its function begins */
	enum object_form form;
	enum slots pointers; /* of the type */
	uint64_t size;
};

void object_types_close(struct heap *h);
/* Are they found out while it is marked? */
bool object_types_are_sought(const struct heap *h);
/* These say what the object with that address is: a pointer with that runtime type, or a function value. */
void object_types_pointer(struct heap *h, uint64_t word, uint64_t type);
void object_types_closure(struct heap *h, uint64_t word);
/* An object is scanned that begins with a type, or whose span has one. */
void object_types_header(struct heap *h, const struct span *s, uint64_t object,
			 uint64_t type);
/* The number of the type of an object, 0: it is not known. Not that of a part of it. */
uint16_t object_type_of(const struct heap *h, const struct span *s, uint32_t i);
/* The part of the object at addr that is at that address: ".items[2]". The caller frees it. NULL: its type
 * does not say. */
char *object_part_name(const struct heap *h, uint64_t addr, uint64_t at);
/* Where the global variable begins that has this address; the address itself: that is not known. */
uint64_t global_begin(const struct heap *h, uint64_t addr);
/* Keeps the variables, but not the types of objects. */
void object_types_forget(struct heap *h);
/* By its number. */
const struct object_type *object_type(const struct heap *h, uint16_t number);

#endif
