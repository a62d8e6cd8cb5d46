/* SPDX-License-Identifier: Apache-2.0 */
#include <dwarf.h>
#include <string.h>

#include "lib/dwarf/dwarf_priv.h"
#include "lib/target/arch.h"

/* A location being parsed; the last piece is incomplete. */
struct reading {
	const struct dwarf_place *place;
	const struct dwarf_unit *unit;
	struct bytes b;
	const uint8_t *piece; /* start of its expression */
	struct dwarf_piece *pieces;
	size_t count;
	struct dwarf_piece now; /* NOWHERE: nothing yet */
	bool constant;		/* now is a constant, and may become a VALUE */
};

struct location {
	struct dwarf_piece pieces[LOCATION_PIECES];
	size_t count; /* 0: none */
};

static void set(struct reading *r, enum dwarf_piece_at where, int64_t at, int64_t more)
{
	bool first = r->now.where == DWARF_PIECE_NOWHERE;

	r->now = (struct dwarf_piece){ .where = first ? where : DWARF_PIECE_UNKNOWN,
				       .at = at,
				       .more = more,
				       .size = UINT64_MAX };
	r->constant = false;
}

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add(struct reading *r, int64_t n)
{
	switch (r->now.where) {
	case DWARF_PIECE_ADDRESS:
	case DWARF_PIECE_CFA:
		r->now.at = sum(r->now.at, n);
		break;
	case DWARF_PIECE_INDIRECT:
	case DWARF_PIECE_BASE:
		r->now.more = sum(r->now.more, n);
		break;
	default:
		r->now.where = DWARF_PIECE_UNKNOWN;
	}
}

/* A constant on the stack is an address, unless DW_OP_stack_value makes it the value;
 * after another item, DW_OP_plus may follow. */
static void number(struct reading *r, int64_t n)
{
	if (r->now.where == DWARF_PIECE_NOWHERE) {
		set(r, DWARF_PIECE_ADDRESS, n, 0);
		r->constant = true;
	} else if (r->b.at < r->b.end && *r->b.at == DW_OP_plus) {
		bytes_u8(&r->b);
		add(r, n);
	} else {
		r->now.where = DWARF_PIECE_UNKNOWN;
	}
}

static void frame_base(struct reading *r, int64_t n)
{
	const struct dwarf_piece *base = &r->place->frame_base;

	set(r, base->where, base->at, base->more);
	add(r, n);
}

static void address_index(struct reading *r, uint64_t i)
{
	uint64_t addr;

	if (dwarf_address_index(r->place->es, r->unit, i, &addr))
		set(r, DWARF_PIECE_ADDRESS, (int64_t)addr, 0);
	else
		r->now.where = DWARF_PIECE_UNKNOWN;
}

static void deref(struct reading *r)
{
	if (r->now.where == DWARF_PIECE_CFA)
		r->now.where = DWARF_PIECE_INDIRECT;
	else
		r->now.where = DWARF_PIECE_UNKNOWN;
}

static void stack_value(struct reading *r)
{
	bool number = r->constant && r->now.where == DWARF_PIECE_ADDRESS;

	r->now.where = number ? DWARF_PIECE_VALUE : DWARF_PIECE_UNKNOWN;
}

static int64_t little_endian(const uint8_t *at, uint64_t len)
{
	uint64_t v = 0;

	memcpy(&v, at, len);
	return (int64_t)v;
}

static void implicit_value(struct reading *r, struct bytes value)
{
	const size_t len = (size_t)(value.end - value.at);

	if (len > sizeof(uint64_t))
		r->now.where = DWARF_PIECE_UNKNOWN;
	else
		set(r, DWARF_PIECE_VALUE, little_endian(value.at, len), 0);
}

/* What is not a plain location can be evaluated, for C. Go emits nothing that needs
 * it. */
static void leave_expression(struct reading *r, const uint8_t *end)
{
	r->now.at = r->now.more = 0;
	if (r->unit->go)
		return;
	r->now.where = DWARF_PIECE_EXPRESSION;
	r->now.at = end - r->piece;
	r->now.expression = r->piece;
}

/* end: of its expression. False: too many pieces. */
static bool end_piece(struct reading *r, const uint8_t *end, uint64_t size)
{
	if (r->count == LOCATION_PIECES)
		return false;
	if (r->now.where == DWARF_PIECE_UNKNOWN)
		leave_expression(r, end);
	r->piece = r->b.at;
	r->now.size = size;
	r->pieces[r->count++] = r->now;
	r->now = (struct dwarf_piece){ .where = DWARF_PIECE_NOWHERE };
	r->constant = false;
	return true;
}

/* False: too many pieces. begin: of the operation. */
static bool perform(struct reading *r, const struct dwarf_operation *op,
		    const uint8_t *begin)
{
	const int64_t first = (int64_t)op->first, second = (int64_t)op->second;

	switch (op->code) {
	case DW_OP_lit0 ... DW_OP_lit31:
		number(r, op->code - DW_OP_lit0);
		return true;
	case DW_OP_const1u ... DW_OP_consts:
		number(r, first);
		return true;
	case DW_OP_addr:
		set(r, DWARF_PIECE_ADDRESS, first, 0);
		return true;
	case DW_OP_addrx:
		address_index(r, op->first);
		return true;
	case DW_OP_call_frame_cfa:
		set(r, DWARF_PIECE_CFA, 0, 0);
		return true;
	case DW_OP_fbreg:
		frame_base(r, first);
		return true;
	case DW_OP_reg0 ... DW_OP_reg31:
		set(r, DWARF_PIECE_REGISTER, op->code - DW_OP_reg0, 0);
		return true;
	case DW_OP_regx:
		set(r, DWARF_PIECE_REGISTER, first, 0);
		return true;
	case DW_OP_breg0 ... DW_OP_breg31:
		set(r, DWARF_PIECE_BASE, op->code - DW_OP_breg0, first);
		return true;
	case DW_OP_bregx:
		set(r, DWARF_PIECE_BASE, first, second);
		return true;
	case DW_OP_plus_uconst:
		add(r, first);
		return true;
	case DW_OP_deref:
		deref(r);
		return true;
	case DW_OP_stack_value:
		stack_value(r);
		return true;
	case DW_OP_implicit_value:
		implicit_value(r, op->block);
		return true;
	case DW_OP_implicit_pointer: /* Go never emits this */
		set(r, r->unit->go ? DWARF_PIECE_UNKNOWN : DWARF_PIECE_IMPLICIT, first,
		    second);
		return true;
	case DW_OP_piece:
		return end_piece(r, begin, op->first);
	case DW_OP_nop:
		return true;
	default: /* needs the state of the frame */
		r->now.where = DWARF_PIECE_UNKNOWN;
		return true;
	}
}

/* False: the rest is unreadable. */
static bool step(struct reading *r)
{
	const uint8_t *begin = r->b.at;
	struct dwarf_operation op;

	return dwarf_operation_read(r->unit, &r->b, &op) && perform(r, &op, begin);
}

static void unknown(struct location *ret)
{
	ret->pieces[0] =
		(struct dwarf_piece){ .where = DWARF_PIECE_UNKNOWN, .size = UINT64_MAX };
	ret->count = 1;
}

static void evaluate(const struct dwarf_place *place, const struct dwarf_unit *unit,
		     struct bytes expr, struct location *ret)
{
	struct reading r = { .place = place,
			     .unit = unit,
			     .b = expr,
			     .piece = expr.at,
			     .pieces = ret->pieces,
			     .now = { .where = DWARF_PIECE_NOWHERE } };

	while (r.b.at < r.b.end) {
		if (!dwarf_step(place->es, 1) || !step(&r) || r.b.bad) {
			unknown(ret);
			return;
		}
	}
	/* A location is either all pieces or none. */
	if (r.count && r.now.where != DWARF_PIECE_NOWHERE) {
		unknown(ret);
		return;
	}
	if (!r.count)
		end_piece(&r, expr.end, UINT64_MAX);
	ret->count = r.count;
}

/* The first item that covers pc, else the default item. */
static void find_item(const struct dwarf_place *place, struct dwarf_list *list,
		      uint64_t pc, struct location *ret)
{
	struct dwarf_list_item item, fallback = { .fallback = false };
	bool found = false;

	while (!found && dwarf_list_next(list, &item)) {
		if (item.fallback)
			fallback = item;
		found = !item.fallback && item.low <= pc && pc < item.high;
	}
	if (found || fallback.fallback)
		evaluate(place, list->unit, found ? item.expr : fallback.expr, ret);
}

static void location_at(const struct dwarf_place *place, const struct dwarf_entry *e,
			enum dwarf_slot slot, uint64_t pc, struct location *ret)
{
	const struct dwarf_value *v = &e->value[slot];
	struct dwarf_list list;

	ret->count = 0;
	if (!entry_has(e, slot))
		return;
	if (v->class == CLASS_BLOCK)
		evaluate(place, e->unit, bytes_over(v->at, v->len), ret);
	else if (dwarf_list_open(place->es, e, slot, &list))
		find_item(place, &list, pc, ret);
	else
		unknown(ret);
}

int64_t dwarf_register_alone(struct bytes expression)
{
	const uint8_t op = bytes_u8(&expression);
	const int64_t n =
		op == DW_OP_regx ? (int64_t)bytes_uvarint(&expression) : op - DW_OP_reg0;

	if (expression.bad || expression.at != expression.end)
		return -1;
	return op == DW_OP_regx || (op >= DW_OP_reg0 && op <= DW_OP_reg31) ? n : -1;
}

/* A register as frame base means the address in it. */
void dwarf_frame_base(struct dwarf_place *place, const struct dwarf_entry *function)
{
	struct location at;
	uint64_t pc = place->at_instruction ? place->pc : place->pc - 1;

	place->frame_base = (struct dwarf_piece){ .where = DWARF_PIECE_UNKNOWN };
	location_at(place, function, AT_FRAME_BASE, pc, &at);
	if (at.count != 1)
		return;
	if (at.pieces[0].where == DWARF_PIECE_REGISTER)
		at.pieces[0].where = DWARF_PIECE_BASE;
	if (at.pieces[0].where == DWARF_PIECE_BASE ||
	    at.pieces[0].where == DWARF_PIECE_CFA)
		place->frame_base = at.pieces[0];
}

/* In outer frames, only what unwinding restores is known: Go functions preserve no other
 * register, nor do C functions that they call. */
static bool restored(const struct dwarf_place *place, int64_t reg)
{
	return place->arch && (reg == place->arch->sp || reg == place->arch->fp);
}

static bool kept(const struct dwarf_place *place, const struct dwarf_piece *piece)
{
	switch (piece->where) {
	case DWARF_PIECE_REGISTER:
		return false;
	case DWARF_PIECE_BASE:
		return restored(place, piece->at);
	default:
		return piece->where != DWARF_PIECE_NOWHERE;
	}
}

/* Drops pieces in registers that an outer frame has lost. Returns how many pieces are
 * left. */
static size_t drop_registers(const struct dwarf_place *place, struct location *at)
{
	size_t left = 0;

	for (size_t i = 0; i < at->count; i++) {
		struct dwarf_piece *piece = &at->pieces[i];
		if (!kept(place, piece))
			*piece = (struct dwarf_piece){ .where = DWARF_PIECE_NOWHERE,
						       .size = piece->size };
		else if (piece->where != DWARF_PIECE_UNKNOWN)
			left++;
	}
	return left;
}

static bool same_shape(const struct location *a, const struct location *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->pieces[i].size != b->pieces[i].size)
			return false;
	return true;
}

/* What is in a register at the call has been spilled to the stack by the return address:
 * that location is preferred, piece by piece. */
static void outer(const struct dwarf_place *place, const struct dwarf_entry *e,
		  struct location *ret)
{
	struct location call;

	location_at(place, e, AT_LOCATION, place->pc, ret);
	size_t left = drop_registers(place, ret);
	if (left && left == ret->count)
		return;
	location_at(place, e, AT_LOCATION, place->pc - 1, &call);
	size_t call_left = drop_registers(place, &call);
	if (!same_shape(ret, &call)) {
		if (!ret->count || (!left && call_left))
			*ret = call;
		return;
	}
	for (size_t i = 0; i < ret->count; i++) {
		enum dwarf_piece_at where = ret->pieces[i].where;
		if (where == DWARF_PIECE_NOWHERE ||
		    (where == DWARF_PIECE_UNKNOWN &&
		     call.pieces[i].where != DWARF_PIECE_NOWHERE))
			ret->pieces[i] = call.pieces[i];
	}
}

/* A single operation, for a location in the frame. */
static bool is_frame_alone(struct bytes expr)
{
	const uint8_t op = bytes_u8(&expr);

	if (op == DW_OP_fbreg)
		bytes_varint(&expr);
	return (op == DW_OP_fbreg || op == DW_OP_call_frame_cfa) && !expr.bad &&
	       expr.at == expr.end;
}

/* Determines whether it is nowhere in pieces, and somewhere in a register. */
static void find_alone(const struct dwarf_place *place, const struct dwarf_entry *e,
		       struct dwarf_variable *ret)
{
	struct dwarf_list list;
	struct dwarf_list_item item;

	ret->alone = ret->listed && e->unit->go &&
		     dwarf_list_open(place->es, e, AT_LOCATION, &list);
	while (ret->alone && dwarf_list_next(&list, &item)) {
		const bool in_register = dwarf_register_alone(item.expr) >= 0;
		ret->in_register |= in_register;
		ret->alone = in_register || is_frame_alone(item.expr) ||
			     item.expr.at == item.expr.end;
	}
	ret->in_register &= ret->alone;
}

/* Strings, and values of more than eight bytes, are not single constants. */
static void constant(const struct dwarf_value *v, struct location *ret)
{
	unknown(ret);
	if (v->class == CLASS_UNSIGNED || v->class == CLASS_SIGNED) {
		ret->pieces[0].where = DWARF_PIECE_VALUE;
		ret->pieces[0].at = (int64_t)v->u;
	} else if (v->class == CLASS_BLOCK && v->len <= sizeof(uint64_t)) {
		ret->pieces[0].where = DWARF_PIECE_VALUE;
		ret->pieces[0].at = little_endian(v->at, v->len);
	}
}

void dwarf_locate(const struct dwarf_place *place, const struct dwarf_entry *e,
		  struct dwarf_variable *ret)
{
	struct location at = { .count = 0 };

	if (entry_has(e, AT_CONST_VALUE) && !entry_has(e, AT_LOCATION))
		constant(&e->value[AT_CONST_VALUE], &at);
	else if (place->at_instruction)
		location_at(place, e, AT_LOCATION, place->pc, &at);
	else if (!e->unit->go)
		location_at(place, e, AT_LOCATION, place->pc - 1, &at);
	else
		outer(place, e, &at);
	ret->listed =
		entry_has(e, AT_LOCATION) && e->value[AT_LOCATION].class != CLASS_BLOCK;
	find_alone(place, e, ret);
	if (!at.count) {
		at.pieces[0] = (struct dwarf_piece){ .where = DWARF_PIECE_NOWHERE,
						     .size = UINT64_MAX };
		at.count = 1;
	}
	ret->pieces = xcalloc(at.count, sizeof(*ret->pieces));
	memcpy(ret->pieces, at.pieces, at.count * sizeof(*at.pieces));
	ret->piece_count = at.count;
}
