/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of DWARF expressions and their operands (DWARF 5, 7.7.1). */
#include <dwarf.h>

#include "lib/dwarf/dwarf_priv.h"

enum operand {
	UNKNOWN, /* of the first: the operation is unknown */
	NONE,
	U8,
	S8,
	U16,
	S16,
	U32,
	S32,
	U64,
	UVARINT,
	VARINT,
	ADDRESS,
	ENTRY,	   /* the offset of an entry in .debug_info */
	BLOCK,	   /* its length, as UVARINT, and that many bytes */
	BLOCK_OF_8 /* the same, with the length as U8 */
};

static const uint8_t operands[UINT8_MAX + 1][2] = {
	[DW_OP_addr] = { ADDRESS },
	[DW_OP_deref] = { NONE },
	[DW_OP_const1u] = { U8 },
	[DW_OP_const1s] = { S8 },
	[DW_OP_const2u] = { U16 },
	[DW_OP_const2s] = { S16 },
	[DW_OP_const4u] = { U32 },
	[DW_OP_const4s] = { S32 },
	[DW_OP_const8u] = { U64 },
	[DW_OP_const8s] = { U64 },
	[DW_OP_constu] = { UVARINT },
	[DW_OP_consts] = { VARINT },
	[DW_OP_dup] = { NONE },
	[DW_OP_drop] = { NONE },
	[DW_OP_over] = { NONE },
	[DW_OP_pick] = { U8 },
	[DW_OP_swap... DW_OP_plus] = { NONE },
	[DW_OP_plus_uconst] = { UVARINT },
	[DW_OP_shl... DW_OP_xor] = { NONE },
	[DW_OP_bra] = { S16 },
	[DW_OP_eq... DW_OP_ne] = { NONE },
	[DW_OP_skip] = { S16 },
	[DW_OP_lit0... DW_OP_lit31] = { NONE },
	[DW_OP_reg0... DW_OP_reg31] = { NONE },
	[DW_OP_breg0... DW_OP_breg31] = { VARINT },
	[DW_OP_regx] = { UVARINT },
	[DW_OP_fbreg] = { VARINT },
	[DW_OP_bregx] = { UVARINT, VARINT },
	[DW_OP_piece] = { UVARINT },
	[DW_OP_deref_size] = { U8 },
	[DW_OP_xderef_size] = { U8 },
	[DW_OP_nop] = { NONE },
	[DW_OP_push_object_address] = { NONE },
	[DW_OP_form_tls_address] = { NONE },
	[DW_OP_call_frame_cfa] = { NONE },
	[DW_OP_implicit_value] = { BLOCK },
	[DW_OP_stack_value] = { NONE },
	[DW_OP_implicit_pointer] = { ENTRY, VARINT },
	[DW_OP_addrx] = { UVARINT },
	[DW_OP_entry_value] = { BLOCK },
	[DW_OP_const_type] = { UVARINT, BLOCK_OF_8 },
	[DW_OP_regval_type] = { UVARINT, UVARINT },
	[DW_OP_deref_type] = { U8, UVARINT },
	[DW_OP_convert] = { UVARINT },
	[DW_OP_reinterpret] = { UVARINT },
	[DW_OP_GNU_push_tls_address] = { NONE },
	[DW_OP_GNU_implicit_pointer] = { ENTRY, VARINT },
	[DW_OP_GNU_entry_value] = { BLOCK },
	[DW_OP_GNU_const_type] = { UVARINT, BLOCK_OF_8 },
	[DW_OP_GNU_regval_type] = { UVARINT, UVARINT },
	[DW_OP_GNU_deref_type] = { U8, UVARINT },
	[DW_OP_GNU_convert] = { UVARINT },
	[DW_OP_GNU_reinterpret] = { UVARINT },
	[DW_OP_GNU_parameter_ref] = { U32 },
	[DW_OP_GNU_addr_index] = { UVARINT },
};

/* The same operations under the names from before DWARF 5. */
static uint8_t standard(uint8_t code)
{
	switch (code) {
	case DW_OP_GNU_push_tls_address:
		return DW_OP_form_tls_address;
	case DW_OP_GNU_implicit_pointer:
		return DW_OP_implicit_pointer;
	case DW_OP_GNU_entry_value:
		return DW_OP_entry_value;
	case DW_OP_GNU_const_type:
		return DW_OP_const_type;
	case DW_OP_GNU_regval_type:
		return DW_OP_regval_type;
	case DW_OP_GNU_deref_type:
		return DW_OP_deref_type;
	case DW_OP_GNU_convert:
		return DW_OP_convert;
	case DW_OP_GNU_reinterpret:
		return DW_OP_reinterpret;
	case DW_OP_GNU_addr_index:
		return DW_OP_addrx;
	default:
		return code;
	}
}

static struct bytes read_block(struct bytes *b, uint64_t len)
{
	const uint8_t *at = b->at;

	*b = bytes_at(*b, len);
	return b->bad ? bytes_over(at, 0) : bytes_over(at, len);
}

static uint64_t read_entry(const struct dwarf_unit *unit, struct bytes *b)
{
	const unsigned size = unit->version == 2 ? unit->address_size : unit->offset_size;

	return size == 8 ? bytes_u64(b) : bytes_u32(b);
}

static uint64_t read_operand(const struct dwarf_unit *unit, enum operand kind,
			     struct bytes *b, struct bytes *ret_block)
{
	switch (kind) {
	case UNKNOWN:
	case NONE:
		return 0;
	case U8:
		return bytes_u8(b);
	case S8:
		return (uint64_t)(int8_t)bytes_u8(b);
	case U16:
		return bytes_u16(b);
	case S16:
		return (uint64_t)(int16_t)bytes_u16(b);
	case U32:
		return bytes_u32(b);
	case S32:
		return (uint64_t)(int32_t)bytes_u32(b);
	case U64:
		return bytes_u64(b);
	case UVARINT:
		return bytes_uvarint(b);
	case VARINT:
		return (uint64_t)bytes_varint(b);
	case ADDRESS:
		return unit->address_size == 8 ? bytes_u64(b) : bytes_u32(b);
	case ENTRY:
		return read_entry(unit, b);
	case BLOCK:
		*ret_block = read_block(b, bytes_uvarint(b));
		return 0;
	case BLOCK_OF_8:
		*ret_block = read_block(b, bytes_u8(b));
		return 0;
	}
	return 0;
}

bool dwarf_operation_read(const struct dwarf_unit *unit, struct bytes *b,
			  struct dwarf_operation *ret)
{
	const uint8_t code = bytes_u8(b), *kinds = operands[code];

	*ret = (struct dwarf_operation){ .code = standard(code) };
	ret->first = read_operand(unit, kinds[0], b, &ret->block);
	ret->second = read_operand(unit, kinds[1], b, &ret->block);
	return kinds[0] != UNKNOWN && !b->bad;
}
