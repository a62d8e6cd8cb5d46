/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/operations/symbolic.h"

/* No program has an address here: in an address of amd64, bits 47 to 63 are equal. */
#define FIRST UINT64_C(0x8100000000000000)
#define APART UINT64_C(0x10000000000)

static uint64_t number_of(size_t i)
{
	return FIRST + i * APART;
}

void symbolic_init(struct symbolic *s, uint64_t stack_valid, uint64_t stack_high)
{
	s->stack_valid = stack_valid;
	s->stack_high = stack_high;
	s->count = s->store_count = 0;
	s->lossy = false;
}

bool symbolic_new(struct symbolic *s, uint64_t *ret)
{
	if (s->count >= SYMBOLIC_MAX)
		return false;
	s->values[s->count] = (struct symbolic_value){ .known = false };
	*ret = number_of(s->count++);
	return true;
}

struct symbolic_value *symbolic_split(struct symbolic *s, uint64_t number, int64_t *ret)
{
	const uint64_t from_first = number - FIRST + APART / 2;
	const size_t i = from_first / APART;

	if (i >= s->count)
		return NULL;
	*ret = (int64_t)(number - number_of(i));
	return &s->values[i];
}

bool symbolic_load(struct symbolic *s, uint64_t addr, uint64_t *ret)
{
	int64_t ignored;

	if (!symbolic_split(s, addr, &ignored))
		return false;
	for (size_t i = 0; i < s->count; i++)
		if (s->values[i].loaded_from == addr) {
			*ret = number_of(i);
			return true;
		}
	if (!symbolic_new(s, ret))
		return false;
	s->values[s->count - 1].loaded_from = addr;
	return true;
}

void symbolic_note_store(struct symbolic *s, uint64_t pc, uint64_t addr, bool known,
			 uint64_t value)
{
	if (addr < s->stack_valid || addr >= s->stack_high)
		return;
	if (s->store_count < SYMBOLIC_STORES_MAX)
		s->stores[s->store_count++] =
			(struct symbolic_store){ pc, addr, value, known };
	else
		s->lossy = true;
}

bool symbolic_true(struct symbolic *s, uint64_t number, uint64_t *ret)
{
	int64_t offset;
	const struct symbolic_value *v = symbolic_split(s, number, &offset);

	if (v && !v->known)
		return false;
	*ret = v ? v->value + (uint64_t)offset : number;
	return true;
}
