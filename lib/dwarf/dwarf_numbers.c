/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/dwarf_numbers.h"

#include <dwarf.h>

#include "lib/target/arch.h"

static uint64_t extend(uint64_t v, uint8_t size, bool is_signed)
{
	const unsigned drop = 64 - 8 * (unsigned)size;

	v <<= drop;
	return is_signed ? (uint64_t)((int64_t)v >> drop) : v >> drop;
}

struct dwarf_number dwarf_number_fit(struct dwarf_number n)
{
	n.v = extend(n.v, n.size, n.is_signed);
	return n;
}

bool dwarf_number_is_unary(uint8_t op)
{
	return op == DW_OP_abs || op == DW_OP_neg || op == DW_OP_not;
}

static bool less(const struct dwarf_number *a, const struct dwarf_number *b)
{
	return a->is_signed || a->generic ? (int64_t)a->v < (int64_t)b->v : a->v < b->v;
}

static bool is_so(uint8_t op, const struct dwarf_number *a, const struct dwarf_number *b)
{
	switch (op) {
	case DW_OP_eq:
		return a->v == b->v;
	case DW_OP_ne:
		return a->v != b->v;
	case DW_OP_lt:
		return less(a, b);
	case DW_OP_ge:
		return !less(a, b);
	case DW_OP_gt:
		return less(b, a);
	default: /* DW_OP_le */
		return !less(b, a);
	}
}

/* Generic values: signed division, unsigned modulo. */
static bool divide(bool rest, struct dwarf_number *a, const struct dwarf_number *b)
{
	const int64_t x = (int64_t)a->v, y = (int64_t)b->v;

	if (!b->v)
		return false;
	if (!a->is_signed && (!a->generic || rest))
		a->v = rest ? a->v % b->v : a->v / b->v;
	else if (y == -1)
		a->v = rest ? 0 : 0 - a->v;
	else
		a->v = (uint64_t)(rest ? x % y : x / y);
	return true;
}

static bool shift(uint8_t op, struct dwarf_number *a, uint64_t by)
{
	const uint64_t bits = 8 * (uint64_t)a->size;

	a->v = extend(a->v, a->size, op == DW_OP_shra);
	if (op == DW_OP_shra)
		a->v = (uint64_t)((int64_t)a->v >> (by < bits ? by : bits - 1));
	else if (by >= bits)
		a->v = 0;
	else
		a->v = op == DW_OP_shl ? a->v << by : a->v >> by;
	return true;
}

static bool change(uint8_t op, struct dwarf_number *a, const struct dwarf_number *b)
{
	switch (op) {
	case DW_OP_and:
		a->v &= b->v;
		return true;
	case DW_OP_or:
		a->v |= b->v;
		return true;
	case DW_OP_xor:
		a->v ^= b->v;
		return true;
	case DW_OP_plus:
	case DW_OP_plus_uconst:
		a->v += b->v;
		return true;
	case DW_OP_minus:
		a->v -= b->v;
		return true;
	case DW_OP_mul:
		a->v *= b->v;
		return true;
	case DW_OP_not:
		a->v = ~a->v;
		return true;
	case DW_OP_neg:
		a->v = 0 - a->v;
		return true;
	case DW_OP_abs:
		a->v = (int64_t)a->v < 0 ? 0 - a->v : a->v;
		return true;
	default:
		return false;
	}
}

bool dwarf_number_calculate(uint8_t op, struct dwarf_number *a,
			    const struct dwarf_number *b)
{
	switch (op) {
	case DW_OP_eq ... DW_OP_ne:
		*a = (struct dwarf_number){ is_so(op, a, b), WORD, .generic = true };
		return true;
	case DW_OP_div:
	case DW_OP_mod:
		return divide(op == DW_OP_mod, a, b);
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		return shift(op, a, b->v);
	default:
		return change(op, a, b);
	}
}
