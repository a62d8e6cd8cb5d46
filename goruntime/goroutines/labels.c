/* SPDX-License-Identifier: Apache-2.0 */
/* Profiler labels. g.labels points to a labelMap of runtime/pprof/label.go: a sorted list
 * of pairs of strings (from 1.24 on), a map[string]string before. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/runtime/bulk_read.h"
#include "goruntime/runtime/go_text_priv.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/map.h"
#include "lib/base/limit.h"

struct pair {
	struct go_string key, value;
};

_Static_assert(sizeof(struct pair) == 32, "as Go has it in memory");

struct pairs {
	struct pair *list;
	size_t count, cap;
	uint64_t omitted;
};

/* runtime/map.go, up to 1.23. */
enum {
	MAP_BITS_MAX = 10, /* 2^10 buckets have room for more than LIMIT_LABELS */
	MAP_BYTES = 64,	   /* hmap has 48 */
};

struct bucket {
	uint8_t tophash[BUCKET_SLOTS];
	struct go_string keys[BUCKET_SLOTS], values[BUCKET_SLOTS];
	uint64_t overflow;
};

struct map {
	uint64_t count, bits, flags, buckets, old_buckets;
};

static bool add_pair(struct pairs *p, struct go_string key, struct go_string value)
{
	if (p->count == LIMIT_LABELS)
		return false;
	GROW(p->list, p->count, p->cap);
	p->list[p->count++] = (struct pair){ key, value };
	return true;
}

static bool read_list(struct runtime *rt, uint64_t labels, struct pairs *ret,
		      struct err *err)
{
	uint64_t header[2];

	if (!target_read(rt->target,
			 labels + (uint64_t)rt->layout.slot[L_labels_list].off, header,
			 sizeof(header), err))
		return false;
	size_t n = header[1] < LIMIT_LABELS ? (size_t)header[1] : LIMIT_LABELS;
	while (ret->cap < n)
		GROW(ret->list, ret->cap, ret->cap);
	ret->count = n;
	ret->omitted = header[1] - n;
	return target_read(rt->target, header[0], ret->list, n * sizeof(*ret->list), err);
}

static bool read_map(struct runtime *rt, uint64_t labels, struct map *ret,
		     struct err *err)
{
	const struct layout *l = &rt->layout;
	uint8_t hmap[MAP_BYTES];
	uint64_t at;

	if (!target_read_uint(rt->target, labels, sizeof(at), &at, err))
		return false;
	if (!at) { /* a nil map */
		*ret = (struct map){ 0 };
		return true;
	}
	if (!target_read(rt->target, at, hmap, sizeof(hmap), err))
		return false;
	*ret = (struct map){
		.count = layout_get(l, L_hmap_count, hmap, sizeof(hmap)),
		.bits = layout_get(l, L_hmap_b, hmap, sizeof(hmap)),
		.flags = layout_get(l, L_hmap_flags, hmap, sizeof(hmap)),
		.buckets = layout_get(l, L_hmap_buckets, hmap, sizeof(hmap)),
		.old_buckets = layout_get(l, L_hmap_oldbuckets, hmap, sizeof(hmap)),
	};
	if (ret->bits > MAP_BITS_MAX)
		return err_set(err, ERR_LIMIT, "invalid map: 2^%" PRIu64 " buckets",
			       ret->bits);
	return true;
}

static size_t old_bucket_count(const struct map *m)
{
	size_t n = (size_t)1 << m->bits;

	return !m->old_buckets ? 0 : m->flags & BUCKETS_SAME_SIZE ? n : n / 2;
}

/* *steps: how many more buckets to visit, as a chain may be a cycle. */
static bool read_chain(struct runtime *rt, uint64_t at, bool old, size_t *steps,
		       struct pairs *ret, struct err *err)
{
	struct bucket b;

	for (bool first = true; at && *steps; at = b.overflow, first = false, --*steps) {
		if (!target_read(rt->target, at, &b, sizeof(b), err))
			return false;
		if (old && first && b.tophash[0] >= BUCKET_EVACUATED_FIRST &&
		    b.tophash[0] <= BUCKET_EVACUATED_LAST)
			return true; /* its pairs have moved to the new buckets */
		for (size_t i = 0; i < BUCKET_SLOTS; i++)
			if (b.tophash[i] >= BUCKET_LIVE_FIRST &&
			    !add_pair(ret, b.keys[i], b.values[i]))
				return true;
	}
	return true;
}

static bool read_buckets(struct runtime *rt, uint64_t labels, struct pairs *ret,
			 struct err *err)
{
	struct map m;
	size_t steps = (size_t)4 << MAP_BITS_MAX;

	if (!read_map(rt, labels, &m, err))
		return false;
	ret->count = 0;
	for (size_t i = 0; m.buckets && i < (size_t)1 << m.bits; i++)
		if (!read_chain(rt, m.buckets + i * sizeof(struct bucket), false, &steps,
				ret, err))
			return false;
	for (size_t i = 0; i < old_bucket_count(&m); i++)
		if (!read_chain(rt, m.old_buckets + i * sizeof(struct bucket), true,
				&steps, ret, err))
			return false;
	ret->omitted = m.count > ret->count ? m.count - ret->count : 0;
	return true;
}

static bool read_pairs(struct runtime *rt, uint64_t labels, struct pairs *ret,
		       struct err *err)
{
	target_budget_unit(rt->target);
	if (layout_has(&rt->layout, L_labels_list))
		return read_list(rt, labels, ret, err);
	if (layout_has(&rt->layout, L_hmap_buckets))
		return read_buckets(rt, labels, ret, err);
	return err_set(err, ERR_UNSUPPORTED, "unknown label layout in this Go version");
}

/* Gathers everything on the way to the pairs, level by level. */
static void bulk_read_lists(struct runtime *rt, const uint64_t *labels, size_t n,
			    struct bulk_read *g)
{
	struct err ignored;
	uint64_t header[2];
	uint64_t off = (uint64_t)rt->layout.slot[L_labels_list].off;

	for (size_t i = 0; i < n; i++)
		bulk_read_add(g, labels[i] + off, sizeof(header));
	bulk_read_read(g, rt->target);
	for (size_t i = 0; i < n; i++) {
		if (!target_read(rt->target, labels[i] + off, header, sizeof(header),
				 &ignored))
			continue;
		bulk_read_add(g, header[0],
			      (header[1] < LIMIT_LABELS ? header[1] : LIMIT_LABELS) *
				      sizeof(struct pair));
	}
	bulk_read_read(g, rt->target);
}

static void bulk_read_maps(struct runtime *rt, const uint64_t *labels, size_t n,
			   struct bulk_read *g)
{
	struct err ignored;
	struct map m;
	uint64_t at;

	for (size_t i = 0; i < n; i++)
		bulk_read_add(g, labels[i], sizeof(at));
	bulk_read_read(g, rt->target);
	for (size_t i = 0; i < n; i++)
		if (target_read_uint(rt->target, labels[i], sizeof(at), &at, &ignored))
			bulk_read_add(g, at, MAP_BYTES);
	bulk_read_read(g, rt->target);
	for (size_t i = 0; i < n; i++) {
		if (!read_map(rt, labels[i], &m, &ignored))
			continue;
		bulk_read_add(g, m.buckets, sizeof(struct bucket) << m.bits);
		bulk_read_add(g, m.old_buckets,
			      sizeof(struct bucket) * old_bucket_count(&m));
	}
	bulk_read_read(g, rt->target);
}

void labels_capture(struct runtime *rt, struct bulk_read *g)
{
	struct pairs p = { 0 };
	struct err ignored;
	size_t n;
	AUTO(xfree) uint64_t *labels = extra_objects(&rt->extra_lists, EXTRA_LABELS, &n);

	target_budget_unit(rt->target);
	if (layout_has(&rt->layout, L_labels_list))
		bulk_read_lists(rt, labels, n, g);
	else if (layout_has(&rt->layout, L_hmap_buckets))
		bulk_read_maps(rt, labels, n, g);
	for (size_t i = 0; i < n; i++) {
		if (!read_pairs(rt, labels[i], &p, &ignored))
			continue;
		for (size_t k = 0; k < p.count; k++) {
			bulk_read_add(g, p.list[k].key.addr, text_room(p.list[k].key));
			bulk_read_add(g, p.list[k].value.addr,
				      text_room(p.list[k].value));
		}
	}
	bulk_read_read(g, rt->target);
	xfree(p.list);
}

struct label_cache {
	uint64_t labels; /* g.labels that set was read from */
	struct label_set set;
	struct label *list;
	char *bytes;
	struct pairs pairs;
};

void label_cache_free(struct label_cache *c)
{
	if (!c)
		return;
	xfree(c->list);
	xfree(c->bytes);
	xfree(c->pairs.list);
	xfree(c);
}

static int by_key(const void *a, const void *b)
{
	const struct go_text *x = &((const struct label *)a)->key;
	const struct go_text *y = &((const struct label *)b)->key;
	size_t n = x->len < y->len ? x->len : y->len;
	int order = n ? memcmp(x->bytes, y->bytes, n) : 0;

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static void read_texts(struct runtime *rt, struct label_cache *c)
{
	const struct pairs *p = &c->pairs;
	size_t room = 1, at = 0;

	for (size_t i = 0; i < p->count; i++)
		room += text_room(p->list[i].key) + text_room(p->list[i].value);
	xfree(c->bytes);
	xfree(c->list);
	c->bytes = xmalloc(room);
	c->list = xcalloc(p->count + 1, sizeof(*c->list));
	for (size_t i = 0; i < p->count; i++) {
		const struct pair *pair = &p->list[i];
		c->list[i].key = text_read(rt, pair->key, c->bytes + at);
		at += text_room(pair->key);
		c->list[i].value = text_read(rt, pair->value, c->bytes + at);
		at += text_room(pair->value);
	}
	if (p->count)
		qsort(c->list, p->count, sizeof(*c->list), by_key);
}

const struct label_set *runtime_labels(struct runtime *rt, const struct goroutine *g)
{
	uint64_t labels = extra_object(&rt->extra_lists, EXTRA_LABELS, g->addr);
	struct label_cache *c = extra_caches(rt)->labels;
	struct err err;

	if (!labels)
		return NULL;
	if (!c)
		c = extra_caches(rt)->labels = xcalloc(1, sizeof(*c));
	if (c->labels == labels) /* neighbouring goroutines often share them */
		return &c->set;
	c->labels = labels;
	c->set = (struct label_set){ 0 };
	if (read_pairs(rt, labels, &c->pairs, &err)) {
		read_texts(rt, c);
		c->set.list = c->list;
		c->set.count = c->pairs.count;
		c->set.omitted = c->pairs.omitted;
	} else {
		c->set.unreadable = reason_add(rt, "%s", err.text);
	}
	return &c->set;
}
