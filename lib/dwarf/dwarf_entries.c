/* SPDX-License-Identifier: Apache-2.0 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/dwarf/dwarf_priv.h"
#include "lib/elf/image_debug.h"

enum { ORIGINS = 8 };

bool dwarf_step(struct dwarf_entries *es, uint64_t n)
{
	if (es->steps < n) {
		es->steps = 0;
		return false;
	}
	es->steps -= n;
	return true;
}

static void find_sections(struct dwarf_entries *es, struct image_unpacked *from)
{
	const struct {
		const char *name;
		struct bytes *bytes;
	} sections[] = {
		{ "info", &es->info }, { "abbrev", &es->abbrev },
		{ "str", &es->str },   { "line_str", &es->line_str },
		{ "addr", &es->addr }, { "str_offsets", &es->str_offsets },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		*sections[i].bytes = image_unpacked_section(from, sections[i].name);
	es->from = from;
	es->loc.name = "loc";
	es->loclists.name = "loclists";
	es->ranges.name = "ranges";
	es->rnglists.name = "rnglists";
}

static uint64_t read_offset(struct bytes *b, unsigned size)
{
	return size == 8 ? bytes_u64(b) : bytes_u32(b);
}

static bool read_header(struct bytes *b, struct dwarf_unit *ret)
{
	uint64_t start = ret->off, len = bytes_u32(b);

	ret->offset_size = len == UINT32_MAX ? 8 : 4;
	if (ret->offset_size == 8)
		len = bytes_u64(b);
	if (b->bad || len > (uint64_t)(b->end - b->at))
		return false;
	ret->end = start + (ret->offset_size == 8 ? 12 : 4) + len;
	const uint8_t *begin = b->at;
	uint8_t type = DW_UT_compile;
	ret->version = bytes_u16(b);
	if (ret->version >= 5) {
		type = bytes_u8(b);
		ret->address_size = bytes_u8(b);
	}
	ret->abbrev_off = read_offset(b, ret->offset_size);
	if (ret->version < 5)
		ret->address_size = bytes_u8(b);
	if (type == DW_UT_skeleton || type == DW_UT_split_compile)
		bytes_u64(b);
	if (type == DW_UT_type || type == DW_UT_split_type) {
		bytes_u64(b);
		read_offset(b, ret->offset_size);
	}
	ret->first = ret->end - (len - (uint64_t)(b->at - begin));
	return true;
}

static void list_units(struct dwarf_entries *es)
{
	const uint64_t size = (uint64_t)(es->info.end - es->info.at);
	uint64_t off = 0;

	while (off < size && es->unit_count < LIMIT_DEBUG_UNITS) {
		struct bytes b = bytes_at(es->info, off);
		struct dwarf_unit unit = { .off = off };

		if (!read_header(&b, &unit) || unit.end <= off)
			return;
		es->units_end = off = unit.end;
		if (b.bad || unit.first > unit.end || unit.version < 2 ||
		    unit.version > 5 ||
		    (unit.address_size != 4 && unit.address_size != 8))
			continue;
		GROW(es->units, es->unit_count, es->unit_cap);
		es->units[es->unit_count++] = unit;
	}
}

/* Missing location lists only matter if a variable has one. */
static bool check_sections(struct dwarf_entries *es, struct err *err)
{
	static const char *const names[] = { "abbrev",	 "str",		"line_str",
					     "addr",	 "str_offsets", "loc",
					     "loclists", "ranges",	"rnglists" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (image_unpacked_damaged(es->from, names[i]))
			return err_set(err, ERR_BAD_DATA, "its .debug_%s cannot be read",
				       names[i]);
	return true;
}

bool dwarf_check(struct dwarf *d, struct err *err)
{
	struct dwarf_entries *es = dwarf_entries(d);
	const uint64_t size = (uint64_t)(es->info.end - es->info.at);
	struct dwarf_entry e;

	if (!size)
		return err_set(err, ERR_BAD_DATA, "its .debug_info cannot be read");
	if (!check_sections(es, err))
		return false;
	if (es->units_end < size && es->unit_count < LIMIT_DEBUG_UNITS)
		return err_set(err, ERR_BAD_DATA,
			       "its .debug_info is damaged at %#" PRIx64, es->units_end);
	for (size_t i = 0; i < es->unit_count && es->steps; i++)
		if (!dwarf_entry_at(es, es->units[i].first, &e))
			return err_set(err, ERR_BAD_DATA,
				       "its .debug_info or .debug_abbrev is damaged: no "
				       "entry at %#" PRIx64,
				       es->units[i].first);
	return true;
}

bool dwarf_has_go(struct dwarf *d)
{
	struct dwarf_entries *es = dwarf_entries(d);
	struct dwarf_entry e;

	for (size_t i = 0; i < es->unit_count; i++)
		if (dwarf_entry_at(es, es->units[i].first, &e) && e.unit->go)
			return true;
	return false;
}

bool dwarf_has_function(struct dwarf *d, uint64_t pc)
{
	struct dwarf_entry ignored;

	return dwarf_function_at(dwarf_entries(d), pc, &ignored);
}

struct dwarf_entries *dwarf_entries(struct dwarf *d)
{
	if (d->entries)
		return d->entries;
	struct dwarf_entries *es = xcalloc(1, sizeof(*es));
	d->entries = es;
	es->steps = LIMIT_DEBUG_STEPS;
	es->abbrev_room = LIMIT_DEBUG_ABBREVS;
	es->range_room = LIMIT_DEBUG_RANGES;
	find_sections(es, d->sections);
	list_units(es);
	return es;
}

void dwarf_entries_free(struct dwarf_entries *es)
{
	if (!es)
		return;
	for (size_t i = 0; i < es->unit_count; i++)
		xfree(es->units[i].functions);
	for (size_t i = 0; i < es->table_count; i++)
		dwarf_abbrevs_free(es->tables[i]);
	xfree(es->units);
	xfree(es->tables);
	xfree(es->unit_ranges);
	xfree(es);
}

static uint64_t base_of(const struct dwarf_entry *e, enum dwarf_slot slot)
{
	return entry_has(e, slot) && e->value[slot].class == CLASS_OFFSET
		       ? e->value[slot].u
		       : 0;
}

/* Twice: attributes may precede the bases that they need. */
static void describe(struct dwarf_entries *es, struct dwarf_unit *unit)
{
	struct dwarf_entry e;
	uint64_t language;

	if (unit->abbrevs)
		return;
	unit->abbrevs = dwarf_abbrevs_at(es, unit->abbrev_off);
	for (int i = 0; i < 2; i++) {
		if (!dwarf_entry_read(es, unit, unit->first, &e))
			return;
		unit->str_offsets_base = base_of(&e, AT_STR_OFFSETS_BASE);
		unit->addr_base = base_of(&e, AT_ADDR_BASE);
		unit->rnglists_base = base_of(&e, AT_RNGLISTS_BASE);
		unit->loclists_base = base_of(&e, AT_LOCLISTS_BASE);
	}
	if (entry_has(&e, AT_LOW_PC) && e.value[AT_LOW_PC].class == CLASS_ADDRESS)
		unit->base = e.value[AT_LOW_PC].u;
	unit->split = entry_has(&e, AT_DWO_NAME);
	unit->go = dwarf_entry_unsigned(&e, AT_LANGUAGE, &language) &&
		   language == DW_LANG_Go;
}

struct dwarf_unit *dwarf_unit_of(struct dwarf_entries *es, uint64_t off)
{
	size_t low = LOWER_BOUND(i, es->unit_count, es->units[i].end <= off);

	if (low == es->unit_count || off < es->units[low].first)
		return NULL;
	describe(es, &es->units[low]);
	return &es->units[low];
}

bool dwarf_entry_at(struct dwarf_entries *es, uint64_t off, struct dwarf_entry *ret)
{
	struct dwarf_unit *unit = dwarf_unit_of(es, off);
	return unit && dwarf_entry_read(es, unit, off, ret) && ret->tag;
}

/* Attributes of the declaration rather than of one instance. */
static const uint64_t inherited =
	UINT64_C(1) << AT_NAME | UINT64_C(1) << AT_TYPE | UINT64_C(1) << AT_LINE |
	UINT64_C(1) << AT_VARIABLE_PARAMETER | UINT64_C(1) << AT_BYTE_SIZE |
	UINT64_C(1) << AT_GO_DICT_INDEX | UINT64_C(1) << AT_GO_CLOSURE_OFFSET |
	UINT64_C(1) << AT_CONST_VALUE;

void dwarf_entry_integrate(struct dwarf_entries *es, struct dwarf_entry *e)
{
	uint64_t ref = dwarf_entry_ref(e, AT_ORIGIN);
	struct dwarf_entry origin;

	for (int i = 0; ref && i < ORIGINS && dwarf_entry_at(es, ref, &origin); i++) {
		uint64_t add = origin.has & inherited & ~e->has;
		for (int slot = 0; slot < AT_SLOTS; slot++)
			if (add >> slot & 1)
				e->value[slot] = origin.value[slot];
		e->has |= add;
		ref = dwarf_entry_ref(&origin, AT_ORIGIN);
	}
}

/* Many entries may share a string, and every caller reads all of it. */
const char *dwarf_entry_string(struct dwarf_entries *es, const struct dwarf_entry *e,
			       enum dwarf_slot slot)
{
	const struct dwarf_value *v = &e->value[slot];

	if (!entry_has(e, slot) || v->class != CLASS_STRING)
		return NULL;
	const uint64_t most = v->len < LIMIT_NAME_BYTES ? v->len : LIMIT_NAME_BYTES;
	struct bytes b = bytes_over(v->at, most);
	const char *s = bytes_string(&b);
	const uint64_t seen = s ? (uint64_t)(b.at - v->at) : most;
	return dwarf_step(es, dwarf_steps_of(seen)) ? s : NULL;
}

bool dwarf_entry_unsigned(const struct dwarf_entry *e, enum dwarf_slot slot,
			  uint64_t *ret)
{
	const struct dwarf_value *v = &e->value[slot];

	if (!entry_has(e, slot) ||
	    (v->class != CLASS_UNSIGNED && v->class != CLASS_SIGNED))
		return false;
	*ret = v->u;
	return true;
}

bool dwarf_entry_flag(const struct dwarf_entry *e, enum dwarf_slot slot)
{
	uint64_t v;
	return dwarf_entry_unsigned(e, slot, &v) && v;
}

uint64_t dwarf_entry_ref(const struct dwarf_entry *e, enum dwarf_slot slot)
{
	return entry_has(e, slot) && e->value[slot].class == CLASS_REFERENCE
		       ? e->value[slot].u
		       : 0;
}

/* Only forwards, so that damage cannot create a loop. */
static bool jump(const struct dwarf_entry *e, uint64_t *ret)
{
	uint64_t sibling = dwarf_entry_ref(e, AT_SIBLING);

	if (sibling <= e->next || sibling >= e->unit->end)
		return false;
	*ret = sibling;
	return true;
}

bool dwarf_walk_next(struct dwarf_walk *w, bool into)
{
	const unsigned floor = w->depth;
	struct dwarf_entry *e = &w->entry;
	bool skip = !into;

	for (;;) {
		uint64_t next = e->next;
		if (!e->tag) {
			if (w->depth <= 1)
				return false;
			w->depth--;
		} else if (e->children && !(skip && jump(e, &next))) {
			w->depth++;
		}
		if (!w->depth || !dwarf_entry_read(w->es, e->unit, next, e))
			return false;
		skip = !into;
		if (e->tag && (into || w->depth <= floor))
			return true;
	}
}
