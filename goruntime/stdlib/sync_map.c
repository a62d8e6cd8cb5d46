/* SPDX-License-Identifier: Apache-2.0 */
/* sync.Map: up to Go 1.23 two maps of pointers to entries (sync/map.go), later a tree
 * indexed by bits of the hash (internal/sync/hashtriemap.go). */
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/stdlib/stdlib_values.h"
#include "goruntime/types/globals.h"
#include "goruntime/types/type.h"
#include "goruntime/values/value.h"
#include "goruntime/values/values.h"
#include "lib/base/limit.h"

enum { DEEPEST = 16, SAME_HASH_MAX = 1024 };

struct sync_walk {
	struct runtime *rt;
	map_entry_fn *fn;
	void *arg;
	const struct type *any; /* interface {} */
	uint64_t expunged;
	bool over;
	struct err *err;
};

static bool damaged(struct sync_walk *w)
{
	return err_set(w->err, ERR_BAD_DATA, "unexpected sync.Map layout");
}

/* What an atomic.Pointer points to. Its first field gives the type. */
static bool pointer_to(struct sync_walk *w, const struct value *v, struct value *ret)
{
	const struct type_field *f = type_field(v->type, 0);
	const struct type *type = f && f->type ? type_elem(f->type) : NULL;

	type = type ? type_elem(type) : NULL;
	*ret = (struct value){ type, 0 };
	return (type && runtime_number(w->rt, v, "v", &ret->addr)) || damaged(w);
}

static bool take_classic(void *arg, const struct value *key, const struct value *elem)
{
	struct sync_walk *w = arg;
	struct value entry;
	uint64_t at;

	if (!runtime_behind(w->rt, elem, &entry) ||
	    !runtime_number(w->rt, &entry, "p.v|p", &at) || !at || at == w->expunged)
		return true; /* deleted */
	w->over = !w->fn(w->arg, key, &(struct value){ w->any, at });
	return !w->over;
}

/* Up to 1.18 an atomic.Value, later an atomic.Pointer. */
static bool find_read_only(struct sync_walk *w, const struct value *v, struct value *ret)
{
	struct value read, inside;
	struct interface_value in;

	if (!runtime_field(w->rt, v, "read", &read))
		return damaged(w);
	if (!runtime_field(w->rt, &read, "v", &inside) ||
	    type_kind(inside.type) != KIND_INTERFACE)
		return pointer_to(w, &read, ret);
	if (!runtime_interface(w->rt, &inside, &in, w->err))
		return false;
	*ret = in.inside;
	return !in.descriptor || in.inside.type || damaged(w);
}

/* If the dirty map has anything that the read-only one lacks, it has everything. */
static bool each_classic(struct sync_walk *w, const struct value *v)
{
	struct value read_only, map, expunged;
	uint64_t amended = 0;
	struct err ignored;

	if (!find_read_only(w, v, &read_only))
		return false;
	bool empty = !read_only.type || !read_only.addr;
	if (!empty && !runtime_number(w->rt, &read_only, "amended", &amended))
		return damaged(w);
	if (amended ? !runtime_field(w->rt, v, "dirty", &map)
		    : empty || !runtime_field(w->rt, &read_only, "m", &map))
		return empty || damaged(w);
	w->any = type_key(map.type);
	if (runtime_global(w->rt, "sync.expunged", &expunged, &ignored) &&
	    !value_words(w->rt, expunged.addr, &w->expunged, 1, w->err))
		return false;
	struct map_value inside;
	return runtime_map(w->rt, &map, &inside, w->err) &&
	       runtime_map_each(w->rt, map.type, &inside, take_classic, w, w->err);
}

/* Its key and value are read as interface {}, whatever its own type calls them. */
static bool each_same(struct sync_walk *w, const struct type *type, uint64_t addr)
{
	for (int i = 0; addr && !w->over; i++) {
		struct value entry = { type, addr }, key, elem, next;
		if (i == SAME_HASH_MAX || !runtime_field(w->rt, &entry, "key", &key) ||
		    !runtime_field(w->rt, &entry, "value", &elem) ||
		    !runtime_field(w->rt, &entry, "overflow", &next) ||
		    !runtime_number(w->rt, &next, "v", &next.addr))
			return damaged(w);
		key.type = elem.type = w->any;
		w->over = !w->fn(w->arg, &key, &elem);
		addr = next.addr;
	}
	return true;
}

struct tree {
	const struct type *inner, *entry;
	const struct type_field *children;
	uint64_t steps;
};

static bool each_below(struct sync_walk *w, struct tree *t, uint64_t addr, int depth)
{
	const struct type *child = type_elem(t->children->type);

	if (depth == DEEPEST)
		return damaged(w);
	for (uint64_t i = 0; i < type_count(t->children->type) && !w->over; i++) {
		uint64_t at = addr + t->children->off + i * type_size(child), is_entry;
		struct value node;
		if (!pointer_to(w, &(struct value){ child, at }, &node))
			return false;
		if (!node.addr)
			continue;
		if (++t->steps > LIMIT_SYNC_MAP)
			return err_set(w->err, ERR_LIMIT, "too large");
		if (!runtime_number(w->rt, &node, "isEntry", &is_entry))
			return damaged(w);
		if (!(is_entry ? each_same(w, t->entry, node.addr)
			       : each_below(w, t, node.addr, depth + 1)))
			return false;
	}
	return true;
}

/* Of the entry types, only the one shared by shape may be described. */
static bool find_types(struct sync_walk *w, struct tree *t)
{
	static const char own[] = "internal/sync.entry[interface {},interface {}]";
	static const char shape[] =
		"internal/sync.entry[go.shape.interface {},go.shape.interface {}]";

	t->children = type_field_named(t->inner, "children");
	if (!t->children || !t->children->type || !type_elem(t->children->type))
		return damaged(w);
	t->entry = runtime_type_named(w->rt, own, w->err);
	if (!t->entry)
		t->entry = runtime_type_named(w->rt, shape, w->err);
	w->any = runtime_type_named(w->rt, "interface {}", w->err);
	return t->entry && w->any;
}

static bool each_in_tree(struct sync_walk *w, const struct value *v)
{
	struct value root, top;

	if (!runtime_field(w->rt, v, "m.root", &root) || !pointer_to(w, &root, &top))
		return damaged(w);
	struct tree t = { .inner = top.type };
	return !top.addr || (find_types(w, &t) && each_below(w, &t, top.addr, 0));
}

bool runtime_sync_map_each(struct runtime *rt, const struct value *v, map_entry_fn *fn,
			   void *arg, struct err *err)
{
	struct sync_walk w = { .rt = rt, .fn = fn, .arg = arg, .err = err };

	return type_field_named(v->type, "dirty") ? each_classic(&w, v)
						  : each_in_tree(&w, v);
}

struct counting {
	uint64_t n, most;
};

static bool count_entry(void *arg, const struct value *key, const struct value *elem)
{
	struct counting *c = arg;

	(void)key;
	(void)elem;
	return ++c->n < c->most;
}

bool runtime_sync_map_count(struct runtime *rt, const struct value *v, uint64_t most,
			    uint64_t *ret, struct err *err)
{
	struct sync_map_count *known =
		&rt->sync_map_counts[v->addr / 16 % ARRAY_SIZE(rt->sync_map_counts)];
	struct counting c = { .most = most };

	if (known->addr == v->addr && known->most == most) {
		*ret = known->n;
		return true;
	}
	bool whole = runtime_sync_map_each(rt, v, count_entry, &c, err);
	*ret = c.n;
	if (whole)
		*known = (struct sync_map_count){ v->addr, most, c.n };
	return whole;
}
