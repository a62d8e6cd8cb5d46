/* SPDX-License-Identifier: Apache-2.0 */
/* What other folders look up in struct runtimes. */
#include "goruntime/runtime/runtime_priv.h"

const struct code *runtimes_code_at(const struct runtimes *all, uint64_t pc,
				    bool at_instruction, struct runtime **ret)
{
	for (size_t i = 0; i < all->count; i++) {
		struct runtime *rt = all->list[i];
		const struct code *c =
			rt->code ? code_at(rt->code, pc, at_instruction) : NULL;
		if (!c)
			continue;
		*ret = rt;
		return c;
	}
	return NULL;
}

struct runtime *runtimes_unnamed_at(const struct runtimes *all, uint64_t pc)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->modules &&
		    modules_is_unnamed(all->list[i]->modules, pc))
			return all->list[i];
	return NULL;
}

const struct code *code_of_frame(const struct runtimes *all,
				 const struct raw_frame *frame, struct runtime **ret)
{
	bool at_instruction = frame->flags & FRAME_AT_INSTRUCTION;
	const struct code *c = runtimes_code_at(all, frame->pc, at_instruction, ret);

	if (c)
		c = code_with_calls((*ret)->code, frame->pc, at_instruction);
	return c && !c->no_pcsp ? c : NULL;
}

const char *runtimes_reason(const struct runtimes *all, uint32_t reason)
{
	return reasons_get(all->reasons, reason);
}

const char *runtime_reason(const struct runtime *rt, uint32_t reason)
{
	return runtimes_reason(rt->shared, reason);
}

size_t runtimes_stack_count(const struct runtimes *all)
{
	return stacks_count(all->stacks);
}

struct stack runtimes_stack(const struct runtimes *all, uint32_t id)
{
	return id == NO_STACK ? (struct stack){ .count = 0 }
			      : stacks_get(all->stacks, id);
}

const struct go_m *runtime_machine_of(const struct runtime *rt, const struct goroutine *g)
{
	if (g->thread >= 0)
		return &rt->machines[g->thread];
	for (size_t i = 0; g->locked_machine && i < rt->machine_count; i++)
		if (rt->machines[i].m == g->locked_machine)
			return &rt->machines[i];
	return NULL;
}
