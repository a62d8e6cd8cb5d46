/* SPDX-License-Identifier: Apache-2.0 */
/* type_slots.h - what the pointers in a value refer to, by its type. Private to goruntime/heap. */
#ifndef GOSNAP_TYPE_SLOTS_H
#define GOSNAP_TYPE_SLOTS_H

#include "goruntime/heap/object_types.h"

/* What the pointer at address at refers to, in an object of that type at begin. False: its type does not
 * say. */
bool type_slots_at(const struct heap *h, const struct object_type *of, uint64_t begin,
		   uint64_t at, struct object_type *ret);
/* The same for the second word of an interface that has a value of that type. */
bool type_slots_interface(const struct type *type, struct object_type *ret);

enum slots type_slots_pointers(const struct type *type);

/* The part of such an object at an offset: ".items[2]". The caller frees it. NULL: its type does not say. */
char *type_slots_name(const struct object_type *of, uint64_t off);

#endif
