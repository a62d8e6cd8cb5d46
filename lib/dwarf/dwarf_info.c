/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/dwarf_info.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/dwarf/dwarf_priv.h"
#include "lib/dwarf/dwarf_types.h"
#include "lib/elf/image_debug.h"
#include "lib/target/arch.h"

enum { MEMBER_DEPTH = 8, PATH_BYTES = 128 };

struct definition {
	const char *name; /* borrowed from the section */
	unsigned tag;
	uint64_t off;
};

/* The structs and constants of all units with one name: each assembly file of a Go
 * package is a unit of its own. */
struct package {
	char *name;
	struct definition *list; /* sorted by name, then in file order */
	size_t count, cap;
};

struct dwarf *dwarf_open(const struct image *img, struct err *err)
{
	const struct image *from = image_debug(img, err);
	struct image_unpacked *sections = from ? image_unpack(from, err) : NULL;

	if (!sections)
		return NULL;
	struct dwarf *d = xcalloc(1, sizeof(*d));
	d->image = img;
	d->sections = sections;
	d->arch = arch_find(image_machine(img));
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
	dwarf_names_close(d);
	dwarf_entries_free(d->entries);
	image_unpacked_free(d->sections);
	xfree(d);
}

static void add_definitions(struct package *p, struct dwarf_walk *w)
{
	for (bool more = dwarf_walk_next(w, true); more;
	     more = dwarf_walk_next(w, false)) {
		unsigned tag = w->entry.tag;
		const char *name = tag == DW_TAG_structure_type || tag == DW_TAG_constant
					   ? dwarf_entry_string(w->es, &w->entry, AT_NAME)
					   : NULL;
		if (!name)
			continue;
		GROW(p->list, p->count, p->cap);
		p->list[p->count++] = (struct definition){ name, tag, w->entry.off };
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
	struct dwarf_entries *es = dwarf_entries(d);

	for (size_t i = 0; i < d->package_count; i++)
		if (strcmp(d->packages[i].name, name) == 0)
			return &d->packages[i];
	GROW(d->packages, d->package_count, d->package_cap);
	struct package *p = &d->packages[d->package_count++];
	*p = (struct package){ .name = xstrdup(name) };
	for (size_t i = 0; i < es->unit_count; i++) {
		struct dwarf_walk w = { .es = es };
		const char *is = dwarf_entry_at(es, es->units[i].first, &w.entry)
					 ? dwarf_entry_string(es, &w.entry, AT_NAME)
					 : NULL;
		if (is && strcmp(is, name) == 0)
			add_definitions(p, &w);
	}
	if (p->count)
		qsort(p->list, p->count, sizeof(*p->list), by_name);
	return p;
}

static bool find_definition(struct dwarf *d, const char *unit, unsigned tag,
			    const char *name, uint64_t *ret)
{
	const struct package *p = find_package(d, unit);
	size_t low = LOWER_BOUND(i, p->count, strcmp(p->list[i].name, name) < 0);

	for (; low < p->count && strcmp(p->list[low].name, name) == 0; low++) {
		if (p->list[low].tag != tag)
			continue;
		*ret = p->list[low].off;
		return true;
	}
	return false;
}

/* The type behind typedefs and qualifiers. */
static bool peel(struct dwarf *d, uint64_t ref, struct dwarf_type *ret)
{
	struct err err;

	for (int i = 0; i < LIMIT_TYPE_NAMES && dwarf_type_read(d, ref, ret, &err); i++) {
		if (ret->tag != DWARF_TYPE_TYPEDEF && ret->tag != DWARF_TYPE_QUALIFIER)
			return true;
		ref = ret->of;
	}
	return false;
}

struct search {
	const char *name;
	struct dwarf_field field;
	bool found;
};

static bool match(void *arg, const struct dwarf_field *field)
{
	struct search *s = arg;

	s->field = *field;
	s->found = field->name && strcmp(field->name, s->name) == 0;
	return !s->found;
}

bool dwarf_member(struct dwarf *d, const char *unit, const char *type, const char *member,
		  uint64_t *ret_off, uint64_t *ret_size)
{
	char path[PATH_BYTES], *rest = path;
	struct dwarf_type at = { .size = 0 };
	uint64_t off = 0, ref;

	snprintf(path, sizeof(path), "%s", member);
	if (!find_definition(d, unit, DW_TAG_structure_type, type, &ref))
		return false;
	for (int depth = 0; rest && depth < MEMBER_DEPTH; depth++) {
		struct search s = { .name = strsep(&rest, ".") };

		dwarf_type_each_field(d, ref, match, &s);
		if (!s.found || !peel(d, s.field.of, &at))
			return false;
		off += s.field.off;
		ref = at.ref;
	}
	if (!at.has_size)
		return false;
	*ret_off = off;
	*ret_size = at.size;
	return true;
}

bool dwarf_type_size(struct dwarf *d, const char *unit, const char *type, uint64_t *ret)
{
	struct dwarf_type at;
	struct err err;
	uint64_t ref;

	if (!find_definition(d, unit, DW_TAG_structure_type, type, &ref) ||
	    !dwarf_type_read(d, ref, &at, &err) || !at.has_size)
		return false;
	*ret = at.size;
	return true;
}

bool dwarf_constant_value(struct dwarf *d, const char *unit, const char *name,
			  int64_t *ret)
{
	struct dwarf_entry e;
	uint64_t ref, value;

	if (!find_definition(d, unit, DW_TAG_constant, name, &ref) ||
	    !dwarf_entry_at(dwarf_entries(d), ref, &e) ||
	    !dwarf_entry_unsigned(&e, AT_CONST_VALUE, &value))
		return false;
	*ret = (int64_t)value;
	return true;
}
