/* SPDX-License-Identifier: Apache-2.0 */
/* The stack machine of DWARF 5, 2.5. */
#include "lib/dwarf/dwarf_expression.h"

#include <dwarf.h>
#include <string.h>

#include "lib/dwarf/dwarf_numbers.h"
#include "lib/dwarf/dwarf_priv.h"

enum { ITEMS_MAX = 64, STEPS_MAX = 4096, CALLS_MAX = 16 };

struct expression_vm {
	const struct dwarf_stack *stack;
	size_t i; /* of the frame */
	struct dwarf_frame frame;
	struct dwarf_entry function;
	struct bytes all, b;
	struct dwarf_number items[ITEMS_MAX];
	size_t count;
	bool is_value;
	unsigned calls;	 /* nesting depth of calls */
	struct err *err; /* "unsupported" until something else is the cause */
};

static bool push_item(struct expression_vm *m, struct dwarf_number item)
{
	if (m->count == ITEMS_MAX)
		return false;
	m->items[m->count++] = dwarf_number_fit(item);
	return true;
}

static bool push(struct expression_vm *m, uint64_t v)
{
	return push_item(m,
			 (struct dwarf_number){ .v = v, .size = WORD, .generic = true });
}

/* False: the stack is empty. */
static bool pop(struct expression_vm *m, struct dwarf_number *ret)
{
	if (!m->count)
		return false;
	*ret = m->items[--m->count];
	return true;
}

static bool push_register(struct expression_vm *m, uint64_t n, int64_t more)
{
	const struct regs *regs = m->frame.regs;

	if (n >= ARCH_REGS_MAX || !regs || !reg_known(regs, (unsigned)n))
		return err_set(m->err, ERR_NOT_FOUND,
			       "computed from a register that was not saved");
	return push(m, regs->value[n] + (uint64_t)more);
}

static bool push_cfa(struct expression_vm *m, int64_t more)
{
	return m->frame.cfa && push(m, m->frame.cfa + (uint64_t)more);
}

static bool push_frame_base(struct expression_vm *m, int64_t more)
{
	struct dwarf_place place = { .es = dwarf_entries(m->frame.dwarf),
				     .arch = m->frame.dwarf->arch,
				     .pc = m->frame.pc - m->frame.bias,
				     .at_instruction = m->frame.at_instruction };

	dwarf_frame_base(&place, &m->function);
	const struct dwarf_piece *base = &place.frame_base;
	const int64_t off = (int64_t)((uint64_t)base->more + (uint64_t)more);
	if (base->where == DWARF_PIECE_BASE)
		return push_register(m, (uint64_t)base->at, off);
	if (base->where == DWARF_PIECE_CFA)
		return push_cfa(m, (int64_t)((uint64_t)base->at + (uint64_t)more));
	return false;
}

/* A base type, by its offset in the unit; 0: the generic type. False: not an integer
 * type. */
static bool read_type(struct expression_vm *m, uint64_t off, struct dwarf_number *ret)
{
	struct dwarf_entry e;
	uint64_t size, encoding;

	*ret = (struct dwarf_number){ .size = WORD, .generic = true };
	if (!off)
		return true;
	if (!dwarf_entry_at(dwarf_entries(m->frame.dwarf), m->function.unit->off + off,
			    &e) ||
	    e.tag != DW_TAG_base_type || !dwarf_entry_unsigned(&e, AT_BYTE_SIZE, &size) ||
	    !dwarf_entry_unsigned(&e, AT_ENCODING, &encoding) || !size || size > WORD)
		return false;
	*ret = (struct dwarf_number){ .size = (uint8_t)size };
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		ret->is_signed = true;
		return true;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_address:
		return true;
	default:
		return false;
	}
}

static bool convert(struct expression_vm *m, uint64_t to)
{
	struct dwarf_number item = { .v = 0 }, type;

	if (!pop(m, &item) || !read_type(m, to, &type))
		return false;
	type.v = item.v;
	return push_item(m, type);
}

static bool push_typed_constant(struct expression_vm *m, const struct dwarf_operation *op)
{
	const size_t len = (size_t)(op->block.end - op->block.at);
	struct dwarf_number item;

	if (!read_type(m, op->first, &item) || len > sizeof(item.v))
		return false;
	item.v = 0;
	memcpy(&item.v, op->block.at, len);
	return push_item(m, item);
}

static bool push_typed_register(struct expression_vm *m, const struct dwarf_operation *op)
{
	struct dwarf_number item;

	if (!read_type(m, op->second, &item) || !push_register(m, op->first, 0))
		return false;
	item.v = m->items[--m->count].v;
	return push_item(m, item);
}

static bool deref(struct expression_vm *m, uint64_t size, struct dwarf_number as)
{
	struct dwarf_number at = { .v = 0 };

	if (!pop(m, &at))
		return false;
	if (!size || size > WORD)
		return false;
	as.v = 0;
	return target_read(m->stack->target, at.v, &as.v, size, m->err) &&
	       push_item(m, as);
}

static bool deref_type(struct expression_vm *m, const struct dwarf_operation *op)
{
	struct dwarf_number type;

	return read_type(m, op->second, &type) && deref(m, op->first, type);
}

/* An offset into the thread's storage block for this object. */
static bool push_tls(struct expression_vm *m)
{
	struct dwarf_number off = { .v = 0 };
	uint64_t base;

	return pop(m, &off) && m->stack->tls &&
	       m->stack->tls(m->stack->arg, m->i, &base, m->err) && push(m, base + off.v);
}

static bool calculate(struct expression_vm *m, const struct dwarf_operation *op)
{
	struct dwarf_number a = { .v = 0 }, b = { .v = 0 };

	if (op->code == DW_OP_plus_uconst)
		b.v = op->first;
	else if (!dwarf_number_is_unary(op->code) && !pop(m, &b))
		return false;
	if (!pop(m, &a))
		return false;
	return dwarf_number_calculate(op->code, &a, &b) && push_item(m, a);
}

static bool pick(struct expression_vm *m, uint64_t n)
{
	return n < m->count && push_item(m, m->items[m->count - 1 - n]);
}

/* Moves the last of n items before the others. */
static bool rotate(struct expression_vm *m, size_t n)
{
	struct dwarf_number top;

	if (m->count < n)
		return false;
	struct dwarf_number *first = &m->items[m->count - n];
	top = first[n - 1];
	for (size_t i = n - 1; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = top;
	return true;
}

static bool jump(struct expression_vm *m, uint64_t by, bool always)
{
	struct dwarf_number when = { .v = 1 };

	if (!always && !pop(m, &when))
		return false;
	if (!when.v)
		return true;
	m->b = bytes_at(m->all, (uint64_t)(m->b.at - m->all.at) + by);
	return !m->b.bad;
}

static bool run(struct expression_vm *m, struct bytes expression);

/* Sets up the state outside of the stack machine: the frame and its function. */
static bool begin(struct expression_vm *m, const struct dwarf_stack *stack, size_t i,
		  unsigned calls, struct err *err)
{
	*m = (struct expression_vm){ .stack = stack, .i = i, .calls = calls, .err = err };
	if (!stack->frame(stack->arg, i, &m->frame) || !m->frame.dwarf)
		return false;
	const uint64_t pc = m->frame.pc - m->frame.bias - !m->frame.at_instruction;
	return dwarf_function_at(dwarf_entries(m->frame.dwarf), pc, &m->function) &&
	       m->function.unit->address_size == WORD;
}

static bool untold(struct expression_vm *m)
{
	return err_set(
		m->err, ERR_NOT_FOUND,
		"entry value not available: the caller has no call-site information");
}

struct beginning {
	uint64_t at;
	bool found;
};

static bool is_beginning(void *arg, uint64_t low, uint64_t high)
{
	struct beginning *b = arg;

	(void)high;
	b->found |= low == b->at;
	return !b->found;
}

/* An indirect call, whose target the caller may still know. */
static bool is_called_by_address(struct expression_vm *caller,
				 const struct dwarf_entry *call,
				 const struct expression_vm *m)
{
	const struct dwarf_value *target = &call->value[AT_CALL_TARGET];
	struct beginning beginning = { .found = false };

	if (!entry_has(call, AT_CALL_TARGET) || target->class != CLASS_BLOCK ||
	    !run(caller, bytes_over(target->at, target->len)) || !caller->count)
		return false;
	beginning.at = caller->items[caller->count - 1].v - m->frame.bias;
	dwarf_entry_ranges(dwarf_entries(m->frame.dwarf), &m->function, is_beginning,
			   &beginning);
	return beginning.found;
}

/* As in gdb: only if the call site is for this very function, and no tail call can have
 * reached it since. */
static bool is_certain(struct expression_vm *m, struct expression_vm *caller,
		       const struct dwarf_entry *call)
{
	struct dwarf_entries *es = dwarf_entries(caller->frame.dwarf);
	const bool named = caller->frame.dwarf == m->frame.dwarf &&
			   dwarf_call_names(es, call, &m->function);

	if (!named && !is_called_by_address(caller, call, m))
		return err_set(
			m->err, ERR_NOT_FOUND,
			"entry value not available: the caller called another function");
	if (dwarf_function_is_jumped_to(m->frame.dwarf, &m->function))
		return err_set(m->err, ERR_NOT_FOUND,
			       "entry value not available: a tail call may have reached "
			       "the function");
	return true;
}

/* What the caller's call site says it passed in a register, or as a parameter. */
static bool push_passed(struct expression_vm *m, int64_t reg, uint64_t parameter)
{
	struct dwarf_entry call;
	struct expression_vm caller;
	struct bytes value;

	if (m->calls == CALLS_MAX)
		return false;
	if (!begin(&caller, m->stack, m->i + 1, m->calls + 1, m->err) ||
	    caller.frame.at_instruction)
		return untold(m);
	struct dwarf_entries *es = dwarf_entries(caller.frame.dwarf);
	if (!dwarf_call_at(es, caller.frame.pc - caller.frame.bias, &call))
		return untold(m);
	if (!is_certain(m, &caller, &call))
		return false;
	if (!dwarf_call_parameter(es, &call, reg, parameter, &value))
		return untold(m);
	return run(&caller, value) && caller.count &&
	       push(m, caller.items[caller.count - 1].v);
}

/* A callee-saved register still has the caller's value; which ones these are is not known
 * for every architecture. */
static bool is_handed_back(const struct expression_vm *m,
			   const struct dwarf_frame *caller, int64_t reg)
{
	const struct arch *arch = m->frame.dwarf->arch;

	return arch && reg != arch->sp && caller->regs && !caller->at_instruction &&
	       reg_known(caller->regs, (unsigned)reg);
}

static bool push_entry_value(struct expression_vm *m, struct bytes expression)
{
	const int64_t reg = dwarf_register_alone(expression);
	struct dwarf_frame caller;

	if (reg < 0 || reg >= ARCH_REGS_MAX)
		return false;
	if (m->stack->frame(m->stack->arg, m->i + 1, &caller) &&
	    is_handed_back(m, &caller, reg))
		return push(m, caller.regs->value[reg]);
	return push_passed(m, reg, 0);
}

static bool push_address_index(struct expression_vm *m, uint64_t i)
{
	uint64_t addr;

	return dwarf_address_index(dwarf_entries(m->frame.dwarf), m->function.unit, i,
				   &addr) &&
	       push(m, addr + m->frame.bias);
}

/* Constants, registers, addresses. *ret: success. False: op is none of these. */
static bool step_constant(struct expression_vm *m, const struct dwarf_operation *op,
			  bool *ret)
{
	switch (op->code) {
	case DW_OP_lit0 ... DW_OP_lit31:
		*ret = push(m, op->code - DW_OP_lit0);
		return true;
	case DW_OP_addr:
		*ret = push(m, op->first + m->frame.bias);
		return true;
	case DW_OP_addrx:
		*ret = push_address_index(m, op->first);
		return true;
	case DW_OP_const1u ... DW_OP_consts:
		*ret = push(m, op->first);
		return true;
	case DW_OP_const_type:
		*ret = push_typed_constant(m, op);
		return true;
	default:
		return false;
	}
}

static bool step_frame(struct expression_vm *m, const struct dwarf_operation *op,
		       bool *ret)
{
	switch (op->code) {
	case DW_OP_breg0 ... DW_OP_breg31:
		*ret = push_register(m, op->code - DW_OP_breg0, (int64_t)op->first);
		return true;
	case DW_OP_bregx:
		*ret = push_register(m, op->first, (int64_t)op->second);
		return true;
	case DW_OP_regval_type:
		*ret = push_typed_register(m, op);
		return true;
	case DW_OP_fbreg:
		*ret = push_frame_base(m, (int64_t)op->first);
		return true;
	case DW_OP_call_frame_cfa:
		*ret = push_cfa(m, 0);
		return true;
	case DW_OP_entry_value:
		*ret = push_entry_value(m, op->block);
		return true;
	case DW_OP_GNU_parameter_ref:
		*ret = push_passed(m, -1, m->function.unit->off + op->first);
		return true;
	case DW_OP_form_tls_address:
		*ret = push_tls(m);
		return true;
	default:
		return false;
	}
}

static bool step_order(struct expression_vm *m, const struct dwarf_operation *op,
		       bool *ret)
{
	struct dwarf_number dropped;

	switch (op->code) {
	case DW_OP_dup:
		*ret = pick(m, 0);
		return true;
	case DW_OP_over:
		*ret = pick(m, 1);
		return true;
	case DW_OP_pick:
		*ret = pick(m, op->first);
		return true;
	case DW_OP_drop:
		*ret = pop(m, &dropped);
		return true;
	case DW_OP_swap:
		*ret = rotate(m, 2);
		return true;
	case DW_OP_rot:
		*ret = rotate(m, 3);
		return true;
	case DW_OP_skip:
	case DW_OP_bra:
		*ret = jump(m, op->first, op->code == DW_OP_skip);
		return true;
	case DW_OP_nop:
	case DW_OP_stack_value:
		m->is_value = op->code == DW_OP_stack_value;
		*ret = true;
		return true;
	default:
		return false;
	}
}

static bool step_number(struct expression_vm *m, const struct dwarf_operation *op)
{
	const struct dwarf_number generic = { .size = WORD, .generic = true };

	switch (op->code) {
	case DW_OP_deref:
		return deref(m, WORD, generic);
	case DW_OP_deref_size:
		return deref(m, op->first, generic);
	case DW_OP_deref_type:
		return deref_type(m, op);
	case DW_OP_convert:
	case DW_OP_reinterpret:
		return convert(m, op->first);
	default:
		return calculate(m, op);
	}
}

static bool step(struct expression_vm *m)
{
	struct dwarf_operation op;
	bool ok;

	if (!dwarf_operation_read(m->function.unit, &m->b, &op))
		return false;
	if (step_constant(m, &op, &ok) || step_frame(m, &op, &ok) ||
	    step_order(m, &op, &ok))
		return ok;
	return step_number(m, &op);
}

static bool run(struct expression_vm *m, struct bytes expression)
{
	m->all = m->b = expression;
	m->count = 0;
	m->is_value = false;
	for (int i = 0; m->b.at < m->b.end; i++)
		if (i == STEPS_MAX || !dwarf_step(dwarf_entries(m->frame.dwarf), 1) ||
		    !step(m) || m->b.bad)
			return false;
	return true;
}

bool dwarf_piece_compute(const struct dwarf_stack *stack, size_t i,
			 const struct dwarf_piece *piece, struct dwarf_result *ret,
			 struct err *err)
{
	struct expression_vm m;

	err_set(err, ERR_UNSUPPORTED, "unsupported DWARF location expression");
	if (!begin(&m, stack, i, 0, err) ||
	    !run(&m, bytes_over(piece->expression, (size_t)piece->at)) || !m.count)
		return false;
	*ret = (struct dwarf_result){ m.is_value, m.items[m.count - 1].v };
	return true;
}
