/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred calls. g._defer is a list of records, innermost frame first (runtime/panic.go
 * deferproc). Most functions use open-coded defers in their own frames instead
 * (open_defers.c). The two are merged in the order in which they would run. */
#include "goruntime/goroutines/defers.h"

#include <inttypes.h>
#include <string.h>

#include "goruntime/frames/frames_priv.h"
#include "goruntime/goroutines/extras.h"
#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/runtime/bulk_read.h"
#include "goruntime/waits/wait_priv.h"
#include "lib/base/limit.h"

enum {
	DEFER_BYTES_MAX = 256,
	LEVELS = 3,	  /* of a chain, copied in one go */
	CLOSED_RANGE = 1, /* badDefer: the range-over-func loop has ended */
};

struct record {
	uint64_t addr, function, pc, sp, link, head;
	uint64_t argument_bytes;
	bool started, open, rangefunc;
};

struct defer_cache {
	struct deferred *list;
	size_t cap;
	struct defer_list result;
};

void defer_cache_free(struct defer_cache *c)
{
	if (!c)
		return;
	xfree(c->list);
	xfree(c);
}

static bool read_record(struct runtime *rt, uint64_t addr, struct record *ret,
			struct err *err)
{
	const struct layout *l = &rt->layout;
	size_t size = (size_t)l->slot[L_defer_size].off;
	uint8_t b[DEFER_BYTES_MAX];

	if (size > sizeof(b) || !layout_has(l, L_defer_fn) ||
	    !layout_has(l, L_defer_link))
		return err_set(err, ERR_UNSUPPORTED,
			       "unknown defer layout in this Go version");
	if (!target_read(rt->target, addr, b, size, err))
		return false;
	*ret = (struct record){
		.addr = addr,
		.argument_bytes = layout_get(l, L_defer_siz, b, size),
		.function = layout_get(l, L_defer_fn, b, size),
		.pc = layout_get(l, L_defer_pc, b, size),
		.sp = layout_get(l, L_defer_sp, b, size),
		.link = layout_get(l, L_defer_link, b, size),
		.head = layout_get(l, L_defer_head, b, size),
		.started = layout_get(l, L_defer_started, b, size) != 0,
		.open = layout_get(l, L_defer_open, b, size) != 0,
		.rangefunc = layout_get(l, L_defer_rangefunc, b, size) != 0,
	};
	return true;
}

/* left: how many more records of this goroutine to follow, as the list may be a cycle. */
static bool next_record(struct runtime *rt, uint64_t addr, size_t *left,
			struct record *ret, struct err *err)
{
	if (*left == 0)
		return err_set(err, ERR_LIMIT, "more than %d deferred calls",
			       LIMIT_DEFERS);
	--*left;
	return read_record(rt, addr, ret, err);
}

/* Calls fn for each pending record in the order they run. Stops when fn returns false or
 * the list cannot be followed: err. */
typedef bool record_fn(void *arg, const struct record *record);

/* The body of a range-over-func loop keeps its records in a separate list, at *head of a
 * record in its place (deferrangefunc). */
static bool each_of_loop(struct runtime *rt, const struct record *loop, size_t *left,
			 record_fn *fn, void *arg, struct err *err)
{
	struct record r;
	uint64_t at;

	if (!target_read_uint(rt->target, loop->head, WORD, &at, err))
		return false;
	for (; at && at != CLOSED_RANGE; at = r.link) {
		if (!next_record(rt, at, left, &r, err))
			return false;
		r.sp = loop->sp;
		r.pc = 0; /* never set */
		if (!fn(arg, &r))
			return true;
	}
	return true;
}

static bool each_record(struct runtime *rt, uint64_t at, record_fn *fn, void *arg,
			struct err *err)
{
	size_t left = LIMIT_DEFERS;
	struct record r;

	target_budget_unit(rt->target);
	for (; at; at = r.link) {
		if (!next_record(rt, at, &left, &r, err))
			return false;
		/* started: already running (up to 1.21). open: stands for a whole frame
		 * while a panic passes through it (up to 1.21). */
		if (r.started || r.open)
			continue;
		if (!r.rangefunc && !fn(arg, &r))
			return true;
		if (r.rangefunc && !each_of_loop(rt, &r, &left, fn, arg, err))
			return false;
	}
	return true;
}

static bool bulk_read_function(void *arg, const struct record *r)
{
	bulk_read_add((struct bulk_read *)arg, r->function, WORD);
	return true;
}

void defers_capture(struct runtime *rt, struct bulk_read *g)
{
	size_t n, size = (size_t)rt->layout.slot[L_defer_size].off;
	AUTO(xfree) uint64_t *defers = extra_objects(&rt->extra_lists, EXTRA_DEFER, &n);
	struct err ignored;

	extra_gather_chain(rt, EXTRA_DEFER, size, L_defer_link, LEVELS, g);
	for (size_t i = 0; i < n; i++)
		if (!each_record(rt, defers[i], bulk_read_function, g, &ignored))
			continue; /* reported when it is printed */
	open_defers_capture(rt, g);
	bulk_read_read(g, rt->target);
}

/* A func value points to a closure, whose first word is the code pointer. Closures
 * without captured variables are constants in the file. */
static void set_function(struct runtime *rt, uint64_t closure, struct deferred *ret)
{
	struct bytes constant;
	struct err err;
	uint64_t pc;

	if (!closure) {
		ret->unreadable = reason_add(rt, "%s", "nil func value");
		return;
	}
	if (!target_read_uint(rt->target, closure, WORD, &pc, &err)) {
		constant = modules_bytes(rt->modules, closure);
		pc = bytes_u64(&constant);
		if (constant.bad) {
			ret->unreadable = reason_add(rt, "%s", err.text);
			return;
		}
	}
	if (modules_at(rt->modules, pc))
		ret->function = pc;
	else if (target_may_name(rt->target, pc))
		ret->unreadable = reason_add(rt, "0x%" PRIx64 " is not a function", pc);
	else
		ret->unreadable = reason_add(rt, "not a function");
}

struct collection {
	struct runtime *rt;
	struct defer_cache *cache;
	const struct goroutine *g;
	struct open_frames open;
	size_t next_open;
};

static void add(struct collection *c, struct deferred d, uint64_t closure)
{
	struct defer_cache *cache = c->cache;

	d.closure = closure;
	set_function(c->rt, closure, &d);
	GROW(cache->list, cache->result.count, cache->cap);
	cache->list[cache->result.count++] = d;
}

/* Adds the open-coded defers of frames up to sp. */
static void add_open_up_to(struct collection *c, uint64_t sp)
{
	for (; c->next_open < c->open.count; c->next_open++) {
		const struct open_frame *f = &c->open.list[c->next_open];
		struct deferred d = {
			.sp = c->g->sp + f->sp,
			.frame = f->frame,
			.open_coded = true,
		};
		struct open_closure closures[OPEN_DEFERS_MAX];
		struct err err;
		if (d.sp > sp)
			return;
		int n = open_frame_closures(c->rt, c->g, f, closures, &err);
		if (n < 0)
			c->cache->result.unreadable = reason_add(c->rt, "%s", err.text);
		for (int i = 0; i < n; i++) {
			d.record = closures[i].slot;
			add(c, d, closures[i].closure);
		}
	}
}

static bool add_record(void *arg, const struct record *r)
{
	struct collection *c = arg;
	struct deferred d = { .record = r->addr, .pc = r->pc, .sp = r->sp, .frame = -1 };

	add_open_up_to(c, r->sp);
	if (r->argument_bytes) /* right behind it: runtime/panic.go deferArgs */
		d.arguments = r->addr + (uint64_t)c->rt->layout.slot[L_defer_size].off;
	add(c, d, r->function);
	return true;
}

struct search {
	struct deferred *list;
	size_t count, next;
	uint64_t base;
};

/* Frames and list are both sorted by sp. */
static bool place(void *arg, const struct physical_frame *frame)
{
	struct search *s = arg;
	uint64_t sp = s->base + frame->sp;

	for (; s->next < s->count && s->list[s->next].sp <= sp; s->next++)
		if (s->list[s->next].sp == sp)
			s->list[s->next].frame = frame->frame;
	return s->next < s->count;
}

static struct defer_cache *cache(struct runtime *rt)
{
	struct defer_cache **ret = &extra_caches(rt)->defers;

	if (!*ret)
		*ret = xcalloc(1, sizeof(**ret));
	return *ret;
}

const struct defer_list *runtime_defers(struct runtime *rt, const struct goroutine *g)
{
	uint64_t records = extra_object(&rt->extra_lists, EXTRA_DEFER, g->addr);
	struct collection c = { .rt = rt, .g = g, .cache = cache(rt) };
	struct defer_list *ret = &c.cache->result;
	struct err err;

	*ret = (struct defer_list){ 0 };
	if (g->stack != NO_STACK)
		c.open = open_frames_of(rt, g->stack);
	if (!records && !c.open.count)
		return NULL;
	target_budget_unit(rt->target);
	if (!each_record(rt, records, add_record, &c, &err))
		ret->unreadable = reason_add(rt, "%s", err.text);
	add_open_up_to(&c, UINT64_MAX);
	ret->list = c.cache->list;
	if (records && g->stack != NO_STACK) {
		struct search s = { c.cache->list, ret->count, 0, g->sp };
		physical_frames_each(rt, runtimes_stack(rt->shared, g->stack), place, &s);
	}
	for (size_t i = 0; i < ret->count; i++)
		if (c.cache->list[i].frame >= 0)
			c.cache->list[i].frame = frame_number(rt->shared, g->stack,
							      c.cache->list[i].frame);
	return ret->count || ret->unreadable ? ret : NULL;
}
