/* SPDX-License-Identifier: Apache-2.0 */
/* Maps from Go 1.24 on: internal/runtime/maps (map.go, table.go, group.go). A directory
 * of tables of groups of eight slots, with at most 1024 slots (maxTableCapacity). A small map is a single group without table or
 * directory. */
#include <inttypes.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/map.h"
#include "goruntime/values/values.h"

enum { SLOTS = 8, NOT_FULL = 0x80, DIRECTORY_MAX = 1 << 24, TABLE_MAX = 1024 };

/* Where keys and elements are in a group, from its type. */
struct group_form {
	uint64_t ctrl, size;
	uint64_t key, key_stride, elem, elem_stride;
};

/* By the compiler's name or reflect's, which is capitalised (reflect/map.go
 * groupAndSlotOf, 1.27). */
static const struct type_field *field_of(const struct type *type, const char *name,
					 const char *reflected)
{
	const struct type_field *f = type_field_named(type, name);

	return f ? f : type_field_named(type, reflected);
}

static const struct type *elem_of(const struct type_field *f)
{
	return f && f->type ? type_elem(f->type) : NULL;
}

/* Slots of key and element, or with GOEXPERIMENT=mapsplitgroup all keys, then all
 * elements. */
static bool read_form(const struct type *group, struct group_form *ret)
{
	const struct type_field *ctrl = field_of(group, "ctrl", "Ctrl");
	const struct type_field *slots = field_of(group, "slots", "Slots");
	const struct type_field *keys = field_of(group, "keys", "Keys");
	const struct type_field *elems = field_of(group, "elems", "Elems");
	const struct type *slot = elem_of(slots), *key = elem_of(keys),
			  *elem = elem_of(elems);

	*ret = (struct group_form){ .size = type_size(group) };
	if (!ctrl)
		return false;
	ret->ctrl = ctrl->off;
	if (key && elem) {
		ret->key = keys->off;
		ret->key_stride = type_size(key);
		ret->elem = elems->off;
		ret->elem_stride = type_size(elem);
		return true;
	}
	const struct type_field *k = slot ? field_of(slot, "key", "Key") : NULL;
	const struct type_field *e = slot ? field_of(slot, "elem", "Elem") : NULL;
	if (!k || !e)
		return false;
	ret->key = slots->off + k->off;
	ret->elem = slots->off + e->off;
	ret->key_stride = ret->elem_stride = type_size(slot);
	return true;
}

bool map_is_group(const struct type *type)
{
	return field_of(type, "ctrl", "Ctrl") != NULL;
}

static bool each_slot(struct map_walk *w, const struct group_form *form, uint64_t group,
		      struct err *err)
{
	uint64_t ctrl;

	target_found_in(w->rt->target, group, form->size);
	if (!map_count(w, err) || !value_words(w->rt, group + form->ctrl, &ctrl, 1, err))
		return false;
	for (unsigned i = 0; i < SLOTS && !w->over; i++)
		if (!(ctrl >> 8 * i & NOT_FULL) &&
		    !map_entry(w, group + form->key + i * form->key_stride,
			       group + form->elem + i * form->elem_stride, err))
			return false;
	return true;
}

struct swiss {
	uint64_t data, mask; /* offsets in a table: groups, number of groups less one */
	uint64_t table_size;
	struct group_form form;
};

static bool read_described(const struct map_walk *w, struct swiss *ret)
{
	const struct layout *l = &w->rt->layout;

	/* groupsReference { data unsafe.Pointer; lengthMask uint64 } */
	ret->data = (uint64_t)l->slot[L_map_table_groups].off;
	ret->mask = ret->data + sizeof(uint64_t);
	ret->table_size = ret->mask + sizeof(uint64_t);
	return w->group && layout_has(l, L_map_table_groups) &&
	       read_form(w->group, &ret->form);
}

static bool read_types(const struct type *header, struct swiss *ret)
{
	const struct type_field *directory = type_field_named(header, "dirPtr");
	const struct type *tables =
		directory && directory->type ? type_elem(directory->type) : NULL;
	const struct type *table = tables ? type_elem(tables) : NULL;
	const struct type_field *groups =
		table ? type_field_named(table, "groups") : NULL;

	if (!groups || !groups->type)
		return false;
	const struct type_field *data = type_field_named(groups->type, "data");
	const struct type_field *mask = type_field_named(groups->type, "lengthMask");
	const struct type *group = data && data->type ? type_elem(data->type) : NULL;
	if (!group || !mask)
		return false;
	ret->data = groups->off + data->off;
	ret->mask = groups->off + mask->off;
	ret->table_size = type_size(table);
	return read_form(group, &ret->form);
}

static bool each_group(struct map_walk *w, const struct swiss *s, uint64_t table,
		       struct err *err)
{
	uint64_t data, mask;

	target_found(w->rt->target, table, s->table_size);
	if (!value_words(w->rt, table + s->data, &data, 1, err) ||
	    !value_words(w->rt, table + s->mask, &mask, 1, err))
		return false;
	for (uint64_t i = 0; i <= mask && !w->over; i++)
		if (!each_slot(w, &s->form, data + i * s->form.size, err))
			return false;
	return true;
}

/* A table is at several consecutive places of the directory; its index is the first. */
static bool each_table(struct map_walk *w, const struct swiss *s, uint64_t directory,
		       uint64_t len, struct err *err)
{
	uint64_t table, before = 0;

	if (len > DIRECTORY_MAX)
		return err_set(err, ERR_BAD_DATA, "invalid map: %" PRIu64 " tables", len);
	for (uint64_t i = 0; i < len && !w->over; i++, before = table) {
		if (!map_count(w, err) ||
		    !value_words(w->rt, directory + i * sizeof(table), &table, 1, err))
			return false;
		if (table != before && !each_group(w, s, table, err))
			return false;
	}
	return true;
}

static bool read_directory(const struct map_walk *w, uint64_t *ret, uint64_t *ret_len,
			   struct err *err)
{
	if (!w->header)
		return value_by_layout(w->rt, L_map_directory, w->addr, ret, err) &&
		       value_by_layout(w->rt, L_map_directory_len, w->addr, ret_len, err);
	return value_number(w->rt, w->header, w->addr, "dirPtr", ret, err) &&
	       value_number(w->rt, w->header, w->addr, "dirLen", ret_len, err);
}

bool map_swiss_each(struct map_walk *w, struct err *err)
{
	uint64_t directory, len;
	struct swiss s;

	if (!(w->header ? read_types(w->header, &s) : read_described(w, &s)))
		return err_set(err, ERR_UNSUPPORTED, "unknown map layout");
	if (!read_directory(w, &directory, &len, err))
		return false;
	if (len <= DIRECTORY_MAX && !map_fits(w, len ? len * TABLE_MAX : SLOTS, err))
		return false;
	if (len == 0)
		return !directory || each_slot(w, &s.form, directory, err);
	return each_table(w, &s, directory, len, err);
}
