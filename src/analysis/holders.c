/* SPDX-License-Identifier: Apache-2.0 */
#include "src/analysis/holders.h"

#include <stdlib.h>
#include <string.h>

enum {
	SAMPLED = 4,	/* goroutines of a group */
	GROUP_MAX = 64, /* likewise, if they claim nothing that others wait for */
	GIVEN_MAX = 256,
};

/* A goroutine has unlocked what it has not locked: somebody else has. */
struct given_by {
	uint64_t addr;
	uint32_t goroutine;
};

struct asking {
	struct wait_graph *w;
	struct operations **of; /* by runtime */
	uint32_t goroutine;
	size_t first; /* of its partners */
	/* It is in Cond.Wait, which has unlocked a lock; the code shows which one. */
	bool on_condition, knows_condition;
	uint32_t unknown; /* the innermost frame that has unlocked what is not known */
	struct given_by given[GIVEN_MAX];
	size_t given_count;
};

static bool is_release(enum operation operation)
{
	return operation == OPERATION_UNLOCK || operation == OPERATION_READ_UNLOCK;
}

/* The operation that ends what the other one begins. */
static enum operation release_of(enum operation operation)
{
	switch (operation) {
	case OPERATION_LOCK:
	case OPERATION_TRY_LOCK:
		return OPERATION_UNLOCK;
	case OPERATION_READ_LOCK:
	case OPERATION_TRY_READ_LOCK:
		return OPERATION_READ_UNLOCK;
	default:
		return operation;
	}
}

static bool fits(enum operation operation, enum wait_kind kind)
{
	switch (operation) {
	case OPERATION_UNLOCK:
		return is_lock_kind(kind);
	case OPERATION_READ_UNLOCK:
		return kind == WAIT_RWMUTEX;
	case OPERATION_DONE:
		return kind == WAIT_WAITGROUP;
	case OPERATION_SIGNAL:
		return kind == WAIT_COND;
	case OPERATION_SEND:
	case OPERATION_RECEIVE:
	case OPERATION_CLOSE:
		return kind == WAIT_CHANNEL;
	default:
		return false;
	}
}

/* Of an object, until partners are sorted by it. */
struct claim {
	uint64_t addr;
	struct partner partner;
	/* Of a lock, in this frame: */
	bool given, given_surely; /* it was unlocked, and not locked since */
	bool given_of_others;	  /* and this frame had not locked it before */
	bool relocks;		  /* it is locked ahead, before it is unlocked */
	bool dropped;
};

struct claims {
	struct asking asking;
	struct claim *list;
	size_t count, cap;
};

static struct claim *claim_of(struct claims *c, uint64_t addr, enum operation operation,
			      uint32_t frame)
{
	for (size_t i = c->asking.first; i < c->count; i++)
		if (c->list[i].addr == addr &&
		    c->list[i].partner.operation == operation &&
		    (c->list[i].partner.frame == frame || !is_release(operation)))
			return &c->list[i];
	GROW(c->list, c->count, c->cap);
	c->list[c->count] = (struct claim){
		.addr = addr,
		.partner = { .goroutine = c->asking.goroutine,
			     .frame = frame,
			     .operation = operation },
	};
	return &c->list[c->count++];
}

static void note_ahead(struct partner *p, const struct operation_at *at)
{
	if (at->when == AHEAD_MAYBE) {
		p->maybe = true;
		p->ahead_pc = p->ahead ? p->ahead_pc : at->pc;
		return;
	}
	p->deferred |= at->when == AHEAD_DEFERRED;
	p->ahead = true;
	p->ahead_pc = at->pc;
}

static void note_locked(struct partner *p, const struct operation_at *at, bool tried)
{
	p->passed_is_one = !p->passed || (p->passed_is_one && p->passed_pc == at->pc);
	p->passed = true;
	p->passed_surely |= at->when == PASSED_SURELY;
	p->tried |= tried;
	p->passed_pc = at->pc;
}

/* Cond.Wait will lock what it has unlocked. */
static bool is_of_condition(const struct asking *a, const struct operation_at *at)
{
	const struct goroutine_of it = runtimes_goroutine(a->w->all, a->goroutine);
	struct code_frame frame;

	return at->when == AHEAD_SURELY && release_of(at->operation) != at->operation &&
	       runtime_code_at(it.runtime, at->pc, &frame) && frame.function &&
	       strcmp(frame.function, "sync.(*Cond).Wait") == 0;
}

static void note(void *arg, const struct operation_at *at)
{
	struct claims *c = arg;
	const struct wait_object *o = wait_graph_object(c->asking.w, at->addr);
	const enum operation operation = release_of(at->operation);
	const bool locks = operation != at->operation;
	const bool passed = at->when == PASSED || at->when == PASSED_SURELY;

	if (!at->addr && at->frame < c->asking.unknown)
		c->asking.unknown = at->frame;
	if (c->asking.on_condition)
		c->asking.knows_condition |= is_of_condition(&c->asking, at);
	if (!o || !fits(operation, o->kind))
		return;
	const bool waits = wait_graph_of(c->asking.w, c->asking.goroutine) == o;
	const bool tried = at->operation == OPERATION_TRY_LOCK ||
			   at->operation == OPERATION_TRY_READ_LOCK;
	/* Who waits for a lock may have it as well; to have tried to is no sign of it. */
	if (waits && tried)
		return;
	struct claim *claim = claim_of(c, at->addr, operation, at->frame);
	claim->partner.waits = waits;
	if (locks && passed)
		note_locked(&claim->partner, at, tried);
	else if (locks)
		claim->relocks |= !tried && at->when != AHEAD_MAYBE;
	else if (!passed)
		note_ahead(&claim->partner, at);
	else
		claim->given = true;
	claim->given_surely |= !locks && at->when == PASSED_SURELY;
	claim->given_of_others |= at->is_of_others;
}

static bool is_wanted(void *arg, uint64_t addr)
{
	const struct claims *c = arg;

	return c->asking.on_condition || wait_graph_object(c->asking.w, addr) != NULL;
}

/* Is `inner` of the same lock, in the same frame or one further in? */
static bool comes_after(const struct claim *inner, const struct claim *claim)
{
	return inner->addr == claim->addr &&
	       inner->partner.operation == claim->partner.operation &&
	       inner->partner.frame <= claim->partner.frame;
}

/* Has the goroutine surely unlocked it since? A frame that will lock it has found it unlocked, or
 * would wait for itself; a reader may lock it again. */
static bool is_given(const struct claims *c, const struct claim *claim)
{
	for (size_t i = c->asking.first; i < c->count; i++) {
		const struct claim *inner = &c->list[i];
		if (comes_after(inner, claim) &&
		    ((inner->relocks && inner->partner.operation == OPERATION_UNLOCK) ||
		     (inner->given_surely && !inner->partner.passed)))
			return true;
	}
	return false;
}

static bool may_be_given(const struct claims *c, const struct claim *claim)
{
	for (size_t i = c->asking.first; i < c->count; i++) {
		const struct claim *inner = &c->list[i];
		if (comes_after(inner, claim) && inner->given && !inner->partner.passed)
			return true;
	}
	return false;
}

/* Has the goroutine itself locked it, in that frame or one further out? */
static bool has_locked(const struct claims *c, const struct claim *inner)
{
	for (size_t i = c->asking.first; i < c->count; i++)
		if (comes_after(inner, &c->list[i]) && c->list[i].partner.passed)
			return true;
	return false;
}

static void note_given(struct claims *c, const struct claim *claim)
{
	struct asking *a = &c->asking;

	if (!claim->given_of_others || claim->partner.operation != OPERATION_UNLOCK ||
	    a->on_condition || a->given_count == GIVEN_MAX || has_locked(c, claim))
		return;
	a->given[a->given_count++] = (struct given_by){ claim->addr, a->goroutine };
}

/* Leaves out of the claims of the goroutine asked what its inner frames have unlocked since. */
static void drop_given(struct claims *c)
{
	const bool no_locks = c->asking.on_condition && !c->asking.knows_condition;
	size_t kept = c->asking.first;

	for (size_t i = c->asking.first; i < c->count; i++) {
		struct claim *claim = &c->list[i];
		struct partner *p = &claim->partner;
		note_given(c, claim);
		p->may_be_given = may_be_given(c, claim);
		p->passed_surely &= !claim->given;
		p->is_unsure = p->frame >= c->asking.unknown;
		claim->dropped = is_release(p->operation) &&
				 (no_locks || is_given(c, claim) ||
				  !(p->passed || p->ahead || p->maybe));
	}
	for (size_t i = c->asking.first; i < c->count; i++)
		if (!c->list[i].dropped)
			c->list[kept++] = c->list[i];
	c->count = kept;
}

static bool ask(struct claims *c, uint32_t i, bool *ret_any)
{
	struct asking *a = &c->asking;
	struct goroutine_of it = runtimes_goroutine(a->w->all, i);
	const struct operation_question question = { is_wanted, note, c };

	if (!a->of[it.number])
		a->of[it.number] = operations_new(it.runtime);
	const struct wait_object *o = wait_graph_of(a->w, i);
	a->goroutine = i;
	a->first = c->count;
	a->on_condition = o && o->kind == WAIT_COND;
	a->knows_condition = false;
	a->unknown = UINT32_MAX;
	const bool ret =
		operations_of(a->of[it.number], it.goroutine, &question, ret_any);
	drop_given(c);
	return ret;
}

/* Is the last one asked a partner of anything but what it waits for itself? */
static bool has_claims(const struct claims *c)
{
	const struct wait_object *o = wait_graph_of(c->asking.w, c->asking.goroutine);

	for (size_t i = c->asking.first; i < c->count; i++)
		if (!o || c->list[i].addr != o->addr)
			return true;
	return false;
}

/* All have the same stack. If the first ones have no operations, nor have the others; if
 * these are on what each of them waits for, most of the others are not worth the time. */
static bool ask_group(struct claims *c, const struct group *group,
		      const uint32_t *members)
{
	bool any = false, one, claims = false;

	if (runtimes_goroutine(c->asking.w->all, members[0]).goroutine->system)
		return true;
	for (uint32_t m = 0; m < group->count; m++) {
		if ((m == SAMPLED && !any) || (m == GROUP_MAX && !claims))
			return true;
		if (!ask(c, members[m], &one))
			return false;
		any |= one;
		claims |= has_claims(c);
	}
	return true;
}

/* The fewest goroutines first: of a thousand that wait in the same place, hardly one
 * holds what they wait for. */
static void ask_all(struct claims *c, const struct groups *groups)
{
	for (size_t g = groups->count; g-- > 0;) {
		const struct group *group = &groups->list[g];
		if (!ask_group(c, group, groups->members + group->first)) {
			c->asking.w->is_partial = true;
			return;
		}
	}
}

/* Who waits for a lock will unlock it in any case. Only if he has locked it already, too, he
 * has it. */
static bool is_of_waiter(const struct wait_graph *w, const struct claim *claim)
{
	const struct wait_object *o = wait_graph_of(w, claim->partner.goroutine);

	return is_release(claim->partner.operation) && !claim->partner.passed && o &&
	       o->addr == claim->addr;
}

static void drop_waiters(struct claims *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		if (!is_of_waiter(c->asking.w, &c->list[i]))
			c->list[n++] = c->list[i];
	c->count = n;
}

/* What a partner's claim to have the lock is worth. */
enum rank {
	MAY_UNLOCK, /* nothing */
	HAS_PASSED,
	WILL_UNLOCK,
	HAS_PASSED_AND_WILL_UNLOCK, /* the best */
};

/* A goroutine that waits for the lock unlocks it when it gets it, so that only a call that is deferred
 * already says that it has it. To have tried to lock it says nothing alone. */
static enum rank rank_of(const struct partner *p)
{
	const bool will = p->waits ? p->deferred : p->ahead;

	if (!is_release(p->operation))
		return p->ahead ? WILL_UNLOCK : MAY_UNLOCK;
	if (p->may_be_given)
		return MAY_UNLOCK;
	if (p->passed && will && !p->is_unsure)
		return HAS_PASSED_AND_WILL_UNLOCK;
	if (will)
		return WILL_UNLOCK;
	return p->passed_surely && !p->tried && !p->is_unsure ? HAS_PASSED : MAY_UNLOCK;
}

/* What operations.h does not follow may have unlocked it since. */
static void doubt_code(struct asking *a, struct claim *claim)
{
	struct partner *p = &claim->partner;
	const struct goroutine_of it = runtimes_goroutine(a->w->all, p->goroutine);
	const struct operation_doubt doubt = operations_doubt(
		a->of[it.number], it.goroutine, p->operation, claim->addr, p->frame);

	p->may_be_given |= doubt.strong || (doubt.started && !p->ahead);
	p->is_unsure |= doubt.some && (p->ahead || !doubt.only_unknown);
}

/* If the goroutine that has unlocked it was started where a claim comes from, it was that claim's lock. Otherwise it
 * may be anyone's. */
static void doubt_given(struct claims *c, const struct given_by *given)
{
	struct asking *a = &c->asking;
	const struct goroutine_of by = runtimes_goroutine(a->w->all, given->goroutine);
	bool found = false;

	for (int any = 0; any < 2 && !found; any++)
		for (size_t i = 0; i < c->count; i++) {
			struct partner *p = &c->list[i].partner;
			const struct goroutine_of it =
				runtimes_goroutine(a->w->all, p->goroutine);
			if (c->list[i].addr != given->addr ||
			    p->operation != OPERATION_UNLOCK ||
			    p->goroutine == given->goroutine)
				continue;
			if (any)
				p->is_unsure = true;
			else if (p->passed && it.runtime == by.runtime &&
				 operations_started(a->of[it.number], it.goroutine,
						    p->frame, by.goroutine))
				p->may_be_given = found = true;
		}
}

static void doubt_claims(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_release(c->list[i].partner.operation) &&
		    rank_of(&c->list[i].partner) > MAY_UNLOCK)
			doubt_code(&c->asking, &c->list[i]);
	for (size_t i = 0; i < c->asking.given_count; i++)
		doubt_given(c, &c->asking.given[i]);
}

static int by_claim(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	enum rank x_rank = rank_of(&x->partner), y_rank = rank_of(&y->partner);

	if (x->addr != y->addr)
		return x->addr > y->addr ? 1 : -1;
	if (x_rank != y_rank)
		return x_rank < y_rank ? 1 : -1;
	return (x->partner.goroutine > y->partner.goroutine) -
	       (x->partner.goroutine < y->partner.goroutine);
}

static int by_goroutine(const void *a, const void *b)
{
	const struct partner *x = *(struct partner *const *)a,
			     *y = *(struct partner *const *)b;

	if (x->goroutine != y->goroutine)
		return x->goroutine < y->goroutine ? -1 : 1;
	if (x->operation != y->operation)
		return x->operation < y->operation ? -1 : 1;
	return (x > y) - (x < y);
}

/* Of one goroutine with several frames, the first claim is the best. */
static void mark_repeated(struct partner *list, size_t n)
{
	AUTO(xfree) struct partner **sorted = xcalloc(n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		sorted[i] = &list[i];
	qsort(sorted, n, sizeof(*sorted), by_goroutine);
	for (size_t i = 1; i < n; i++)
		sorted[i]->is_repeated =
			sorted[i]->goroutine == sorted[i - 1]->goroutine &&
			sorted[i]->operation == sorted[i - 1]->operation;
}

static void set_partners(struct wait_graph *w, struct claims *c)
{
	if (c->count)
		qsort(c->list, c->count, sizeof(*c->list), by_claim);
	w->partners = xcalloc(c->count + 1, sizeof(*w->partners));
	for (size_t i = 0; i < c->count; i++) {
		struct wait_object *o =
			(struct wait_object *)wait_graph_object(w, c->list[i].addr);
		if (o->partner_count == 0)
			o->first_partner = (uint32_t)i;
		w->partners[i] = c->list[i].partner;
		o->partner_count++;
	}
	w->partner_count = c->count;
}

/* How many can hold it at most in this way, by the state of the lock. */
static uint32_t holders_by_state(const struct wait_object *o, enum operation release)
{
	const struct wait_lock *l = &o->lock;

	if (release == OPERATION_READ_UNLOCK)
		return !l->has_readers ? UINT32_MAX : l->writer ? l->leaving : l->readers;
	if (o->kind == WAIT_RWMUTEX)
		return !l->has_readers || (l->writer && l->leaving == 0);
	return !l->has_state || l->locked;
}

static size_t count_of_rank(const struct partner *list, size_t n, enum rank rank,
			    enum operation release)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += list[i].operation == release && rank_of(&list[i]) == rank &&
			 !list[i].is_repeated;
	return count;
}

/* Those of the best rank, if the lock's state allows so many. */
static void judge(const struct wait_graph *w, struct wait_object *o,
		  enum operation release)
{
	struct partner *list = &w->partners[o->first_partner];
	const size_t n = o->partner_count;
	const uint32_t most = holders_by_state(o, release);

	for (enum rank rank = HAS_PASSED_AND_WILL_UNLOCK; rank > MAY_UNLOCK; rank--) {
		size_t count = count_of_rank(list, n, rank, release);
		if (count == 0)
			continue;
		bool certain = rank == HAS_PASSED_AND_WILL_UNLOCK && count <= most;
		/* Among several that may hold it nobody is chosen. */
		if (most == 0 || (!certain && count > most))
			return;
		for (size_t i = 0; i < n; i++)
			if (list[i].operation == release && rank_of(&list[i]) == rank &&
			    !list[i].is_repeated)
				list[i].certainty =
					certain ? CERTAINTY_CERTAIN : CERTAINTY_PROBABLE;
		return;
	}
}

static int by_certainty(const void *a, const void *b)
{
	const struct partner *x = a, *y = b;

	if (x->certainty != y->certainty)
		return x->certainty < y->certainty ? 1 : -1;
	return (x->goroutine > y->goroutine) - (x->goroutine < y->goroutine);
}

static void find_holders(const struct wait_graph *w, struct wait_object *o)
{
	if (!is_lock_kind(o->kind) || o->partner_count == 0)
		return;
	mark_repeated(&w->partners[o->first_partner], o->partner_count);
	judge(w, o, OPERATION_UNLOCK);
	judge(w, o, OPERATION_READ_UNLOCK);
	qsort(&w->partners[o->first_partner], o->partner_count, sizeof(*w->partners),
	      by_certainty);
	while (o->holder_count < o->partner_count &&
	       w->partners[o->first_partner + o->holder_count].certainty !=
		       CERTAINTY_UNKNOWN)
		o->holder_count++;
}

void holders_find(struct wait_graph *w, const struct groups *groups)
{
	const size_t runtimes = runtimes_count(w->all);
	struct claims c = { .asking = { .w = w } };

	if (w->object_count == 0)
		return;
	c.asking.of = xcalloc(runtimes + 1, sizeof(*c.asking.of));
	ask_all(&c, groups);
	drop_waiters(&c);
	doubt_claims(&c);
	set_partners(w, &c);
	for (size_t i = 0; i < w->object_count; i++)
		find_holders(w, &w->objects[i]);
	for (size_t i = 0; i < runtimes; i++)
		operations_free(c.asking.of[i]);
	xfree(c.asking.of);
	xfree(c.list);
}
