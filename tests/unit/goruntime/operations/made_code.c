/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/goruntime/operations/made_code.h"

#include <string.h>

#define FIRST UINT64_C(0x100000)
#define APART UINT64_C(0x10000)

struct made_routine made[MADE_ROUTINES];

uint64_t made_entry(unsigned routine)
{
	return FIRST + routine * APART;
}

uint64_t made_pc(unsigned routine, size_t i)
{
	return made_entry(routine) + i * MADE_BYTES;
}

void made_begin(void)
{
	memset(made, 0, sizeof(made));
	for (unsigned i = 0; i < MADE_ROUTINES; i++) {
		struct routine *r = &made[i].routine;
		r->entry = r->end = made_entry(i);
		r->list = made[i].list;
		r->frame_sizes = made[i].frame_sizes;
		r->tried = true;
	}
}

struct operand none(void)
{
	return (struct operand){ .reg = -1, .index = -1 };
}

struct operand reg(int number)
{
	return (struct operand){
		.kind = OPERAND_REGISTER, .reg = number, .index = -1, .bytes = 8
	};
}

struct operand number(int64_t n)
{
	return (struct operand){
		.kind = OPERAND_NUMBER, .reg = -1, .index = -1, .bytes = 8, .number = n
	};
}

struct operand at(int base, int64_t offset)
{
	return (struct operand){ .kind = OPERAND_MEMORY,
				 .reg = base,
				 .index = -1,
				 .bytes = 8,
				 .number = offset };
}

struct instruction *add_to(unsigned routine, enum instruction_kind kind,
			   struct operand to, struct operand from)
{
	struct routine *r = &made[routine].routine;
	struct instruction *in = &r->list[r->count];

	*in = (struct instruction){
		.pc = made_pc(routine, r->count),
		.len = MADE_BYTES,
		.kind = kind,
		.operand = { to, from },
		.modifies = kind == INSTRUCTION_ADD,
	};
	if (to.kind == OPERAND_REGISTER && kind != INSTRUCTION_COMPARE &&
	    kind != INSTRUCTION_CALL)
		in->written = UINT64_C(1) << to.reg;
	r->frame_sizes[r->count++] = MADE_FRAME;
	r->end += MADE_BYTES;
	return in;
}

struct instruction *add(enum instruction_kind kind, struct operand to,
			struct operand from)
{
	return add_to(0, kind, to, from);
}

struct instruction *add_jump(enum instruction_kind kind, uint64_t target)
{
	struct instruction *in = add(kind, none(), none());

	in->target = target;
	return in;
}

struct routine *routine_at(struct routines *all, uint64_t pc)
{
	(void)all;
	for (unsigned i = 0; i < MADE_ROUTINES; i++)
		if (pc >= made_entry(i) && pc < made_entry(i) + APART)
			return &made[i].routine;
	return NULL;
}

bool routine_decode(struct routines *all, struct routine *r)
{
	(void)all;
	return r->list != NULL;
}

static const struct made_routine *made_of(const struct routine *r)
{
	return &made[(r->entry - FIRST) / APART];
}

bool routine_leads(struct routines *all, struct routine *r, unsigned depth)
{
	(void)all;
	(void)depth;
	return made_of(r)->leads;
}

bool routine_is_named(const struct routine *r, const char *beginning)
{
	const char *name = made_of(r)->name;

	return name && strncmp(name, beginning, strlen(beginning)) == 0;
}

bool routine_is_of_package(const struct routine *r, const struct routine *other)
{
	(void)r;
	(void)other;
	return true;
}

bool call_returns(struct routines *all, const struct instruction *call)
{
	const struct routine *to = routine_at(all, call->target);

	return !to || to->operation != OPERATION_NEVER;
}

size_t routine_index(const struct routine *r, uint64_t pc)
{
	const uint64_t i = (pc - r->entry) / MADE_BYTES;

	return pc >= r->entry && i < r->count && pc % MADE_BYTES == 0 ? i : r->count;
}
