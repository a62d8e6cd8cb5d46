/* SPDX-License-Identifier: Apache-2.0 */
/* stack_map.h - which words of a frame hold pointers that are still needed, as the garbage
 * collector is told at a call: runtime/stack.go getStackMap (1.27), the same since 1.15. Offsets
 * are from the CFA. Private to goruntime. */
#ifndef GOSNAP_STACK_MAP_H
#define GOSNAP_STACK_MAP_H

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/symtab/code.h"

/* Variables whose addresses are taken: they are found by tracing, no map has them. */
struct stack_object {
	int64_t off;
	uint64_t size;
	uint64_t type; /* of its descriptor; 0: only Go 1.15 and 1.16 say */
	/* Where it has pointers, in words, from then on: a bit each. */
	struct bytes pointers;
	uint64_t pointer_words;
};

enum { STACK_OBJECTS = 1024 };

struct stack_map {
	bool known; /* false: this pc is not where the collector looks */
	int64_t locals, arguments;
	uint32_t local_count, argument_count; /* words */
	struct bytes local_bits, argument_bits;
	struct stack_object *objects;
	size_t object_count;
};

void stack_map_read(struct runtime *rt, const struct code *c, struct stack_map *ret);
void stack_map_deinit(struct stack_map *map);

/* Does the map have that word, and without a pointer that is needed? Of what only object
 * tracing finds it says nothing. */
bool stack_map_is_dead(const struct stack_map *map, int64_t off);
/* ... and with one that is. */
bool stack_map_is_needed(const struct stack_map *map, int64_t off);
/* Is that place in the object? */
bool stack_object_has(const struct stack_object *object, int64_t off);
/* Calls fn for each word with a pointer that is needed, or of an object with any pointer, until it
 * says false. The words that are looked at count against the work budget. False: err says that it is
 * used up. */
typedef bool stack_slot_fn(void *arg, int64_t off);
MUST_CHECK bool stack_map_each(struct target *t, const struct stack_map *map,
			       stack_slot_fn *fn, void *arg, struct err *err);
MUST_CHECK bool stack_object_each(struct target *t, const struct stack_object *object,
				  stack_slot_fn *fn, void *arg, struct err *err);

#endif
