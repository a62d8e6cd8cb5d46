/* SPDX-License-Identifier: Apache-2.0 */
/* wait.h - what a parked goroutine waits for. */
#ifndef GOSNAP_WAIT_H
#define GOSNAP_WAIT_H

#include "goruntime/runtime/goroutine.h"
#include "goruntime/values/lock.h"

/* The runtime's own words, NULL when they could not be read or are empty. Borrowed. */
const char *runtime_wait_reason(const struct runtime *rt, unsigned reason);

/* What a parked goroutine waits for. */
enum wait_kind {
	WAIT_CHANNEL,
	WAIT_SELECT,
	WAIT_MUTEX,
	WAIT_RWMUTEX,
	WAIT_WAITGROUP,
	WAIT_COND,
	WAIT_SEMAPHORE, /* one that belongs to none of these */
	WAIT_TIMER,
	WAIT_NETWORK, /* a file descriptor that the runtime polls */
};

enum wait_operation { WAIT_ANY, WAIT_RECEIVE, WAIT_SEND, WAIT_READ, WAIT_WRITE };

struct wait_channel {
	uint64_t addr; /* 0: a nil channel */
	bool known;    /* what follows is */
	bool closed;
	bool has_len; /* the channel of a timer has none that its program could see */
	uint32_t len, cap;
	const char *element_type; /* Go spelling; NULL: not known */
	uint64_t when, period;	  /* of a timer's channel, as in struct wait */
};

struct wait {
	enum wait_kind kind;
	enum wait_operation operation; /* WAIT_ANY: it has none, or we do not know */
	const char *unreadable;	       /* why the rest is not known; NULL: it is */
	uint64_t addr;		       /* of the channel or lock; 0: none */
	struct wait_channel channel;   /* WAIT_CHANNEL */
	size_t first_case, case_count; /* WAIT_SELECT: for runtime_wait_case() */
	struct wait_lock lock;
	bool bubble;   /* in one of testing/synctest: times of channels are made up */
	uint64_t when; /* WAIT_TIMER: CLOCK_MONOTONIC in ns; 0: not known */
	int64_t fd;    /* WAIT_NETWORK */
};

/* False: it is not parked, or waits for nothing that has a kind here. Borrowed. After
 * runtime_decode(). */
bool runtime_wait(struct runtime *rt, const struct goroutine *g, struct wait *ret);
/* A case of a select, in the order of the channels' addresses; nil channels are left out.
 * Their order in the source is not kept anywhere. */
enum wait_operation runtime_wait_case(const struct runtime *rt, size_t i,
				      struct wait_channel *ret);

/* Does any goroutine wait for a file descriptor? */
bool runtimes_poll(const struct runtimes *all);

#endif
