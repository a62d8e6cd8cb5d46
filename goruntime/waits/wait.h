/* SPDX-License-Identifier: Apache-2.0 */
/* wait.h - what a parked goroutine waits for. Names the object and what its memory
 * says of it; who holds it is for those who see all goroutines. Results live until
 * runtimes_close(). Knows the runtime's waiting lists and the frames that belong to
 * sync. */
#ifndef GOSNAP_WAIT_H
#define GOSNAP_WAIT_H

#include "goruntime/runtime/goroutine.h"
#include "goruntime/values/lock.h"

/* The runtime's own text; NULL when unreadable or empty. Borrowed until
 * runtimes_close(). */
const char *runtime_wait_reason(const struct runtime *rt, unsigned reason);

enum wait_kind {
	WAIT_CHANNEL,
	WAIT_SELECT,
	WAIT_MUTEX,
	WAIT_RWMUTEX,
	WAIT_WAITGROUP,
	WAIT_COND,
	WAIT_SEMAPHORE, /* not part of any of the above */
	WAIT_TIMER,
	WAIT_NETWORK, /* a file descriptor in the runtime's poller */
};

enum wait_operation { WAIT_ANY, WAIT_RECEIVE, WAIT_SEND, WAIT_READ, WAIT_WRITE };

struct wait_channel {
	uint64_t addr; /* 0: a nil channel */
	bool known;    /* the rest is valid */
	bool closed;
	bool has_len; /* false for a timer's channel: the program cannot see a length */
	uint32_t len, cap;
	const char *element_type; /* Go spelling; NULL: not known */
	uint64_t when, period;	  /* for a timer's channel; as in struct wait */
	bool is_stopped; /* a timer's, which has fired or was stopped (Go 1.23 on) */
};

struct wait {
	enum wait_kind kind;
	enum wait_operation operation; /* WAIT_ANY: none, or not known */
	const char *unreadable;	       /* why the rest is not known; NULL: it is */
	uint64_t addr;		       /* of the channel or lock; 0: none */
	struct wait_channel channel;   /* WAIT_CHANNEL */
	size_t first_case, case_count; /* WAIT_SELECT: for runtime_wait_case() */
	struct wait_lock lock;
	bool bubble; /* in a testing/synctest bubble: channel times are fake */
	/* CLOCK_MONOTONIC in ns; 0: not known, or none. Of WAIT_NETWORK the deadline that
	 * is to come. */
	uint64_t when;
	int64_t fd; /* WAIT_NETWORK */
};

/* False: not parked, or waiting for something that has no kind here. Strings are borrowed
 * until runtimes_close(). Call after runtimes_decode(). */
bool runtime_wait(struct runtime *rt, const struct goroutine *g, struct wait *ret);
/* Is wait_reason that of an earlier wait? Who stops the world is waiting by its status, so that its
 * stack can be scanned, but on a thread, and not for that: stopTheWorld in runtime/proc.go up to 1.20. */
bool runtime_wait_is_over(const struct runtime *rt, const struct goroutine *g);
/* A case of a select. Cases are in channel address order, without nil channels; their
 * source order is not recorded anywhere. */
enum wait_operation runtime_wait_case(const struct runtime *rt, size_t i,
				      struct wait_channel *ret);

/* Does any goroutine wait for a file descriptor? */
bool runtimes_poll(const struct runtimes *all);

#endif
