/* SPDX-License-Identifier: Apache-2.0 */
/* What a goroutine's stack refers to, as the collector reads it (runtime/mgcmark.go scanstack, 1.15 to
 * 1.27): the words that the stack maps call live, and of variables whose address is taken those that
 * such words refer to. Frames without a map count with all their words. A plan says which words these
 * are: goroutines with the same stack share it. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/heap_priv.h"
#include "goruntime/heap/stack_types.h"
#include "goruntime/variables/stack_map.h"
#include "lib/base/limit.h"

enum {
	ARGUMENT_BYTES = 32 * WORD,
	SYSTEM_STACK_BYTES = 64 << 10,
};

/* [from, end) from the stack pointer on. */
struct stack_part {
	int64_t from, end;
};

struct stack_variable {
	struct stack_part part;
	struct bytes pointers; /* a bit for each word */
	uint64_t words;	       /* that these are for; 0: all of them may be pointers */
	bool visited;
};

struct stack_plan {
	uint32_t stack;
	bool whole; /* it is not known where the frames are: all words count */
	struct stack_part *parts;
	size_t part_count, part_cap;
	struct stack_variable *variables; /* sorted */
	size_t variable_count, variable_cap;
	struct stack_types *types; /* NULL: not wanted, or not known */
	uint64_t sp;		   /* of the stack that is read */
};

void stack_plan_free(struct stack_plan *plan)
{
	if (!plan)
		return;
	xfree(plan->parts);
	xfree(plan->variables);
	stack_types_free(plan->types);
	xfree(plan);
}

static void add_part(struct stack_plan *plan, int64_t from, int64_t end)
{
	struct stack_part *last =
		plan->part_count ? &plan->parts[plan->part_count - 1] : NULL;

	if (last && last->end == from) {
		last->end = end;
		return;
	}
	GROW(plan->parts, plan->part_count, plan->part_cap);
	plan->parts[plan->part_count++] = (struct stack_part){ from, end };
}

struct planning {
	struct stack_plan *plan;
	int64_t cfa;
};

static bool add_word(void *arg, int64_t off)
{
	const struct planning *p = arg;

	add_part(p->plan, p->cfa + off, p->cfa + off + WORD);
	return true;
}

static void add_variables(struct stack_plan *plan, const struct stack_map *map,
			  int64_t cfa)
{
	for (size_t i = 0; i < map->object_count; i++) {
		const struct stack_object *o = &map->objects[i];
		const int64_t from = cfa + o->off;

		GROW(plan->variables, plan->variable_count, plan->variable_cap);
		plan->variables[plan->variable_count++] = (struct stack_variable){
			.part = { from,
				  from + (int64_t)(o->size < LIMIT_STACK_BYTES ? o->size
									       : 0) },
			.pointers = o->pointers,
			.words = o->pointer_words,
		};
	}
}

/* low: where the frame before ends. */
static void plan_frame(struct heap *h, struct stack_plan *plan,
		       const struct raw_frame *frame, int64_t low)
{
	struct planning p = { plan, frame->argp };
	struct runtime *rt = NULL;
	struct stack_map map;
	struct err ignored;
	const struct code *code = runtimes_code_at(
		h->rt->shared, frame->pc, frame->flags & FRAME_AT_INSTRUCTION, &rt);

	if (!code) {
		add_part(plan, low, p.cfa);
		return;
	}
	/* Nothing is its own: above its return address are arguments of what it called. */
	if (code->flags & PCLNTAB_TOPFRAME)
		return;
	/* Stack maps are for calls. Elsewhere, as where a signal interrupted it, a frame
	 * counts with all its words, and those where its arguments may have been saved. */
	if (code->at_instruction) {
		add_part(plan, low, p.cfa + ARGUMENT_BYTES);
		return;
	}
	/* In a prologue there is no map either, and arguments may be where they are saved. */
	stack_map_read(rt, code, &map);
	if (!map.known || !stack_map_each(rt->target, &map, add_word, &p, &ignored))
		add_part(plan, low, p.cfa + ARGUMENT_BYTES);
	else if (object_types_are_sought(h))
		stack_types_add(&plan->types, h->rt->shared, frame);
	add_variables(plan, &map, p.cfa);
	stack_map_deinit(&map);
}

static int by_from(const void *a, const void *b)
{
	const struct stack_variable *x = a, *y = b;

	return (x->part.from > y->part.from) - (x->part.from < y->part.from);
}

static struct stack_plan *make_plan(struct heap *h, const struct goroutine *g)
{
	const struct stack stack = runtimes_stack(h->rt->shared, g->stack);
	struct stack_plan *plan = xcalloc(1, sizeof(*plan));
	int64_t low = 0;

	plan->stack = g->stack;
	/* What a goroutine begins with may be above its only frame. */
	plan->whole =
		g->state != STACK_COMPLETE || stack.count < 2 ||
		(h->rt->shared->fold.times && h->rt->shared->fold.stack == g->stack);
	for (size_t i = 0; i < stack.count && !plan->whole; i++) {
		const struct raw_frame *frame = &stack.frames[i];
		if (frame->flags & FRAME_SYSTEM_STACK)
			continue;
		plan->whole = frame->argp == NO_ARGP;
		if (plan->whole)
			break;
		target_budget_unit(h->rt->target);
		plan_frame(h, plan, frame, low);
		low = frame->argp;
	}
	if (plan->variable_count)
		qsort(plan->variables, plan->variable_count, sizeof(*plan->variables),
		      by_from);
	return plan;
}

/* The used part of a stack, and which variables on it are still to be read. */
struct stack_reading {
	struct heap *heap;
	struct stack_plan *plan;
	const uint8_t *bytes;
	uint64_t sp, len;
	size_t *todo;
	size_t todo_count;
};

static void follow_at(struct stack_reading *r, uint64_t at, uint64_t word)
{
	struct stack_plan *plan = r->plan;
	const uint64_t off = word - r->sp;

	r->heap->take(r->heap, at, word);
	if (!plan || off >= r->len)
		return;
	const size_t i = LOWER_BOUND(v, plan->variable_count,
				     plan->variables[v].part.end <= (int64_t)off);
	if (i == plan->variable_count || plan->variables[i].part.from > (int64_t)off ||
	    plan->variables[i].visited)
		return;
	plan->variables[i].visited = true;
	r->todo[r->todo_count++] = i;
}

static void follow(struct stack_reading *r, uint64_t word)
{
	follow_at(r, 0, word);
}

static void follow_words(struct stack_reading *r, struct stack_part part,
			 const struct stack_variable *variable)
{
	uint64_t word, n = 0;

	for (int64_t at = part.from; at < part.end; at += WORD, n++) {
		if (at < 0 || (uint64_t)at + WORD > r->len)
			continue;
		if (variable && variable->words) {
			struct bytes b = bytes_at(variable->pointers, n / 8);
			if (n >= variable->words)
				return;
			if (!b.bad && !(bytes_u8(&b) >> n % 8 & 1))
				continue;
		}
		memcpy(&word, r->bytes + at, WORD);
		r->heap->before = 0;
		if (at >= WORD)
			memcpy(&r->heap->before, r->bytes + at - WORD, WORD);
		follow_at(r, r->sp + (uint64_t)at, word);
	}
}

static bool read_record(struct heap *h, uint64_t addr, uint8_t *bytes, size_t len)
{
	struct err ignored;

	if (!heap_may_read(h, PAGE_BYTES))
		return false;
	if (target_read(h->memory, addr, bytes, len, &ignored))
		return true;
	h->unreadable += len;
	return false;
}

/* Up to 1.16 the arguments of a deferred call are behind its record. */
static bool follow_arguments(struct stack_reading *r, uint64_t addr,
			     const uint8_t *record, size_t len)
{
	uint8_t bytes[LIMIT_STRUCT_BYTES];
	const uint64_t size = layout_get(&r->heap->rt->layout, L_defer_siz, record, len),
		       most = size < sizeof(bytes) ? size : sizeof(bytes);
	uint64_t word;

	if (size && !read_record(r->heap, addr + len, bytes, (size_t)most))
		return false;
	for (size_t n = 0; n + WORD <= most; n += WORD) {
		memcpy(&word, bytes + n, WORD);
		follow(r, word);
	}
	return true;
}

static void follow_field(struct stack_reading *r, enum layout_slot slot,
			 const uint8_t *record, size_t len)
{
	const struct slot at = r->heap->rt->layout.slot[slot];
	uint64_t word;

	for (int32_t off = at.off;
	     off >= 0 && off < at.off + (int32_t)at.size && (size_t)off + WORD <= len;
	     off += WORD) {
		memcpy(&word, record + off, WORD);
		follow(r, word);
	}
}

/* The records of deferred calls or panics: those on the stack are not all initialised. */
struct record_kind {
	enum extra_kind kind;
	enum layout_slot size, link, value;
	unsigned limit;
};

static const struct record_kind record_kinds[] = {
	{ EXTRA_DEFER, L_defer_size, L_defer_link, L_defer_fn, LIMIT_DEFERS },
	{ EXTRA_PANIC, L_panic_size, L_panic_link, L_panic_arg, LIMIT_PANICS },
};

static void follow_chain(struct stack_reading *r, const struct goroutine *g,
			 const struct record_kind *k)
{
	struct heap *h = r->heap;
	const struct layout *l = &h->rt->layout;
	const size_t len = (size_t)l->slot[k->size].off;
	uint8_t bytes[LIMIT_STRUCT_BYTES];
	uint64_t at = extra_object(&h->rt->extra_lists, k->kind, g->addr);

	for (unsigned i = 0; at && i < k->limit && layout_has(l, k->size); i++) {
		follow(r, at);
		if (!read_record(h, at, bytes, len) ||
		    (k->kind == EXTRA_DEFER && !follow_arguments(r, at, bytes, len)))
			return;
		follow_field(r, k->value, bytes, len);
		follow_field(r, k->link, bytes, len);
		at = layout_get(l, k->link, bytes, len);
	}
}

/* They are kept by the goroutine, wherever they are. */
static void follow_chains(struct stack_reading *r, const struct goroutine *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(record_kinds); i++)
		follow_chain(r, g, &record_kinds[i]);
}

/* The closure of a function that has not begun, or that has to grow its stack first. It may be on
 * the stack itself. */
static uint64_t closure_of(struct heap *h, const struct goroutine *g)
{
	uint64_t closure;
	struct err ignored;

	return layout_load(&h->rt->layout, h->memory, g->addr, L_g_sched_ctxt, &closure,
			   &ignored)
		       ? closure
		       : 0;
}

static void mark_by_plan(struct stack_reading *r, const struct goroutine *g)
{
	struct stack_plan *plan = r->plan;
	AUTO(xfree) size_t *todo = xcalloc(plan->variable_count + 1, sizeof(*todo));

	r->todo = todo;
	for (size_t i = 0; i < plan->variable_count; i++)
		plan->variables[i].visited = false;
	for (size_t i = 0; i < plan->part_count; i++)
		follow_words(r, plan->parts[i], NULL);
	follow_chains(r, g);
	follow(r, closure_of(r->heap, g));
	while (r->todo_count) {
		const struct stack_variable *v =
			&plan->variables[r->todo[--r->todo_count]];
		follow_words(r, v->part, v);
	}
}

/* Without a plan all words of the stack count. Go's own limit is 1 GB (runtime/proc.go main, 1.27). */
static void mark_all(struct heap *h, const struct goroutine *g, uint64_t from)
{
	const uint64_t most = UINT64_C(1) << 30, len = g->stack_high - from;
	struct stack_reading r = { .heap = h };

	follow_chains(&r, g);
	heap_mark_range(h, from, len < most ? len : most);
}

/* Is what the thread has on its own stack old? Without a goroutine it may run timers, or make what was
 * waiting ready, and wait for a lock of the runtime meanwhile; it does not hold one as it goes to sleep
 * (stopm in runtime/proc.go). */
static bool rests(struct heap *h, const struct go_m *m,
		  const struct target_thread *thread)
{
	struct err ignored;
	uint64_t locks;

	if (!m->m || m->syscall_sp)
		return true;
	return !m->curg && thread->in_syscall &&
	       layout_load(&h->rt->layout, h->memory, m->m, L_m_locks, &locks,
			   &ignored) &&
	       locks == 0;
}

/* A goroutine that runs has pointers in registers, or on its thread's own stack, where the
 * runtime works for it. What a thread has there that is idle or in a system call is old. */
void heap_mark_threads(struct heap *h)
{
	size_t n;
	const struct target_thread *threads = target_threads(h->rt->target, &n);
	const struct arch *arch = target_arch(h->rt->target);

	for (size_t t = 0; t < n; t++) {
		const struct regs *regs = &threads[t].regs;
		if (!target_thread_stands_still(&threads[t]) ||
		    t >= h->rt->machine_count ||
		    rests(h, &h->rt->machines[t], &threads[t]))
			continue;
		for (unsigned i = 0; i < ARCH_REGS_MAX; i++)
			if (reg_known(regs, i))
				heap_mark_word(h, regs->value[i]);
		if (!reg_known(regs, arch->sp))
			continue;
		const struct go_stack g0 = h->rt->machines[t].g0_stack;
		const uint64_t sp = regs->value[arch->sp];
		if (on_stack(g0, sp))
			heap_mark_range(h, sp,
					g0.high - sp < SYSTEM_STACK_BYTES
						? g0.high - sp
						: SYSTEM_STACK_BYTES);
	}
}

static void mark_stack(struct heap *h, const struct goroutine *g)
{
	struct stack_reading r = { .heap = h, .sp = g->sp, .len = g->stack_high - g->sp };
	struct err ignored;

	if (!goroutine_has_stack(g))
		return;
	heap_mark_word(h, closure_of(h, g));
	if (g->bad_context || g->sp < g->stack_low || g->sp >= g->stack_high) {
		mark_all(h, g, g->stack_low);
		return;
	}
	if (g->stack_moves) { /* its variables cannot be found by pointers to them */
		mark_all(h, g, g->sp);
		return;
	}
	if (!h->plan || h->plan->stack != g->stack) {
		stack_plan_free(h->plan);
		h->plan = make_plan(h, g);
	}
	if (h->plan->whole || r.len > LIMIT_STACK_BYTES) {
		mark_all(h, g, g->sp);
		return;
	}
	AUTO(xfree) uint8_t *bytes = xmalloc(r.len);
	if (!heap_may_read(h, r.len) ||
	    !target_read(h->memory, g->sp, bytes, r.len, &ignored)) {
		h->unreadable += r.len;
		return;
	}
	r.plan = h->plan;
	r.plan->sp = g->sp;
	r.bytes = bytes;
	mark_by_plan(&r, g);
}

bool stack_type_at(const struct heap *h, uint64_t at, struct object_type *ret)
{
	return h->goroutine && h->plan &&
	       stack_types_at(h, h->plan->types, (int64_t)(at - h->plan->sp), ret);
}

void heap_mark_stack(struct heap *h, const struct goroutine *g)
{
	h->goroutine = (size_t)(g - h->rt->goroutines) + 1;
	mark_stack(h, g);
	h->goroutine = 0;
}
