/* SPDX-License-Identifier: Apache-2.0 */
/* type_reflected.h - names of types that the program created at run time with
 * reflect.SliceOf, MapOf, StructOf and the like (reflect/type.go). Their descriptors are
 * on the heap and their names in a runtime table that stripped programs do not describe,
 * so the names are composed here. Private to goruntime. */
#ifndef GOSNAP_TYPE_REFLECTED_H
#define GOSNAP_TYPE_REFLECTED_H

#include "goruntime/types/type_name.h"

/* head: the first TYPE_HEAD_BYTES of the descriptor at addr. ret->kind must be set.
 * depth: the number of types around it. Field tags are left out. */
MUST_CHECK bool type_name_reflected(struct runtime *rt, uint64_t addr,
				    const uint64_t *head, int depth, struct go_type *ret,
				    struct err *err);

#endif
