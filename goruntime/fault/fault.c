/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the thread that is dying, and what it dies of. A thread that runs the end of the process
 * has m.dying set (startpanic_m in runtime/panic.go), which the kernel does not know: with
 * GOTRACEBACK=crash another one may raise the last signal. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/fault/fault_priv.h"
#include "goruntime/fault/fault_variable.h"
#include "goruntime/frames/frames.h"
#include "goruntime/goroutines/extras.h"
#include "goruntime/sched/threads.h"
#include "goruntime/unwind/unwind_go.h"

enum { DYING_MAX = 3 }; /* startpanic_m counts no further */

static bool is_dying(struct runtime *rt, size_t thread)
{
	uint64_t m = rt->machines[thread].m, dying;
	struct err ignored;

	return m && layout_has(&rt->layout, L_m_dying) &&
	       layout_load(&rt->layout, rt->target, m, L_m_dying, &dying, &ignored) &&
	       dying > 0 && dying <= DYING_MAX;
}

/* Of several dying threads, chooses the one that got the signal: the others wait for it. */
static bool find_dying(struct runtimes *all, struct fault *ret)
{
	size_t n;
	const struct target_thread *threads = target_threads(all->target, &n);
	bool found = false;

	for (size_t i = 0; i < all->count; i++) {
		struct runtime *rt = all->list[i];
		for (size_t t = 0; t < rt->machine_count; t++) {
			if (!is_dying(rt, t) || (found && !threads[t].has_siginfo))
				continue;
			ret->thread = (int)t;
			ret->runtime = rt;
			found = true;
		}
	}
	return found;
}

static void walk_again(struct runtimes *all, size_t thread, struct fault_walk *ret)
{
	size_t n;
	const struct target_thread *th = &target_threads(all->target, &n)[thread];
	struct walk w = { .registers = ret->registers, .register_room = FAULT_FRAMES };

	if (!target_thread_stands_still(th))
		return;
	walk_thread(all, thread, &th->regs, true, &w);
	ret->count = w.count < FAULT_FRAMES ? (uint32_t)w.count : FAULT_FRAMES;
	memcpy(ret->frames, w.frames, ret->count * sizeof(*ret->frames));
}

/* What is kept for C threads has neither creator nor calls until one calls Go. One that has ended
 * may still be on its thread. */
static const struct goroutine *goroutine_on(struct runtime *rt, size_t thread)
{
	uint64_t addr = rt->machines[thread].curg;
	const struct goroutine *g = addr ? goroutine_by_addr(rt, addr) : NULL;

	if (!g || g->stack == NO_STACK || g->status == GOROUTINE_DEAD ||
	    g->status == GOROUTINE_DEAD_EXTRA || g->status == GOROUTINE_IDLE)
		return NULL;
	return g->created_pc || runtimes_stack(rt->shared, g->stack).count > 1 ? g : NULL;
}

/* The function of the runtime in which a process ends; SPECIAL_none: f is not in one. */
static enum special end_of(const struct runtimes *all, const struct raw_frame *f)
{
	struct runtime *ignored;
	const struct code *c = code_of_frame(all, f, &ignored);

	switch (c ? (int)c->special : SPECIAL_none) {
	case SPECIAL_sighandler:
	case SPECIAL_fatalpanic:
	case SPECIAL_fatalthrow:
	case SPECIAL_throw:
	case SPECIAL_fatal:
		return c->special;
	default:
		return SPECIAL_none;
	}
}

/* The innermost on the thread's own stack, else on its goroutine's. A signal that asks the thread to give
 * way comes at any time, also when it ends the process. */
static enum special find_end(struct runtimes *all, const struct fault_walk *walk,
			     bool deadly_signal, struct fault *fault)
{
	enum special end = SPECIAL_none;

	for (uint32_t i = 0; i < walk->count && end == SPECIAL_none; i++) {
		end = end_of(all, &walk->frames[i]);
		if (end == SPECIAL_sighandler && !deadly_signal)
			end = SPECIAL_none;
	}
	fault->ended_on_thread = end != SPECIAL_none;
	if (!fault->goroutine)
		return end;
	struct stack stack = runtimes_stack(all, fault->goroutine->stack);
	for (uint32_t i = 0; i < stack.count && i < FAULT_FRAMES && end == SPECIAL_none;
	     i++)
		end = end_of(all, &stack.frames[i]);
	return end;
}

uint64_t fault_noting_g(const struct fault *fault, const struct go_m *m)
{
	if (!m)
		return fault->goroutine->addr;
	return fault->ended_on_thread ? m->g0 : m->curg;
}

/* dopanic_m: what a panic or a fatal error came from. */
static void take_noted_signal(struct runtime *rt, uint64_t g, struct fault *ret)
{
	static const enum layout_slot slots[] = { L_g_sig, L_g_sigcode0, L_g_sigcode1,
						  L_g_sigpc };
	uint64_t value[ARRAY_SIZE(slots)];
	struct err ignored;

	for (size_t i = 0; i < ARRAY_SIZE(slots); i++)
		if (!g || !layout_has(&rt->layout, slots[i]) ||
		    !layout_load(&rt->layout, rt->target, g, slots[i], &value[i],
				 &ignored))
			return;
	ret->has_signal = (int)value[0] != 0;
	ret->signal = (struct fault_signal){
		.number = (int)value[0],
		.code = (int)value[1],
		.has_address = (int)value[1] > 0 && (int)value[1] != SI_KERNEL,
		.address = value[2],
		.has_pc = true,
		.pc = value[3],
	};
}

/* Of a cut core, where the frames that would say it are missing. */
static bool guess_kind(struct runtimes *all, struct fault *fault, const struct go_m *m)
{
	const bool panics = fault->goroutine &&
			    runtime_panics(fault->runtime, fault->goroutine) != NULL;

	fault->kind = panics ? FAULT_PANIC : FAULT_FATAL_ERROR;
	fault_compose(all, fault, m);
	return fault->message != NULL;
}

/* Where the functions are unknown: the runtime notes that it gives up, and whoever handles a signal is
 * on the stack for signals. What a panic or a fatal error came from is noted in the g that met it. */
static bool examine_unnamed(struct runtimes *all, struct fault *fault,
			    const struct fault_walk *walk, const struct go_m *m)
{
	struct runtime *rt = fault->runtime;
	const uint64_t sp =
		walk->count ? walk->registers[0].value[target_arch(all->target)->sp] : 0;
	uint64_t throwing = 0;
	struct err ignored;

	take_noted_signal(rt, m->curg, fault);
	if (!fault->has_signal) {
		take_noted_signal(rt, m->g0, fault);
		fault->ended_on_thread = fault->has_signal;
	}
	if (layout_has(&rt->layout, L_m_throwing) &&
	    !layout_load(&rt->layout, rt->target, m->m, L_m_throwing, &throwing,
			 &ignored))
		return false;
	fault->kind = FAULT_FATAL_ERROR;
	if (throwing)
		fault_compose(all, fault, m);
	if (fault->message)
		return true;
	fault->kind = FAULT_SIGNAL;
	if (!on_stack(m->signal_stack, sp) ||
	    !fault_find_signal(all, walk, &fault->signal, &fault->registers))
		fault->kind = FAULT_PANIC;
	else
		fault->has_signal = true;
	fault_compose(all, fault, m);
	return fault->kind == FAULT_SIGNAL ||
	       (fault->goroutine && runtime_panics(rt, fault->goroutine));
}

/* False: the runtime counts the thread as dying, and nothing says of what. */
static bool examine(struct runtimes *all, struct fault *fault)
{
	AUTO(xfree) struct fault_walk *walk = xcalloc(1, sizeof(*walk));
	struct runtime *rt = fault->runtime;
	const struct go_m *m = &rt->machines[fault->thread];
	struct fault_signal signal;
	struct regs registers;

	fault->goroutine = goroutine_on(rt, (size_t)fault->thread);
	walk_again(all, (size_t)fault->thread, walk);
	const bool deadly = fault_find_signal(all, walk, &signal, &registers);
	switch ((int)find_end(all, walk, deadly, fault)) {
	case SPECIAL_sighandler:
		fault->kind = FAULT_SIGNAL;
		fault->has_signal = true;
		fault->signal = signal;
		fault->registers = registers;
		break;
	case SPECIAL_fatalpanic:
		fault->kind = FAULT_PANIC;
		take_noted_signal(rt, fault_noting_g(fault, m), fault);
		fault_find_interrupted(all, m, fault);
		break;
	case SPECIAL_none:
		return modules_unnamed(rt->modules) ? examine_unnamed(all, fault, walk, m)
						    : guess_kind(all, fault, m);
	default:
		fault->kind = FAULT_FATAL_ERROR;
		take_noted_signal(rt, fault_noting_g(fault, m), fault);
		fault_find_interrupted(all, m, fault);
	}
	fault_compose(all, fault, m);
	return true;
}

void runtimes_set_sighted(struct runtimes *all, const struct fault_sighted *sighted)
{
	all->sighted = xmalloc(sizeof(*sighted));
	*all->sighted = *sighted;
}

static bool find_sighted(struct runtimes *all, struct fault *ret)
{
	size_t n;
	const struct target_thread *threads = target_threads(all->target, &n);

	for (size_t i = 0; all->sighted && i < n; i++) {
		if (threads[i].tid != all->sighted->thread)
			continue;
		ret->thread = (int)i;
		ret->runtime = runtimes_thread(all, i)->runtime;
		return true;
	}
	return false;
}

/* In a handler of Go's for signals that are not Go's. */
static bool examine_foreign(struct runtimes *all, struct fault *fault)
{
	AUTO(xfree) struct fault_walk *walk = xcalloc(1, sizeof(*walk));

	walk_again(all, (size_t)fault->thread, walk);
	fault->kind = FAULT_SIGNAL;
	fault->has_signal =
		fault_find_signal(all, walk, &fault->signal, &fault->registers);
	return fault->has_signal;
}

/* False: nothing says what it dies of. */
static bool capture_sighted(struct runtimes *all, struct fault *ret)
{
	struct fault fault = { .thread = -1 };
	bool found = find_sighted(all, &fault);

	if (!found ||
	    (!(fault.runtime && examine(all, &fault)) && !examine_foreign(all, &fault)))
		return false;
	*ret = fault;
	return true;
}

void fault_capture(struct runtimes *all)
{
	struct fault fault = { .thread = -1 };

	fault_free(TAKE(all->fault));
	fault_capture_noted(all);
	target_budget_unit(all->target);
	if (!capture_sighted(all, &fault) &&
	    (!find_dying(all, &fault) || !examine(all, &fault)))
		return;
	if (fault.kind == FAULT_FATAL_ERROR)
		fault_fold(all, &fault);
	all->fault = xcalloc(1, sizeof(*all->fault));
	*all->fault = fault;
}

void fault_free(struct fault *fault)
{
	if (!fault)
		return;
	xfree(fault->message);
	xfree(fault->variable);
	xfree(fault->others);
	xfree(fault);
}

/* Of a cut core, in which no thread is known to die: the runtime raised the signal, and may have said
 * why. */
static void take_fatal_error(struct runtimes *all, struct fault *fault)
{
	fault->kind = FAULT_FATAL_ERROR;
	fault_compose(all, fault, &fault->runtime->machines[fault->thread]);
	if (!fault->message)
		fault->kind = FAULT_SIGNAL;
}

/* The thread that the kernel names; the runtime knows of nothing. */
static struct fault *fault_of_kernel(struct runtimes *all)
{
	AUTO(xfree) struct fault_walk *walk = xcalloc(1, sizeof(*walk));
	size_t n, i = 0;
	const struct target_thread *threads = target_threads(all->target, &n);

	while (i < n && !(threads[i].has_siginfo &&
			  fault_signal_is_deadly(threads[i].siginfo.si_signo) &&
			  threads[i].siginfo.si_signo != SIGTRAP))
		i++;
	if (i == n)
		return NULL;
	struct fault *fault = xcalloc(1, sizeof(*fault));
	fault->kind = FAULT_SIGNAL;
	fault->thread = (int)i;
	fault->has_signal = true;
	fault->runtime = runtimes_thread(all, i)->runtime;
	fault->goroutine = fault->runtime ? goroutine_on(fault->runtime, i) : NULL;
	walk_again(all, i, walk);
	if (!fault_find_signal(all, walk, &fault->signal, &fault->registers)) {
		fault_take_signal(&threads[i].siginfo, &fault->signal);
		if (threads[i].stopped)
			fault->registers = threads[i].regs;
		fault->signal.has_pc = threads[i].stopped;
		fault->signal.pc = threads[i].regs.value[target_arch(all->target)->pc];
	}
	if (fault->runtime && fault->signal.has_pc &&
	    fault_is_own_raise(all, &fault->signal))
		take_fatal_error(all, fault);
	return fault;
}

static const struct goroutine *goroutine_by_id(struct runtimes *all, uint64_t id,
					       struct runtime **ret)
{
	for (size_t i = 0; i < all->count; i++)
		for (size_t g = 0; g < all->list[i]->goroutine_count; g++)
			if (all->list[i]->goroutines[g].id == id) {
				*ret = all->list[i];
				return &all->list[i]->goroutines[g];
			}
	return NULL;
}

/* The process lives: no thread is dying yet. The runtime will print this once the deferred functions
 * have run. */
static struct fault *fault_of_panic(struct runtimes *all, uint64_t id, bool recovered)
{
	struct runtime *rt;
	const struct goroutine *g = goroutine_by_id(all, id, &rt);

	if (!g || g->stack == NO_STACK || !runtime_panics(rt, g))
		return NULL;
	struct fault *fault = xcalloc(1, sizeof(*fault));
	fault->kind = FAULT_PANIC;
	fault->recovered = recovered;
	fault->thread = g->thread;
	fault->runtime = rt;
	fault->goroutine = g;
	take_noted_signal(rt, g->addr, fault);
	fault_compose(all, fault, NULL);
	return fault;
}

/* Everyone looks for it. */
static void make_first(struct runtime *rt, const struct goroutine *g)
{
	uint32_t number = (uint32_t)(g - rt->goroutines);
	size_t at = 0;

	while (at < rt->goroutine_count && rt->order[at] != number)
		at++;
	if (at == rt->goroutine_count)
		return;
	memmove(rt->order + 1, rt->order, at * sizeof(*rt->order));
	rt->order[0] = number;
}

void runtimes_make_first(struct runtimes *all, uint64_t id)
{
	struct runtime *rt;
	const struct goroutine *g = goroutine_by_id(all, id, &rt);

	if (g)
		make_first(rt, g);
}

const struct fault *runtimes_fault(struct runtimes *all,
				   const struct fault_question *question)
{
	if (!all->fault && question->ended)
		all->fault = fault_of_kernel(all);
	if (!all->fault && question->panicking)
		all->fault =
			fault_of_panic(all, question->panicking, question->recovered);
	if (!all->fault)
		return NULL;
	if (all->fault->goroutine)
		make_first(all->fault->runtime, all->fault->goroutine);
	fault_find_place(all, all->fault);
	fault_find_others(all->fault);
	fault_identify(all, all->fault);
	if (all->fault->runtime && !all->fault->variable)
		all->fault->variable = fault_variable(all->fault->runtime, all->fault);
	return all->fault;
}
