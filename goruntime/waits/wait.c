/* SPDX-License-Identifier: Apache-2.0 */
/* The records of waiting goroutines, from waits_note() to runtime_wait(). */
#include "goruntime/waits/wait_priv.h"

#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/search.h"

enum { REASONS = UINT8_MAX + 1 };

/* runtime/runtime2.go waitReasonStrings, of all releases. Reasons not listed here are
 * internal to the runtime: no address would tell the user anything. */
const struct wait_rule wait_rules[] = {
	{ "chan receive (nil chan)", WAIT_CHANNEL, WAIT_RECEIVE, SOURCE_NONE },
	{ "chan send (nil chan)", WAIT_CHANNEL, WAIT_SEND, SOURCE_NONE },
	{ "select (no cases)", WAIT_SELECT, WAIT_ANY, SOURCE_NONE },
	{ "chan receive", WAIT_CHANNEL, WAIT_RECEIVE, SOURCE_CHANNEL },
	{ "chan send", WAIT_CHANNEL, WAIT_SEND, SOURCE_CHANNEL },
	{ "select", WAIT_SELECT, WAIT_ANY, SOURCE_SELECT },
	{ "semacquire", WAIT_SEMAPHORE, WAIT_ANY, SOURCE_SEMAPHORE },
	{ "sync.Mutex.Lock", WAIT_MUTEX, WAIT_ANY, SOURCE_SEMAPHORE },
	{ "sync.RWMutex.RLock", WAIT_RWMUTEX, WAIT_READ, SOURCE_SEMAPHORE },
	{ "sync.RWMutex.Lock", WAIT_RWMUTEX, WAIT_WRITE, SOURCE_SEMAPHORE },
	{ "sync.WaitGroup.Wait", WAIT_WAITGROUP, WAIT_ANY, SOURCE_SEMAPHORE },
	{ "sync.Cond.Wait", WAIT_COND, WAIT_ANY, SOURCE_COND },
	{ "sleep", WAIT_TIMER, WAIT_ANY, SOURCE_SLEEP },
	{ "IO wait", WAIT_NETWORK, WAIT_ANY, SOURCE_POLL },
};

static bool matches(const struct wait_rule *rule, const char *words)
{
	size_t len = strlen(rule->words);

	return strncmp(words, rule->words, len) == 0 &&
	       (words[len] == '\0' || strcmp(words + len, " (durable)") == 0 ||
		strcmp(words + len, " (synctest)") == 0);
}

static uint8_t *rules_of(const struct runtime *rt)
{
	uint8_t *rules = xcalloc(REASONS, 1);

	for (unsigned reason = 0; reason < REASONS; reason++) {
		const char *words = runtime_wait_reason(rt, reason);
		for (size_t i = 0; words && i < ARRAY_SIZE(wait_rules); i++)
			if (matches(&wait_rules[i], words))
				rules[reason] = (uint8_t)(i + 1);
	}
	return rules;
}

/* The rule for its wait reason; NULL: for nothing listed above. */
static const struct wait_rule *last_rule_of(const struct waits *w,
					    const struct goroutine *g)
{
	if (!w || !w->rules ||
	    (g->status != GOROUTINE_WAITING && g->status != GOROUTINE_LEAKED) ||
	    w->rules[g->wait_reason] == 0)
		return NULL;
	return &wait_rules[w->rules[g->wait_reason] - 1];
}

/* Votes for the pc in gopark (runtime/proc.go) at which goroutines without a thread wait.
 * All but coroutines have called mcall() there. The majority decides (Boyer and Moore),
 * so that coroutines and damaged goroutines do not. */
static void vote_for_gopark(struct waits *w, const struct goroutine *g)
{
	if (g->status != GOROUTINE_WAITING || g->machine)
		return;
	if (w->parked_votes == 0)
		w->parked_pc = g->pc;
	if (w->parked_pc == g->pc)
		w->parked_votes++;
	else
		w->parked_votes--;
}

/* A goroutine that has just parked keeps its thread for a few instructions (park_m in
 * runtime/proc.go). If functions have no names, the vote shows where gopark is. */
static bool is_parked(const struct runtime *rt, const struct goroutine *g)
{
	if (!g->machine)
		return true;
	if (rt->gopark_end)
		return g->pc > rt->gopark && g->pc <= rt->gopark_end;
	return rt->waits && rt->waits->parked_votes && g->pc == rt->waits->parked_pc;
}

static const struct wait_rule *rule_of(const struct runtime *rt,
				       const struct goroutine *g)
{
	return is_parked(rt, g) ? last_rule_of(rt->waits, g) : NULL;
}

bool runtime_wait_is_over(const struct runtime *rt, const struct goroutine *g)
{
	return !is_parked(rt, g) && last_rule_of(rt->waits, g);
}

void waits_free(struct waits *w)
{
	if (!w)
		return;
	xfree(w->records);
	xfree(w->rules);
	xfree(w->raw_cases);
	xfree(w->cases);
	xfree(w->channels);
	for (size_t i = 0; w->element_types && i < ELEMENT_TYPES; i++)
		xfree(w->element_types[i].name);
	xfree(w->element_types);
	xfree(w->timers);
	xfree(w->locks);
	xfree(w->deadlines);
	xfree(w->callers);
	xfree(w);
}

void waits_note(struct runtime *rt, const struct goroutine *g, const uint8_t *bytes,
		size_t len)
{
	const struct layout *l = &rt->layout;

	if (!rt->waits)
		rt->waits = xcalloc(1, sizeof(*rt->waits));
	struct waits *w = rt->waits;
	w->live = rt->target;
	if (!w->rules)
		w->rules = rules_of(rt);
	const struct wait_rule *rule = last_rule_of(w, g);
	vote_for_gopark(w, g);
	/* Without gopark's address, keep goroutines with a thread until the vote is over. */
	if (!rule || rule->source == SOURCE_NONE || g->addr >= WAIT_ADDRESS_END ||
	    (rt->gopark_end && !is_parked(rt, g)))
		return;
	GROW(w->records, w->count, w->cap);
	struct wait_record *r = &w->records[w->count++];
	*r = (struct wait_record){
		.g = g->addr,
		.rule = (uint8_t)(rule - wait_rules),
		.bubble = layout_get(l, L_g_bubble, bytes, len) != 0,
	};
	if (rule->source == SOURCE_SLEEP && layout_has(l, L_g_sleep_when))
		waits_add_sleeper(w, r, layout_get(l, L_g_sleep_when, bytes, len));
	else if (rule->source == SOURCE_SLEEP)
		r->object = layout_get(l, L_g_timer, bytes, len);
	else if (rule->source != SOURCE_POLL)
		r->object = layout_get(l, L_g_waiting, bytes, len);
}

void waits_capture(struct runtime *rt)
{
	struct target *live = rt->waits ? rt->waits->live : NULL;

	if (!live)
		return;
	waits_search_frames(rt, live);
	waits_read_sudogs(rt, live);
	waits_read_channels(rt, live);
	waits_read_sleepers(rt, live);
	waits_read_locks(rt, live);
}

void waits_finish(struct runtime *rt)
{
	if (rt->waits)
		waits_finish_cases(rt->waits);
}

static const struct wait_record *record_of(const struct waits *w,
					   const struct goroutine *g)
{
	size_t low = LOWER_BOUND(i, w->count, w->records[i].g < g->addr);

	return low < w->count && w->records[low].g == g->addr ? &w->records[low] : NULL;
}

static const char *why_unreadable(const struct wait_record *r)
{
	static const char *const sentences[] = {
		[WAIT_PENDING] = "the runtime does not record where it is",
		[WAIT_NOT_IN_FRAMES] = "not found in the goroutine's frames",
		[WAIT_BAD_SUDOG] = "the goroutine's sudog is damaged",
		[WAIT_FOREIGN_SUDOG] =
			"the goroutine's sudog belongs to another goroutine",
		[WAIT_BAD_TIMER] = "the goroutine's timer could not be read",
		[WAIT_TOO_MANY] = "more select cases than gosnap reads",
	};

	if (!r)
		return sentences[WAIT_PENDING];
	return r->state == WAIT_FOUND ? NULL : sentences[r->state];
}

static void describe_select(const struct waits *w, const struct wait_record *r,
			    struct wait *ret)
{
	if (!r->has_cases)
		return;
	ret->first_case = r->object;
	ret->case_count = 1;
	while (!w->cases[ret->first_case + ret->case_count - 1].last)
		ret->case_count++;
}

static int by_goroutine(const void *a, const void *b)
{
	const struct deadline_record *x = a, *y = b;

	return (x->g > y->g) - (x->g < y->g);
}

void waits_sort_deadlines(struct waits *w)
{
	if (w->deadline_count)
		qsort(w->deadlines, w->deadline_count, sizeof(*w->deadlines),
		      by_goroutine);
}

static uint64_t deadline_of(const struct waits *w, uint64_t g)
{
	const size_t i = LOWER_BOUND(k, w->deadline_count, w->deadlines[k].g < g);

	return i < w->deadline_count && w->deadlines[i].g == g ? w->deadlines[i].when : 0;
}

static void describe(struct runtime *rt, const struct goroutine *g,
		     const struct wait_record *r, struct wait *ret)
{
	const struct waits *w = rt->waits;
	bool found = r->state == WAIT_FOUND;

	ret->bubble = r->bubble;
	switch (wait_source_of(r)) {
	case SOURCE_NONE:
		break;
	case SOURCE_CHANNEL:
		if (!found)
			break;
		waits_channel(w, r->object, &ret->channel);
		ret->addr = r->object;
		break;
	case SOURCE_SELECT:
		describe_select(w, r, ret);
		break;
	case SOURCE_SEMAPHORE:
	case SOURCE_COND:
		waits_lock(rt, g, r, ret);
		break;
	case SOURCE_SLEEP:
		if (found && !r->bubble)
			ret->when = w->timers[r->object].when;
		break;
	case SOURCE_POLL:
		ret->operation = !found ? WAIT_ANY : r->write ? WAIT_WRITE : WAIT_READ;
		ret->fd = found ? (int64_t)r->object : -1;
		ret->when = deadline_of(w, g->addr);
		break;
	}
}

bool runtime_wait(struct runtime *rt, const struct goroutine *g, struct wait *ret)
{
	const struct wait_rule *rule = rule_of(rt, g);

	if (!rule || g->system)
		return false;
	*ret = (struct wait){ .kind = rule->kind,
			      .operation = rule->operation,
			      .fd = -1 };
	if (rule->source == SOURCE_NONE)
		return true;
	const struct wait_record *r = record_of(rt->waits, g);
	ret->unreadable = why_unreadable(r);
	if (r)
		describe(rt, g, r, ret);
	return true;
}

enum wait_operation runtime_wait_case(const struct runtime *rt, size_t i,
				      struct wait_channel *ret)
{
	const struct wait_case_record *c = &rt->waits->cases[i];

	waits_channel(rt->waits, c->channel, ret);
	return (enum wait_operation)c->operation;
}

bool runtimes_poll(const struct runtimes *all)
{
	for (size_t r = 0; r < all->count; r++) {
		const struct waits *w = all->list[r]->waits;
		for (size_t i = 0; w && i < w->count; i++)
			if (wait_source_of(&w->records[i]) == SOURCE_POLL)
				return true;
	}
	return false;
}
