/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/program/pools.h"

#include <string.h>

static const struct pool_kind *const kinds[] = { &sql_pool, &http_pool };

struct search {
	struct finder *f;
	struct pools *pools;
	/* About the goroutine that is looked at: */
	const struct pool_kind *kind;
	struct value found;
	struct runtime *rt;
	const struct code_frame *innermost;
	struct code_frame frame;
};

static void keep_innermost(void *arg, const struct code_frame *frame)
{
	struct search *s = arg;

	if (s->innermost || !frame->function || frame->hidden ||
	    strncmp(frame->function, "runtime.", strlen("runtime.")) == 0)
		return;
	s->frame = *frame;
	s->innermost = &s->frame;
}

/* Returns the kind of pool that a goroutine waits for; NULL: none. All goroutines of a
 * group have the same stack. */
static const struct pool_kind *kind_of(struct search *s, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(s->f, goroutine);
	struct wait wait;

	if (!runtime_wait(it.runtime, it.goroutine, &wait) ||
	    (wait.kind != WAIT_SELECT && wait.kind != WAIT_CHANNEL))
		return NULL;
	s->innermost = NULL;
	runtimes_each_frame(s->f->about.all, it.goroutine->stack, keep_innermost, s);
	for (size_t i = 0; s->innermost && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(s->frame.function, kinds[i]->function) == 0)
			return kinds[i];
	return NULL;
}

static void note_pool(void *arg, struct runtime *rt, const struct variable *v)
{
	struct search *s = arg;

	if (v->name && !v->unreadable && v->value.type &&
	    strcmp(type_name(v->value.type), s->kind->type) == 0 && !s->found.type &&
	    runtime_behind(rt, &v->value, &s->found))
		s->rt = rt;
}

static void look_in_frame(void *arg, const struct code_frame *frame)
{
	struct search *s = arg;

	if (frame->variables && frame->function &&
	    strcmp(frame->function, s->kind->function) == 0) {
		frame_each_variable(frame->variables, true, note_pool, s);
		frame_each_variable(frame->variables, false, note_pool, s);
	}
}

static struct pool *pool_of(struct search *s)
{
	struct pools *p = s->pools;

	for (size_t i = 0; i < p->count; i++)
		if (p->list[i]->value.addr == s->found.addr)
			return p->list[i];
	GROW(p->list, p->count, p->cap);
	struct pool *ret = p->list[p->count++] = xcalloc(1, sizeof(*ret));
	ret->kind = s->kind;
	ret->rt = s->rt;
	ret->value = s->found;
	ret->longest = NO_GOROUTINE;
	return ret;
}

static void add_waiter(struct search *s, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(s->f, goroutine);

	s->found.type = NULL;
	runtime_budget_unit(it.runtime);
	runtimes_each_frame_of(s->f->about.all, it.goroutine, VARIABLES_OF_ALL,
			       look_in_frame, s);
	if (!s->found.type)
		return;
	struct pool *pool = pool_of(s);
	const uint64_t age = finder_age(s->f, goroutine);
	pool->waiters++;
	s->pools->of[goroutine] = pool;
	pool->long_waiters += finder_waits_long(s->f, goroutine);
	if (pool->longest == NO_GOROUTINE || age > finder_age(s->f, pool->longest))
		pool->longest = goroutine;
	if (pool->shown_count < FINDING_GOROUTINES)
		pool->shown[pool->shown_count++] = goroutine;
}

static void find_waiters(struct search *s)
{
	const struct groups *groups = s->f->about.groups;

	for (size_t g = 0; g < groups->count; g++) {
		const uint32_t *members = groups->members + groups->list[g].first;
		s->kind = kind_of(s, members[0]);
		for (uint32_t m = 0; s->kind && m < groups->list[g].count &&
				     s->pools->looked_at < POOLS_LOOK_MAX;
		     m++, s->pools->looked_at++)
			add_waiter(s, members[m]);
	}
	if (s->pools->looked_at == POOLS_LOOK_MAX)
		s->f->findings->is_partial = true;
}

enum { WORDS_MAX = 16 /* of a variable, and of what it points to */ };

struct holding {
	const struct pool *pool;
	uint64_t has; /* a connection; 0: none */
	enum pool_end end;
	bool is_helper;
};

/* A connection has one owner. If several words lead to the connection, the one with the
 * greatest enum pool_end counts. */
static void look_at_word(struct holding *h, struct runtime *rt, uint64_t word)
{
	enum pool_end end;
	const uint64_t one = h->pool->kind->one_of(rt, &h->pool->value, word, &end);

	if (!one || (h->has && (h->has != one || end <= h->end)))
		return;
	h->has = one;
	h->end = end;
}

static void look_at_words(struct holding *h, struct runtime *rt, const struct value *v)
{
	uint64_t words[WORDS_MAX];
	const uint64_t n = type_size(v->type) / sizeof(*words);
	const uint64_t count = n < WORDS_MAX ? n : WORDS_MAX;
	struct err ignored;

	if (!runtime_bytes(rt, v->addr, words, count * sizeof(*words), &ignored))
		return;
	for (uint64_t i = 0; i < count; i++)
		if (words[i])
			look_at_word(h, rt, words[i]);
}

/* A transaction may be in a struct, or in one that a variable points to. */
static void note_holder(void *arg, struct runtime *rt, const struct variable *v)
{
	struct holding *h = arg;
	struct value behind;

	if (h->end == POOL_END_MAY || !v->name || v->unreadable || v->dead ||
	    !v->value.type || rt != h->pool->rt)
		return;
	look_at_words(h, rt, &v->value);
	if (h->end != POOL_END_MAY && runtime_behind(rt, &v->value, &behind) &&
	    behind.type)
		look_at_words(h, rt, &behind);
}

/* Is it the function of the library that waits until the context of a transaction
 * ends? */
static bool is_helper(const char *function)
{
	return strncmp(function, "database/sql.(", strlen("database/sql.(")) == 0 &&
	       strstr(function, ").awaitDone") != NULL;
}

static void look_for_one(void *arg, const struct code_frame *frame)
{
	struct holding *h = arg;

	h->is_helper |= frame->function && is_helper(frame->function);
	if (!frame->variables)
		return;
	frame_each_variable(frame->variables, true, note_holder, h);
	frame_each_variable(frame->variables, false, note_holder, h);
}

static void find_holders_in(struct finder *f, struct pools *p, struct pool *pool,
			    const struct group *group)
{
	const uint32_t *members = f->about.groups->members + group->first;

	for (uint32_t m = 0; m < group->count && pool->holder_count < POOL_HOLDERS_MAX &&
			     p->looked_at < POOLS_LOOK_MAX;
	     m++, p->looked_at++) {
		struct holding h = { .pool = pool };
		struct goroutine_of it = finder_goroutine(f, members[m]);
		runtime_budget_unit(it.runtime);
		runtimes_each_frame_of(f->about.all, it.goroutine, VARIABLES_OF_ALL,
				       look_for_one, &h);
		if (h.has && !h.is_helper)
			pool->holders[pool->holder_count++] =
				(struct pool_holder){ members[m], h.has,
						      h.end == POOL_END_MAY };
	}
}

void pools_find_holders(struct finder *f, struct pools *p, struct pool *pool)
{
	const struct groups *groups = f->about.groups;
	struct search s = { .f = f, .pools = p };

	pool->holder_count = 0;
	for (size_t g = groups->count; pool->kind->one_of && g-- > 0 &&
				       p->looked_at < POOLS_LOOK_MAX &&
				       pool->holder_count < POOL_HOLDERS_MAX;) {
		const uint32_t first = groups->members[groups->list[g].first];
		if (!finder_goroutine(f, first).goroutine->system && !kind_of(&s, first))
			find_holders_in(f, p, pool, &groups->list[g]);
	}
}

bool pools_saw_all(const struct pools *p, const struct pool *pool)
{
	return p->looked_at < POOLS_LOOK_MAX && pool->holder_count < POOL_HOLDERS_MAX;
}

void pools_find(struct pools *ret, struct finder *f)
{
	struct search s = { .f = f, .pools = ret };
	const size_t n = runtimes_goroutine_count(f->about.all);

	*ret = (struct pools){ .of = xcalloc(n + 1, sizeof(*ret->of)) };
	if (f->about.has_memory)
		find_waiters(&s);
	for (size_t i = 0; i < ret->count; i++) {
		struct pool *pool = ret->list[i];
		pool->is_exhausted =
			pool->kind->is_exhausted(pool->rt, &pool->value, &pool->most);
	}
}

void pools_done(struct pools *p)
{
	for (size_t i = 0; i < p->count; i++)
		xfree(p->list[i]);
	xfree(p->list);
	xfree(p->of);
}
