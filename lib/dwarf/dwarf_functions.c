/* SPDX-License-Identifier: Apache-2.0 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/dwarf/dwarf_priv.h"

struct adding {
	struct dwarf_entries *es;
	uint32_t unit;
	struct dwarf_unit *to;
	uint64_t off;
};

static bool add_unit_range(void *arg, uint64_t low, uint64_t high)
{
	struct adding *a = arg;
	struct dwarf_entries *es = a->es;

	if (!es->range_room || !es->range_room--)
		return false;
	GROW(es->unit_ranges, es->range_count, es->range_cap);
	es->unit_ranges[es->range_count++] =
		(struct dwarf_unit_range){ low, high, a->unit };
	return true;
}

/* If several ranges cover a pc, the last that starts before it is the smallest. */
static int unit_order(const void *a, const void *b)
{
	const struct dwarf_unit_range *x = a, *y = b;

	if (x->low != y->low)
		return (x->low > y->low) - (x->low < y->low);
	return (x->high < y->high) - (x->high > y->high);
}

static int function_order(const void *a, const void *b)
{
	const struct dwarf_function *x = a, *y = b;

	if (x->low != y->low)
		return (x->low > y->low) - (x->low < y->low);
	if (x->high != y->high)
		return (x->high < y->high) - (x->high > y->high);
	return (x->off > y->off) - (x->off < y->off);
}

/* Go has no .debug_aranges, and those of others may be incomplete. */
static void index_units(struct dwarf_entries *es)
{
	struct dwarf_entry e;

	es->indexed = true;
	for (size_t i = 0; i < es->unit_count; i++) {
		struct adding a = { .es = es, .unit = (uint32_t)i };
		if (dwarf_entry_at(es, es->units[i].first, &e))
			dwarf_entry_ranges(es, &e, add_unit_range, &a);
	}
	if (es->range_count)
		qsort(es->unit_ranges, es->range_count, sizeof(*es->unit_ranges),
		      unit_order);
}

static bool add_function(void *arg, uint64_t low, uint64_t high)
{
	struct adding *a = arg;
	struct dwarf_unit *unit = a->to;

	if (!a->es->range_room || !a->es->range_room--)
		return false;
	GROW(unit->functions, unit->function_count, unit->function_cap);
	unit->functions[unit->function_count++] =
		(struct dwarf_function){ low, high, a->off };
	return true;
}

static bool holds_functions(unsigned tag)
{
	return tag == DW_TAG_compile_unit || tag == DW_TAG_namespace ||
	       tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type;
}

static void index_functions(struct dwarf_entries *es, struct dwarf_unit *unit)
{
	struct dwarf_walk w = { .es = es };

	unit->indexed = true;
	if (!dwarf_entry_at(es, unit->first, &w.entry))
		return;
	while (dwarf_walk_next(&w, holds_functions(w.entry.tag))) {
		struct adding a = { .es = es, .to = unit, .off = w.entry.off };
		if (w.entry.tag == DW_TAG_subprogram)
			dwarf_entry_ranges(es, &w.entry, add_function, &a);
	}
	if (unit->function_count)
		qsort(unit->functions, unit->function_count, sizeof(*unit->functions),
		      function_order);
}

static bool in_unit(struct dwarf_entries *es, struct dwarf_unit *unit, uint64_t pc,
		    struct dwarf_entry *ret)
{
	if (!unit->indexed)
		index_functions(es, unit);
	size_t low = LOWER_BOUND(i, unit->function_count, unit->functions[i].low <= pc);
	for (int i = 0; low-- > 0 && i < LIMIT_DEBUG_OVERLAPS; i++)
		if (pc < unit->functions[low].high)
			return dwarf_entry_at(es, unit->functions[low].off, ret);
	return false;
}

typedef bool unit_fn(struct dwarf_entries *es, struct dwarf_unit *unit, uint64_t pc,
		     struct dwarf_entry *ret);

/* Calls fn for the units that cover pc, smallest first, until it returns true. */
static bool any_unit(struct dwarf_entries *es, uint64_t pc, unit_fn *fn,
		     struct dwarf_entry *ret)
{
	if (!es->indexed)
		index_units(es);
	size_t low = LOWER_BOUND(i, es->range_count, es->unit_ranges[i].low <= pc);
	for (int i = 0; low-- > 0 && i < LIMIT_DEBUG_OVERLAPS; i++) {
		const struct dwarf_unit_range *range = &es->unit_ranges[low];
		if (pc < range->high && fn(es, &es->units[range->unit], pc, ret))
			return true;
	}
	return false;
}

bool dwarf_function_at(struct dwarf_entries *es, uint64_t pc, struct dwarf_entry *ret)
{
	return any_unit(es, pc, in_unit, ret);
}

static bool is_split(struct dwarf_entries *es, struct dwarf_unit *unit, uint64_t pc,
		     struct dwarf_entry *ret)
{
	(void)es, (void)pc, (void)ret;
	return unit->split;
}

bool dwarf_is_elsewhere(struct dwarf_entries *es, uint64_t pc)
{
	return any_unit(es, pc, is_split, NULL);
}

bool dwarf_function_around(struct dwarf_entries *es, struct dwarf_unit *unit,
			   const char *name, size_t len, struct dwarf_entry *ret)
{
	size_t least = strlen(name);
	bool found = false;

	if (!unit->indexed)
		index_functions(es, unit);
	for (size_t i = 0; i < unit->function_count && es->steps; i++) {
		struct dwarf_entry e;
		if (!dwarf_entry_at(es, unit->functions[i].off, &e))
			continue;
		dwarf_entry_integrate(es, &e);
		const char *other = dwarf_entry_string(es, &e, AT_NAME);
		size_t n = other ? strlen(other) : 0;
		if (n <= len || n >= least || strncmp(other, name, n) != 0 ||
		    (name[n] != '.' && name[n] != '-'))
			continue;
		least = n;
		*ret = e;
		found = true;
	}
	return found;
}
