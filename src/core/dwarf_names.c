/* SPDX-License-Identifier: Apache-2.0 */
#include "dwarf_names.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_priv.h"
#include "dwarf_types.h"

/* Eight bytes for each name, of which a hash is kept: it stands in .debug_info already. */
struct named {
	uint32_t key, off;
};

struct named_list {
	struct named *list; /* by key, then in the order of the file */
	size_t count, cap;
};

struct dwarf_names {
	struct named_list types, descriptors, variables;
};

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619;
	return h;
}

static void add(struct named_list *list, uint32_t key, uint64_t off)
{
	if (off > UINT32_MAX)
		return;
	GROW(list->list, list->count, list->cap);
	list->list[list->count++] = (struct named){ key, (uint32_t)off };
}

static int by_key(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->off > y->off) - (x->off < y->off);
}

static bool is_type(unsigned tag)
{
	switch (tag) {
	case DW_TAG_base_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_class_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_pointer_type:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_unspecified_type:
		return true;
	}
	return false;
}

static void note(struct dwarf_names *names, const struct dwarf_entry *e)
{
	const char *name = dwarf_entry_string(e, AT_NAME);
	/* Of the form of an address, which it is not. */
	uint64_t descriptor =
		entry_has(e, AT_GO_RUNTIME_TYPE) ? e->value[AT_GO_RUNTIME_TYPE].u : 0;

	if (is_type(e->tag)) {
		if (name && !dwarf_entry_flag(e, AT_DECLARATION))
			add(&names->types, hash(name), e->off);
		if (descriptor && descriptor <= UINT32_MAX)
			add(&names->descriptors, (uint32_t)descriptor, e->off);
	} else if (e->tag == DW_TAG_variable && name && entry_has(e, AT_LOCATION)) {
		add(&names->variables, hash(name), e->off);
	}
}

static void sort(struct named_list *list)
{
	if (list->count)
		qsort(list->list, list->count, sizeof(*list->list), by_key);
}

static const struct dwarf_names *names_of(struct dwarf *d, struct dwarf_entries *es)
{
	if (d->names)
		return d->names;
	d->names = xcalloc(1, sizeof(*d->names));
	for (size_t i = 0; i < es->unit_count; i++) {
		struct dwarf_unit *unit = dwarf_unit_of(es, es->units[i].first);
		struct dwarf_walk w = { .es = es };
		if (!unit || !dwarf_entry_read(es, unit, unit->first, &w.entry))
			continue;
		for (bool more = dwarf_walk_next(&w, true); more;
		     more = dwarf_walk_next(&w, false))
			note(d->names, &w.entry);
	}
	sort(&d->names->types);
	sort(&d->names->descriptors);
	sort(&d->names->variables);
	return d->names;
}

void dwarf_names_free(struct dwarf_names *names)
{
	if (!names)
		return;
	xfree(names->types.list);
	xfree(names->descriptors.list);
	xfree(names->variables.list);
	xfree(names);
}

static size_t first_of(const struct named_list *list, uint32_t key)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->list[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of those of a hash, the first that fits. */
static bool find(struct dwarf_entries *es, const struct named_list *list,
		 const char *name, struct dwarf_entry *ret)
{
	uint32_t key = hash(name);

	for (size_t i = first_of(list, key); i < list->count && list->list[i].key == key;
	     i++) {
		const char *found;
		if (dwarf_entry_at(es, list->list[i].off, ret) &&
		    (found = dwarf_entry_string(ret, AT_NAME)) &&
		    strcmp(found, name) == 0)
			return true;
	}
	return false;
}

bool dwarf_named_type(struct dwarf *d, const char *name, uint64_t *ret_ref)
{
	struct dwarf_entries *es = dwarf_entries(d);
	struct dwarf_entry e;

	if (!es || !find(es, &names_of(d, es)->types, name, &e))
		return false;
	*ret_ref = e.off;
	return true;
}

/* A name that stands for a type has no number of its own, so there is one of each. */
bool dwarf_type_with(struct dwarf *d, uint64_t go_runtime_type, uint64_t *ret_ref)
{
	struct dwarf_entries *es = dwarf_entries(d);

	if (!es || go_runtime_type > UINT32_MAX)
		return false;
	const struct named_list *list = &names_of(d, es)->descriptors;
	size_t i = first_of(list, (uint32_t)go_runtime_type);
	if (i == list->count || list->list[i].key != go_runtime_type)
		return false;
	*ret_ref = list->list[i].off;
	return true;
}

/* Where it is, when that is one place in memory. */
static bool address_of(struct dwarf_entries *es, const struct dwarf_entry *e,
		       uint64_t *ret)
{
	const struct dwarf_place place = { .es = es, .exact = true };
	struct dwarf_variable v = { 0 };

	dwarf_locate(&place, e, &v);
	bool ok = v.piece_count == 1 && v.pieces[0].where == DWARF_PIECE_ADDRESS;
	*ret = ok ? (uint64_t)v.pieces[0].at : 0;
	xfree(v.pieces);
	return ok;
}

bool dwarf_named_variable(struct dwarf *d, const char *name, uint64_t *ret_ref,
			  uint64_t *ret_addr)
{
	struct dwarf_entries *es = dwarf_entries(d);
	struct dwarf_entry e;

	if (!es || !find(es, &names_of(d, es)->variables, name, &e))
		return false;
	dwarf_entry_integrate(es, &e);
	*ret_ref = dwarf_entry_ref(&e, AT_TYPE);
	return *ret_ref && address_of(es, &e, ret_addr);
}
