/* SPDX-License-Identifier: Apache-2.0 */
#include <dwarf.h>

#include "lib/dwarf/dwarf_priv.h"
#include "lib/elf/image_debug.h"

static uint64_t read_address(const struct dwarf_unit *unit, struct bytes *b)
{
	return unit->address_size == 8 ? bytes_u64(b) : bytes_u32(b);
}

static struct bytes section_of(const struct dwarf_list *list)
{
	struct dwarf_entries *es = list->es;
	const bool lists = list->unit->version >= 5; /* what DWARF 5 calls them */
	struct dwarf_section *s;

	if (list->locations)
		s = lists ? &es->loclists : &es->loc;
	else
		s = lists ? &es->rnglists : &es->ranges;
	if (!s->tried)
		s->bytes = image_unpacked_section(es->from, s->name);
	s->tried = true;
	return s->bytes;
}

/* The unit has a table of offsets, relative to the table. */
static bool offset_of(const struct dwarf_list *list, uint64_t i, uint64_t *ret)
{
	const struct dwarf_unit *unit = list->unit;
	uint64_t base = list->locations ? unit->loclists_base : unit->rnglists_base;
	struct bytes b = bytes_at(section_of(list), base);

	if (i > UINT32_MAX)
		return false;
	b = bytes_at(b, i * unit->offset_size);
	*ret = base + (unit->offset_size == 8 ? bytes_u64(&b) : bytes_u32(&b));
	return !b.bad;
}

bool dwarf_list_open(struct dwarf_entries *es, const struct dwarf_entry *e,
		     enum dwarf_slot slot, struct dwarf_list *ret)
{
	const struct dwarf_value *v = &e->value[slot];
	uint64_t off = v->u;

	*ret = (struct dwarf_list){ .es = es,
				    .unit = e->unit,
				    .base = e->unit->base,
				    .locations = slot != AT_RANGES };
	if (!entry_has(e, slot))
		return false;
	if (v->class == CLASS_LIST_INDEX) {
		if (!offset_of(ret, v->u, &off))
			return false;
	} else if (v->class != CLASS_OFFSET &&
		   !(v->class == CLASS_UNSIGNED && e->unit->version < 4)) {
		return false;
	}
	ret->at = bytes_at(section_of(ret), off);
	return !ret->at.bad;
}

static void take_expression(struct bytes *b, uint64_t len, struct bytes *ret)
{
	*ret = *b;
	*b = bytes_at(*b, len);
	if (!b->bad)
		ret->end = b->at;
}

/* Before DWARF 5: a pair of addresses relative to the base; 0, 0 ends the list. */
static bool next_pair(struct dwarf_list *list, struct dwarf_list_item *ret)
{
	const uint64_t select =
		list->unit->address_size == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX;

	while (dwarf_step(list->es, 1)) {
		uint64_t low = read_address(list->unit, &list->at);
		uint64_t high = read_address(list->unit, &list->at);

		if (list->at.bad || (!low && !high))
			return false;
		if (low == select) {
			list->base = high;
			continue;
		}
		*ret = (struct dwarf_list_item){ .low = list->base + low,
						 .high = list->base + high };
		if (list->locations)
			take_expression(&list->at, bytes_u16(&list->at), &ret->expr);
		return !list->at.bad;
	}
	return false;
}

/* Maps DW_RLE_* to DW_LLE_*, which has one kind more. */
static uint8_t kind_of(struct dwarf_list *list)
{
	uint8_t kind = bytes_u8(&list->at);

	if (list->at.bad)
		return DW_LLE_end_of_list;
	return !list->locations && kind >= DW_RLE_base_address ? kind + 1 : kind;
}

static bool read_index(struct dwarf_list *list, uint64_t *ret)
{
	return dwarf_address_index(list->es, list->unit, bytes_uvarint(&list->at), ret);
}

/* False: the end, or damage. *ret_is: it is an item, not a base address. */
static bool read_item(struct dwarf_list *list, struct dwarf_list_item *ret, bool *ret_is)
{
	struct bytes *b = &list->at;
	uint8_t kind = kind_of(list);
	bool ok = true;

	*ret = (struct dwarf_list_item){ .low = 0 };
	*ret_is = kind != DW_LLE_base_addressx && kind != DW_LLE_base_address;
	switch (kind) {
	case DW_LLE_base_addressx:
		return read_index(list, &list->base);
	case DW_LLE_base_address:
		list->base = read_address(list->unit, b);
		return true;
	case DW_LLE_startx_endx:
		ok = read_index(list, &ret->low) && read_index(list, &ret->high);
		return ok;
	case DW_LLE_startx_length:
		ok = read_index(list, &ret->low);
		ret->high = ret->low + bytes_uvarint(b);
		return ok;
	case DW_LLE_offset_pair:
		ret->low = list->base + bytes_uvarint(b);
		ret->high = list->base + bytes_uvarint(b);
		return true;
	case DW_LLE_default_location:
		ret->fallback = true;
		return true;
	case DW_LLE_start_end:
		ret->low = read_address(list->unit, b);
		ret->high = read_address(list->unit, b);
		return true;
	case DW_LLE_start_length:
		ret->low = read_address(list->unit, b);
		ret->high = ret->low + bytes_uvarint(b);
		return true;
	default:
		return false;
	}
}

bool dwarf_list_next(struct dwarf_list *list, struct dwarf_list_item *ret)
{
	bool is_item = false;

	if (list->unit->version < 5)
		return next_pair(list, ret);
	while (!is_item) {
		if (!dwarf_step(list->es, 1) || !read_item(list, ret, &is_item) ||
		    list->at.bad)
			return false;
	}
	if (list->locations)
		take_expression(&list->at, bytes_uvarint(&list->at), &ret->expr);
	return !list->at.bad;
}

/* DW_AT_high_pc is an address, or a length. */
static bool low_and_high(const struct dwarf_entry *e, uint64_t *ret_low,
			 uint64_t *ret_high)
{
	const struct dwarf_value *high = &e->value[AT_HIGH_PC];

	if (!entry_has(e, AT_LOW_PC) || e->value[AT_LOW_PC].class != CLASS_ADDRESS ||
	    !entry_has(e, AT_HIGH_PC))
		return false;
	*ret_low = e->value[AT_LOW_PC].u;
	*ret_high = high->u;
	if (high->class == CLASS_UNSIGNED || high->class == CLASS_SIGNED)
		*ret_high += *ret_low;
	else if (high->class != CLASS_ADDRESS)
		return false;
	return true;
}

void dwarf_entry_ranges(struct dwarf_entries *es, const struct dwarf_entry *e,
			dwarf_range_fn *fn, void *arg)
{
	struct dwarf_list list;
	struct dwarf_list_item item;
	uint64_t low, high;

	if (low_and_high(e, &low, &high)) {
		if (low < high)
			fn(arg, low, high);
		return;
	}
	if (!dwarf_list_open(es, e, AT_RANGES, &list))
		return;
	while (dwarf_list_next(&list, &item))
		if (item.low < item.high && !fn(arg, item.low, item.high))
			return;
}

struct cover {
	uint64_t pc;
	bool found;
};

static bool covers(void *arg, uint64_t low, uint64_t high)
{
	struct cover *c = arg;
	c->found = low <= c->pc && c->pc < high;
	return !c->found;
}

bool dwarf_entry_covers(struct dwarf_entries *es, const struct dwarf_entry *e,
			uint64_t pc)
{
	struct cover c = { .pc = pc };

	if (!entry_has(e, AT_LOW_PC) && !entry_has(e, AT_RANGES))
		return true;
	dwarf_entry_ranges(es, e, covers, &c);
	return c.found;
}
