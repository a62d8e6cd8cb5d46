/* SPDX-License-Identifier: Apache-2.0 */
/* The timers that come next, of all Ps (runtime/time.go). A heap's order is that of when its
 * timers were put there: a timer that was changed since tells when it will really run. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/sched/state_priv.h"
#include "lib/base/limit.h"

enum {
	CHILDREN = 4,
	ELEMENT_WORDS = 2, /* of a heap, since 1.23 */
	TIMERS_MOST = 1 << 28,
	/* timer.status, up to 1.22 */
	DELETED = 3,
	REMOVING,
	REMOVED,
	MODIFIED_EARLIER = 7,
	MODIFIED_LATER,
	/* timer.state, since */
	ZOMBIE = 1 << 2,
};

struct found {
	uint64_t key; /* when, for the heap */
	uint64_t index;
	bool stopped;
	struct timer_state timer;
};

struct search {
	struct state_reading *r;
	struct found candidates[LIMIT_TIMERS_READ];
	size_t candidate_count, read;
	struct found next[LIMIT_TIMERS_READ];
	size_t next_count;
};

static const enum layout_slot needed[] = {
	L_timer_when,	  L_timer_period, L_timer_f,	 L_timer_arg,
	L_timer_nextwhen, L_timer_status, L_timer_state,
};

static uint64_t word(struct state_reading *r, uint64_t addr)
{
	struct err ignored;
	uint64_t v;

	return addr && target_read_uint(r->source, addr, WORD, &v, &ignored) ? v : 0;
}

/* The code of a function value; 0: it is none. */
static uint64_t entry_of(struct state_reading *r, uint64_t closure)
{
	const uint64_t pc = word(r, closure);

	return modules_at(r->rt->modules, pc) ? pc : 0;
}

/* The data word of an interface. */
static uint64_t data_of(const struct layout *l, enum layout_slot slot,
			const uint8_t *bytes, size_t len)
{
	const struct slot s = l->slot[slot];
	uint64_t v = 0;

	if (s.off >= 0 && s.size == 2 * WORD && (size_t)s.off + s.size <= len)
		memcpy(&v, bytes + s.off + WORD, sizeof(v));
	return v;
}

static void take_fields(struct state_reading *r, const uint8_t *bytes, size_t len,
			struct found *f)
{
	const struct layout *l = &r->rt->layout;
	const uint64_t status = layout_get(l, L_timer_status, bytes, len);
	struct timer_state *t = &f->timer;

	t->when = layout_get(l, L_timer_when, bytes, len);
	if (!layout_has(l, L_timer_when_when))
		f->key = t->when;
	if (status == MODIFIED_EARLIER || status == MODIFIED_LATER)
		t->when = layout_get(l, L_timer_nextwhen, bytes, len);
	f->stopped = (status >= DELETED && status <= REMOVED) ||
		     (layout_get(l, L_timer_state, bytes, len) & ZOMBIE);
	t->period = layout_get(l, L_timer_period, bytes, len);
	t->function = layout_get(l, L_timer_f, bytes, len);
	t->argument = data_of(l, L_timer_arg, bytes, len);
}

/* A pointer to a timer, and since 1.23 when it was put there. */
static uint64_t take_element(const struct layout *l, const uint64_t *element,
			     struct found *f)
{
	if (!layout_has(l, L_timer_when_timer))
		return element[0];
	f->key = element[l->slot[L_timer_when_when].off / WORD % ELEMENT_WORDS];
	return element[l->slot[L_timer_when_timer].off / WORD % ELEMENT_WORDS];
}

/* n elements of a heap, from one on: two reads. */
static void add(struct search *s, size_t processor, uint64_t index, size_t n)
{
	struct state_reading *r = s->r;
	const struct layout *l = &r->rt->layout;
	const size_t words = layout_has(l, L_timer_when_timer) ? ELEMENT_WORDS : 1;
	const size_t len = state_bytes(l, needed, ARRAY_SIZE(needed));
	uint64_t elements[CHILDREN * ELEMENT_WORDS];
	uint8_t bytes[CHILDREN][LIMIT_STRUCT_BYTES];
	struct target_span spans[CHILDREN];
	struct found *f = &s->candidates[s->candidate_count];
	struct err ignored;

	if (!target_read(r->source, r->heaps[processor].array + index * words * WORD,
			 elements, n * words * WORD, &ignored)) {
		r->to->timers_partial = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		f[i] = (struct found){ .index = index + i, .timer.processor = processor };
		spans[i] = (struct target_span){
			.addr = take_element(l, elements + i * words, &f[i]),
			.buf = bytes[i],
			.len = len,
		};
	}
	target_read_many(r->source, spans, n);
	for (size_t i = 0; i < n; i++) {
		if (!spans[i].done) {
			r->to->timers_partial = true;
			continue;
		}
		take_fields(r, bytes[i], len, &f[i]);
		s->candidates[s->candidate_count++] = f[i];
	}
}

static void add_some(struct search *s, size_t processor, uint64_t index, size_t most)
{
	const uint64_t len = s->r->heaps[processor].len;
	const size_t room = LIMIT_TIMERS_READ - s->read;
	size_t n = most < room ? most : room;

	if (index >= len || !n)
		return;
	if (n > len - index)
		n = (size_t)(len - index);
	s->read += n;
	add(s, processor, index, n);
}

static struct found take_first(struct search *s)
{
	size_t first = 0;

	for (size_t i = 1; i < s->candidate_count; i++)
		if (s->candidates[i].key < s->candidates[first].key)
			first = i;
	const struct found f = s->candidates[first];
	s->candidates[first] = s->candidates[--s->candidate_count];
	return f;
}

static int by_when(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	return (x->timer.when > y->timer.when) - (x->timer.when < y->timer.when);
}

/* Whoever looks at a timer looks at its children next: they are not before it. */
static void find_next(struct search *s)
{
	while (s->candidate_count) {
		const struct found f = take_first(s);
		if (!f.stopped)
			s->next[s->next_count++] = f;
		add_some(s, f.timer.processor, CHILDREN * f.index + 1, CHILDREN);
	}
	qsort(s->next, s->next_count, sizeof(*s->next), by_when);
}

static struct timer_kind *kind_of(struct timer_sample *to, uint64_t function,
				  uint64_t called)
{
	size_t i = 0;

	while (i < to->kind_count &&
	       (to->kinds[i].function != function || to->kinds[i].called != called))
		i++;
	if (i == LIMIT_TIMER_KINDS)
		return NULL;
	if (i == to->kind_count)
		to->kinds[to->kind_count++] =
			(struct timer_kind){ .function = function, .called = called };
	return &to->kinds[i];
}

static void count(struct state_reading *r, const struct found *f)
{
	struct timer_sample *to = &r->to->timer_sample;
	const struct timer_state *t = &f->timer;
	struct timer_kind *kind =
		kind_of(to, entry_of(r, t->function), entry_of(r, t->argument));

	to->read++;
	to->stopped += f->stopped;
	if (!kind || f->stopped)
		return;
	kind->count++;
	kind->periodic += t->period != 0;
}

/* Of each heap its share, evenly spread. */
static void read_sample(struct search *s)
{
	struct state_reading *r = s->r;
	const uint64_t all = r->to->timers_all;

	if (all < LIMIT_TIMERS_FEW)
		return;
	for (size_t p = 0; p < r->to->processor_count; p++) {
		const uint64_t len = r->heaps[p].len,
			       share = len * LIMIT_TIMERS_SAMPLED / all;
		for (uint64_t i = 0; i < share; i++) {
			s->candidate_count = 0;
			add(s, p, i * len / share, 1);
			if (!s->candidate_count)
				break;
			count(r, &s->candidates[0]);
		}
	}
}

void state_read_timers(struct state_reading *r)
{
	struct runtime_state *to = r->to;
	AUTO(xfree) struct search *s = xcalloc(1, sizeof(*s));

	s->r = r;
	for (size_t i = 0; i < to->processor_count; i++) {
		if (r->heaps[i].len > TIMERS_MOST)
			r->heaps[i].len = 0;
		to->timers_all += r->heaps[i].len;
		add_some(s, i, 0, 1);
	}
	find_next(s);
	for (size_t i = 0; i < s->next_count && i < LIMIT_TIMERS; i++) {
		struct timer_state *t = &to->timers[to->timer_count++];
		*t = s->next[i].timer;
		t->function = entry_of(r, t->function);
		t->called = entry_of(r, t->argument);
		t->goroutine = state_goroutine(r, t->argument);
	}
	read_sample(s);
}
