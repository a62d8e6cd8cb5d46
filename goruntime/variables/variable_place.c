/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/variable_place.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/debug.h"
#include "goruntime/types/type_priv.h"
#include "goruntime/values/value.h"
#include "goruntime/variables/variable_kind.h"

enum { IMPLICIT_MAX = 4 /* pointers to optimised-out objects, one to the next */ };

static bool has_register(const struct frame_variables *frame, int64_t n)
{
	return frame->regs && n >= 0 && n < ARCH_REGS_MAX &&
	       reg_known(frame->regs, (unsigned)n);
}

bool frame_register(const struct frame_variables *frame, int64_t n, uint64_t *ret)
{
	if (!has_register(frame, n))
		return false;
	*ret = frame->regs->value[n];
	return true;
}

/* amd64: xmm0 has number 17 (System V ABI, figure 3.36). */
static const uint8_t *vector_register(const struct frame_variables *frame, int64_t n)
{
	enum { VECTOR_FIRST = 17 };

	if (!frame->vectors || n < VECTOR_FIRST ||
	    n - VECTOR_FIRST >= frame->vectors->count)
		return NULL;
	return frame->vectors->value[n - VECTOR_FIRST];
}

/* False: not known. */
static bool add_register(const struct frame_variables *frame, int64_t n,
			 struct value_pieces *to, uint64_t size)
{
	const uint8_t *vector = vector_register(frame, n);

	if (vector)
		value_add_bytes(to, vector, size);
	else if (has_register(frame, n))
		value_add_bytes(to, &frame->regs->value[n], size);
	return vector || has_register(frame, n);
}

bool variable_piece_address(struct frame_variables *frame,
			    const struct dwarf_piece *piece, uint64_t *ret,
			    struct err *err)
{
	switch (piece->where) {
	case DWARF_PIECE_CFA:
		*ret = frame->cfa + (uint64_t)piece->at;
		return true;
	case DWARF_PIECE_ADDRESS:
		*ret = frame->code->variables->bias + (uint64_t)piece->at;
		return true;
	case DWARF_PIECE_BASE:
		if (!has_register(frame, piece->at))
			return false;
		*ret = frame->regs->value[piece->at] + (uint64_t)piece->more;
		return true;
	case DWARF_PIECE_INDIRECT:
		if (!value_words(frame->rt, frame->cfa + (uint64_t)piece->at, ret, 1,
				 err))
			return false;
		*ret += (uint64_t)piece->more;
		return true;
	default:
		return false;
	}
}

/* A value kept in two places is known if both hold the same. */
static bool is_certain(struct frame_variables *frame, const struct dwarf_piece *piece,
		       uint64_t addr, uint64_t size, struct err *err)
{
	const struct dwarf_piece other = { .where = piece->where, .at = piece->other };
	uint64_t words[2] = { 0 }, other_addr;

	if (!piece->twice || size > sizeof(words[0]))
		return true;
	if (!variable_piece_address(frame, &other, &other_addr, err) ||
	    !target_read(frame->rt->target, addr, &words[0], size, err) ||
	    !target_read(frame->rt->target, other_addr, &words[1], size, err))
		return false;
	return words[0] == words[1] ||
	       err_set(err, ERR_BAD_DATA,
		       "its location list names two places with different contents");
}

/* Turns a computed piece into a number or an address. False: err says why it is not
 * known. */
static bool compute(struct frame_variables *frame, struct dwarf_piece *piece,
		    struct err *err)
{
	struct dwarf_result result;

	if (piece->where != DWARF_PIECE_EXPRESSION)
		return true;
	if (!frame->c_stack)
		return err_set(err, ERR_UNSUPPORTED, "computed from other frames");
	if (!dwarf_piece_compute(frame->c_stack, frame->c_frame, piece, &result, err))
		return false;
	piece->where = result.is_value ? DWARF_PIECE_VALUE : DWARF_PIECE_ADDRESS;
	piece->at = (int64_t)(result.number -
			      (result.is_value ? 0 : frame->code->variables->bias));
	piece->more = 0;
	return true;
}

bool variable_is_whole(const struct dwarf_variable *d)
{
	return d->piece_count == 1 && d->pieces[0].size == UINT64_MAX;
}

static const char *why_nowhere(const struct frame_variables *frame,
			       const struct dwarf_variable *d)
{
	for (size_t i = 0; i < d->piece_count; i++) {
		const int64_t n = d->pieces[i].at;
		switch (d->pieces[i].where) {
		case DWARF_PIECE_REGISTER:
			if (vector_register(frame, n))
				break;
			__attribute__((fallthrough));
		case DWARF_PIECE_BASE:
			if (has_register(frame, n))
				break;
			return frame->signalled ? "in a register that was not saved when "
						  "a signal arrived"
						: "in a register with an unknown value";
		case DWARF_PIECE_UNKNOWN:
			return "unsupported DWARF location expression";
		default:
			break;
		}
	}
	return NULL;
}

/* cmd/compile/internal/ssa/debug.go, in each release. C compilers cover all of it. */
uint64_t variable_padding(const struct type *type, uint64_t off, uint64_t size)
{
	bool aligned = size == 2 || size == 4 || size == 8;

	return aligned && !type->c ? -off & (size - 1) : 0;
}

static bool add_pieces(struct frame_variables *frame, const struct dwarf_variable *d,
		       const struct type *type, struct value_pieces *to, int depth,
		       struct err *err);

/* Appends the target of a pointer that was optimised out. pointee: the target's type if
 * its entry has none, as GCC's for the characters of a string; NULL: not known. */
static bool add_implicit(struct frame_variables *frame, const struct dwarf_piece *piece,
			 const struct type *pointee, struct value_pieces *to,
			 uint64_t size, int depth, struct err *err)
{
	const struct code *c = frame->code;
	const struct code_variables *v = c->variables;
	struct dwarf_variable target;
	struct dwarf *d;
	struct types *types;
	struct err ignored;
	uint64_t addr = 0;

	if (depth == IMPLICIT_MAX ||
	    !debug_of_module(frame->rt, c->module, &d, &types, err) ||
	    !dwarf_described(d, c->pc - v->bias, c->at_instruction, (uint64_t)piece->at,
			     &target))
		return err_set(err, ERR_BAD_DATA,
			       "unsupported DWARF location expression");
	const struct type *type =
		!target.type && pointee ? pointee : types_at(types, target.type, err);
	if (type) {
		const size_t before =
			value_pieces_begin_target(to, type_size(type), &addr);
		/* Missing parts are unreadable there. */
		(void)add_pieces(frame, &target, type, to, depth + 1, &ignored);
		value_pieces_end_target(to, before);
	}
	xfree(target.pieces);
	addr += (uint64_t)piece->more;
	value_add_bytes(to, &addr, size);
	return type != NULL;
}

/* A variable is kept in pieces: assembles those that are available. */
static bool add_piece(struct frame_variables *frame, const struct dwarf_piece *piece,
		      const struct type *pointee, struct value_pieces *to, uint64_t size,
		      int depth, struct err *err)
{
	uint64_t addr;

	switch (piece->where) {
	case DWARF_PIECE_VALUE:
		value_add_bytes(to, &piece->at, size);
		return true;
	case DWARF_PIECE_REGISTER:
		return add_register(frame, piece->at, to, size);
	case DWARF_PIECE_NOWHERE:
		value_add_hole(to, size);
		return true;
	case DWARF_PIECE_IMPLICIT:
		return add_implicit(frame, piece, pointee, to, size, depth, err);
	default:
		return variable_piece_address(frame, piece, &addr, err) &&
		       is_certain(frame, piece, addr, size, err) &&
		       value_add_memory(frame->rt, to, addr, size, err);
	}
}

/* False: err says why a part is missing. */
static bool add_pieces(struct frame_variables *frame, const struct dwarf_variable *d,
		       const struct type *type, struct value_pieces *to, int depth,
		       struct err *err)
{
	const struct type *pointee =
		type_kind(type) == KIND_POINTER ? type_elem(type) : NULL;
	uint64_t left = type_size(type), whole = left;
	bool ok = true;

	for (size_t i = 0; i < d->piece_count; i++) {
		struct dwarf_piece piece = d->pieces[i];
		uint64_t gap = variable_padding(type, whole - left, piece.size);
		value_add_hole(to, gap < left ? gap : left);
		left -= gap < left ? gap : left;
		uint64_t size = piece.size < left ? piece.size : left;
		if (!compute(frame, &piece, err) ||
		    !add_piece(frame, &piece, pointee, to, size, depth, err)) {
			ok = false;
			value_add_hole(to, size);
		}
		left -= size;
	}
	value_add_hole(to, left);
	return ok;
}

static void put_together(struct frame_variables *frame, const struct dwarf_variable *d,
			 struct variable *ret, struct err *err)
{
	struct value_pieces *to;

	if (variable_is_whole(d) &&
	    variable_piece_address(frame, &d->pieces[0], &ret->value.addr, err))
		return;
	ret->unreadable = why_nowhere(frame, d);
	if (ret->unreadable)
		return;
	to = value_pieces_begin(frame->rt, &ret->value);
	if (!add_pieces(frame, d, ret->value.type, to, 0, err))
		ret->unreadable = err->text;
}

void variable_locate(struct frame_variables *frame, const struct dwarf_variable *d,
		     struct variable *ret, struct err *err)
{
	struct dwarf_piece pieces[DWARF_PIECES];
	struct dwarf_variable computed = *d;

	if (variable_is_nowhere(d)) {
		ret->optimized_out = true;
		return;
	}
	computed.pieces = pieces;
	for (size_t i = 0; i < d->piece_count; i++) {
		pieces[i] = d->pieces[i];
		if (!compute(frame, &pieces[i], err)) {
			ret->unreadable = err->text;
			return;
		}
	}
	put_together(frame, &computed, ret, err);
}
