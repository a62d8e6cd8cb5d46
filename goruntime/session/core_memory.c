/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/session/core_memory.h"

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/session/runtime_steps.h"
#include "lib/base/limit.h"
#include "lib/base/table.h"

enum {
	RED_ZONE = 128,	       /* below sp: System V psABI, 3.2.2 */
	CALLERS = 1024,	       /* above a stack as Go knows it: what called into Go */
	MACHINE_BYTES = 2048,  /* more than any release's runtime.m takes */
	STACK_WHOLE = 1 << 20, /* of a larger stack, only its ends */
	STACK_BEGIN = 256 << 10,
	STACK_END = 64 << 10,
	C_STACK_BYTES = 64 << 10, /* from sp on */
	MACHINES_MAX = 1 << 16,
	/* Around the thread pointer: static TLS below it, glibc's struct pthread above. */
	TLS_BELOW = 512,
	TLS_ABOVE = 1024,
};

/* From sp, or what is just below it, to the end of the stack. */
static void add_stack(struct memory_set *set, uint64_t sp, uint64_t high)
{
	const uint64_t from = sp > RED_ZONE ? sp - RED_ZONE : sp;

	if (high <= sp)
		return;
	if (high - from <= STACK_WHOLE) {
		memory_set_add(set, from, high - from);
		return;
	}
	memory_set_add(set, from, STACK_BEGIN);
	memory_set_add(set, high - STACK_END, STACK_END);
}

/* Debuggers list that of a C thread which is not in Go, too. */
static void add_goroutine(const struct goroutine *g, struct memory_set *set)
{
	if ((!goroutine_has_stack(g) && g->status != GOROUTINE_DEAD_EXTRA) ||
	    g->stack_high <= g->stack_low)
		return;
	const uint64_t size = g->stack_high - g->stack_low;
	const bool sp_is_in = g->sp >= g->stack_low && g->sp < g->stack_high;
	if (size <= STACK_WHOLE && (g->thread >= 0 || !sp_is_in))
		memory_set_add(set, g->stack_low, size);
	else if (sp_is_in)
		add_stack(set, g->sp, g->stack_high);
}

static uint64_t word_at(const struct runtime *rt, uint64_t base, enum layout_slot slot)
{
	struct err ignored;
	uint64_t v;

	return base && layout_load(&rt->layout, rt->target, base, slot, &v, &ignored) ? v
										      : 0;
}

/* An M, and whichever follow it in the chain, up to one that is known. */
static void add_machines(const struct runtime *rt, uint64_t m, struct table *known,
			 struct memory_set *set)
{
	const uint64_t g_size = (uint64_t)rt->layout.slot[L_g_size].off;

	while (m && known->count < MACHINES_MAX && table_add(known, m, 0)) {
		memory_set_add(set, m, MACHINE_BYTES);
		memory_set_add(set, word_at(rt, m, L_m_g0), g_size);
		memory_set_add(set, word_at(rt, m, L_m_gsignal), g_size);
		m = word_at(rt, m, L_m_alllink);
	}
}

/* Where the scheduler left the thread's own stack. */
static void add_system_stack(const struct go_m *m, struct memory_set *set)
{
	const uint64_t sp = m->g0_sched_sp, high = m->g0_stack.high + CALLERS;

	if (on_stack(m->g0_stack, sp))
		add_stack(set, sp, high - sp < C_STACK_BYTES ? high : sp + C_STACK_BYTES);
}

static void add_runtime(const struct runtime *rt, struct memory_set *own,
			struct memory_set *stacks)
{
	struct table known = { 0 };
	uint64_t list, count;
	struct err ignored;

	if (rt->unusable || !rt->modules)
		return;
	memory_set_add(own, rt->allgs, 3 * WORD);
	if (target_read_uint(rt->target, rt->allgs, WORD, &list, &ignored) &&
	    target_read_uint(rt->target, rt->allgs + WORD, WORD, &count, &ignored) &&
	    count <= LIMIT_EXTENT_BYTES / WORD)
		memory_set_add(own, list, count * WORD);
	for (size_t i = 0; i < rt->goroutine_count; i++) {
		memory_set_add(own, rt->goroutines[i].addr,
			       (uint64_t)rt->layout.slot[L_g_size].off);
		add_goroutine(&rt->goroutines[i], stacks);
	}
	for (size_t i = 0; i < rt->machine_count; i++) {
		add_machines(rt, rt->machines[i].m, &known, own);
		add_system_stack(&rt->machines[i], stacks);
	}
	table_free(&known);
}

/* The end of the stack that sp is on, as far as Go knows. */
static uint64_t end_of_stack(const struct runtimes *all, size_t thread, uint64_t sp)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct runtime *rt = all->list[i];
		if (thread >= rt->machine_count)
			continue;
		const struct go_m *m = &rt->machines[thread];
		const struct go_stack of[] = { m->g0_stack, m->signal_stack,
					       m->curg_stack };
		for (size_t k = 0; k < ARRAY_SIZE(of); k++)
			if (on_stack(of[k], sp))
				return of[k].high;
	}
	return UINT64_MAX;
}

static void add_thread(const struct runtimes *all, const struct target_thread *thread,
		       size_t i, struct memory_set *set)
{
	const struct arch *arch = target_arch(all->target);
	const uint64_t sp = thread->regs.value[arch->sp];

	if (!thread->stopped)
		return;
	if (reg_known(&thread->regs, (unsigned)arch->tls) &&
	    thread->regs.value[arch->tls] > TLS_BELOW)
		memory_set_add(set, thread->regs.value[arch->tls] - TLS_BELOW,
			       TLS_BELOW + TLS_ABOVE);
	const struct target_mapping *m = target_mapping_at(all->target, sp);
	if (!m)
		return;
	uint64_t end = end_of_stack(all, i, sp);
	end = end < m->end - CALLERS ? end + CALLERS : m->end;
	if (end - sp > C_STACK_BYTES)
		end = sp + C_STACK_BYTES;
	add_stack(set, sp, end);
}

void runtimes_core_memory(const struct runtimes *all, struct memory_set *own,
			  struct memory_set *stacks)
{
	size_t n;
	const struct target_thread *threads = target_threads(all->target, &n);

	for (size_t i = 0; i < all->count; i++)
		add_runtime(all->list[i], own, stacks);
	for (size_t i = 0; i < n; i++)
		add_thread(all, &threads[i], i, stacks);
}
