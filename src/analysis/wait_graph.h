/* SPDX-License-Identifier: Apache-2.0 */
/* wait_graph.h - who waits for whom: goroutines wait for locks, wait groups and channels, and
 * these for the goroutines that will unlock them, finish them, or send and receive. Go
 * keeps no owner of a lock. Who has it follows from the code that its holder has passed
 * and has ahead of it (goruntime/operations). Each holder says how sure that is. Pure
 * functions on decoded runtimes; reads what was captured, prints nothing. Lives until
 * wait_graph_done() and refers to the runtimes. */
#ifndef GOSNAP_WAIT_GRAPH_H
#define GOSNAP_WAIT_GRAPH_H

#include "goruntime/goruntime.h"
#include "src/analysis/groups.h"

enum certainty {
	CERTAINTY_UNKNOWN,
	CERTAINTY_PROBABLE,
	CERTAINTY_CERTAIN,
};

/* What a goroutine did or will do with an object that others wait for. */
struct partner {
	uint32_t goroutine; /* for runtimes_goroutine() */
	uint32_t frame;	    /* unwound, of what is ahead or was passed */
	enum operation operation;
	enum certainty certainty;
	bool passed;	    /* the lock was taken at passed_pc, in that frame */
	bool ahead;	    /* at ahead_pc, in every case */
	bool maybe;	    /* there, in some cases */
	bool deferred;	    /* as a deferred call; ahead_pc is in that */
	bool tried;	    /* TryLock was passed */
	bool waits;	    /* it waits for the object itself */
	bool passed_is_one; /* there is only one place where it may have been taken */
	bool passed_surely; /* on every way to where that frame is */
	bool may_be_given; /* this frame, or one further in, may have unlocked it since */
	bool is_unsure;	   /* likewise, as it has unlocked a lock that is not known */
	bool is_repeated;  /* the goroutine has a better claim in another frame */
	uint64_t passed_pc, ahead_pc;
};

/* What goroutines wait for. */
struct wait_object {
	uint64_t addr;
	uint32_t runtime; /* for runtimes_get() */
	enum wait_kind kind;
	struct wait_lock lock;	     /* of a lock or wait group */
	struct wait_channel channel; /* of a channel */
	/* In waiters; fewer goroutines if the select of one waits to send and to receive. */
	uint32_t first_waiter, waiter_count, goroutine_count;
	uint32_t first_partner, partner_count; /* in partners, best first */
	/* How many of the partners hold the lock, as far as is known: these come first. */
	uint32_t holder_count;
};

struct waiter {
	uint64_t addr; /* of the object */
	uint32_t goroutine;
	enum wait_operation operation;
	bool one_of; /* a case of a select */
};

struct wait_graph {
	struct runtimes *all;
	struct wait_object *objects; /* sorted by addr */
	size_t object_count;
	struct waiter *waiters; /* by object, then by goroutine */
	size_t waiter_count, waiter_cap;
	struct partner *partners;
	size_t partner_count, partner_cap;
	uint32_t *object_of; /* by goroutine: index of what it waits for; or NO_OBJECT */
	bool is_partial;     /* the work allowed did not suffice for all goroutines */
};

enum { NO_OBJECT = UINT32_MAX };

void wait_graph_find(struct wait_graph *ret, struct runtimes *all,
		     const struct groups *groups);
void wait_graph_done(struct wait_graph *w);

/* NULL: nobody waits for it. */
const struct wait_object *wait_graph_object(const struct wait_graph *w, uint64_t addr);
/* What a goroutine waits for, if it is one thing. NULL: nothing, or one of several. */
const struct wait_object *wait_graph_of(const struct wait_graph *w, uint32_t goroutine);
static inline bool is_lock_kind(enum wait_kind kind)
{
	return kind == WAIT_MUTEX || kind == WAIT_RWMUTEX;
}

#endif
