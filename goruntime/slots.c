/* SPDX-License-Identifier: Apache-2.0 */
#include "slots.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime_priv.h"
#include "type.h"
#include "type_name.h"

enum { WORD = 8, SLOTS_MAX = 4096, NAME_MAX_BYTES = 32 };

/* internal/abi/iface.go ITab (1.27), runtime/runtime2.go itab before: the same since 1.15. */
enum { ITAB_INTERFACE = 0, ITAB_TYPE = 1, ITAB_HASH = 2, ITAB_WORDS = 3, TYPE_HASH = 16 };

/* Not const: who prints takes notes of them. */
static struct type pointer_type = { .kind = KIND_UNSAFE_POINTER,
				    .name = "unsafe.Pointer",
				    .size = WORD };
static struct type empty_interface = { .kind = KIND_INTERFACE,
				       .name = "interface {}",
				       .size = 2 * WORD };

struct listing {
	struct frame_variables *frame;
	variable_fn *fn;
	void *arg;
	size_t count;
	int64_t last; /* the pointer before this one */
	bool has_last;
};

static bool is_type(struct runtime *rt, uint64_t addr)
{
	struct go_type type;
	struct err ignored;

	return addr && addr % WORD == 0 && type_read(rt, addr, &type, &ignored) &&
	       type.kind > KIND_UNKNOWN && type.kind <= KIND_UNSAFE_POINTER;
}

/* An itab says what hash its type has, and so does the type. */
static const struct type *interface_of(struct runtime *rt, uint64_t addr)
{
	uint64_t itab[ITAB_WORDS], hash;
	struct err ignored;

	if (!addr || addr % WORD ||
	    !target_read(rt->target, addr, itab, sizeof(itab), &ignored) ||
	    !is_type(rt, itab[ITAB_INTERFACE]) || !is_type(rt, itab[ITAB_TYPE]) ||
	    !target_read_uint(rt->target, itab[ITAB_TYPE] + TYPE_HASH, sizeof(uint32_t),
			      &hash, &ignored) ||
	    hash != (uint32_t)itab[ITAB_HASH])
		return NULL;
	const struct type *type = runtime_type_at(rt, itab[ITAB_INTERFACE], &ignored);
	return type && type->kind == KIND_INTERFACE ? type : NULL;
}

/* The first word of an interface is no pointer to the collector, the second is. */
static const struct type *interface_before(struct runtime *rt, uint64_t addr)
{
	struct err ignored;
	uint64_t word;

	if (!target_read(rt->target, addr - WORD, &word, WORD, &ignored))
		return NULL;
	return is_type(rt, word) ? &empty_interface : interface_of(rt, word);
}

static void give(struct listing *l, const struct type *type, int64_t off)
{
	const struct code *c = l->frame->code;
	char name[NAME_MAX_BYTES];
	struct variable v = { .name = name,
			      .value = { type, l->frame->cfa + (uint64_t)off } };

	snprintf(name, sizeof(name), "slot+%#" PRIx64,
		 (uint64_t)(off + c->frame_size + WORD));
	l->fn(l->arg, l->frame->rt, &v);
}

static void give_slot(void *arg, int64_t off)
{
	struct listing *l = arg;
	bool follows = l->has_last && l->last == off - WORD;

	if (++l->count > SLOTS_MAX)
		return;
	const struct type *interface =
		follows ? NULL
			: interface_before(l->frame->rt, l->frame->cfa + (uint64_t)off);
	if (interface)
		give(l, interface, off - WORD);
	else
		give(l, &pointer_type, off);
	l->last = off;
	l->has_last = true;
}

static void give_object(struct listing *l, const struct stack_object *object)
{
	const struct type *type;
	struct err ignored;

	if (!object->type)
		return;
	type = runtime_type_at(l->frame->rt, object->type, &ignored);
	if (type)
		give(l, type, object->off);
}

void frame_each_slot(struct frame_variables *frame, variable_fn *fn, void *arg)
{
	const struct stack_map *map = &frame->code->variables->map;
	struct listing l = { .frame = frame, .fn = fn, .arg = arg };

	stack_map_each(map, give_slot, &l);
	for (size_t i = 0; i < map->object_count; i++)
		give_object(&l, &map->objects[i]);
}
