/* SPDX-License-Identifier: Apache-2.0 */
/* Up to Go 1.26 moduledata.typelinks lists unnamed types; named types are what these
 * point to. From 1.27 on there is no list: all descriptors are contiguous
 * (runtime/type.go moduleTypelinks, internal/abi/type.go DescriptorSize). */
#include "goruntime/types/type_list.h"

#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/type_name.h"
#include "lib/base/hash.h"
#include "lib/base/table.h"
#include "lib/base/limit.h"
#include "lib/base/search.h"

enum {
	UNCOMMON_METHODS = 4, /* offset of the 16-bit count */
	METHOD_BYTES = 16,
	HEAD_WORDS = 6,
	BODY_WORDS = 5,
	FIELD_WORDS = 3,
	RESULTS_MASK = 0x7fff, /* top bit: variadic */
};

struct named {
	uint32_t key;
	uint64_t addr;
};

struct type_list {
	struct named *list; /* sorted by key */
	size_t count, cap;
};

struct gathering {
	struct runtime *rt;
	struct table seen; /* addresses */
	uint64_t *met;	   /* in the order in which they are visited */
	size_t count, cap;
};

static void meet(struct gathering *g, uint64_t addr)
{
	if (!addr || g->count == LIMIT_TYPES || !table_add(&g->seen, addr, 0))
		return;
	GROW(g->met, g->count, g->cap);
	g->met[g->count++] = addr;
}

static void meet_listed(struct gathering *g, const struct module *m)
{
	int32_t off;
	struct err ignored;

	for (uint64_t i = 0; i < m->typelink_count && i < LIMIT_TYPES; i++) {
		if (!target_read(g->rt->target, m->typelinks + i * sizeof(off), &off,
				 sizeof(off), &ignored))
			return;
		meet(g, m->types + (uint64_t)(int64_t)off);
	}
}

/* Reads the words after the head that the kind has. */
static bool read_body(struct runtime *rt, uint64_t addr, enum type_kind kind,
		      uint64_t *ret)
{
	const uint64_t head = HEAD_WORDS * WORD, bytes = type_bytes(rt, kind);
	struct err ignored;

	memset(ret, 0, BODY_WORDS * WORD);
	if (bytes < head)
		return false;
	uint64_t len = bytes - head;
	return target_read(rt->target, addr + head, ret,
			   len < BODY_WORDS * WORD ? len : BODY_WORDS * WORD, &ignored);
}

static uint64_t function_types(const uint64_t *body)
{
	return (body[0] & UINT16_MAX) + (body[0] >> 16 & RESULTS_MASK);
}

/* 0: damaged. */
static uint64_t descriptor_size(struct runtime *rt, uint64_t addr)
{
	struct go_type type;
	struct err ignored;
	uint64_t body[BODY_WORDS];
	uint16_t methods = 0;

	if (!type_read(rt, addr, &type, &ignored) || type.kind > KIND_UNSAFE_POINTER ||
	    !read_body(rt, addr, type.kind, body))
		return 0;
	uint64_t size = type_bytes(rt, type.kind);
	if (type.flags & TYPE_UNCOMMON) {
		if (!target_read(rt->target, addr + size + UNCOMMON_METHODS, &methods,
				 sizeof(methods), &ignored))
			return 0;
		size += TYPE_UNCOMMON_BYTES + (uint64_t)methods * METHOD_BYTES;
	}
	if (type.kind == KIND_FUNC)
		size += function_types(body) * WORD;
	else if (type.kind == KIND_STRUCT && body[2] < LIMIT_FIELDS)
		size += body[2] * FIELD_WORDS * WORD;
	else if (type.kind == KIND_INTERFACE && body[2] < LIMIT_FIELDS)
		size += body[2] * WORD;
	return size;
}

static void meet_standing(struct gathering *g, const struct module *m)
{
	const uint64_t end = m->types + m->type_bytes;
	uint64_t size;

	for (uint64_t at = m->types + WORD; at < end; at += size) {
		at += -at % WORD;
		size = descriptor_size(g->rt, at);
		if (!size)
			return;
		meet(g, at);
	}
}

static void meet_words(struct gathering *g, uint64_t addr, uint64_t n, unsigned words,
		       unsigned word)
{
	uint64_t read[FIELD_WORDS];
	struct err ignored;

	for (uint64_t i = 0; i < n && i < LIMIT_FIELDS; i++) {
		if (!target_read(g->rt->target, addr + i * words * WORD, read,
				 words * WORD, &ignored))
			return;
		meet(g, read[word]);
	}
}

static void meet_parts(struct gathering *g, uint64_t addr, const struct go_type *type)
{
	uint64_t body[BODY_WORDS];

	if (!read_body(g->rt, addr, type->kind, body))
		return;
	switch ((int)type->kind) {
	case KIND_MAP:
	case KIND_ARRAY: /* and its slice type */
		meet(g, body[1]);
		__attribute__((fallthrough));
	case KIND_POINTER:
	case KIND_SLICE:
	case KIND_CHAN:
		meet(g, body[0]);
		break;
	case KIND_STRUCT:
		meet_words(g, body[1], body[2], FIELD_WORDS, 1);
		break;
	case KIND_FUNC:
		addr += type_bytes(g->rt, KIND_FUNC);
		if (type->flags & TYPE_UNCOMMON)
			addr += TYPE_UNCOMMON_BYTES;
		meet_words(g, addr, function_types(body), 1, 0);
	}
}

static int by_key(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->key != y->key)
		return (x->key > y->key) - (x->key < y->key);
	return (x->addr > y->addr) - (x->addr < y->addr);
}

struct type_list *type_list_new(struct runtime *rt)
{
	struct type_list *l = xcalloc(1, sizeof(*l));
	struct gathering g = { .rt = rt };
	struct go_type type;
	struct err ignored;

	target_budget_unit(rt->target);
	for (size_t i = 0; rt->modules && i < modules_count(rt->modules); i++) {
		const struct module *m = modules_get(rt->modules, i);
		if (m->type_bytes)
			meet_standing(&g, m);
		else
			meet_listed(&g, m);
	}
	for (size_t i = 0; i < g.count; i++) {
		if (!type_read_full(rt, g.met[i], &type, &ignored) || type.omitted)
			continue;
		GROW(l->list, l->count, l->cap);
		l->list[l->count++] =
			(struct named){ hash_name(type.name, type.name_len), g.met[i] };
		meet_parts(&g, g.met[i], &type);
	}
	if (l->count)
		qsort(l->list, l->count, sizeof(*l->list), by_key);
	table_free(&g.seen);
	xfree(g.met);
	target_budget_unit(rt->target);
	return l;
}

void type_list_free(struct type_list *list)
{
	if (list)
		xfree(list->list);
	xfree(list);
}

uint64_t type_list_find(struct runtime *rt, const struct type_list *list,
			const char *name)
{
	const uint32_t key = hash_name(name, strlen(name));
	size_t low = LOWER_BOUND(i, list->count, list->list[i].key < key);
	struct go_type type;
	struct err ignored;

	for (; low < list->count && list->list[low].key == key; low++)
		if (type_read_full(rt, list->list[low].addr, &type, &ignored) &&
		    type_is_named(&type, name))
			return list->list[low].addr;
	return 0;
}
