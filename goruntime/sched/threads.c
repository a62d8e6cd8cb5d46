/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the process: the stack each is on, walked to where it hands over to a
 * goroutine, and what the runtime it is in knows about it. */
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/sched/sched.h"
#include "goruntime/sched/threads.h"
#include "goruntime/unwind/unwind_go.h"
#include "goruntime/waits/wait_priv.h"

/* The runtime with a goroutine's stack around sp; NULL: none. */
static struct runtime *goroutine_stack_at(struct runtimes *all, size_t thread,
					  uint64_t sp)
{
	for (size_t i = 0; i < all->count; i++)
		if (on_stack(all->list[i]->machines[thread].curg_stack, sp))
			return all->list[i];
	return NULL;
}

static enum stack_kind stands_on(struct runtimes *all, size_t thread,
				 const struct target_thread *th)
{
	const struct arch *arch = target_arch(all->target);
	uint64_t sp = th->regs.value[arch->sp];
	bool in_vdso = false;
	struct runtime *ignored;

	if (!target_thread_stands_still(th))
		return ON_UNKNOWN;
	if (goroutine_stack_at(all, thread, sp))
		return ON_GOROUTINE;
	for (size_t i = 0; i < all->count; i++) {
		const struct go_m *m = &all->list[i]->machines[thread];
		if (on_stack(m->signal_stack, sp))
			return ON_SIGNAL;
		in_vdso |= m->vdso_sp != 0;
	}
	/* While it starts and ends, a thread has no M. */
	if (in_vdso || runtimes_unnamed_at(all, th->regs.value[arch->pc]) ||
	    runtimes_code_at(all, th->regs.value[arch->pc], true, &ignored))
		return ON_G0;
	return ON_C;
}

/* The runtime that the thread is in. If it is not in Go code, the first that knows the
 * thread. */
static struct runtime *runtime_of(struct runtimes *all, size_t thread)
{
	if (all->walks[thread].runtime)
		return all->walks[thread].runtime;
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->machines[thread].m)
			return all->list[i];
	return NULL;
}

static void describe(struct runtimes *all, size_t thread)
{
	struct thread_state *s = &all->threads[thread];

	s->runtime = runtime_of(all, thread);
	if (s->runtime)
		machine_describe(s->runtime, thread, s);
}

static void take_stack(struct runtimes *all, const struct walk *w, struct thread_state *s)
{
	s->state = w->state;
	s->reason = w->reason;
	if (s->stack_kind != ON_GOROUTINE) {
		s->stack = stacks_intern(all->stacks, w->frames, w->count);
	} else if (s->has_goroutine) {
		s->state = STACK_NONE;
	} else {
		s->state = STACK_LOST;
		s->reason =
			reasons_add(all->reasons,
				    "on the stack of a goroutine that could not be read");
	}
}

static void read_thread(struct runtimes *all, size_t i, const struct target_thread *th)
{
	struct thread_state *s = &all->threads[i];
	struct walk *w = &all->walks[i];

	target_budget_unit(all->target);
	s->stack = NO_STACK;
	s->stack_kind = stands_on(all, i, th);
	if (target_thread_stands_still(th))
		walk_thread(all, i, &th->regs, true, w);
	describe(all, i);
	if (target_thread_stands_still(th)) {
		take_stack(all, w, s);
	} else {
		s->state = STACK_LOST;
		s->reason = reasons_add(all->reasons, "%s",
					th->why ? th->why : "the thread was not stopped");
	}
	w->frames = NULL;
}

void threads_read(struct runtimes *all)
{
	const struct target_thread *threads =
		target_threads(all->target, &all->thread_count);

	all->threads = xcalloc(all->thread_count + 1, sizeof(*all->threads));
	all->walks = xcalloc(all->thread_count + 1, sizeof(*all->walks));
	for (size_t i = 0; i < all->thread_count; i++)
		read_thread(all, i, &threads[i]);
}

const struct thread_state *runtimes_thread(const struct runtimes *all, size_t i)
{
	return &all->threads[i];
}
