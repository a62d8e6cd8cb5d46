/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the M of each thread: by the g in its thread-local storage, checked against
 * m.procid; otherwise by m.procid alone, along the chain of all Ms. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/sched/sched.h"
#include "goruntime/sched/threads.h"
#include "lib/base/limit.h"

enum { STACKCHECK_BYTES = 64 };

static uint64_t load(struct runtime *rt, uint64_t base, enum layout_slot slot)
{
	struct err ignored;
	uint64_t v;
	return base && layout_load(&rt->layout, rt->target, base, slot, &v, &ignored) ? v
										      : 0;
}

/* How assembly loads g: runtime/asm_amd64.s stackcheck, get_tls. The linker turns it into
 *   mov %fs:OFF,%rax             executables
 *   mov $OFF,%rcx; mov %fs:..    position-independent executables
 *   mov GOT(%rip),%rcx; ...      shared libraries: the word in the GOT is OFF */
static bool tls_offset_from_code(struct runtime *rt, int64_t *ret)
{
	static const struct {
		uint8_t op[5], op_len;
		bool got;
	} forms[] = {
		{ { 0x64, 0x48, 0x8b, 0x04, 0x25 }, 5, false },
		{ { 0x64, 0x48, 0x8b, 0x0c, 0x25 }, 5, false },
		{ { 0x48, 0xc7, 0xc1 }, 3, false },
		{ { 0x48, 0x8b, 0x0d }, 3, true },
	};
	uint64_t end, entry = modules_function(rt->modules, "runtime.stackcheck", &end);
	uint8_t code[STACKCHECK_BYTES];
	struct err ignored;
	int32_t disp;

	if (!entry || end - entry > 4096 ||
	    !modules_code(rt->modules, entry, code, sizeof(code)))
		return false;
	for (size_t at = 0; at + 9 < sizeof(code) && at < end - entry; at++) {
		for (size_t f = 0; f < ARRAY_SIZE(forms); f++) {
			if (memcmp(code + at, forms[f].op, forms[f].op_len) != 0)
				continue;
			memcpy(&disp, code + at + forms[f].op_len, sizeof(disp));
			*ret = disp;
			if (!forms[f].got)
				return true;
			uint64_t word, slot = entry + at + forms[f].op_len + 4 +
					      (uint64_t)(int64_t)disp;
			if (!target_read_uint(rt->target, slot, WORD, &word, &ignored))
				return false;
			*ret = (int64_t)word;
			return true;
		}
	}
	return false;
}

static uint64_t thread_g(struct runtime *rt, const struct target_thread *th, int64_t off)
{
	int tls = target_arch(rt->target)->tls;
	struct err ignored;
	uint64_t g;

	if (!th->stopped || !reg_known(&th->regs, (unsigned)tls) ||
	    !th->regs.value[tls] ||
	    !target_read_uint(rt->target, th->regs.value[tls] + (uint64_t)off, WORD, &g,
			      &ignored))
		return 0;
	return g;
}

/* The M of the g of a thread, if its procid is the thread's id. A thread that begins has a g before
 * its id is noted (minit in runtime/os_linux.go). */
static uint64_t machine_by_tls(struct runtime *rt, const struct target_thread *th,
			       int64_t off)
{
	const uint64_t g = thread_g(rt, th, off), m = load(rt, g, L_g_m),
		       procid = load(rt, m, L_m_procid);

	if (!m || !th->tid_inside)
		return 0;
	if (procid == 0)
		return g == load(rt, m, L_m_g0) || g == load(rt, m, L_m_gsignal) ? m : 0;
	return procid == (uint64_t)th->tid_inside ? m : 0;
}

static bool finds_machines(struct runtime *rt, const struct target_thread *threads,
			   size_t n, int64_t off)
{
	for (size_t i = 0; i < n; i++)
		if (machine_by_tls(rt, &threads[i], off))
			return true;
	return false;
}

/* As its code says, otherwise where executables have it. The place where most threads
 * find an M would be a bad choice: another runtime's g may be there, whose M looks
 * alike. */
static int64_t choose_tls_offset(struct runtime *rt, const struct target_thread *threads,
				 size_t n)
{
	int64_t off;

	return tls_offset_from_code(rt, &off) && finds_machines(rt, threads, n, off)
		       ? off
		       : -WORD;
}

static struct go_stack stack_of(struct runtime *rt, uint64_t g)
{
	return (struct go_stack){ load(rt, g, L_g_stack_lo), load(rt, g, L_g_stack_hi) };
}

static void fill(struct runtime *rt, struct go_m *m)
{
	m->g0 = load(rt, m->m, L_m_g0);
	m->gsignal = load(rt, m->m, L_m_gsignal);
	m->curg = load(rt, m->m, L_m_curg);
	m->g0_stack = stack_of(rt, m->g0);
	m->signal_stack = stack_of(rt, m->gsignal);
	m->curg_stack = stack_of(rt, m->curg);
	m->g0_sched_sp = load(rt, m->g0, L_g_sched_sp);
	m->sched_sp = load(rt, m->curg, L_g_sched_sp);
	m->sched_pc = load(rt, m->curg, L_g_sched_pc);
	m->syscall_sp = load(rt, m->curg, L_g_syscallsp);
	m->syscall_pc = load(rt, m->curg, L_g_syscallpc);
	m->vdso_sp = load(rt, m->m, L_m_vdso_sp);
	m->vdso_pc = load(rt, m->m, L_m_vdso_pc);
}

/* Threads without an M so far, by the id that the runtime has for them. */
struct seeker {
	uint64_t procid;
	size_t thread;
};

struct seekers {
	struct seeker *list;
	size_t count, left;
};

static int by_procid(const void *a, const void *b)
{
	const struct seeker *x = a, *y = b;
	return (x->procid > y->procid) - (x->procid < y->procid);
}

static struct seekers seekers_of(struct runtime *rt, const struct target_thread *threads)
{
	struct seekers s = { .list = xcalloc(rt->machine_count + 1, sizeof(*s.list)) };

	for (size_t i = 0; i < rt->machine_count; i++)
		if (!rt->machines[i].m)
			s.list[s.count++] =
				(struct seeker){ (uint64_t)threads[i].tid_inside, i };
	qsort(s.list, s.count, sizeof(*s.list), by_procid);
	s.left = s.count;
	return s;
}

static void give_machine(struct runtime *rt, struct seekers *s, uint64_t m)
{
	struct seeker key = { .procid = load(rt, m, L_m_procid) };
	struct seeker *found =
		key.procid ? bsearch(&key, s->list, s->count, sizeof(key), by_procid)
			   : NULL;

	if (!found || rt->machines[found->thread].m)
		return;
	rt->machines[found->thread].m = m;
	s->left--;
}

/* The chain starts at the newest M, which has the highest id. */
static uint64_t newest(struct runtime *rt)
{
	uint64_t best = 0, highest = 0;

	for (size_t i = 0; i < rt->machine_count; i++) {
		uint64_t m = rt->machines[i].m, id = load(rt, m, L_m_id);
		if (m && (!best || id > highest)) {
			best = m;
			highest = id;
		}
	}
	return best;
}

/* Every M links to the one created before it. Some have no thread (yet), so the limit is
 * twice the number of threads and some more. */
static void follow_chain(struct runtime *rt, struct seekers *s)
{
	size_t far = 2 * rt->machine_count + 1024;

	for (size_t i = 0, n = 0; i < rt->goroutine_count && s->left && n < far; i++) {
		uint64_t m = rt->goroutines[i].machine;
		if (m && ++n)
			give_machine(rt, s, m);
	}
	uint64_t m = newest(rt);
	for (size_t n = 0; m && s->left && n < far; n++) {
		m = load(rt, m, L_m_alllink);
		if (m)
			give_machine(rt, s, m);
	}
}

void machine_describe(struct runtime *rt, size_t thread, struct thread_state *ret)
{
	const struct go_m *m = &rt->machines[thread];
	uint64_t p = load(rt, m->m, L_m_p);
	const struct goroutine *g = m->curg ? goroutine_by_addr(rt, m->curg) : NULL;

	ret->has_machine = m->m && layout_has(&rt->layout, L_m_id);
	ret->machine = (int64_t)load(rt, m->m, L_m_id);
	ret->has_processor = p && layout_has(&rt->layout, L_p_id);
	ret->processor = (int32_t)load(rt, p, L_p_id);
	ret->has_goroutine = g != NULL;
	ret->goroutine = g ? g->id : 0;
}

void machines_read(struct runtime *rt)
{
	const struct target_thread *threads =
		target_threads(rt->target, &rt->machine_count);
	int64_t off;

	rt->machines = xcalloc(rt->machine_count + 1, sizeof(*rt->machines));
	if (!rt->modules)
		return;
	target_budget_unit(rt->target);
	off = choose_tls_offset(rt, threads, rt->machine_count);
	for (size_t i = 0; i < rt->machine_count; i++)
		rt->machines[i].m = machine_by_tls(rt, &threads[i], off);
	struct seekers seekers = seekers_of(rt, threads);
	follow_chain(rt, &seekers);
	xfree(seekers.list);
	for (size_t i = 0; i < rt->machine_count; i++) {
		struct go_m *m = &rt->machines[i];
		target_budget_unit(rt->target);
		fill(rt, m);
		struct goroutine *g = m->curg ? goroutine_by_addr(rt, m->curg) : NULL;
		if (g)
			g->thread = (int32_t)i;
	}
}
