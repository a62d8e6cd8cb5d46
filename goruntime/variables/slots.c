/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/slots.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/symtab/arguments.h"
#include "goruntime/types/type_name.h"
#include "goruntime/types/type_priv.h"
#include "goruntime/values/value_plausible.h"
#include "lib/base/search.h"

enum { SLOTS_MAX = 4096, NAME_MAX_BYTES = 32 };

/* internal/abi/iface.go ITab (1.27), before that runtime/runtime2.go itab: unchanged
 * since 1.15. */
enum { ITAB_INTERFACE = 0, ITAB_TYPE = 1, ITAB_HASH = 2, ITAB_WORDS = 3 };

/* Not const: the printers attach notes. */
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
	bool full;    /* SLOTS_MAX have been reported */
	int64_t last; /* the previous pointer */
	bool has_last;
	const struct type *receiver; /* NULL: not known */
	uint64_t receiver_off;
	bool receiver_given;
	bool unsure; /* in a stack object: nothing says it is live */
};

/* An itab has its type's hash, and so has the type. */
static const struct type *interface_of(struct runtime *rt, uint64_t addr)
{
	uint64_t itab[ITAB_WORDS], hash;
	struct err ignored;

	if (!addr || addr % WORD ||
	    !target_search(rt->target, addr, itab, sizeof(itab), &ignored) ||
	    !type_is_at(rt, itab[ITAB_INTERFACE]) || !type_is_at(rt, itab[ITAB_TYPE]) ||
	    !target_read_uint(rt->target, itab[ITAB_TYPE] + TYPE_HASH, sizeof(uint32_t),
			      &hash, &ignored) ||
	    hash != (uint32_t)itab[ITAB_HASH])
		return NULL;
	target_found(rt->target, addr, sizeof(itab));
	const struct type *type = runtime_type_at(rt, itab[ITAB_INTERFACE], &ignored);
	return type && type->kind == KIND_INTERFACE ? type : NULL;
}

/* To the collector the first word of an interface is not a pointer; the second is. */
static const struct type *interface_before(struct runtime *rt, uint64_t addr)
{
	struct err ignored;
	uint64_t word;

	if (!target_search(rt->target, addr - WORD, &word, WORD, &ignored))
		return NULL;
	return type_is_at(rt, word) ? &empty_interface : interface_of(rt, word);
}

static const struct type *receiver_of(const struct frame_variables *frame)
{
	struct code_variables *v = frame->code->variables;
	struct err ignored;

	if (v->receiver_tried)
		return v->receiver;
	v->receiver_tried = true;
	/* A receiver of non-pointer type can be more than a word, and a closure can be
	 * named like its method. */
	AUTO(xfree)
	char *name = type_of_receiver(frame->code->calls[frame->call].name);
	if (name && name[0] == '*')
		v->receiver = runtime_type_named(frame->rt, name, &ignored);
	return v->receiver;
}

static bool is_part(const struct stack_map *map, const struct type *type, int64_t off)
{
	const size_t low = LOWER_BOUND(i, map->object_count, map->objects[i].off <= off);

	return low && stack_object_has(&map->objects[low - 1], off) &&
	       map->objects[low - 1].size > type_size(type);
}

static void give_variable(struct listing *l, const struct type *type, int64_t off,
			  bool dead)
{
	const struct code *c = l->frame->code;
	char name[NAME_MAX_BYTES];
	struct variable v = { .name = name,
			      .dead = dead,
			      .part = is_part(&c->variables->map, type, off),
			      .may_be_unset = l->unsure,
			      .value = { type, l->frame->cfa + (uint64_t)off } };

	snprintf(name, sizeof(name), "sp+%#" PRIx64,
		 (uint64_t)(off + c->frame_size + WORD));
	l->fn(l->arg, l->frame->rt, &v);
}

static void give(struct listing *l, const struct type *type, int64_t off)
{
	give_variable(l, type, off, false);
}

static bool is_receiver(const struct listing *l, int64_t off)
{
	return l->receiver && off >= 0 && (uint64_t)off == l->receiver_off;
}

/* A type word may be next to a pointer without belonging to it, such as one next to a
 * pointer to another type. */
static bool inside_makes_sense(struct runtime *rt, const struct type *interface,
			       uint64_t addr)
{
	enum { POINTERS = 1 };
	const struct value v = { interface, addr };
	struct interface_value found;
	struct err ignored;

	return runtime_interface(rt, &v, &found, &ignored) &&
	       !type_is_at(rt, found.inside.addr) &&
	       (!found.inside.type || value_is_plausible(rt, &found.inside, POINTERS));
}

/* The internal types of maps: in them a key is apart from the value that it names, which
 * may be a secret (cmd/compile/internal/types/fmt.go, 1.27, gc/fmt.go, 1.15;
 * reflect/type.go bucketOf). */
static bool is_part_of_map(const struct type *type)
{
	static const char *const beginnings[] = { "map.", "noalg.map.", "bucket(" };

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (strncmp(type->name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/* From Go 1.22 on an object of more than 512 bytes with pointers is preceded by its type.
 * With that word it begins at a multiple of 64 bytes (runtime/mbitmap.go heapBitsInSpan,
 * sizeclasses.go). */
static const struct type *type_before(struct runtime *rt, uint64_t slot)
{
	enum { LEAST = 512, MOST = 32768, ALIGNMENT = 64, POINTERS = 1 };
	uint64_t to, type, head[2]; /* size, and how many bytes of it can have pointers */
	struct err ignored;

	if (!layout_has(&rt->layout, L_span_large_type) ||
	    !target_search(rt->target, slot, &to, WORD, &ignored) || to < WORD ||
	    (to - WORD) % ALIGNMENT ||
	    !target_search(rt->target, to - WORD, &type, WORD, &ignored) ||
	    !type_is_at(rt, type) ||
	    !target_search(rt->target, type, head, sizeof(head), &ignored) ||
	    head[0] <= LEAST || head[0] > MOST || !head[1])
		return NULL;
	const struct value v = { runtime_type_at(rt, type, &ignored), to };
	return v.type && !is_part_of_map(v.type) && value_is_plausible(rt, &v, POINTERS)
		       ? v.type
		       : NULL;
}

static void give_pointer(struct listing *l, int64_t off)
{
	const struct type *to = type_before(l->frame->rt, l->frame->cfa + (uint64_t)off);

	give(l, to ? types_compose(KIND_POINTER, 0, to) : &pointer_type, off);
}

static bool give_slot(void *arg, int64_t off)
{
	struct listing *l = arg;
	bool follows = l->has_last && l->last == off - WORD;

	l->full |= l->count++ == SLOTS_MAX;
	if (l->full)
		return false;
	if (is_receiver(l, off)) {
		l->receiver_given = true;
		give(l, l->receiver, off);
		return true;
	}
	const uint64_t addr = l->frame->cfa + (uint64_t)off;
	const struct type *interface =
		follows ? NULL : interface_before(l->frame->rt, addr);
	if (interface && inside_makes_sense(l->frame->rt, interface, addr - WORD))
		give(l, interface, off - WORD);
	else
		give_pointer(l, off);
	l->last = off;
	l->has_last = true;
	return true;
}

/* What is known of the stack objects of a frame, in the same order. */
struct traced {
	bool mapped, pointed;
};

struct tracing {
	struct frame_variables *frame;
	struct traced *traced;
};

/* The objects are sorted by offset. */
static struct traced *traced_at(const struct tracing *t, int64_t off)
{
	const struct stack_map *map = &t->frame->code->variables->map;
	size_t low = LOWER_BOUND(i, map->object_count, map->objects[i].off <= off);

	return low && stack_object_has(&map->objects[low - 1], off) ? &t->traced[low - 1]
								    : NULL;
}

static bool trace_slot(void *arg, int64_t off)
{
	const struct tracing *t = arg;
	struct traced *at = traced_at(t, off);
	uint64_t to;
	struct err ignored;

	if (at)
		at->mapped = true;
	if (target_read(t->frame->rt->target, t->frame->cfa + (uint64_t)off, &to, WORD,
			&ignored) &&
	    (at = traced_at(t, (int64_t)(to - t->frame->cfa))))
		at->pointed = true;
	return true;
}

/* As the collector does it: an object that the frame itself uses is in its stack map; any
 * other is live while something live points to it (runtime/mgcmark.go scanstack,
 * 1.27). */
static bool give_object(struct listing *l, const struct stack_object *object,
			struct traced traced, struct err *err)
{
	struct err ignored;
	const struct type *type =
		object->type ? runtime_type_at(l->frame->rt, object->type, &ignored)
			     : NULL;

	l->unsure = !traced.mapped && !traced.pointed;
	l->has_last = false;
	if (type && is_part_of_map(type))
		return true;
	if (type)
		give(l, type, object->off);
	else if (traced.pointed && !traced.mapped)
		return stack_object_each(l->frame->rt->target, object, give_slot, l, err);
	return true;
}

static bool give_objects(struct listing *l, struct err *err)
{
	const struct stack_map *map = &l->frame->code->variables->map;
	AUTO(xfree)
	struct traced *traced = xcalloc(map->object_count + 1, sizeof(*traced));
	struct tracing t = { l->frame, traced };

	if (!map->object_count)
		return true;
	if (!stack_map_each(l->frame->rt->target, map, trace_slot, &t, err))
		return false;
	for (size_t i = 0; i < map->object_count; i++)
		if (!give_object(l, &map->objects[i], traced[i], err))
			return false;
	return true;
}

/* Reports why the rest is not known: a variable without a name. */
static void give_end(const struct listing *l, const char *why)
{
	const struct variable v = { .unreadable = why };

	l->fn(l->arg, l->frame->rt, &v);
}

void frame_each_slot(struct frame_variables *frame, variable_fn *fn, void *arg)
{
	const struct stack_map *map = &frame->code->variables->map;
	struct listing l = { .frame = frame, .fn = fn, .arg = arg };
	struct err err;

	if (arguments_first_word(frame->code->arguments, &l.receiver_off))
		l.receiver = receiver_of(frame);
	bool all = stack_map_each(frame->rt->target, map, give_slot, &l, &err);
	if (l.receiver && !l.receiver_given)
		give_variable(&l, l.receiver, (int64_t)l.receiver_off, true);
	if (!all || !give_objects(&l, &err))
		give_end(&l, err.text);
	else if (l.full)
		give_end(&l, "too many stack slots");
}
