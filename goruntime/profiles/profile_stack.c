/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.CallersFrames, tracebackPCs and runtime_expandFinalInlineFrame, which is the same for all
 * releases: the runtime records either each inlined call or only return addresses, and an inlined call
 * that is not recorded is put where it belongs. */
#include "goruntime/profiles/profile_stack.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"

enum { NOT_IN_PROFILES = FRAME_SYSTEM_STACK | FRAME_SYSCALL };

struct expanding {
	profile_frame_fn *fn;
	void *arg;
	enum special callee;
};

static bool is_wrapper(const struct runtime *rt, const struct pclntab_call *call)
{
	const struct slot wrapper = rt->layout.slot[L_id_wrapper];

	return wrapper.off >= 0 && call->id == wrapper.off;
}

/* runtime.elideWrapperCalling */
static bool is_elided(const struct expanding *x, const struct runtime *rt,
		      const struct pclntab_call *call)
{
	return is_wrapper(rt, call) && x->callee != SPECIAL_gopanic &&
	       x->callee != SPECIAL_sigpanic && x->callee != SPECIAL_panicwrap;
}

static void tell(struct expanding *x, const struct code *c,
		 const struct pclntab_call *call)
{
	const enum special self = special_of(call->name);

	x->callee = self;
	if (self != SPECIAL_goexit)
		x->fn(x->arg, &(struct profile_frame){
				      .pc = call->pc,
				      .entry = c->entry,
				      .function = call->named ? call->name : NULL,
				      .file = call->file,
				      .line = call->line,
				      .start_line = call->start_line,
				      .inlined = call->inlined });
}

static void tell_unknown(struct expanding *x, uint64_t pc)
{
	x->callee = SPECIAL_none;
	x->fn(x->arg, &(struct profile_frame){ .pc = pc - 1 });
}

/* next: the pc that was recorded behind it; 0: none. */
static void expand_recorded(struct expanding *x, const struct runtime *rt,
			    const struct code *c, uint64_t next)
{
	tell(x, c, &c->calls[0]);
	for (uint32_t i = 1; i < c->call_count; i++) {
		if (next && c->calls[i].pc + 1 == next)
			return;
		if (!is_elided(x, rt, &c->calls[i]))
			tell(x, c, &c->calls[i]);
	}
}

void runtime_each_recorded_frame(struct runtime *rt, const uint64_t *pcs, size_t n,
				 profile_frame_fn *fn, void *arg)
{
	struct expanding x = { .fn = fn, .arg = arg };

	for (size_t i = 0; i < n; i++) {
		struct runtime *of;
		const struct code *c = runtimes_code_at(rt->shared, pcs[i], false, &of);
		if (c)
			c = code_with_calls(of->code, pcs[i], false);
		if (c)
			expand_recorded(&x, of, c, i + 1 < n ? pcs[i + 1] : 0);
		else if (pcs[i] != UINT64_MAX) /* runtime.logicalStackSentinel */
			tell_unknown(&x, pcs[i]);
	}
}

uint64_t runtime_syscall_pc(const struct runtime *rt, const struct goroutine *g)
{
	const struct go_m *m = g->syscall ? runtime_machine_of(rt, g) : NULL;

	return m && m->curg == g->addr ? m->syscall_pc : 0;
}

/* runtime.entersyscall was called in the same function as the system call itself. */
static const struct code *at_syscall(struct runtime *rt, const struct goroutine *g,
				     const struct code *c)
{
	const uint64_t pc = runtime_syscall_pc(rt, g);
	const struct code *called = pc ? code_with_calls(rt->code, pc, false) : NULL;

	return called && called->entry == c->entry ? called : c;
}

void runtime_each_profile_frame(struct runtime *rt, const struct goroutine *g,
				profile_frame_fn *fn, void *arg)
{
	struct expanding x = { .fn = fn, .arg = arg };
	const struct stack s = runtimes_stack(rt->shared, g->stack);
	bool first = true;

	for (uint32_t i = 0; i < s.count; i++) {
		struct runtime *of;
		if (s.frames[i].flags & NOT_IN_PROFILES)
			continue;
		const struct code *c = code_of_frame(rt->shared, &s.frames[i], &of);
		if (!c && runtimes_unnamed_at(rt->shared, s.frames[i].pc))
			tell_unknown(&x, s.frames[i].pc);
		if (c && first)
			c = at_syscall(rt, g, c);
		first = false;
		for (uint32_t call = 0; c && call < c->call_count; call++)
			if (!is_elided(&x, rt, &c->calls[call]))
				tell(&x, c, &c->calls[call]);
	}
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* runtime.FuncForPC looks at the return address itself. */
static bool is_allocator(struct runtime *rt, uint64_t pc)
{
	struct runtime *of;
	const struct code *c = runtimes_code_at(rt->shared, pc, true, &of);

	if (c)
		c = code_with_calls(of->code, pc, true);
	return c && (begins(c->calls[0].name, "runtime.") ||
		     begins(c->calls[0].name, "internal/runtime/"));
}

size_t runtime_allocator_depth(struct runtime *rt, const uint64_t *pcs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_allocator(rt, pcs[i]))
			return i;
	return 0;
}
