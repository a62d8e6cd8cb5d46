/* SPDX-License-Identifier: Apache-2.0 */
/* wait_priv.h - what parked goroutines wait for: state shared by wait*.c. Private to
 * goruntime.
 * In steps: waits_note() for each g struct as it is read, waits_capture() while the
 * process is still stopped, waits_finish() after it resumed. Then runtime_wait() answers.
 *
 * Facts, runtime/ of Go 1.15 to 1.27: g.waiting is a chain of sudogs linked by waitlink.
 * There is one for each case of a select in lock order (select.go), a single one for a
 * channel (chan.go), and from 1.26 on also for semaphores and condition variables
 * (sema.go). Before, the sudog of those is only in the frame of semacquire1 or
 * notifyListWait. A pollDesc is always only in a frame (netpoll.go). */
#ifndef GOSNAP_WAIT_PRIV_H
#define GOSNAP_WAIT_PRIV_H

#include "goruntime/layout/layout.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/waits/wait.h"
#include "lib/target/target.h"

/* How we know. */
enum wait_source {
	SOURCE_NONE,	  /* reason says all: a nil channel, a select without cases */
	SOURCE_CHANNEL,	  /* one sudog */
	SOURCE_SELECT,	  /* a chain of them */
	SOURCE_SEMAPHORE, /* one, in the semaphore's queue */
	SOURCE_COND,	  /* one, in a notifyList */
	SOURCE_SLEEP,	  /* its timer */
	SOURCE_POLL,	  /* a pollDesc */
};

enum wait_state {
	WAIT_PENDING, /* object is the address of a sudog or timer; 0: not known yet */
	WAIT_FOUND,   /* object is what it waits for */
	WAIT_FAILED,  /* this and later ones: why not found; object is meaningless */
	WAIT_NOT_IN_FRAMES = WAIT_FAILED,
	WAIT_BAD_SUDOG,
	WAIT_FOREIGN_SUDOG,
	WAIT_BAD_TIMER,
	WAIT_TOO_MANY,
};

/* For each waiting goroutine, sorted by g. There can be millions. A subject address has
 * 48 bits on amd64 and arm64; anything larger is not an address. */
struct wait_record {
	uint64_t g : 48, rule : 8 /* wait_rules[] */, state : 6 /* enum wait_state */;
	uint64_t bubble : 1; /* in a testing/synctest bubble: its times are fake */
	uint64_t write : 1;  /* SOURCE_POLL: waiting to write */
	/* When found, the address of a channel, semaphore or notifyList; or the index of
	 * the first case or of a timer; or a file descriptor. */
	uint64_t object : 48;
	uint64_t has_cases : 1; /* in any state: object is the index of the first case */
};
_Static_assert(sizeof(struct wait_record) == 16, "there can be millions of them");

#define WAIT_ADDRESS_END (UINT64_C(1) << 48)

/* Of a goroutine that waits for a descriptor. Sorted by g. */
struct deadline_record {
	uint64_t g, when;
};

/* A case of a select. */
struct wait_case_record {
	uint64_t channel : 48, operation : 2 /* enum wait_operation */, last : 1;
};

/* A case of a select, while the process is stopped. */
struct raw_case {
	uint64_t channel, sudog;
	uint32_t record, order; /* index of the select's record, place in its chain */
	uint8_t operation;
};

/* Distinct channels, sorted by address. Lengths above UINT32_MAX are stored as
 * UINT32_MAX. */
struct channel_record {
	uint64_t addr : 48, known : 1, closed : 1, receivers : 1, senders : 1;
	uint64_t timed : 1; /* it belongs to a timer */
	uint32_t len, cap;
	uint32_t timer; /* index; NO_TIMER: none, or unreadable */
	uint32_t type;	/* index into element_types; or NO_TYPE */
};

enum { NO_TIMER = UINT32_MAX, NO_TYPE = UINT32_MAX };

/* Open addressing; names are read until the table is full. */
enum { ELEMENT_TYPES = 1 << 12 };
struct element_type {
	uint64_t addr; /* of its descriptor; 0: free slot */
	char *name;    /* NULL: unreadable */
};

struct timer_record {
	uint64_t when, period; /* CLOCK_MONOTONIC in ns; ns, 0: none. when 0: unknown */
};

/* Distinct semaphores and notifyLists, sorted by address, each with the memory around it:
 * the lock that it is part of, whichever that is. */
enum { LOCK_BEFORE = 16, LOCK_BYTES = 48 };
struct lock_record {
	uint64_t addr;
	uint8_t from, to; /* bytes [from, to) were read */
	uint8_t bytes[LOCK_BYTES];
};

struct waits {
	struct target *live; /* for reading what need not be kept, while it is stopped */
	struct wait_record *records;
	size_t count, cap;
	uint8_t *rules; /* by wait reason: 1 + index in wait_rules[]; 0: none */
	struct raw_case *raw_cases;
	size_t raw_count, raw_cap;
	struct wait_case_record *cases;
	size_t case_count;
	struct channel_record *channels;
	size_t channel_count;
	struct element_type *element_types;
	size_t type_count;
	struct timer_record *timers;
	size_t timer_count, timer_cap;
	struct lock_record *locks;
	size_t lock_count;
	struct deadline_record *deadlines;
	size_t deadline_count, deadline_cap;
	/* The winner of vote_for_gopark(). */
	uint64_t parked_pc;
	size_t parked_votes; /* 0: the vote has no winner */
	uint8_t *callers; /* by stack: what its functions say about a lock; 0: not yet */
	size_t caller_count;
};

/* What a wait reason of the runtime means. */
struct wait_rule {
	const char *words; /* without " (durable)" and similar suffixes */
	enum wait_kind kind;
	enum wait_operation operation;
	enum wait_source source;
};
extern const struct wait_rule wait_rules[];

struct runtime;

/* wait_reason.c */
void wait_reasons_read(struct runtime *rt);

void waits_free(struct waits *w); /* NULL is allowed */

/* g: just read, with its bytes. Call in address order. */
void waits_note(struct runtime *rt, const struct goroutine *g, const uint8_t *bytes,
		size_t len);
/* Call after the used stacks are captured, before goroutines are sorted. */
void waits_capture(struct runtime *rt);
void waits_finish(struct runtime *rt);

static inline enum wait_source wait_source_of(const struct wait_record *r)
{
	return wait_rules[r->rule].source;
}

/* After all that have one were added. */
void waits_sort_deadlines(struct waits *w);

/* slot_learning.c: sudogs and pollDescs that only a frame has. */
void waits_search_frames(struct runtime *rt, struct target *live);

/* wait_sudog.c: from sudogs to channels, cases and semaphores. */
void waits_read_sudogs(struct runtime *rt, struct target *live);

/* wait_channel.c */
void waits_read_channels(struct runtime *rt, struct target *live);
void waits_finish_cases(struct waits *w);
void waits_channel(const struct waits *w, uint64_t addr, struct wait_channel *ret);

/* wait_timer.c */
size_t waits_timer_bytes(const struct layout *l); /* how much of a timer we need */
/* Returns its index. bytes: waits_timer_bytes() of them. */
uint32_t waits_add_timer(struct waits *w, const struct layout *l, const uint8_t *bytes);
void waits_add_sleeper(struct waits *w, struct wait_record *r, uint64_t when);
void waits_read_sleepers(struct runtime *rt, struct target *live);

/* wait_lock.c */
void waits_read_locks(struct runtime *rt, struct target *live);
/* Sets the lock (kind, operation, address) and its state. */
void waits_lock(struct runtime *rt, const struct goroutine *g,
		const struct wait_record *r, struct wait *ret);

#endif
