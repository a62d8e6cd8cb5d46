/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that wait in a ring, not all of them for locks: one has a lock and
 * waits for a wait group or at a channel, and the goroutine that would finish the group,
 * send or receive waits for the lock.
 * A goroutine that waits for a wait group needs all goroutines that finish the group: one
 * that surely would and is stuck is enough. A goroutine that waits at a channel needs
 * only one other: all goroutines whose code leads to the channel have to be stuck. Unless
 * nothing alive refers to the channel, another goroutine may come whose code does not
 * show it; so the ring is then no more than a warning, once all have waited long.
 * Other findings cover rings of locks alone (lock_cycle), rings of places in a semaphore
 * (semaphore_full), and a goroutine that sends to an unreachable channel which others
 * would only close (leaked). */
#include <inttypes.h>

#include "src/findings/program/program.h"

enum {
	TOLD = 4,  /* goroutines of a ring that are described */
	MANY = 10, /* goroutines behind it */
	STEPS_MAX = 1 << 28,
	NOBODY = UINT32_MAX,
};

/* Cached result for the goroutines that wait for one object. */
struct answer {
	bool known;
	/* Indices of partners that are stuck. The second is for a goroutine that is the
	 * first one itself. */
	uint32_t first, second;
};

struct search {
	struct finder *f;
	size_t count;
	uint32_t *
		next; /* by goroutine: index of a partner that is stuck; NOBODY: it may go on */
	/* likewise: 1 + the goroutine from which the walk began that came there first */
	uint32_t *walk;
	uint32_t *ring; /* likewise: a goroutine of the ring that it leads to */
	uint32_t *size; /* likewise, of such a goroutine: how many lead there */
	bool *serves;	/* likewise: others wait at a channel for it alone */
};

/* Objects to be looked at again, since a partner may go on after all. */
struct queue {
	uint32_t *objects;
	bool *has; /* by object: is it in there? */
	size_t head, count;
	/* The objects that a goroutine is a partner of: from begin[goroutine] on. */
	uint32_t *begin, *partner_of;
};

struct ring {
	uint32_t first;
	size_t count;
	bool mixed, certain, by_channel, leaked, for_long;
	bool may_be_long, lock_for_long; /* if both, for_long is set */
	bool by_close;	/* a sender waits for a close, which would make it panic */
	bool in_places; /* all wait for places in the same semaphore: semaphore_full */
};

static const struct partner *partner_at(const struct search *s, uint32_t i)
{
	return &s->f->about.waits->partners[i];
}

/* Returns a holder that is stuck: one is enough. NOBODY: none is. */
static uint32_t stuck_holder(const struct search *s, const struct wait_object *o)
{
	for (uint32_t i = o->first_partner; i < o->first_partner + o->holder_count; i++)
		if (s->next[partner_at(s, i)->goroutine] != NOBODY)
			return i;
	return NOBODY;
}

/* Returns a stuck goroutine that is to finish a group. One with a deferred Done is
 * enough, since the group counts on it. A Done that is not deferred may belong to a later
 * round, as with workers in a loop; then all must be stuck. NOBODY: they may go on. */
static uint32_t stuck_finisher(const struct search *s, const struct wait_object *o)
{
	uint32_t ret = NOBODY;
	bool moves = false;

	for (uint32_t i = o->first_partner; i < o->first_partner + o->partner_count;
	     i++) {
		const struct partner *p = partner_at(s, i);
		if (p->operation != OPERATION_DONE)
			continue;
		if (s->next[p->goroutine] == NOBODY)
			moves = true;
		else if (p->deferred)
			return i;
		else if (p->ahead)
			ret = i;
	}
	return moves ? NOBODY : ret;
}

/* Finds two goroutines that come to the channel and are stuck, if all are. goroutine: one
 * that waits there, and so is stuck as far as is known. */
static void stuck_all(const struct search *s, const struct wait_object *o,
		      uint32_t goroutine, struct answer *ret)
{
	ret->first = ret->second = NOBODY;
	if (!o->channel.known || o->channel.closed || is_timed_channel(&o->channel))
		return;
	for (uint32_t i = o->first_partner; i < o->first_partner + o->partner_count;
	     i++) {
		const struct partner *p = partner_at(s, i);
		if (!is_opposite(s->f, goroutine, p->operation))
			continue;
		if (s->next[p->goroutine] == NOBODY) {
			ret->first = ret->second = NOBODY;
			return;
		}
		if (ret->first == NOBODY)
			ret->first = i;
		else if (partner_at(s, ret->first)->goroutine != p->goroutine)
			ret->second = i;
	}
}

static void find_answer(const struct search *s, const struct wait_object *o,
			uint32_t goroutine, struct answer *ret)
{
	switch (o->kind) {
	case WAIT_MUTEX:
	case WAIT_RWMUTEX:
		ret->first = stuck_holder(s, o);
		break;
	case WAIT_WAITGROUP:
		ret->first = stuck_finisher(s, o);
		break;
	case WAIT_CHANNEL:
		stuck_all(s, o, goroutine, ret);
		break;
	default:
		ret->first = NOBODY;
	}
	ret->known = true;
}

/* Returns the only goroutine that can end the waits of others for this operation at a
 * channel; NOBODY: there are several, or no other goroutine waits for it alone. */
static uint32_t server_at(const struct search *s, const struct wait_object *o,
			  enum wait_operation operation)
{
	const struct wait_graph *w = s->f->about.waits;
	const enum operation answer =
		operation == WAIT_SEND ? OPERATION_RECEIVE : OPERATION_SEND;
	uint32_t ret = NOBODY;

	for (uint32_t i = 0; i < o->partner_count; i++) {
		const struct partner *p = partner_at(s, o->first_partner + i);
		if (p->operation != answer && p->operation != OPERATION_CLOSE)
			continue;
		if (ret != NOBODY && ret != p->goroutine)
			return NOBODY;
		ret = p->goroutine;
	}
	for (uint32_t i = 0; ret != NOBODY && i < o->waiter_count; i++) {
		const struct waiter *one = &w->waiters[o->first_waiter + i];
		if (one->goroutine != ret && one->operation == operation && !one->one_of)
			return ret;
	}
	return NOBODY;
}

static void find_servers(const struct search *s)
{
	const struct wait_graph *w = s->f->about.waits;

	for (size_t i = 0; i < w->object_count; i++) {
		const struct wait_object *o = &w->objects[i];
		if (o->kind != WAIT_CHANNEL)
			continue;
		for (enum wait_operation of = WAIT_RECEIVE; of <= WAIT_SEND; of++) {
			const uint32_t server = server_at(s, o, of);
			if (server != NOBODY)
				s->serves[server] = true;
		}
	}
}

/* Does a server send to a channel of its own, from which no other goroutine receives?
 * That others wait for it alone shows that it is a server; otherwise there may be a
 * receiver that was not seen. A channel with a buffer may count the goroutines that work:
 * others receive from it when they have finished. */
static bool waits_for_itself(const struct search *s, const struct wait_object *o,
			     uint32_t goroutine, const struct partner *p)
{
	return o->channel.known && o->channel.cap == 0 && s->serves[goroutine] &&
	       p->operation == OPERATION_RECEIVE && sends(s->f, goroutine);
}

static uint32_t answer_for(const struct search *s, const struct wait_object *o,
			   uint32_t goroutine, struct answer *a)
{
	if (!a->known)
		find_answer(s, o, goroutine, a);
	if (o->kind != WAIT_CHANNEL || a->first == NOBODY ||
	    partner_at(s, a->first)->goroutine != goroutine)
		return a->first;
	return a->second == NOBODY &&
			       waits_for_itself(s, o, goroutine, partner_at(s, a->first))
		       ? a->first
		       : a->second;
}

static uint32_t next_of(const struct search *s, uint32_t goroutine)
{
	return partner_at(s, s->next[goroutine])->goroutine;
}

static void add_object(const struct wait_graph *w, struct queue *q, uint32_t object)
{
	if (q->has[object])
		return;
	q->has[object] = true;
	q->objects[(q->head + q->count++) % w->object_count] = object;
}

/* Lists the objects that each goroutine is a partner of. Without q->partner_of, only
 * counts them. */
static void take_partners(const struct wait_graph *w, struct queue *q)
{
	for (size_t i = 0; i < w->object_count; i++) {
		const struct wait_object *o = &w->objects[i];
		for (uint32_t k = 0; k < o->partner_count; k++) {
			const uint32_t g = w->partners[o->first_partner + k].goroutine;
			if (q->partner_of)
				q->partner_of[--q->begin[g]] = (uint32_t)i;
			else
				q->begin[g]++;
		}
	}
}

/* Looks at the goroutines that wait for an object once more, and queues the objects of
 * each that may go on: it may let others go on. */
static void look_again(const struct search *s, struct queue *q,
		       const struct wait_object *o)
{
	const struct wait_graph *w = s->f->about.waits;
	/* for receivers; for senders */
	struct answer answers[2] = { { .known = false } };

	for (uint32_t i = o->first_waiter; i < o->first_waiter + o->waiter_count; i++) {
		const uint32_t g = w->waiters[i].goroutine;
		if (s->next[g] == NOBODY || wait_graph_of(w, g) != o)
			continue;
		s->next[g] = answer_for(s, o, g, &answers[sends(s->f, g)]);
		for (uint32_t k = q->begin[g];
		     s->next[g] == NOBODY && k < q->begin[g + 1]; k++)
			add_object(w, q, q->partner_of[k]);
	}
}

/* Takes all goroutines that wait to be stuck, and then drops those that may go on until
 * no more are found. False: that takes too long. */
static bool find_stuck(const struct search *s)
{
	const struct wait_graph *w = s->f->about.waits;
	const size_t n = w->object_count;
	AUTO(xfree) uint32_t *objects = xcalloc(n + 1, sizeof(*objects));
	AUTO(xfree) bool *has = xcalloc(n + 1, sizeof(*has));
	AUTO(xfree) uint32_t *begin = xcalloc(s->count + 2, sizeof(*begin));
	AUTO(xfree) uint32_t *of = xcalloc(w->partner_count + 1, sizeof(*of));
	struct queue q = { .objects = objects, .has = has, .begin = begin };
	size_t steps = 0;

	for (size_t i = 0; i < s->count; i++)
		s->next[i] = wait_graph_of(w, (uint32_t)i) ? 0 : NOBODY;
	take_partners(w, &q);
	for (size_t i = 0; i < s->count; i++)
		begin[i + 1] += begin[i];
	q.partner_of = of;
	take_partners(w, &q);
	for (size_t i = 0; i < n; i++)
		add_object(w, &q, (uint32_t)i);
	while (q.count && steps < STEPS_MAX) {
		const struct wait_object *o = &w->objects[q.objects[q.head]];
		has[q.objects[q.head]] = false;
		q.head = (q.head + 1) % n;
		q.count--;
		steps += (size_t)o->waiter_count + o->partner_count;
		look_again(s, &q, o);
	}
	return q.count == 0;
}

/* The duration of a wait at a channel may not be known: then a goroutine of the ring that
 * waits for a lock decides. */
static bool may_be_long(const struct finder *f, const struct wait_object *o, uint32_t at)
{
	const uint64_t age = finder_age(f, at);

	return age >= FINDER_LONG_NS ||
	       (o->kind == WAIT_CHANNEL && !f->about.stayed_ns && age == 0);
}

static void look_at(const struct search *s, struct ring *ring, uint32_t at)
{
	const struct finder *f = s->f;
	const struct wait_object *o = wait_graph_of(f->about.waits, at);
	const struct partner *p = partner_at(s, s->next[at]);

	ring->count++;
	ring->mixed |= !is_lock_kind(o->kind);
	ring->for_long &= finder_waits_long(f, at);
	ring->may_be_long &= may_be_long(f, o, at);
	ring->lock_for_long |=
		is_lock_kind(o->kind) && finder_age(f, at) >= FINDER_LONG_NS;
	ring->in_places &= are_places_lost(s->f, o) &&
			   o == wait_graph_of(f->about.waits, ring->first);
	if (o->kind == WAIT_CHANNEL) {
		ring->by_channel = true;
		ring->by_close |= p->operation == OPERATION_CLOSE && sends(f, at);
		ring->leaked |= f->about.leaks && f->about.leaks->leaked[at];
	} else if (is_lock_kind(o->kind)) {
		ring->certain &= p->certainty == CERTAINTY_CERTAIN;
	}
}

static struct ring measure(const struct search *s, uint32_t first)
{
	struct ring ret = { .first = first,
			    .certain = true,
			    .for_long = true,
			    .may_be_long = true,
			    .in_places = true };
	uint32_t at = first;

	do {
		look_at(s, &ret, at);
		at = next_of(s, at);
	} while (at != first);
	ret.for_long |= ret.may_be_long && ret.lock_for_long;
	return ret;
}

/* Returns false if the ring is not reported. */
static bool severity_of(const struct search *s, const struct ring *ring,
			enum severity *ret)
{
	const struct finder *f = s->f;

	*ret = ring->certain ? SEVERITY_CRITICAL : SEVERITY_WARNING;
	if (ring->by_close && ring->leaked)
		return false;
	if (!ring->by_channel || ring->leaked)
		return ring->mixed;
	if (ring->in_places)
		return false;
	const bool idle =
		f->is_idle && f->about.has_memory && !f->about.waits->is_partial;
	/* As in lock_held: the holder waits at a channel that no other goroutine comes
	 * to. */
	const bool by_nobody = idle && ring->count == 1 && !f->about.stayed_ns &&
			       s->size[ring->first] > MANY;
	*ret = ring->for_long || by_nobody ? SEVERITY_WARNING : SEVERITY_INFO;
	return ring->mixed && (ring->for_long || idle);
}

static void say_partner(const struct finder *f, struct text *text,
			const struct wait_object *o, const struct partner *p)
{
	if (is_lock_kind(o->kind)) {
		text_add(text, ", which goroutine %" PRIu64 " %slocked",
			 id_of(f, p->goroutine),
			 p->certainty == CERTAINTY_CERTAIN ? "" : "probably ");
		if (p->passed)
			say_place(f, text, p->goroutine, p->passed_pc);
		return;
	}
	if (o->kind == WAIT_WAITGROUP)
		text_add(text, ", which goroutine %" PRIu64 " is to finish",
			 id_of(f, p->goroutine));
	else
		text_add(text, ", which goroutine %" PRIu64 " would %s",
			 id_of(f, p->goroutine),
			 p->operation == OPERATION_SEND	     ? "send on"
			 : p->operation == OPERATION_RECEIVE ? "receive from"
							     : "close");
	if (p->ahead_pc)
		say_place(f, text, p->goroutine, p->ahead_pc);
}

static void say_link(const struct search *s, struct text *text, uint32_t at)
{
	const struct finder *f = s->f;
	const struct wait_object *o = wait_graph_of(f->about.waits, at);

	text_add(text, "; goroutine %" PRIu64 " waits %s", id_of(f, at),
		 o->kind != WAIT_CHANNEL ? "for "
		 : sends(f, at)		 ? "to send on "
					 : "to receive from ");
	say_object(text, o);
	say_where(f, text, at);
	say_partner(f, text, o, partner_at(s, s->next[at]));
}

static void tell(const struct search *s, const struct ring *ring, enum severity severity)
{
	const size_t behind = s->size[ring->first] - ring->count;
	uint32_t at = ring->first;
	struct finding *finding = finding_add(
		s->f, "wait_cycle", severity, ring->count + behind,
		ring->count == 1 && ring->by_channel
			? "A goroutine that receives from a channel must not send to it. "
			  "Only a restart helps now."
			: "Unlock before waiting for goroutines that need the lock. Only "
			  "a restart helps now.");
	struct text *text = &finding->text;

	text_add_counted(text, ring->count, "goroutine");
	text_add(text, ring->count == 1 ? " waits for itself" : " wait for each other");
	text_add(text, severity == SEVERITY_CRITICAL ? ": a deadlock" : ", it seems");
	for (size_t i = 0; i < ring->count; i++) {
		if (i < TOLD)
			say_link(s, text, at);
		s->f->told[at] = severity != SEVERITY_INFO;
		finding_shows_goroutine(s->f, finding, at);
		finding_shows_address(finding,
				      wait_graph_of(s->f->about.waits, at)->addr);
		at = next_of(s, at);
	}
	if (behind) {
		text_add(text, "; ");
		text_add_counted(text, behind, "other");
		text_add(text, behind == 1 ? " waits behind them" : " wait behind them");
	}
	text_add(text, ".");
}

/* Follows a chain until it meets itself, or one that was followed before: each goroutine
 * leads to one other. */
static void follow(struct search *s, uint32_t from)
{
	uint32_t at = from;

	for (; !s->walk[at]; at = next_of(s, at))
		s->walk[at] = from + 1;
	const uint32_t ring = s->walk[at] == from + 1 ? at : s->ring[at];
	for (at = from; s->walk[at] == from + 1 && s->ring[at] == NOBODY;
	     at = next_of(s, at)) {
		s->ring[at] = ring;
		s->size[ring]++;
	}
}

static void find_rings(struct search *s)
{
	enum severity severity;

	for (size_t i = 0; i < s->count; i++)
		s->ring[i] = NOBODY;
	for (size_t i = 0; i < s->count; i++)
		if (s->next[i] != NOBODY)
			follow(s, (uint32_t)i);
	for (size_t i = 0; i < s->count; i++) {
		if (s->ring[i] != i)
			continue;
		const struct ring ring = measure(s, (uint32_t)i);
		if (severity_of(s, &ring, &severity))
			tell(s, &ring, severity);
	}
}

void finding_wait_cycle(struct finder *f)
{
	const size_t n = runtimes_goroutine_count(f->about.all);
	AUTO(xfree) uint32_t *next = xcalloc(n + 1, sizeof(*next));
	AUTO(xfree) uint32_t *walk = xcalloc(n + 1, sizeof(*walk));
	AUTO(xfree) uint32_t *ring = xcalloc(n + 1, sizeof(*ring));
	AUTO(xfree) uint32_t *size = xcalloc(n + 1, sizeof(*size));
	AUTO(xfree) bool *serves = xcalloc(n + 1, sizeof(*serves));
	struct search s = {
		.f = f,
		.count = n,
		.next = next,
		.walk = walk,
		.ring = ring,
		.size = size,
		.serves = serves,
	};

	find_servers(&s);
	if (find_stuck(&s))
		find_rings(&s);
	else
		f->findings->is_partial = true;
}
