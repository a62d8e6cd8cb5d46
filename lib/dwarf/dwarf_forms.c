/* SPDX-License-Identifier: Apache-2.0 */
#include <dwarf.h>

#include "lib/dwarf/dwarf_priv.h"

static uint64_t read_size(struct bytes *b, unsigned size)
{
	uint8_t raw[8] = { 0 };
	uint64_t v = 0;

	bytes_take(b, raw, size);
	for (unsigned i = size; i-- > 0;)
		v = v << 8 | raw[i];
	return v;
}

static void take_block(struct bytes *b, uint64_t len, struct dwarf_value *ret)
{
	ret->class = CLASS_BLOCK;
	ret->at = b->at;
	ret->len = len;
	*b = bytes_at(*b, len);
}

static void take_reference(const struct dwarf_unit *unit, uint64_t off,
			   struct dwarf_value *ret)
{
	if (off < unit->end - unit->off) {
		ret->class = CLASS_REFERENCE;
		ret->u = unit->off + off;
	}
}

static void take_string(struct bytes section, uint64_t off, struct dwarf_value *ret)
{
	struct bytes b = bytes_at(section, off);

	if (b.bad)
		return;
	ret->class = CLASS_STRING;
	ret->at = b.at;
	ret->len = (uint64_t)(b.end - b.at);
}

static void take_string_index(const struct dwarf_entries *es,
			      const struct dwarf_unit *unit, uint64_t i,
			      struct dwarf_value *ret)
{
	struct bytes b = bytes_at(es->str_offsets, unit->str_offsets_base);

	if (i > UINT32_MAX)
		return;
	b = bytes_at(b, i * unit->offset_size);
	uint64_t off = read_size(&b, unit->offset_size);
	if (!b.bad)
		take_string(es->str, off, ret);
}

bool dwarf_address_index(const struct dwarf_entries *es, const struct dwarf_unit *unit,
			 uint64_t i, uint64_t *ret)
{
	struct bytes b = bytes_at(es->addr, unit->addr_base);

	if (i > UINT32_MAX)
		return false;
	b = bytes_at(b, i * unit->address_size);
	*ret = read_size(&b, unit->address_size);
	return !b.bad;
}

static void take_number(struct dwarf_value *ret, enum dwarf_class class, uint64_t u)
{
	ret->class = class;
	ret->u = u;
}

static void take_address_index(const struct dwarf_entries *es,
			       const struct dwarf_unit *unit, uint64_t i,
			       struct dwarf_value *ret)
{
	if (dwarf_address_index(es, unit, i, &ret->u))
		ret->class = CLASS_ADDRESS;
}

/* Constants, blocks, and references to other files. False: another form. */
static bool read_plain(const struct dwarf_unit *unit, uint32_t form, int64_t implicit,
		       struct bytes *b, struct dwarf_value *ret)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_flag:
		take_number(ret, CLASS_UNSIGNED, bytes_u8(b));
		return true;
	case DW_FORM_data2:
		take_number(ret, CLASS_UNSIGNED, bytes_u16(b));
		return true;
	case DW_FORM_data4:
		take_number(ret, CLASS_UNSIGNED, bytes_u32(b));
		return true;
	case DW_FORM_data8:
		take_number(ret, CLASS_UNSIGNED, bytes_u64(b));
		return true;
	case DW_FORM_udata:
		take_number(ret, CLASS_UNSIGNED, bytes_uvarint(b));
		return true;
	case DW_FORM_sdata:
		take_number(ret, CLASS_SIGNED, (uint64_t)bytes_varint(b));
		return true;
	case DW_FORM_implicit_const:
		take_number(ret, CLASS_SIGNED, (uint64_t)implicit);
		return true;
	case DW_FORM_flag_present:
		take_number(ret, CLASS_UNSIGNED, 1);
		return true;
	case DW_FORM_data16:
		take_block(b, 16, ret);
		return true;
	case DW_FORM_block1:
		take_block(b, bytes_u8(b), ret);
		return true;
	case DW_FORM_block2:
		take_block(b, bytes_u16(b), ret);
		return true;
	case DW_FORM_block4:
		take_block(b, bytes_u32(b), ret);
		return true;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		take_block(b, bytes_uvarint(b), ret);
		return true;
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		bytes_u64(b);
		return true;
	case DW_FORM_ref_sup4:
		bytes_u32(b);
		return true;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		read_size(b, unit->offset_size);
		return true;
	default:
		return false;
	}
}

static bool read_reference(const struct dwarf_unit *unit, uint32_t form, struct bytes *b,
			   struct dwarf_value *ret)
{
	switch (form) {
	case DW_FORM_ref1:
		take_reference(unit, bytes_u8(b), ret);
		return true;
	case DW_FORM_ref2:
		take_reference(unit, bytes_u16(b), ret);
		return true;
	case DW_FORM_ref4:
		take_reference(unit, bytes_u32(b), ret);
		return true;
	case DW_FORM_ref8:
		take_reference(unit, bytes_u64(b), ret);
		return true;
	case DW_FORM_ref_udata:
		take_reference(unit, bytes_uvarint(b), ret);
		return true;
	case DW_FORM_ref_addr:
		/* In DWARF 2 it is as wide as an address. */
		take_number(ret, CLASS_REFERENCE,
			    read_size(b, unit->version == 2 ? unit->address_size
							    : unit->offset_size));
		return true;
	case DW_FORM_sec_offset:
		take_number(ret, CLASS_OFFSET, read_size(b, unit->offset_size));
		return true;
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		take_number(ret, CLASS_LIST_INDEX, bytes_uvarint(b));
		return true;
	default:
		return false;
	}
}

static bool read_string(struct dwarf_entries *es, struct bytes *b,
			struct dwarf_value *ret)
{
	const uint8_t *at = b->at;
	const uint64_t most = b->bad ? 0 : (uint64_t)(b->end - at);
	const uint64_t len = bytes_string(b) ? (uint64_t)(b->at - at) : most;

	*ret = (struct dwarf_value){ CLASS_STRING, 0, at, b->bad ? 0 : len };
	return dwarf_step(es, dwarf_steps_of(len));
}

/* Strings and addresses. False: unknown form; the rest of the entry is unreadable. */
static bool read_indirect(struct dwarf_entries *es, const struct dwarf_unit *unit,
			  uint32_t form, struct bytes *b, struct dwarf_value *ret)
{
	switch (form) {
	case DW_FORM_string:
		return read_string(es, b, ret);
	case DW_FORM_strp:
		take_string(es->str, read_size(b, unit->offset_size), ret);
		return true;
	case DW_FORM_line_strp:
		take_string(es->line_str, read_size(b, unit->offset_size), ret);
		return true;
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		take_string_index(es, unit, bytes_uvarint(b), ret);
		return true;
	case DW_FORM_strx1 ... DW_FORM_strx4:
		take_string_index(es, unit, read_size(b, form - DW_FORM_strx1 + 1), ret);
		return true;
	case DW_FORM_addr:
		take_number(ret, CLASS_ADDRESS, read_size(b, unit->address_size));
		return true;
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		take_address_index(es, unit, bytes_uvarint(b), ret);
		return true;
	case DW_FORM_addrx1 ... DW_FORM_addrx4:
		take_address_index(es, unit, read_size(b, form - DW_FORM_addrx1 + 1),
				   ret);
		return true;
	default:
		return false;
	}
}

static bool read_value(struct dwarf_entries *es, const struct dwarf_unit *unit,
		       const struct dwarf_abbrev_attr *attr, struct bytes *b,
		       struct dwarf_value *ret)
{
	uint32_t form = attr->form;

	if (form == DW_FORM_indirect) {
		uint64_t actual = bytes_uvarint(b);
		if (actual == DW_FORM_implicit_const || actual > UINT32_MAX)
			return false;
		form = (uint32_t)actual;
	}
	*ret = (struct dwarf_value){ .class = CLASS_NONE };
	return read_plain(unit, form, attr->implicit, b, ret) ||
	       read_reference(unit, form, b, ret) ||
	       read_indirect(es, unit, form, b, ret);
}

bool dwarf_entry_read(struct dwarf_entries *es, struct dwarf_unit *unit, uint64_t off,
		      struct dwarf_entry *ret)
{
	struct bytes b = bytes_at(es->info, off);
	struct dwarf_value value;

	if (off >= unit->end || b.bad)
		return false;
	b.end = es->info.at + unit->end;
	uint64_t code = bytes_uvarint(&b);
	const struct dwarf_abbrev *abbrev =
		code ? dwarf_abbrev_find(unit->abbrevs, code) : NULL;
	if ((code && !abbrev) || !dwarf_step(es, abbrev ? abbrev->count + 1 : 1))
		return false;
	ret->unit = unit;
	ret->off = off;
	ret->tag = abbrev ? abbrev->tag : 0;
	ret->children = abbrev && abbrev->children;
	ret->has = 0;
	for (uint32_t i = 0; abbrev && i < abbrev->count; i++) {
		const struct dwarf_abbrev_attr *attr =
			&unit->abbrevs->attrs[abbrev->first + i];
		if (!read_value(es, unit, attr, &b, &value))
			return false;
		if (attr->slot == AT_SLOTS)
			continue;
		ret->value[attr->slot] = value;
		ret->has |= UINT64_C(1) << attr->slot;
	}
	ret->next = (uint64_t)(b.at - es->info.at);
	return !b.bad && (code == 0 || ret->tag);
}
