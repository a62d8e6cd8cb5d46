/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/heap/type_slots.h"

#include <inttypes.h>

#include "goruntime/types/type_priv.h"

enum {
	DEPTH_MAX = 64,
	STEPS_MAX = 4096,
};

/* The part of the type that has the offset: no struct and no array. */
static const struct type *part_at(const struct type *type, uint64_t *off)
{
	for (unsigned depth = 0; type && depth < DEPTH_MAX; depth++) {
		if (type_kind(type) == KIND_ARRAY) {
			const struct type *elem = type_elem(type);
			if (!elem || !type_size(elem))
				return NULL;
			*off %= type_size(elem);
			type = elem;
			continue;
		}
		if (type_kind(type) != KIND_STRUCT)
			return type;
		const size_t n = type_field_count(type);
		/* The last one that begins there: those before may be empty. */
		const size_t i = LOWER_BOUND(f, n, type_field(type, f)->off <= *off);
		if (!i)
			return NULL;
		*off -= type_field(type, i - 1)->off;
		type = type_field(type, i - 1)->type;
		if (!type || *off >= type_size(type))
			return NULL;
	}
	return NULL;
}

static bool give(struct object_type *ret, enum object_form form, const struct type *type)
{
	*ret = (struct object_type){ .type = type, .form = form };
	return type != NULL;
}

/* What a pointer of that type refers to. */
static bool target_of(const struct type *type, uint64_t off, struct object_type *ret)
{
	switch ((int)type_kind(type)) {
	case KIND_POINTER:
		return off == 0 && type_elem(type) && type_size(type_elem(type)) &&
		       give(ret, FORM_VALUE, type_elem(type));
	case KIND_SLICE:
		return off == 0 && type_elem(type) && type_size(type_elem(type)) &&
		       give(ret, FORM_ARRAY, type_elem(type));
	case KIND_STRING:
		return off == 0 && give(ret, FORM_BYTES, type);
	case KIND_CHAN:
		return off == 0 && give(ret, FORM_CHANNEL, type);
	case KIND_MAP:
		return off == 0 && give(ret, FORM_MAP, type);
	case KIND_FUNC:
		return off == 0 && give(ret, FORM_CLOSURE, type);
	default:
		return false;
	}
}

static const struct type *elem_of_field(const struct type *type, const char *name)
{
	const struct type_field *f = type ? type_field_named(type, name) : NULL;

	return f && f->type ? type_elem(f->type) : NULL;
}

/* The type of a map's buckets or groups. */
static const struct type *group_of(const struct type *map)
{
	const struct type *header = type_header(map),
			  *bucket = elem_of_field(header, "buckets"),
			  *tables = elem_of_field(header, "dirPtr"),
			  *table = tables ? type_elem(tables) : NULL;
	const struct type_field *groups =
		table ? type_field_named(table, "groups") : NULL;

	if (bucket)
		return bucket;
	return groups && groups->type ? elem_of_field(groups->type, "data")
				      : type_group(map);
}

static bool is_at(const struct heap *h, enum layout_slot slot, uint64_t off)
{
	return layout_has(&h->rt->layout, slot) &&
	       (uint64_t)h->rt->layout.slot[slot].off == off;
}

static bool in_map(const struct heap *h, const struct type *map, uint64_t begin,
		   uint64_t off, struct object_type *ret)
{
	const struct layout *l = &h->rt->layout;
	uint64_t tables;
	struct err ignored;

	if (layout_has(l, L_map_directory_len)) {
		if (!is_at(h, L_map_directory, off) ||
		    !layout_load(l, h->memory, begin, L_map_directory_len, &tables,
				 &ignored))
			return false;
		return give(ret, tables ? FORM_TABLES : FORM_GROUPS, map);
	}
	return (is_at(h, L_hmap_buckets, off) || is_at(h, L_hmap_oldbuckets, off)) &&
	       give(ret, FORM_GROUPS, map);
}

/* Buckets end with a pointer to a further one, which may have no type, groups with a value. */
static bool is_overflow(const struct type *type, uint64_t off)
{
	return off == type_size(type) - WORD && type_kind(type) == KIND_STRUCT &&
	       type_field_named(type, "overflow") &&
	       (type_field_named(type, "topbits") || type_field_named(type, "tophash"));
}

static bool in_values(const struct type *type, uint64_t off, struct object_type *ret)
{
	const struct type *part;

	if (!type || !type_size(type))
		return false;
	off %= type_size(type);
	if (is_overflow(type, off))
		return give(ret, FORM_VALUE, type);
	part = part_at(type, &off);
	return part && target_of(part, off, ret);
}

static bool in_groups(const struct type *map, uint64_t off, struct object_type *ret)
{
	const struct type *group = group_of(map);

	if (!group || !type_size(group))
		return false;
	return is_overflow(group, off % type_size(group)) ? give(ret, FORM_GROUPS, map)
							  : in_values(group, off, ret);
}

bool type_slots_at(const struct heap *h, const struct object_type *of, uint64_t begin,
		   uint64_t at, struct object_type *ret)
{
	const uint64_t off = at - begin;

	switch (of->form) {
	case FORM_VALUE:
		return off < type_size(of->type) && in_values(of->type, off, ret);
	case FORM_ARRAY:
		return in_values(of->type, off, ret);
	case FORM_CHANNEL:
		return is_at(h, L_hchan_buf, off) && type_elem(of->type) &&
		       give(ret, FORM_ARRAY, type_elem(of->type));
	case FORM_MAP:
		return in_map(h, of->type, begin, off, ret);
	case FORM_GROUPS:
		return in_groups(of->type, off, ret);
	case FORM_TABLES:
		return give(ret, FORM_TABLE, of->type);
	case FORM_TABLE:
		return is_at(h, L_map_table_groups, off) &&
		       give(ret, FORM_GROUPS, of->type);
	case FORM_BYTES:
	case FORM_CLOSURE:
		break;
	}
	return false;
}

/* A value that is a pointer is in the interface itself. */
bool type_slots_interface(const struct type *type, struct object_type *ret)
{
	uint64_t off = 0;
	const struct type *part = type_size(type) == WORD ? part_at(type, &off) : NULL;

	if (part && type_kind(part) == KIND_UNSAFE_POINTER)
		return false;
	if (part && target_of(part, off, ret) && type_kind(part) != KIND_STRING)
		return true;
	return type_size(type) && give(ret, FORM_VALUE, type);
}

static enum slots pointers_in(const struct type *type, unsigned depth, unsigned *steps)
{
	enum slots all = SLOTS_NONE;

	if (!type || depth > DEPTH_MAX || ++*steps > STEPS_MAX)
		return SLOTS_UNKNOWN;
	const enum type_kind kind = type_kind(type);
	if (kind == KIND_ARRAY)
		return type_count(type) ? pointers_in(type_elem(type), depth + 1, steps)
					: SLOTS_NONE;
	if (kind == KIND_STRUCT || kind == KIND_UNION) {
		for (size_t i = 0; i < type_field_count(type) && all == SLOTS_NONE; i++)
			all = pointers_in(type_field(type, i)->type, depth + 1, steps);
		return all;
	}
	if (kind == KIND_UNKNOWN || kind > KIND_UNSAFE_POINTER)
		return SLOTS_UNKNOWN;
	return kind <= KIND_COMPLEX128 ? SLOTS_NONE : SLOTS_SOME;
}

enum slots type_slots_pointers(const struct type *type)
{
	unsigned steps = 0;

	return pointers_in(type, 0, &steps);
}

/* Appends to *name, and frees what it was. */
static void append(char **name, char *part)
{
	char *longer = xasprintf("%s%s", *name, part);

	xfree(part);
	xfree(*name);
	*name = longer;
}

char *type_slots_name(const struct object_type *of, uint64_t off)
{
	const struct type *type = of->type;
	AUTO(xfree) char *name = xstrdup("");

	if ((of->form != FORM_VALUE && of->form != FORM_ARRAY) || !type_size(type))
		return NULL;
	if (of->form == FORM_ARRAY)
		append(&name, xasprintf("[%" PRIu64 "]", off / type_size(type)));
	off %= type_size(type);
	for (unsigned depth = 0; type && depth < DEPTH_MAX; depth++) {
		if (type_kind(type) == KIND_ARRAY) {
			type = type_elem(type);
			if (!type || !type_size(type))
				return NULL;
			append(&name, xasprintf("[%" PRIu64 "]", off / type_size(type)));
			off %= type_size(type);
			continue;
		}
		if (type_kind(type) != KIND_STRUCT)
			return TAKE(name);
		const size_t i = LOWER_BOUND(f, type_field_count(type),
					     type_field(type, f)->off <= off);
		if (!i)
			return NULL;
		append(&name, xasprintf(".%s", type_field(type, i - 1)->name));
		off -= type_field(type, i - 1)->off;
		type = type_field(type, i - 1)->type;
	}
	return NULL;
}
