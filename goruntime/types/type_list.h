/* SPDX-License-Identifier: Apache-2.0 */
/* type_list.h - types by name, of programs without debugging information: those whose descriptors
 * the linker lists or leaves one behind the other, and what these are made of. Private to
 * goruntime. */
#ifndef GOSNAP_TYPE_LIST_H
#define GOSNAP_TYPE_LIST_H

#include "goruntime/types/type.h"

struct type_list;

/* Looks at all there are, once: some microseconds each. */
struct type_list *type_list_new(struct runtime *rt);
void type_list_free(struct type_list *list);
/* The address of a descriptor; 0: there is none of that name, as type_read_full() spells it. */
uint64_t type_list_find(struct runtime *rt, const struct type_list *list,
			const char *name);

#endif
