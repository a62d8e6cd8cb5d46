/* SPDX-License-Identifier: Apache-2.0 */
/* type_name.h - what a type descriptor of the subject says of its type: kind and name.
 * internal/abi/type.go (1.27), runtime/type.go (up to 1.20). Private to goruntime. */
#ifndef GOSNAP_TYPE_NAME_H
#define GOSNAP_TYPE_NAME_H

#include "goruntime.h"

enum type_kind {
	KIND_BOOL = 1,
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
	KIND_STRING = 24,
};

enum { TYPE_NAME_BYTES = 1024 };

struct go_type {
	enum type_kind kind; /* or another number */
	char name[TYPE_NAME_BYTES];
	size_t name_len;
	uint64_t elided; /* bytes of the name that were left out */
};

/* False: err says why. */
MUST_CHECK bool type_read(struct runtime *rt, uint64_t addr, struct go_type *ret,
			  struct err *err);

bool type_is_named(const struct go_type *type, const char *name);

#endif
