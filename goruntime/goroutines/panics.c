/* SPDX-License-Identifier: Apache-2.0 */
/* Panics in progress: g._panic, innermost first. The records are on the goroutine's own
 * stack (gopanic in runtime/panic.go); what they point to may be anywhere. */
#include <inttypes.h>
#include <string.h>

#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/goroutines/panic_message.h"
#include "goruntime/runtime/bulk_read.h"
#include "goruntime/runtime/arena.h"
#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"

enum {
	PANIC_BYTES_MAX = 1 << 10,
	LEVELS = 3, /* of a chain, copied in one go; longer ones are rare */
};

struct panic_cache {
	struct arena pool; /* texts */
	struct panic *list;
	size_t cap;
	struct panic_list result;
};

void panic_cache_free(struct panic_cache *c)
{
	if (!c)
		return;
	arena_empty(&c->pool);
	xfree(c->list);
	xfree(c);
}

static bool flag(const struct runtime *rt, enum layout_slot slot, const uint8_t *bytes,
		 size_t len)
{
	return layout_get(&rt->layout, slot, bytes, len) != 0;
}

static struct go_text keep(struct arena *pool, const char *bytes, size_t len,
			   uint64_t omitted)
{
	char *copy = arena_take(pool, len);

	memcpy(copy, bytes, len);
	return (struct go_text){ .bytes = copy, .len = len, .omitted = omitted };
}

/* A value without a type is nil. */
static void read_value(struct runtime *rt, uint64_t type, uint64_t data,
		       struct arena *pool, struct panic *ret)
{
	struct go_type t = { 0 };
	struct panic_message w = { .len = 0 };
	struct err err;

	if (!type) {
		panic_message_addf(&w, "nil");
	} else if (!type_read(rt, type, &t, &err)) {
		ret->unreadable = reason_add(rt, "%s", err.text);
		return;
	} else {
		ret->type = keep(pool, t.name, t.name_len, t.omitted);
		if (!panic_message_of_value(rt, &t, data, &w, &err)) {
			ret->unreadable = reason_add(rt, "%s", err.text);
			return;
		}
	}
	ret->printed = keep(pool, w.bytes, w.len, w.omitted);
}

static bool read_panic(struct runtime *rt, uint64_t addr, struct arena *pool,
		       struct panic *ret, uint64_t *ret_link, struct err *err)
{
	const struct layout *l = &rt->layout;
	size_t size = (size_t)l->slot[L_panic_size].off;
	uint8_t bytes[PANIC_BYTES_MAX];
	uint64_t value[2];

	if (size > sizeof(bytes) || !layout_has(l, L_panic_arg) ||
	    !layout_has(l, L_panic_link))
		return err_set(err, ERR_UNSUPPORTED,
			       "unknown panic layout in this Go version");
	if (!target_read(rt->target, addr, bytes, size, err))
		return false;
	if ((size_t)l->slot[L_panic_arg].off + sizeof(value) > size)
		return err_set(err, ERR_BAD_DATA, "the panic layout is damaged");
	memcpy(value, bytes + l->slot[L_panic_arg].off, sizeof(value));
	*ret_link = layout_get(l, L_panic_link, bytes, size);
	*ret = (struct panic){
		.recovered = flag(rt, L_panic_recovered, bytes, size),
		.goexit = flag(rt, L_panic_goexit, bytes, size),
		.aborted = flag(rt, L_panic_aborted, bytes, size),
		.repanicked = flag(rt, L_panic_repanicked, bytes, size),
	};
	if (!ret->goexit)
		read_value(rt, value[0], value[1], pool, ret);
	return true;
}

static void read_chain(struct runtime *rt, uint64_t addr, struct panic_cache *c)
{
	struct err err;
	size_t n = 0;

	arena_empty(&c->pool);
	c->result = (struct panic_list){ 0 };
	target_budget_unit(rt->target);
	for (; addr && n < LIMIT_PANICS; n++) {
		GROW(c->list, n, c->cap);
		if (!read_panic(rt, addr, &c->pool, &c->list[n], &addr, &err)) {
			c->result.unreadable = reason_add(rt, "%s", err.text);
			break;
		}
	}
	if (n == LIMIT_PANICS && addr)
		c->result.unreadable =
			reason_add(rt, "more than %d panics", LIMIT_PANICS);
	c->result.list = c->list;
	c->result.count = n;
}

static struct panic_cache *cache(struct runtime *rt)
{
	struct panic_cache **ret = &extra_caches(rt)->panics;

	if (!*ret)
		*ret = xcalloc(1, sizeof(**ret));
	return *ret;
}

void panics_capture(struct runtime *rt, struct bulk_read *g)
{
	size_t n, size = (size_t)rt->layout.slot[L_panic_size].off;
	AUTO(xfree) uint64_t *panics = extra_objects(&rt->extra_lists, EXTRA_PANIC, &n);

	extra_gather_chain(rt, EXTRA_PANIC, size, L_panic_link, LEVELS, g);
	/* Reading everything once captures the rest. */
	for (size_t i = 0; i < n; i++)
		read_chain(rt, panics[i], cache(rt));
}

/* The argument of the next outer call of gopanic from frame *i on; false: no more. */
static bool next_argument(struct runtime *rt, const struct goroutine *g,
			  struct stack stack, uint32_t *i, struct panic *ret)
{
	struct runtime *ignored;
	struct err err;

	for (; *i < stack.count; (*i)++) {
		const struct raw_frame *frame = &stack.frames[*i];
		const struct code *c = code_of_frame(rt->shared, frame, &ignored);
		uint64_t argp = goroutine_argp(g, frame);
		if (!c || c->special != SPECIAL_gopanic)
			continue;
		(*i)++;
		ret->caller = *i;
		return argp && target_read(rt->target, argp, ret->value, 2 * WORD, &err);
	}
	return false;
}

/* Before it prints them, a dying runtime replaces errors and Stringers by their texts
 * (preprintpanics). gopanic keeps its argument, which has the type. */
static void take_types(struct runtime *rt, const struct goroutine *g,
		       struct panic_cache *c)
{
	static const char text_type[] = "string";
	struct stack stack = runtimes_stack(rt->shared, g->stack);
	uint32_t at = 0;

	for (size_t i = 0; i < c->result.count; i++) {
		struct panic *p = &c->list[i];
		struct go_type t = { 0 };
		struct err ignored;
		if (p->goexit)
			continue;
		if (!next_argument(rt, g, stack, &at, p)) {
			memset(p->value, 0, sizeof(p->value));
			return;
		}
		if (p->type.len == strlen(text_type) &&
		    memcmp(p->type.bytes, text_type, p->type.len) == 0 && p->value[0] &&
		    type_read(rt, p->value[0], &t, &ignored))
			p->type = keep(&c->pool, t.name, t.name_len, t.omitted);
	}
}

const struct panic_list *runtime_panics(struct runtime *rt, const struct goroutine *g)
{
	uint64_t panics = extra_object(&rt->extra_lists, EXTRA_PANIC, g->addr);

	if (!panics)
		return NULL;
	read_chain(rt, panics, cache(rt));
	take_types(rt, g, cache(rt));
	return &cache(rt)->result;
}
