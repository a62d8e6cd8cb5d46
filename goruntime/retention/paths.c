/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/retention/paths.h"

#include <inttypes.h>

#include "goruntime/retention/breadth_first.h"
#include "goruntime/heap/object_types.h"
#include "goruntime/symtab/code.h"
#include "lib/base/table.h"

enum {
	BY_ROOT = UINT32_C(1) << 31, /* a parent is a root: its index */
	PARENTS = BY_ROOT - 2,
	STEPS_MAX = 1 << 20,
};

struct searching {
	const uint32_t
		*parent; /* of each object: 1 + its number, or BY_ROOT; 0: not reached */
	struct heap_root *roots;
	size_t root_count, root_cap;
};

static uint32_t parent_of(void *arg, const struct reached *to)
{
	struct searching *s = arg;
	struct heap_root *last = s->root_count ? &s->roots[s->root_count - 1] : NULL;

	if (to->from != NO_SCAN)
		return (uint32_t)to->from + 1;
	if (!last || last->kind != to->root.kind || last->id != to->root.id) {
		GROW(s->roots, s->root_count, s->root_cap);
		s->roots[s->root_count++] = to->root;
	}
	return BY_ROOT | (uint32_t)(s->root_count - 1);
}

static uint64_t address_of(const struct heap *h, uint64_t object)
{
	const size_t i = LOWER_BOUND(s, h->span_count, h->spans[s].first <= object) - 1;

	return h->spans[i].start + (object - h->spans[i].first) * h->spans[i].elem_size;
}

/* In which part of the object at addr is the first pointer to the one at to? NULL: that is not known. */
static char *part_with(struct heap *h, uint64_t addr, uint64_t to)
{
	enum { CHUNK_WORDS = 512 };
	struct heap_object from, target, found;
	uint64_t words[CHUNK_WORDS];
	struct err ignored;

	if (!heap_object(h, addr, &from) || !heap_object(h, to, &target))
		return NULL;
	for (uint64_t at = addr, left = from.size / WORD; left > 0;) {
		const uint64_t n = left < CHUNK_WORDS ? left : CHUNK_WORDS;
		if (!heap_may_read(h, n * WORD) ||
		    !target_read(h->memory, at, words, n * WORD, &ignored))
			return NULL;
		for (uint64_t i = 0; i < n; i++)
			if (heap_object(h, words[i], &found) && found.addr == target.addr)
				return object_part_name(h, addr, at + i * WORD);
		at += n * WORD;
		left -= n;
	}
	return NULL;
}

static char *type_at(const struct heap *h, uint64_t addr)
{
	const struct span *s = span_at(h, addr);
	const uint16_t number = object_type_of(h, s, object_in(s, addr));

	return number ? heap_type_name(h, number) : NULL;
}

static void walk(struct heap *h, const struct searching *r, uint64_t addr,
		 struct heap_path *ret)
{
	const struct span *s = span_at(h, addr);
	const uint32_t i = s ? object_in(s, addr) : NO_OBJECT;
	uint64_t object = i == NO_OBJECT ? 0 : s->first + i, before = 0;
	uint32_t parent = i == NO_OBJECT ? 0 : r->parent[object];

	for (size_t n = 0; parent && n < STEPS_MAX; n++) {
		const uint64_t at = address_of(h, object);
		if (ret->count < HEAP_PATH_STEPS)
			ret->steps[ret->count++] = (struct heap_step){
				.addr = at,
				.type = type_at(h, at),
				.part = before ? part_with(h, at, before) : NULL,
			};
		else
			ret->omitted++;
		before = at;
		if (parent & BY_ROOT) {
			ret->root = r->roots[parent & ~BY_ROOT];
			ret->known = true;
			return;
		}
		object = parent - 1;
		parent = r->parent[object];
	}
}

bool heap_paths_find(struct heap *h, const uint64_t *addrs, size_t n,
		     struct heap_path **ret, struct err *err)
{
	struct searching s = { .root_count = 0 };

	if (h->object_count > PARENTS)
		return err_set(err, ERR_LIMIT, "the heap has too many objects");
	const struct reached_fns fns = { .first = parent_of, .arg = &s };
	AUTO(xfree) uint32_t *parents = breadth_first(h, &fns, err);
	s.parent = parents;
	*ret = parents ? xcalloc(n + 1, sizeof(**ret)) : NULL;
	for (size_t i = 0; parents && i < n; i++)
		walk(h, &s, addrs[i], &(*ret)[i]);
	xfree(s.roots);
	return parents != NULL;
}

void heap_paths_free(struct heap_path *paths, size_t n)
{
	for (size_t i = 0; paths && i < n; i++) {
		for (size_t k = 0; k < paths[i].count; k++) {
			xfree(paths[i].steps[k].type);
			xfree(paths[i].steps[k].part);
		}
		xfree(paths[i].root.name);
	}
	xfree(paths);
}

enum { WAYS_MAX = 1 << 20 };

struct ways {
	struct heap *heap;
	struct heap_way *list;
	uint64_t *keys; /* what each is to its parent */
	size_t count, cap, key_cap;
	struct table numbers; /* 1 + index, by parent and key */
};

/* Goroutines that began in the same function are one root. */
static char *root_key(const struct ways *w, const struct heap_root *root, uint64_t *ret)
{
	const struct heap *h = w->heap;

	*ret = root->id;
	if (root->kind == HEAP_ROOT_OTHER)
		return xstrdup("finalizers, cleanups and what runs");
	if (root->kind == HEAP_ROOT_GLOBAL) {
		char *name = heap_global_name(h, root->id);
		return name ? name : xasprintf("variable at 0x%" PRIx64, root->id);
	}
	*ret = h->rt->goroutines[root->id].start_pc;
	const struct code *code = code_with_calls(h->rt->code, *ret, true);
	return xasprintf("goroutine %s", code && code->call_count
						 ? code->calls[code->call_count - 1].name
						 : "?");
}

/* Takes the name. */
static size_t way_to(struct ways *w, size_t parent, uint64_t key, char *name)
{
	uint64_t number = table_get(&w->numbers, parent, key);

	if (number || w->count == WAYS_MAX) {
		xfree(name);
		return number ? number : parent;
	}
	GROW(w->keys, w->count, w->key_cap);
	GROW(w->list, w->count, w->cap);
	w->keys[w->count] = key;
	w->list[w->count] = (struct heap_way){ .parent = parent, .name = name };
	number = ++w->count;
	table_set(&w->numbers, parent, key, number);
	return number;
}

static size_t root_way(struct ways *w, const struct heap_root *root)
{
	uint64_t key;
	char *name = root_key(w, root, &key);

	return way_to(w, 0, table_hash(key, root->kind), name);
}

/* The type, or the size of what has none. */
static uint64_t object_key(const struct ways *w, const struct reached *to)
{
	const uint16_t number = object_type_of(w->heap, to->span, to->i);

	return number ? number : to->span->elem_size << 16;
}

/* Beyond so many types, what is there is where they lead to. */
static size_t object_way(struct ways *w, size_t parent, uint64_t key)
{
	enum { TYPES_MAX = 100 };
	size_t depth = 0;

	for (size_t at = parent; at && w->list[at - 1].parent;
	     at = w->list[at - 1].parent) {
		if (w->keys[at - 1] == key)
			return at;
		if (++depth == TYPES_MAX)
			return parent;
	}
	const uint64_t number = table_get(&w->numbers, parent, key);
	if (number)
		return number;
	return way_to(w, parent, key,
		      key >> 16 ? xasprintf("(%" PRIu64 " bytes)", key >> 16)
				: heap_type_name(w->heap, (uint16_t)key));
}

static uint32_t way_of(void *arg, const struct reached *to)
{
	struct ways *w = arg;
	const size_t parent = to->from == NO_SCAN ? root_way(w, &to->root) : to->value,
		     way = object_way(w, parent, object_key(w, to));

	if (way) {
		w->list[way - 1].live.objects++;
		w->list[way - 1].live.bytes += to->span->elem_size;
	}
	return (uint32_t)way;
}

bool heap_ways_find(struct heap *h, struct heap_way **ret, size_t *ret_n, struct err *err)
{
	struct ways w = { .heap = h };
	const struct reached_fns fns = { .first = way_of, .arg = &w };
	AUTO(xfree) uint32_t *values = breadth_first(h, &fns, err);

	*ret = w.list;
	*ret_n = w.count;
	xfree(w.keys);
	table_free(&w.numbers);
	return values != NULL;
}

void heap_ways_free(struct heap_way *ways, size_t n)
{
	for (size_t i = 0; i < n; i++)
		xfree(ways[i].name);
	xfree(ways);
}
