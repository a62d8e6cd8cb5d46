/* SPDX-License-Identifier: Apache-2.0 */
/* type_list.h - types by name, for programs without debugging information: types whose
 * descriptors the linker lists or puts next to each other, and the types those are made
 * of. Private to goruntime. */
#ifndef GOSNAP_TYPE_LIST_H
#define GOSNAP_TYPE_LIST_H

#include "goruntime/types/type.h"

struct type_list;

/* Reads all descriptors, once: a few microseconds each. */
struct type_list *type_list_new(struct runtime *rt);
void type_list_free(struct type_list *list);
/* The address of a descriptor by its name in the spelling of type_read_full(); 0:
 * none. */
uint64_t type_list_find(struct runtime *rt, const struct type_list *list,
			const char *name);

#endif
