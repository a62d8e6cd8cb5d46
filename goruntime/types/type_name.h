/* SPDX-License-Identifier: Apache-2.0 */
/* type_name.h - what a type descriptor of the subject says about its type: kind and name.
 * Formats: internal/abi/type.go (1.27), runtime/type.go (up to 1.20). Private to
 * goruntime. */
#ifndef GOSNAP_TYPE_NAME_H
#define GOSNAP_TYPE_NAME_H

#include "goruntime/types/type.h"

enum {
	TYPE_NAME_BYTES = 1024,
	TYPE_HEAD_BYTES = 48, /* common to all descriptors in every release */
	TYPE_HASH = 16,	      /* offset of 32 bits, in every release */
	TYPE_KIND_MASK = 31,  /* of the byte kind */
	TYPE_UNCOMMON = 1,    /* in tflag: methods and package path follow */
	TYPE_UNCOMMON_BYTES = 16,
	TYPE_EXTRA_STAR = 2, /* in tflag: the name is that of the pointer to this type */
	/* The value itself is in an interface's second word. Up to Go 1.25 a bit of kind
	 * says so, later one of tflag; each is 0 in the other's releases
	 * (KindDirectIface, TFlagDirectIface). */
	TYPE_DIRECT = 32,
};

struct go_type {
	enum type_kind kind; /* or another number */
	char name[TYPE_NAME_BYTES];
	size_t name_len;
	uint64_t omitted; /* bytes of the name left out */
	uint8_t flags;
	uint64_t names; /* base of its name offsets; 0: created at run time */
};

/* False: err says why. */
MUST_CHECK bool type_read(struct runtime *rt, uint64_t addr, struct go_type *ret,
			  struct err *err);

/* The same for a type nested in depth others. */
MUST_CHECK bool type_read_inside(struct runtime *rt, uint64_t addr, int depth,
				 struct go_type *ret, struct err *err);

/* Is there a type? Memory that is none counts as searched, not as read. */
bool type_is_at(struct runtime *rt, uint64_t addr);

/* The same, named as in debugging information: with the package path, "net/http.Request"
 * for "http.Request", in composite types too. */
MUST_CHECK bool type_read_full(struct runtime *rt, uint64_t addr, struct go_type *ret,
			       struct err *err);

/* The receiver type of a method by the method's symbol name: "*net/http.conn" for
 * "net/http.(*conn).serve", "time.Time" for "time.Time.String". The caller frees it.
 * NULL: not a method, or shared by instances of a generic type. */
char *type_of_receiver(const char *method);

/* Size of a descriptor of that kind, without optional parts. 0: not known. */
uint64_t type_bytes(const struct runtime *rt, enum type_kind kind);

/* Reads a name as descriptors have it, such as a field's. *ret_embedded: from its flag,
 * from Go 1.19 on. */
MUST_CHECK bool type_read_name(struct runtime *rt, uint64_t addr, struct go_type *ret,
			       bool *ret_embedded, struct err *err);

bool type_is_named(const struct go_type *type, const char *name);

#endif
