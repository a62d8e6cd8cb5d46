/* SPDX-License-Identifier: Apache-2.0 */
/* type_reflected.h - types that the program made while it ran: reflect.SliceOf, MapOf, StructOf and
 * their like (reflect/type.go). Their descriptors are on the heap, their names in a table of the
 * runtime's that stripped programs do not tell of; so they are put together here. Private to
 * goruntime. */
#ifndef GOSNAP_TYPE_REFLECTED_H
#define GOSNAP_TYPE_REFLECTED_H

#include "goruntime/types/type_name.h"

/* head: the beginning of the descriptor at addr, TYPE_HEAD_BYTES of it; ret has the kind. depth:
 * of the types that it is inside. Without tags of fields. */
MUST_CHECK bool type_name_reflected(struct runtime *rt, uint64_t addr,
				    const uint64_t *head, int depth, struct go_type *ret,
				    struct err *err);

#endif
