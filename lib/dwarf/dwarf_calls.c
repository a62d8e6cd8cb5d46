/* SPDX-License-Identifier: Apache-2.0 */
/* Call sites by DWARF 5, 3.4, and GNU's for DWARF 4: the callee, and parameter values. */
#include <dwarf.h>
#include <string.h>

#include "lib/dwarf/dwarf_priv.h"

enum { JUMPS_MAX = 64 };

static bool is_call(unsigned tag)
{
	return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

static bool is_call_parameter(unsigned tag)
{
	return tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter;
}

bool dwarf_call_at(struct dwarf_entries *es, uint64_t return_pc, struct dwarf_entry *ret)
{
	struct dwarf_walk w = { .es = es };
	bool found = false;

	if (!dwarf_function_at(es, return_pc - 1, &w.entry))
		return false;
	while (dwarf_walk_next(&w, true)) {
		const struct dwarf_entry *e = &w.entry;
		if (!is_call(e->tag) || !entry_has(e, AT_LOW_PC) ||
		    e->value[AT_LOW_PC].u != return_pc ||
		    dwarf_entry_flag(e, AT_TAIL_CALL))
			continue;
		if (found)
			return false; /* ambiguous: two of them */
		*ret = *e;
		found = true;
	}
	return found;
}

/* By name, as the linker resolves it. */
static bool is_linked_to(struct dwarf_entries *es, const struct dwarf_entry *declaration,
			 const struct dwarf_entry *function)
{
	const char *names[2];
	const struct dwarf_entry *entries[2] = { declaration, function };

	for (int i = 0; i < 2; i++) {
		if (!dwarf_entry_flag(entries[i], AT_EXTERNAL))
			return false;
		names[i] = dwarf_entry_string(es, entries[i], AT_LINKAGE_NAME);
		if (!names[i])
			names[i] = dwarf_entry_string(es, entries[i], AT_NAME);
	}
	return names[0] && names[1] && strcmp(names[0], names[1]) == 0;
}

bool dwarf_call_names(struct dwarf_entries *es, const struct dwarf_entry *call,
		      const struct dwarf_entry *function)
{
	const uint64_t named = dwarf_entry_ref(call, AT_ORIGIN);
	const uint64_t origin = dwarf_entry_ref(function, AT_ORIGIN);
	struct dwarf_entry declaration, whole = *function;

	if (!named || named == function->off || named == origin)
		return named != 0;
	if (!dwarf_entry_at(es, named, &declaration))
		return false;
	dwarf_entry_integrate(es, &declaration);
	dwarf_entry_integrate(es, &whole);
	return is_linked_to(es, &declaration, &whole);
}

struct jumps {
	const struct dwarf *d;
	struct dwarf_entries *es;
	uint64_t functions[JUMPS_MAX]; /* that the callee may be executing by now */
	size_t count;
};

static bool any_code(void *arg, uint64_t low, uint64_t high)
{
	uint64_t *first = arg;

	(void)high;
	*first = low;
	return false;
}

/* The definition of a function that may only be declared here. */
static bool find_code(struct jumps *j, uint64_t ref, struct dwarf_entry *ret)
{
	struct image_range symbol;
	uint64_t first = 0;

	if (!ref || !dwarf_entry_at(j->es, ref, ret))
		return false;
	dwarf_entry_ranges(j->es, ret, any_code, &first);
	if (first)
		return true;
	dwarf_entry_integrate(j->es, ret);
	const char *name = dwarf_entry_string(j->es, ret, AT_LINKAGE_NAME);
	if (!name)
		name = dwarf_entry_string(j->es, ret, AT_NAME);
	return name && dwarf_entry_flag(ret, AT_EXTERNAL) &&
	       image_symbol(j->d->image, name, &symbol) &&
	       dwarf_function_at(j->es, symbol.addr - image_bias(j->d->image), ret);
}

static bool add(struct jumps *j, uint64_t function)
{
	for (size_t i = 0; i < j->count; i++)
		if (j->functions[i] == function)
			return true;
	if (j->count == JUMPS_MAX)
		return false;
	j->functions[j->count++] = function;
	return true;
}

/* Adds the functions that it tail-calls. False: unknown ones, or the first one again. */
static bool follow(struct jumps *j, uint64_t function)
{
	struct dwarf_walk w = { .es = j->es };
	struct dwarf_entry to;

	if (!dwarf_entry_at(j->es, function, &w.entry) ||
	    !dwarf_entry_flag(&w.entry, AT_ALL_TAIL_CALLS))
		return false;
	while (dwarf_walk_next(&w, true)) {
		if (!is_call(w.entry.tag) || !dwarf_entry_flag(&w.entry, AT_TAIL_CALL))
			continue;
		if (!find_code(j, dwarf_entry_ref(&w.entry, AT_ORIGIN), &to) ||
		    to.off == j->functions[0] || !add(j, to.off))
			return false;
	}
	return true;
}

bool dwarf_function_is_jumped_to(const struct dwarf *d,
				 const struct dwarf_entry *function)
{
	struct jumps j = {
		.d = d, .es = d->entries, .functions = { function->off }, .count = 1
	};

	for (size_t i = 0; i < j.count; i++)
		if (!follow(&j, j.functions[i]))
			return true;
	return false;
}

static int64_t register_of(const struct dwarf_entry *e)
{
	const struct dwarf_value *v = &e->value[AT_LOCATION];

	if (!entry_has(e, AT_LOCATION) || v->class != CLASS_BLOCK)
		return -1;
	return dwarf_register_alone(bytes_over(v->at, v->len));
}

bool dwarf_call_parameter(struct dwarf_entries *es, const struct dwarf_entry *call,
			  int64_t reg, uint64_t parameter, struct bytes *ret)
{
	struct dwarf_walk w = { .es = es, .entry = *call };

	for (bool into = true; dwarf_walk_next(&w, into); into = false) {
		const struct dwarf_value *value = &w.entry.value[AT_CALL_VALUE];
		if (!is_call_parameter(w.entry.tag) ||
		    !entry_has(&w.entry, AT_CALL_VALUE) || value->class != CLASS_BLOCK)
			continue;
		if (reg >= 0 ? register_of(&w.entry) != reg
			     : dwarf_entry_ref(&w.entry, AT_ORIGIN) != parameter)
			continue;
		*ret = bytes_over(value->at, value->len);
		return true;
	}
	return false;
}
