/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/dwarf_names.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/search.h"
#include "lib/dwarf/dwarf_priv.h"
#include "lib/dwarf/dwarf_types.h"

struct growing {
	struct dwarf_named *list;
	size_t count, cap;
};

struct dwarf_names {
	struct dwarf_named_list lists[NAMES_KINDS];
	struct growing made[NAMES_KINDS]; /* in this run */
	struct dwarf_names_file *file;	  /* or in an earlier one */
	bool damaged;			  /* damaged or too large: not to be cached */
};

static void add(struct growing *list, uint32_t key, uint64_t off)
{
	if (off > UINT32_MAX)
		return;
	GROW(list->list, list->count, list->cap);
	list->list[list->count++] = (struct dwarf_named){ key, (uint32_t)off };
}

static int by_key(const void *a, const void *b)
{
	const struct dwarf_named *x = a, *y = b;

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

/* inside: within a function, so a variable is not a package's. */
static void note(struct dwarf_names *names, struct dwarf_entries *es,
		 const struct dwarf_entry *e, bool inside)
{
	const bool type = is_type(e->tag);
	const bool named =
		type ? !dwarf_entry_flag(e, AT_DECLARATION)
		     : e->tag == DW_TAG_variable && !inside && entry_has(e, AT_LOCATION);
	const char *name = named ? dwarf_entry_string(es, e, AT_NAME) : NULL;
	/* Encoded as an address, but not one. */
	uint64_t descriptor =
		entry_has(e, AT_GO_RUNTIME_TYPE) ? e->value[AT_GO_RUNTIME_TYPE].u : 0;

	if (name)
		add(&names->made[type ? NAMES_TYPES : NAMES_VARIABLES],
		    hash_name(name, strlen(name)), e->off);
	if (type && descriptor && descriptor <= UINT32_MAX)
		add(&names->made[NAMES_DESCRIPTORS], (uint32_t)descriptor, e->off);
}

static void note_unit(struct dwarf_names *names, struct dwarf_walk *w)
{
	unsigned function = 0; /* depth of the outermost enclosing one; 0: none */

	for (bool more = dwarf_walk_next(w, true); more;
	     more = dwarf_walk_next(w, true)) {
		if (function && w->depth <= function)
			function = 0;
		note(names, w->es, &w->entry, function != 0);
		if (!function && w->entry.tag == DW_TAG_subprogram)
			function = w->depth;
	}
}

static void make(struct dwarf_names *names, struct dwarf_entries *es)
{
	for (size_t i = 0; i < es->unit_count; i++) {
		struct dwarf_unit *unit = dwarf_unit_of(es, es->units[i].first);
		struct dwarf_walk w = { .es = es };
		if (unit && dwarf_entry_read(es, unit, unit->first, &w.entry))
			note_unit(names, &w);
	}
	for (int i = 0; i < NAMES_KINDS; i++) {
		struct growing *g = &names->made[i];
		if (g->count)
			qsort(g->list, g->count, sizeof(*g->list), by_key);
		names->lists[i] = (struct dwarf_named_list){ g->list, g->count };
	}
	names->damaged = !es->steps;
}

static const struct dwarf_names *names_of(struct dwarf *d, struct dwarf_entries *es)
{
	if (d->names)
		return d->names;
	d->names = xcalloc(1, sizeof(*d->names));
	d->names->file = dwarf_names_load(d, es, d->names->lists);
	if (!d->names->file)
		make(d->names, es);
	return d->names;
}

/* Writes the cache at the end, when nothing waits for it. */
void dwarf_names_close(struct dwarf *d)
{
	struct dwarf_names *names = d->names;

	if (!names)
		return;
	if (!names->file && !names->damaged)
		dwarf_names_store(d, d->entries, names->lists);
	dwarf_names_unload(names->file);
	for (int i = 0; i < NAMES_KINDS; i++)
		xfree(names->made[i].list);
	xfree(names);
}

static size_t first_of(const struct dwarf_named_list *list, uint32_t key)
{
	return LOWER_BOUND(i, list->count, list->list[i].key < key);
}

/* The first entry with this hash whose name matches. */
static bool find(struct dwarf_entries *es, const struct dwarf_named_list *list,
		 const char *name, struct dwarf_entry *ret)
{
	uint32_t key = hash_name(name, strlen(name));

	for (size_t i = first_of(list, key);
	     i < list->count && list->list[i].key == key && es->steps; i++) {
		const char *found;
		if (dwarf_entry_at(es, list->list[i].off, ret) &&
		    (found = dwarf_entry_string(es, ret, AT_NAME)) &&
		    strcmp(found, name) == 0)
			return true;
	}
	return false;
}

bool dwarf_named_type(struct dwarf *d, const char *name, uint64_t *ret_ref)
{
	struct dwarf_entries *es = dwarf_entries(d);
	struct dwarf_entry e;

	if (!es || !find(es, &names_of(d, es)->lists[NAMES_TYPES], name, &e))
		return false;
	*ret_ref = e.off;
	return true;
}

/* A typedef has no descriptor of its own, so each descriptor has one type. */
bool dwarf_type_with(struct dwarf *d, uint64_t go_runtime_type, uint64_t *ret_ref)
{
	struct dwarf_entries *es = dwarf_entries(d);

	if (!es || go_runtime_type > UINT32_MAX)
		return false;
	const struct dwarf_named_list *list = &names_of(d, es)->lists[NAMES_DESCRIPTORS];
	size_t i = first_of(list, (uint32_t)go_runtime_type);
	struct dwarf_entry e;
	if (i == list->count || list->list[i].key != go_runtime_type ||
	    !dwarf_entry_at(es, list->list[i].off, &e) ||
	    !entry_has(&e, AT_GO_RUNTIME_TYPE) ||
	    e.value[AT_GO_RUNTIME_TYPE].u != go_runtime_type)
		return false;
	*ret_ref = e.off;
	return true;
}

/* The variable's address, if it is a single one in memory. */
static bool address_of(struct dwarf_entries *es, const struct dwarf_entry *e,
		       uint64_t *ret)
{
	const struct dwarf_place place = { .es = es, .at_instruction = true };
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

	if (!es || !find(es, &names_of(d, es)->lists[NAMES_VARIABLES], name, &e))
		return false;
	dwarf_entry_integrate(es, &e);
	*ret_ref = dwarf_entry_ref(&e, AT_TYPE);
	return *ret_ref && address_of(es, &e, ret_addr);
}

void dwarf_each_named_variable(struct dwarf *d, dwarf_variable_fn *fn, void *arg)
{
	struct dwarf_entries *es = dwarf_entries(d);
	const struct dwarf_named_list *list =
		es ? &names_of(d, es)->lists[NAMES_VARIABLES] : NULL;
	struct dwarf_entry e;
	uint64_t addr;

	for (size_t i = 0; list && i < list->count && es->steps; i++) {
		const char *name;
		if (!dwarf_entry_at(es, list->list[i].off, &e) ||
		    !(name = dwarf_entry_string(es, &e, AT_NAME)))
			continue;
		dwarf_entry_integrate(es, &e);
		uint64_t ref = dwarf_entry_ref(&e, AT_TYPE);
		if (ref && address_of(es, &e, &addr))
			fn(arg, name, ref, addr);
	}
}
