/* SPDX-License-Identifier: Apache-2.0 */
/* type_name.h - what a type descriptor of the subject says of its type: kind and name.
 * internal/abi/type.go (1.27), runtime/type.go (up to 1.20). Private to goruntime. */
#ifndef GOSNAP_TYPE_NAME_H
#define GOSNAP_TYPE_NAME_H

#include "goruntime/types/type.h"

enum {
	TYPE_NAME_BYTES = 1024,
	TYPE_HEAD_BYTES = 48, /* what all descriptors begin with, in every release */
};

struct go_type {
	enum type_kind kind; /* or another number */
	char name[TYPE_NAME_BYTES];
	size_t name_len;
	uint64_t elided; /* bytes of the name that were left out */
	uint8_t flags;
	uint64_t names; /* what its offsets of names are from; 0: the program made it */
};

/* False: err says why. */
MUST_CHECK bool type_read(struct runtime *rt, uint64_t addr, struct go_type *ret,
			  struct err *err);

/* ... of which another type is made that is inside so many. */
MUST_CHECK bool type_read_inside(struct runtime *rt, uint64_t addr, int depth,
				 struct go_type *ret, struct err *err);

/* The same, named as debugging information does: by the path of its package, "net/http.Request" for
 * "http.Request", also where it is made of such a type. */
MUST_CHECK bool type_read_full(struct runtime *rt, uint64_t addr, struct go_type *ret,
			       struct err *err);

/* Of a method, by the name of its symbol: "net/http.(*conn).serve" has "*net/http.conn",
 * "time.Time.String" has "time.Time". Owned. NULL: it is none, or instances of a generic type
 * share it. */
char *type_of_receiver(const char *method);

/* Bytes of a descriptor of that kind before what only some have. 0: not known. */
uint64_t type_bytes(const struct runtime *rt, enum type_kind kind);

/* A name in the form of descriptors, as that of a field. embedded: its flag says so, from Go
 * 1.19 on. */
MUST_CHECK bool type_read_name(struct runtime *rt, uint64_t addr, struct go_type *ret,
			       bool *ret_embedded, struct err *err);

bool type_is_named(const struct go_type *type, const char *name);

#endif
