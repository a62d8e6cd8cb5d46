/* SPDX-License-Identifier: Apache-2.0 */
#include "dwarf_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"

enum { MEMBER_DEPTH = 8, PATH_BYTES = 128, UNIT_CHILDREN = 1 << 20 };

struct definition {
	const char *name; /* libdw's */
	Dwarf_Off off;
};

/* The structures and constants of all units of one name: each assembly file of a Go package
 * is a unit of its own. */
struct package {
	char *name;
	struct definition *list; /* by name, then as they stand in the file */
	size_t count, cap;
};

struct dwarf {
	Dwarf *handle;
	Dwarf_Die *units;
	size_t unit_count, unit_cap;
	struct package *packages; /* those that were asked for */
	size_t package_count, package_cap;
};

/* Damaged chains of units end where the section does: libdw only goes forward. */
static void list_units(struct dwarf *d)
{
	Dwarf_Off off = 0, next;
	size_t header;
	Dwarf_Die die;

	for (; dwarf_nextcu(d->handle, off, &next, &header, NULL, NULL, NULL) == 0;
	     off = next) {
		if (!dwarf_offdie(d->handle, off + header, &die))
			continue;
		GROW(d->units, d->unit_count, d->unit_cap);
		d->units[d->unit_count++] = die;
	}
}

struct dwarf *dwarf_open(const struct image *img, struct err *err)
{
	/* libdw unpacks it all at once: a megabyte can say it is a thousand of them. */
	if (image_debug_bytes(img) > LIMIT_DEBUG_BYTES) {
		err_set(err, ERR_LIMIT, "%s has too much debugging information",
			image_path(img));
		return NULL;
	}
	Dwarf *handle =
		image_fd(img) < 0 ? NULL : dwarf_begin(image_fd(img), DWARF_C_READ);
	if (!handle) {
		err_set(err, ERR_NOT_FOUND, "%s has no debugging information",
			image_path(img));
		return NULL;
	}
	struct dwarf *d = xcalloc(1, sizeof(*d));
	d->handle = handle;
	list_units(d);
	return d;
}

void dwarf_close(struct dwarf *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->package_count; i++) {
		xfree(d->packages[i].name);
		xfree(d->packages[i].list);
	}
	xfree(d->packages);
	xfree(d->units);
	dwarf_end(d->handle);
	xfree(d);
}

static bool is_named(Dwarf_Die *die, const char *name)
{
	const char *n = dwarf_diename(die);
	return n && strcmp(n, name) == 0;
}

/* Siblings are counted: a damaged file can chain them in a circle. */
static bool find_child(Dwarf_Die *parent, int tag, const char *name, Dwarf_Die *ret)
{
	if (dwarf_child(parent, ret) != 0)
		return false;
	for (int i = 0; i < UNIT_CHILDREN; i++) {
		if (dwarf_tag(ret) == tag && is_named(ret, name))
			return true;
		if (dwarf_siblingof(ret, ret) != 0)
			return false;
	}
	return false;
}

static void add_definitions(struct package *p, Dwarf_Die *unit)
{
	Dwarf_Die die;

	if (dwarf_child(unit, &die) != 0)
		return;
	for (int i = 0; i < UNIT_CHILDREN; i++) {
		int tag = dwarf_tag(&die);
		const char *name = tag == DW_TAG_structure_type || tag == DW_TAG_constant
					   ? dwarf_diename(&die)
					   : NULL;
		if (name) {
			GROW(p->list, p->count, p->cap);
			p->list[p->count++] =
				(struct definition){ name, dwarf_dieoffset(&die) };
		}
		if (dwarf_siblingof(&die, &die) != 0)
			return;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct definition *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->off > y->off) - (x->off < y->off);
}

static const struct package *find_package(struct dwarf *d, const char *name)
{
	for (size_t i = 0; i < d->package_count; i++)
		if (strcmp(d->packages[i].name, name) == 0)
			return &d->packages[i];
	GROW(d->packages, d->package_count, d->package_cap);
	struct package *p = &d->packages[d->package_count++];
	*p = (struct package){ .name = xstrdup(name) };
	for (size_t i = 0; i < d->unit_count; i++)
		if (is_named(&d->units[i], name))
			add_definitions(p, &d->units[i]);
	if (p->count)
		qsort(p->list, p->count, sizeof(*p->list), by_name);
	return p;
}

static bool find_definition(struct dwarf *d, const char *unit, int tag, const char *name,
			    Dwarf_Die *ret)
{
	const struct package *p = find_package(d, unit);
	size_t low = 0, high = p->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(p->list[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < p->count && strcmp(p->list[low].name, name) == 0; low++)
		if (dwarf_offdie(d->handle, p->list[low].off, ret) &&
		    dwarf_tag(ret) == tag)
			return true;
	return false;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, ret) &&
	       dwarf_peel_type(ret, ret) == 0;
}

static bool unsigned_attr(Dwarf_Die *die, unsigned name, Dwarf_Word *ret)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, name, &attr) && dwarf_formudata(&attr, ret) == 0;
}

bool dwarf_member(struct dwarf *d, const char *unit, const char *type, const char *member,
		  uint64_t *ret_off, uint64_t *ret_size)
{
	Dwarf_Die at, field;
	char path[PATH_BYTES], *rest = path;
	uint64_t off = 0;

	snprintf(path, sizeof(path), "%s", member);
	if (!find_definition(d, unit, DW_TAG_structure_type, type, &at))
		return false;
	for (int depth = 0; rest && depth < MEMBER_DEPTH; depth++) {
		const char *name = strsep(&rest, ".");
		Dwarf_Word member_off;

		if (!find_child(&at, DW_TAG_member, name, &field) ||
		    !unsigned_attr(&field, DW_AT_data_member_location, &member_off) ||
		    !type_of(&field, &at))
			return false;
		off += member_off;
	}
	Dwarf_Word size;
	if (dwarf_aggregate_size(&at, &size) != 0)
		return false;
	*ret_off = off;
	*ret_size = size;
	return true;
}

bool dwarf_type_size(struct dwarf *d, const char *unit, const char *type, uint64_t *ret)
{
	Dwarf_Die at;
	Dwarf_Word size;

	if (!find_definition(d, unit, DW_TAG_structure_type, type, &at) ||
	    dwarf_aggregate_size(&at, &size) != 0)
		return false;
	*ret = size;
	return true;
}

bool dwarf_constant_value(struct dwarf *d, const char *unit, const char *name,
			  int64_t *ret)
{
	Dwarf_Die at;
	Dwarf_Attribute attr;
	Dwarf_Sword value;

	if (!find_definition(d, unit, DW_TAG_constant, name, &at) ||
	    !dwarf_attr(&at, DW_AT_const_value, &attr) ||
	    dwarf_formsdata(&attr, &value) != 0)
		return false;
	*ret = value;
	return true;
}
