/* SPDX-License-Identifier: Apache-2.0 */
#include <dwarf.h>
#include <stdlib.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/base/util.h"
#include "lib/dwarf/dwarf_priv.h"

/* dwarf.h has no names for Go's attributes. */
static const struct {
	uint32_t name, slot;
} slots[] = {
	{ DW_AT_name, AT_NAME },
	{ DW_AT_type, AT_TYPE },
	{ DW_AT_low_pc, AT_LOW_PC },
	{ DW_AT_high_pc, AT_HIGH_PC },
	{ DW_AT_ranges, AT_RANGES },
	{ DW_AT_abstract_origin, AT_ORIGIN },
	{ DW_AT_specification, AT_ORIGIN },
	/* GNU call sites of DWARF 4 use abstract_origin and low_pc for these. */
	{ DW_AT_call_origin, AT_ORIGIN },
	{ DW_AT_call_parameter, AT_ORIGIN },
	{ DW_AT_call_return_pc, AT_LOW_PC },
	{ DW_AT_call_value, AT_CALL_VALUE },
	{ DW_AT_GNU_call_site_value, AT_CALL_VALUE },
	{ DW_AT_call_target, AT_CALL_TARGET },
	{ DW_AT_GNU_call_site_target, AT_CALL_TARGET },
	{ DW_AT_call_tail_call, AT_TAIL_CALL },
	{ DW_AT_GNU_tail_call, AT_TAIL_CALL },
	{ DW_AT_call_all_calls, AT_ALL_TAIL_CALLS },
	{ DW_AT_call_all_tail_calls, AT_ALL_TAIL_CALLS },
	{ DW_AT_GNU_all_call_sites, AT_ALL_TAIL_CALLS },
	{ DW_AT_GNU_all_tail_call_sites, AT_ALL_TAIL_CALLS },
	{ DW_AT_linkage_name, AT_LINKAGE_NAME },
	{ DW_AT_MIPS_linkage_name, AT_LINKAGE_NAME },
	{ DW_AT_external, AT_EXTERNAL },
	{ DW_AT_dwo_name, AT_DWO_NAME },
	{ DW_AT_GNU_dwo_name, AT_DWO_NAME },
	{ DW_AT_location, AT_LOCATION },
	{ DW_AT_frame_base, AT_FRAME_BASE },
	{ DW_AT_const_value, AT_CONST_VALUE },
	{ DW_AT_decl_line, AT_LINE },
	{ DW_AT_variable_parameter, AT_VARIABLE_PARAMETER },
	{ DW_AT_byte_size, AT_BYTE_SIZE },
	{ DW_AT_encoding, AT_ENCODING },
	{ DW_AT_count, AT_COUNT },
	{ DW_AT_lower_bound, AT_LOWER_BOUND },
	{ DW_AT_upper_bound, AT_UPPER_BOUND },
	{ DW_AT_data_member_location, AT_MEMBER_LOCATION },
	{ DW_AT_data_bit_offset, AT_DATA_BIT_OFFSET },
	{ DW_AT_bit_offset, AT_BIT_OFFSET },
	{ DW_AT_bit_size, AT_BIT_SIZE },
	{ DW_AT_declaration, AT_DECLARATION },
	{ DW_AT_sibling, AT_SIBLING },
	{ DW_AT_language, AT_LANGUAGE },
	{ DW_AT_str_offsets_base, AT_STR_OFFSETS_BASE },
	{ DW_AT_addr_base, AT_ADDR_BASE },
	{ DW_AT_rnglists_base, AT_RNGLISTS_BASE },
	{ DW_AT_loclists_base, AT_LOCLISTS_BASE },
	{ 0x2900, AT_GO_KIND },
	{ 0x2901, AT_GO_KEY },
	{ 0x2902, AT_GO_ELEM },
	{ 0x2903, AT_GO_EMBEDDED },
	{ 0x2904, AT_GO_RUNTIME_TYPE },
	{ 0x2906, AT_GO_DICT_INDEX },
	{ 0x2907, AT_GO_CLOSURE_OFFSET },
};

static uint32_t slot_of(uint64_t name)
{
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++)
		if (slots[i].name == name)
			return slots[i].slot;
	return AT_SLOTS;
}

/* False: end of the attributes, or of the bytes. */
static bool read_attr(struct dwarf_abbrevs *table, struct bytes *b)
{
	uint64_t name = bytes_uvarint(b), form = bytes_uvarint(b);
	int64_t implicit = form == DW_FORM_implicit_const ? bytes_varint(b) : 0;

	if (b->bad || (!name && !form))
		return false;
	GROW(table->attrs, table->attr_count, table->attr_cap);
	table->attrs[table->attr_count++] = (struct dwarf_abbrev_attr){
		slot_of(name), form > UINT32_MAX ? 0 : (uint32_t)form, implicit
	};
	return true;
}

/* A damaged table ends where the damage is. */
static void read_table(struct dwarf_entries *es, struct dwarf_abbrevs *table)
{
	struct bytes b = bytes_at(es->abbrev, table->off);

	for (;;) {
		uint64_t code = bytes_uvarint(&b), tag = bytes_uvarint(&b);
		bool children = bytes_u8(&b);
		struct dwarf_abbrev abbrev = { .code = code,
					       .tag = (uint32_t)tag,
					       .first = (uint32_t)table->attr_count,
					       .children = children };

		if (b.bad || !code || tag > UINT16_MAX)
			return;
		while (read_attr(table, &b))
			if (!es->abbrev_room || !es->abbrev_room--)
				return;
		if (b.bad || !es->abbrev_room || !es->abbrev_room--)
			return;
		abbrev.count = (uint32_t)table->attr_count - abbrev.first;
		GROW(table->list, table->count, table->cap);
		table->list[table->count++] = abbrev;
	}
}

static int by_code(const void *a, const void *b)
{
	const struct dwarf_abbrev *x = a, *y = b;
	return (x->code > y->code) - (x->code < y->code);
}

struct dwarf_abbrevs *dwarf_abbrevs_at(struct dwarf_entries *es, uint64_t off)
{
	for (size_t i = es->table_count; i-- > 0;)
		if (es->tables[i]->off == off)
			return es->tables[i];
	struct dwarf_abbrevs *table = xcalloc(1, sizeof(*table));
	table->off = off;
	read_table(es, table);
	if (table->count)
		qsort(table->list, table->count, sizeof(*table->list), by_code);
	GROW(es->tables, es->table_count, es->table_cap);
	es->tables[es->table_count++] = table;
	return table;
}

void dwarf_abbrevs_free(struct dwarf_abbrevs *table)
{
	xfree(table->list);
	xfree(table->attrs);
	xfree(table);
}

const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *table,
					     uint64_t code)
{
	/* Compilers count from 1. */
	if (code && code <= table->count && table->list[code - 1].code == code)
		return &table->list[code - 1];
	size_t low = LOWER_BOUND(i, table->count, table->list[i].code < code);
	return low < table->count && table->list[low].code == code ? &table->list[low]
								   : NULL;
}
