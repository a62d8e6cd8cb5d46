/* SPDX-License-Identifier: Apache-2.0 */
/* Open-coded deferred calls (from 1.14 on): a function with few defers, none of them in a
 * loop, keeps their closures in slots of its frame, and a byte of bits: which were
 * reached and have not run yet. FUNCDATA_OpenCodedDeferInfo says where, relative to varp
 * (cmd/compile/internal/ssagen/ssa.go emitOpenDeferInfo). */
#include "goruntime/goroutines/defers.h"

#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/runtime/bulk_read.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/unwind/unwind_go.h"
#include "lib/base/limit.h"

enum {
	SHAPES = 1 << 12, /* hash slots; a power of two */
	OFFSET_MAX = 1 << 30,
};

/* The frames of one distinct stack that can have open-coded defers. */
struct known_stack {
	struct open_frame *frames; /* NULL: none */
	uint32_t count;
	bool known;
};

struct open_defers {
	struct known_stack *stacks; /* by stack number */
	size_t count, cap;
};

void open_defers_free(struct open_defers *open)
{
	if (!open)
		return;
	for (size_t i = 0; i < open->count; i++)
		xfree(open->stacks[i].frames);
	xfree(open->stacks);
	xfree(open);
}

/* amd64: the return address is right below the arguments, and below that the caller's
 * frame pointer, if the frame size is not zero (runtime/traceback.go next, 1.21). */
void physical_frames_each(struct runtime *rt, struct stack stack, physical_frame_fn *fn,
			  void *arg)
{
	struct physical_frame f = { .frame = 0 };

	for (uint32_t i = 0; i < stack.count; i++) {
		const struct raw_frame *raw = &stack.frames[i];
		struct runtime *owner = NULL;
		const struct code *c = code_of_frame(rt->shared, raw, &owner);

		f.frame = (int32_t)i;
		if (!c || owner != rt || raw->argp == NO_ARGP || c->frame_size < 0)
			continue;
		f.code = c;
		f.sp = raw->argp - WORD - (uint64_t)c->frame_size;
		f.varp = raw->argp - WORD - (c->frame_size > 0 ? WORD : 0);
		if (!fn(arg, &f))
			return;
	}
}

static struct bytes static_bytes(void *arg, uint64_t addr)
{
	return modules_bytes(arg, addr);
}

/* The formats: {bits, slots}, one word per slot (from 1.22 on, when panics point to the
 * slots); {bits, n, slot of each, last first} (1.18 to 1.21). Up to 1.17 records had room
 * for arguments, and the arguments were described too. */
bool open_defers_parse(const struct layout *l, struct bytes b, struct open_frame *ret)
{
	bool arguments = layout_has(l, L_defer_siz);

	if (arguments)
		bytes_uvarint(&b); /* size of the largest */
	ret->bits = (uint32_t)bytes_uvarint(&b);
	uint64_t n = bytes_uvarint(&b);
	if (layout_has(l, L_panic_slots_ptr)) {
		ret->count = OPEN_DEFERS_MAX;
		for (uint32_t i = 0; i < OPEN_DEFERS_MAX; i++)
			ret->slots[i] = (uint32_t)n - i * WORD;
		return !b.bad && n < OFFSET_MAX && ret->bits < OFFSET_MAX;
	}
	ret->count = (uint32_t)n;
	for (uint64_t i = n; n <= OPEN_DEFERS_MAX && i-- > 0;) {
		if (arguments)
			bytes_uvarint(&b); /* their size */
		ret->slots[i] = (uint32_t)bytes_uvarint(&b);
		uint64_t described = arguments ? bytes_uvarint(&b) : 0;
		for (uint64_t j = 0; !b.bad && j < 3 * described; j++)
			bytes_uvarint(&b);
	}
	return !b.bad && n <= OPEN_DEFERS_MAX && ret->bits < OFFSET_MAX;
}

struct listing {
	struct runtime *rt;
	struct known_stack *stack;
	size_t cap;
};

/* Until it has set up its frame, a function has neither bits nor slots. */
static bool list_frame(void *arg, const struct physical_frame *f)
{
	struct listing *l = arg;
	const struct layout *layout = &l->rt->layout;
	struct slot id = layout->slot[L_funcdata_open_defers];
	struct open_frame open = { .sp = f->sp, .varp = f->varp, .frame = f->frame };
	struct pclntab_func func;

	if (f->code->frame_size == 0 || id.off < 0 ||
	    !pclntab_find(&f->code->module->tab, f->code->entry, &func))
		return true;
	struct bytes info =
		pclntab_funcdata(&f->code->module->tab, &func, (uint32_t)id.off,
				 static_bytes, l->rt->modules);
	if (info.bad || !open_defers_parse(layout, info, &open))
		return true;
	GROW(l->stack->frames, l->stack->count, l->cap);
	l->stack->frames[l->stack->count++] = open;
	return true;
}

struct open_frames open_frames_of(struct runtime *rt, uint32_t stack)
{
	struct open_defers *open = extra_caches(rt)->open;

	if (!open)
		open = extra_caches(rt)->open = xcalloc(1, sizeof(*open));
	for (; open->count <= stack; open->count++) {
		GROW(open->stacks, open->count, open->cap);
		open->stacks[open->count] = (struct known_stack){ 0 };
	}
	struct known_stack *k = &open->stacks[stack];
	if (!k->known) {
		struct listing l = { .rt = rt, .stack = k };
		k->known = true;
		physical_frames_each(rt, runtimes_stack(rt->shared, stack), list_frame,
				     &l);
	}
	return (struct open_frames){ k->frames, k->count };
}

int open_frame_closures(struct runtime *rt, const struct goroutine *g,
			const struct open_frame *frame,
			struct open_closure ret[OPEN_DEFERS_MAX], struct err *err)
{
	uint64_t varp = g->sp + frame->varp, bits;
	int n = 0;

	if (!target_read_uint(rt->target, varp - frame->bits, 1, &bits, err))
		return -1;
	for (uint32_t i = frame->count; i-- > 0;) {
		if (!(bits & (1u << i)))
			continue;
		ret[n].slot = varp - frame->slots[i];
		if (!target_read_uint(rt->target, ret[n].slot, WORD, &ret[n].closure,
				      err))
			return -1;
		n++;
	}
	return n;
}

static bool is_closure_of_code(struct runtime *rt, uint64_t closure, uint64_t entry)
{
	uint64_t code;
	struct err ignored;

	return closure && target_read_uint(rt->target, closure, WORD, &code, &ignored) &&
	       code == entry;
}

/* A function clears the bit of a deferred call before it makes the call. */
static bool open_frame_runs(struct runtime *rt, const struct goroutine *g,
			    const struct open_frame *frame, uint64_t entry)
{
	const uint64_t varp = g->sp + frame->varp;
	uint64_t bits, closure;
	struct err ignored;

	if (!target_read_uint(rt->target, varp - frame->bits, 1, &bits, &ignored))
		return false;
	for (uint32_t i = 0; i < frame->count; i++)
		if (!(bits & (1u << i)) &&
		    target_read_uint(rt->target, varp - frame->slots[i], WORD, &closure,
				     &ignored) &&
		    is_closure_of_code(rt, closure, entry))
			return true;
	return false;
}

/* Up to Go 1.16, a deferred call returns to the call of deferreturn, which then makes the next one
 * (runtime/asm_amd64.s jmpdefer). Any other call returns behind its own. */
static bool is_at_deferreturn(struct runtime *rt, uint32_t stack, uint32_t unwound)
{
	const struct stack s = runtimes_stack(rt->shared, stack);
	struct runtime *owner = NULL;
	struct pclntab_func func;

	if (unwound >= s.count)
		return false;
	const struct raw_frame *raw = &s.frames[unwound];
	const struct code *c = code_of_frame(rt->shared, raw, &owner);
	if (!c || owner != rt || !pclntab_find(&c->module->tab, c->entry, &func))
		return false;
	const uint32_t call = pclntab_deferreturn(&c->module->tab, &func);
	return call && raw->pc == c->entry + call;
}

bool runtime_frame_ends(struct runtime *rt, const struct goroutine *g, uint32_t unwound,
			uint64_t entry)
{
	if (g->stack == NO_STACK || !entry)
		return false;
	if (is_at_deferreturn(rt, g->stack, unwound))
		return true;
	const struct open_frames open = open_frames_of(rt, g->stack);
	for (size_t i = 0; i < open.count; i++)
		if (open.list[i].frame == (int32_t)unwound &&
		    open_frame_runs(rt, g, &open.list[i], entry))
			return true;
	return false;
}

/* Goroutines that start in the same function, stop at the same pc and use as many bytes
 * of stack nearly always have the same frames. One goroutine of each shape is unwound to
 * find where the others have their closures. When that is wrong, the function of a
 * deferred call is not known. */
struct shape {
	uint64_t pc, used, start_pc;
	uint32_t stack;
	bool taken;
};

static struct shape *find_shape(struct shape *shapes, const struct goroutine *g)
{
	uint64_t used = g->stack_high - g->sp;
	uint64_t hash =
		(g->pc ^ used << 40 ^ g->start_pc << 20) * UINT64_C(0x9e3779b97f4a7c15);
	struct shape *s = &shapes[hash >> 32 & (SHAPES - 1)];

	if (s->taken && (s->pc != g->pc || s->used != used || s->start_pc != g->start_pc))
		return NULL; /* the slot is taken by another shape */
	s->pc = g->pc;
	s->used = used;
	s->start_pc = g->start_pc;
	return s;
}

static void bulk_read_closures(struct runtime *rt, const struct goroutine *g,
			       struct open_frames open, struct bulk_read *gather)
{
	struct open_closure closures[OPEN_DEFERS_MAX];
	struct err ignored;

	for (size_t i = 0; i < open.count; i++) {
		int n = open_frame_closures(rt, g, &open.list[i], closures, &ignored);
		for (int k = 0; k < n; k++)
			bulk_read_add(gather, closures[k].closure, WORD);
	}
}

void open_defers_capture(struct runtime *rt, struct bulk_read *gather)
{
	AUTO(xfree) struct shape *shapes = xcalloc(SHAPES, sizeof(*shapes));
	size_t left = LIMIT_OPEN_DEFERS;

	for (size_t i = 0; i < rt->goroutine_count && left; i++) {
		struct goroutine *g = &rt->goroutines[i];
		struct shape *s = find_shape(shapes, g);

		if (!s || !goroutine_has_stack(g) || g->sp < g->stack_low ||
		    g->sp >= g->stack_high)
			continue;
		if (!s->taken) {
			if (!g->unwound)
				unwind_goroutine(rt, g, NULL);
			s->taken = true;
			s->stack = g->stack;
		}
		struct open_frames open = open_frames_of(rt, s->stack);
		if (open.count) {
			target_budget_unit(rt->target);
			bulk_read_closures(rt, g, open, gather);
			left--;
		}
	}
}
