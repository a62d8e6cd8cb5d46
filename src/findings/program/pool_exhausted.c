/* SPDX-License-Identifier: Apache-2.0 */
/* Goroutines that wait for a connection of a pool that has as many as it may have. That happens to
 * a pool that is busy; it is told as more than information once half of those who wait have done so
 * for long. */
#include <inttypes.h>
#include <string.h>

#include "src/findings/program/pool.h"

enum { VERY_MANY = 100, LOOKED_AT_MAX = 4000 /* goroutines */ };

static const struct pool_kind *const kinds[] = { &sql_pool, &http_pool };

struct pool {
	const struct pool_kind *kind;
	struct runtime *rt;
	struct value value;
	uint64_t most;
	uint64_t waiters, long_waiters;
	uint32_t longest;		    /* a waiter */
	uint32_t shown[FINDING_GOROUTINES]; /* waiters */
	size_t shown_count;
	uint32_t holders[POOL_HOLDERS];
	size_t holder_count;
};

struct search {
	struct finder *f;
	const struct pool_kind *kind;
	struct pool **list;
	size_t count, cap;
	size_t looked_at;
	/* Of the goroutine that is looked at. */
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

/* Of what kind of pool does a goroutine wait for something? All of a group have the same stack. */
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
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i]->value.addr == s->found.addr)
			return s->list[i];
	GROW(s->list, s->count, s->cap);
	struct pool *ret = s->list[s->count++] = xcalloc(1, sizeof(*ret));
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
	pool->long_waiters += finder_waits_long(s->f, goroutine);
	if (pool->longest == NO_GOROUTINE || age > finder_age(s->f, pool->longest))
		pool->longest = goroutine;
	if (pool->shown_count < FINDING_GOROUTINES)
		pool->shown[pool->shown_count++] = goroutine;
}

static void find_pools(struct search *s)
{
	const struct groups *groups = s->f->about.groups;

	for (size_t g = 0; g < groups->count; g++) {
		const uint32_t *members = groups->members + groups->list[g].first;
		s->kind = kind_of(s, members[0]);
		for (uint32_t m = 0;
		     s->kind && m < groups->list[g].count && s->looked_at < LOOKED_AT_MAX;
		     m++, s->looked_at++)
			add_waiter(s, members[m]);
	}
}

struct holding {
	const struct pool *pool;
	bool has, is_helper;
};

static void note_holder(void *arg, struct runtime *rt, const struct variable *v)
{
	struct holding *h = arg;
	uint64_t word;
	struct err ignored;

	if (!h->has && v->name && !v->unreadable && !v->dead && v->value.type &&
	    type_size(v->value.type) >= sizeof(word) && rt == h->pool->rt &&
	    runtime_bytes(rt, v->value.addr, &word, sizeof(word), &ignored))
		h->has = word && h->pool->kind->has_one(rt, &h->pool->value, word);
}

/* Of the library: one that waits until the context of a transaction ends. */
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

static void find_holders_in(struct search *s, struct pool *pool,
			    const struct group *group)
{
	const uint32_t *members = s->f->about.groups->members + group->first;

	for (uint32_t m = 0; m < group->count && pool->holder_count < POOL_HOLDERS &&
			     s->looked_at < LOOKED_AT_MAX;
	     m++, s->looked_at++) {
		struct holding h = { .pool = pool };
		struct goroutine_of it = finder_goroutine(s->f, members[m]);
		runtime_budget_unit(it.runtime);
		runtimes_each_frame_of(s->f->about.all, it.goroutine, VARIABLES_OF_ALL,
				       look_for_one, &h);
		if (h.has && !h.is_helper)
			pool->holders[pool->holder_count++] = members[m];
	}
}

static void find_holders(struct search *s, struct pool *pool)
{
	const struct groups *groups = s->f->about.groups;

	for (size_t g = groups->count; pool->kind->has_one && g-- > 0 &&
				       s->looked_at < LOOKED_AT_MAX &&
				       pool->holder_count < POOL_HOLDERS;) {
		const uint32_t first = groups->members[groups->list[g].first];
		if (!finder_goroutine(s->f, first).goroutine->system &&
		    !kind_of(s, first))
			find_holders_in(s, pool, &groups->list[g]);
	}
}

static void say_holders(const struct search *s, struct text *text,
			const struct pool *pool)
{
	if (pool->kind->has_one && !pool->holder_count && s->looked_at < LOOKED_AT_MAX)
		text_add(text, " No goroutine has one in its variables: most likely some "
			       "were not closed.");
	for (size_t i = 0; i < pool->holder_count; i++) {
		text_add(text, " Goroutine %" PRIu64 " has one and ",
			 id_of(s->f, pool->holders[i]));
		say_state(s->f, text, pool->holders[i]);
		text_add(text, ".");
	}
}

static void tell(struct search *s, struct pool *pool)
{
	const bool lasts = pool->long_waiters * 2 >= pool->waiters;

	find_holders(s, pool);
	struct finding *finding = finding_add(
		s->f, "pool_exhausted", lasts ? SEVERITY_WARNING : SEVERITY_INFO,
		pool->waiters,
		"Find out why those who have a connection keep it: a missing Close, or a "
		"peer that does not answer.");
	struct text *text = &finding->text;
	text_add_counted(text, pool->waiters, "goroutine");
	text_add(text, pool->waiters == 1 ? " waits for a connection"
					  : " wait for a connection");
	say_where(s->f, text, pool->longest);
	if (lasts) {
		text_add(text, ", for at least ");
		text_add_duration(text, (int64_t)finder_age(s->f, pool->longest));
	}
	text_add(text, ": %s 0x%" PRIx64 " has all ", pool->kind->name, pool->value.addr);
	text_add_count(text, pool->most);
	text_add(text, " in use that it may have");
	if (pool->kind->say_part && s->f->about.hosts_told)
		pool->kind->say_part(text, pool->rt, &pool->value);
	text_add(text, ".");
	say_holders(s, text, pool);
	for (size_t i = 0; i < pool->shown_count; i++)
		finding_shows_goroutine(s->f, finding, pool->shown[i]);
	finding_shows_address(finding, pool->value.addr);
}

void finding_pool_exhausted(struct finder *f)
{
	struct search s = { .f = f };

	if (f->about.has_memory)
		find_pools(&s);
	for (size_t i = 0; i < s.count; i++) {
		struct pool *pool = s.list[i];
		if (pool->kind->is_exhausted(pool->rt, &pool->value, &pool->most) &&
		    (pool->long_waiters * 2 >= pool->waiters ||
		     (pool->waiters >= VERY_MANY && pool->waiters >= 10 * pool->most)))
			tell(&s, pool);
		xfree(pool);
	}
	xfree(s.list);
}
