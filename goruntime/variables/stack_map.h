/* SPDX-License-Identifier: Apache-2.0 */
/* stack_map.h - which words of a frame hold live pointers, from the stack maps that the
 * garbage collector uses at calls: runtime/stack.go getStackMap (1.27), unchanged since
 * 1.15. Offsets are from the CFA. Private to goruntime. */
#ifndef GOSNAP_STACK_MAP_H
#define GOSNAP_STACK_MAP_H

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/symtab/code.h"

/* A variable whose address is taken: the collector finds it by tracing, no stack map has
 * it. */
struct stack_object {
	int64_t off;
	uint64_t size;
	uint64_t type; /* address of its descriptor; 0: only Go 1.15 and 1.16 have it */
	/* One bit for each word from off on: does it hold a pointer? */
	struct bytes pointers;
	uint64_t pointer_words;
};

enum { STACK_OBJECTS = 1024 };

struct stack_map {
	bool known; /* false: the collector does not stop at this pc */
	int64_t locals, arguments;
	uint32_t local_count, argument_count; /* in words */
	struct bytes local_bits, argument_bits;
	struct stack_object *objects;
	size_t object_count;
};

void stack_map_read(struct runtime *rt, const struct code *c, struct stack_map *ret);
void stack_map_deinit(struct stack_map *map);

/* Is that word in the map, without a live pointer? Says nothing about stack objects. */
bool stack_map_is_dead(const struct stack_map *map, int64_t off);
/* Is that word in the map, with a live pointer? */
bool stack_map_is_needed(const struct stack_map *map, int64_t off);
/* Is that offset in the object? */
bool stack_object_has(const struct stack_object *object, int64_t off);
/* Calls fn for each word with a live pointer, or for each pointer word of an object,
 * until fn returns false. Words visited count against the work budget. False: err says
 * the budget is used up. */
typedef bool stack_slot_fn(void *arg, int64_t off);
MUST_CHECK bool stack_map_each(struct target *t, const struct stack_map *map,
			       stack_slot_fn *fn, void *arg, struct err *err);
MUST_CHECK bool stack_object_each(struct target *t, const struct stack_object *object,
				  stack_slot_fn *fn, void *arg, struct err *err);

#endif
