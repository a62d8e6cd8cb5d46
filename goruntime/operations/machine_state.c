/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/operations/machine_state.h"

#include "goruntime/operations/symbolic.h"
#include "goruntime/runtime/runtime_priv.h"

enum { OFFSET_MAX = 1 << 30 };

void machine_init(struct machine_state *s, struct runtime *rt)
{
	s->rt = rt;
	s->stack_low = s->stack_valid = 0;
	s->symbolic = NULL;
	s->pc = 0;
	s->infer = s->lossy = false;
	s->cell_count = 0;
	s->known = 0;
}

void machine_set(struct machine_state *s, unsigned reg, uint64_t value)
{
	if (reg >= MACHINE_REGISTERS)
		return;
	s->reg[reg] = value;
	s->known |= UINT32_C(1) << reg;
}

bool machine_register(const struct machine_state *s, int reg, uint64_t *ret)
{
	if (reg < 0 || reg >= MACHINE_REGISTERS || !(s->known >> reg & 1))
		return false;
	*ret = s->reg[reg];
	return true;
}

void machine_forget_registers(struct machine_state *s)
{
	s->known = 0;
}

static void store(struct machine_state *s, uint64_t addr, bool known, uint64_t value)
{
	const struct machine_cell cell = { addr, value, known };

	if (s->symbolic)
		symbolic_note_store(s->symbolic, s->pc, addr, known, value);
	for (size_t i = 0; i < s->cell_count; i++)
		if (s->cells[i].addr == addr) {
			s->cells[i] = cell;
			return;
		}
	if (s->cell_count < MACHINE_CELLS)
		s->cells[s->cell_count++] = cell;
	else
		s->lossy = true;
}

void machine_forget(struct machine_state *s, uint64_t addr, uint64_t len)
{
	for (uint64_t i = 0; i < len; i += WORD)
		store(s, addr + i, false, 0);
}

/* Constants may not have been captured: the modules have them. */
static bool read_word(struct machine_state *s, uint64_t addr, uint64_t *ret)
{
	struct err ignored;

	if (target_read_uint(s->rt->target, addr, WORD, ret, &ignored))
		return true;
	struct bytes constant = modules_bytes(s->rt->modules, addr);
	*ret = bytes_u64(&constant);
	return !constant.bad;
}

/* Is it on the stack below stack_valid? That has nothing but what the code has stored
 * there since. */
static bool is_garbage(const struct machine_state *s, uint64_t addr)
{
	return addr >= s->stack_low && addr < s->stack_valid;
}

static const struct machine_cell *cell_at(const struct machine_state *s, uint64_t addr)
{
	for (size_t i = 0; i < s->cell_count; i++)
		if (s->cells[i].addr == addr)
			return &s->cells[i];
	return NULL;
}

bool machine_stored(const struct machine_state *s, uint64_t addr, uint64_t *ret)
{
	const struct machine_cell *cell = cell_at(s, addr);

	if (!cell || !cell->known)
		return false;
	*ret = cell->value;
	return true;
}

bool machine_load(struct machine_state *s, uint64_t addr, uint64_t *ret)
{
	if (cell_at(s, addr))
		return machine_stored(s, addr, ret);
	if (s->symbolic && symbolic_load(s->symbolic, addr, ret))
		return true;
	return !s->lossy && !is_garbage(s, addr) && read_word(s, addr, ret);
}

/* May the offset be added to the address? If the address is a stand-in, the sum must
 * still show that; and a stand-in is no offset. */
static bool is_offset(const struct machine_state *s, uint64_t addr, uint64_t offset)
{
	int64_t ignored;

	return !s->symbolic || (!symbolic_split(s->symbolic, offset, &ignored) &&
				(!symbolic_split(s->symbolic, addr, &ignored) ||
				 offset + OFFSET_MAX < UINT64_C(2) * OFFSET_MAX));
}

bool machine_address(const struct machine_state *s, const struct operand *o, uint64_t sp,
		     uint64_t *ret)
{
	const struct arch *arch = target_arch(s->rt->target);

	uint64_t base = 0, index = 0;

	if (o->kind != OPERAND_MEMORY ||
	    (o->index >= 0 && !machine_register(s, o->index, &index)))
		return false;
	if (o->reg == (int)arch->sp && sp)
		base = sp;
	else if (o->reg == (int)arch->sp || (o->reg >= 0 && o->reg != (int)arch->pc &&
					     !machine_register(s, o->reg, &base)))
		return false;
	*ret = base + index * o->scale + (uint64_t)o->number;
	return o->index < 0 ||
	       (is_offset(s, 0, index) && is_offset(s, base, *ret - base));
}

bool machine_value(struct machine_state *s, const struct operand *o, uint64_t sp,
		   uint64_t *ret)
{
	uint64_t addr;

	switch (o->kind) {
	case OPERAND_NUMBER:
		*ret = (uint64_t)o->number;
		return true;
	case OPERAND_REGISTER:
		return machine_register(s, o->reg, ret);
	case OPERAND_MEMORY:
		return machine_address(s, o, sp, &addr) && machine_load(s, addr, ret);
	default:
		return false;
	}
}

static void write_to(struct machine_state *s, const struct instruction *in, uint64_t sp,
		     bool known, uint64_t value)
{
	const struct operand *to = &in->operand[0], *from = &in->operand[1];
	uint64_t addr;

	if (!known && s->symbolic && to->kind == OPERAND_REGISTER)
		known = symbolic_new(s->symbolic, &value);
	if (to->kind == OPERAND_REGISTER && known)
		machine_set(s, (unsigned)to->reg, value);
	else if (to->kind == OPERAND_REGISTER && to->reg >= 0)
		s->known &= ~(UINT32_C(1) << to->reg);
	if (!machine_address(s, to, sp, &addr))
		return;
	if (!known && s->infer && from->kind == OPERAND_REGISTER &&
	    !is_garbage(s, addr) && read_word(s, addr, &value)) {
		known = true;
		machine_set(s, (unsigned)from->reg, value);
	}
	store(s, addr, known, value);
}

static void forget_written(struct machine_state *s, const struct instruction *in,
			   uint64_t sp)
{
	uint64_t addr;

	s->known &= ~(uint32_t)in->written;
	if (in->kind == INSTRUCTION_COMPARE || s->infer ||
	    !machine_address(s, &in->operand[0], sp, &addr))
		return;
	machine_forget(s, addr - addr % WORD, addr % WORD + in->operand[0].bytes);
}

void machine_step(struct machine_state *s, const struct instruction *in, uint64_t sp)
{
	const struct operand *to = &in->operand[0], *from = &in->operand[1];
	uint64_t value = 0, before;
	bool known;

	switch (in->kind) {
	case INSTRUCTION_MOVE:
		known = machine_value(s, from, sp, &value);
		write_to(s, in, sp, known, value);
		break;
	case INSTRUCTION_ADDRESS:
		known = machine_address(s, from, sp, &value);
		write_to(s, in, sp, known, value);
		break;
	case INSTRUCTION_ADD:
		known = machine_value(s, from, sp, &value) &&
			machine_value(s, to, sp, &before) &&
			(is_offset(s, value, before) || is_offset(s, before, value));
		write_to(s, in, sp, known, known ? value + before : 0);
		break;
	default:
		forget_written(s, in, sp);
	}
}
