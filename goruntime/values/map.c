/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/values/map.h"

#include <inttypes.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/values.h"
#include "lib/base/limit.h"

enum { INLINE_MAX = 128 };

bool map_is_indirect(const struct type *type)
{
	return type_size(type) > INLINE_MAX;
}

static bool follow(struct map_walk *w, const struct type *type, uint64_t *at,
		   struct err *err)
{
	return !map_is_indirect(type) || value_words(w->rt, *at, at, 1, err);
}

bool map_count(struct map_walk *w, struct err *err)
{
	return w->looked_at++ < LIMIT_MAP_GROUPS ||
	       err_set(err, ERR_LIMIT, "gave up after reading %d map groups",
		       LIMIT_MAP_GROUPS);
}

bool map_fits(const struct map_walk *w, uint64_t slots, struct err *err)
{
	return w->len <= slots ||
	       err_set(err, ERR_BAD_DATA, "invalid map: %" PRIu64 " entries", w->len);
}

bool map_entry(struct map_walk *w, uint64_t key_at, uint64_t elem_at, struct err *err)
{
	if (!follow(w, w->key, &key_at, err) || !follow(w, w->elem, &elem_at, err))
		return false;
	w->over = !w->fn(w->arg, &(struct value){ w->key, key_at },
			 &(struct value){ w->elem, elem_at });
	return true;
}

/* "used" is in swiss maps, "count" in classic ones. */
static const char *length_field(const struct type *header)
{
	return type_field_named(header, "used") ? "used" : "count";
}

/* Without a header there is only a descriptor. The bucket type that reflect makes has no
 * complete descriptor itself. */
static bool is_swiss(const struct runtime *rt, const struct type *header,
		     const struct type *group)
{
	if (header)
		return type_field_named(header, "used") != NULL;
	return group ? map_is_group(group) : layout_has(&rt->layout, L_map_used);
}

bool runtime_map_at(struct runtime *rt, const struct type *type, uint64_t addr,
		    struct map_value *ret, struct err *err)
{
	const struct type *header = type_header(type);
	enum layout_slot count =
		is_swiss(rt, NULL, type_group(type)) ? L_map_used : L_hmap_count;

	*ret = (struct map_value){ addr, 0 };
	if (!addr)
		return true;
	if (!header)
		return value_by_layout(rt, count, addr, &ret->len, err);
	target_found(rt->target, addr, type_size(header));
	if (!value_number(rt, header, addr, length_field(header), &ret->len, err))
		return false;
	return (int64_t)ret->len >= 0 ||
	       err_set(err, ERR_BAD_DATA, "invalid map: %" PRId64 " entries",
		       (int64_t)ret->len);
}

bool runtime_map(struct runtime *rt, const struct value *v, struct map_value *ret,
		 struct err *err)
{
	uint64_t addr;

	*ret = (struct map_value){ 0 };
	return value_words(rt, v->addr, &addr, 1, err) &&
	       runtime_map_at(rt, v->type, addr, ret, err);
}

static bool nothing(void *arg, const struct value *key, const struct value *elem)
{
	(void)arg, (void)key, (void)elem;
	return true;
}

static bool each_entry(struct map_walk *w, struct err *err)
{
	return is_swiss(w->rt, w->header, w->group) ? map_swiss_each(w, err)
						    : map_classic_each(w, err);
}

bool runtime_map_each(struct runtime *rt, const struct type *type,
		      const struct map_value *map, map_entry_fn *fn, void *arg,
		      struct err *err)
{
	struct map_walk w = { .rt = rt,
			      .header = type_header(type),
			      .group = type_group(type),
			      .addr = map->addr,
			      .len = map->len,
			      .key = type_key(type),
			      .elem = type_elem(type),
			      .fn = fn,
			      .arg = arg };

	if (!map->addr || (map->len == 0 && !target_is_recorded(rt->target)))
		return true;
	if (!w.key || !w.elem)
		return err_set(err, ERR_UNSUPPORTED, "unknown key and element types");
	/* Other readers look for entries where there are none, too. */
	if (map->len == 0)
		w.fn = nothing;
	return each_entry(&w, err) || map->len == 0;
}
