/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the words of a lock: sync/mutex.go, rwmutex.go, waitgroup.go, cond.go. Fields
 * moved between releases, but their meaning did not change. */
#include "goruntime/values/lock_state.h"

#include <string.h>

#include "goruntime/runtime/lookup.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/values.h"

enum {
	LOCKED = 1, /* woken is 2 */
	STARVING = 4,
	WAITERS = 3,	       /* shift */
	READERS_MAX = 1 << 30, /* rwmutexMaxReaders */
};

/* The low half of a WaitGroup's state: the top bit is another flag (1.25). */
#define WAITERS_MASK UINT32_C(0x7fffffff)

void lock_state_of_mutex(uint64_t state, struct wait_lock *ret)
{
	ret->has_state = ret->has_waiters = true;
	ret->locked = state & LOCKED;
	ret->starving = state & STARVING;
	ret->waiters = (uint32_t)state >> WAITERS;
}

/* While a writer holds it or waits for readers to leave, READERS_MAX is subtracted from
 * count. */
void lock_state_of_rwmutex(uint64_t count, uint64_t leaving, struct wait_lock *ret)
{
	int32_t readers = (int32_t)(uint32_t)count;

	ret->has_readers = true;
	ret->writer = readers < 0;
	ret->leaving = (uint32_t)leaving;
	ret->readers = (uint32_t)(ret->writer ? readers + READERS_MAX : readers);
}

void lock_state_of_waitgroup(uint64_t state, struct wait_lock *ret)
{
	ret->has_counter = ret->has_waiters = true;
	ret->counter = (int32_t)(uint32_t)(state >> 32);
	ret->waiters = (uint32_t)state & WAITERS_MASK;
}

/* given, called: numbers of tickets handed out, and called so far. */
void lock_state_of_cond(uint64_t given, uint64_t called, struct wait_lock *ret)
{
	ret->has_waiters = true;
	ret->waiters = (uint32_t)given - (uint32_t)called;
}

uint64_t lock_state_old_waitgroup(uint64_t words)
{
	return words % sizeof(uint64_t) == 0 ? words : words + sizeof(uint32_t);
}

static bool read_mutex(struct runtime *rt, const struct value *v, struct wait_lock *ret)
{
	uint64_t state;

	if (!runtime_number(rt, v, "mu.state|state", &state)) /* 1.24 on */
		return false;
	lock_state_of_mutex(state, ret);
	return true;
}

static bool read_rwmutex(struct runtime *rt, const struct value *v, struct wait_lock *ret)
{
	uint64_t count, leaving;
	struct value writers;

	if (!runtime_field(rt, v, "w", &writers) || !read_mutex(rt, &writers, ret) ||
	    !runtime_number(rt, v, "readerCount.v|readerCount", &count) ||
	    !runtime_number(rt, v, "readerWait.v|readerWait", &leaving))
		return false;
	lock_state_of_rwmutex(count, leaving, ret);
	return true;
}

/* One word; up to 1.17 three of four bytes. */
static bool read_waitgroup(struct runtime *rt, const struct value *v,
			   struct wait_lock *ret)
{
	struct value field;
	struct err ignored;
	uint64_t state, addr;

	if (!runtime_field(rt, v, "state.v|state1", &field))
		return false;
	addr = field.addr;
	if (type_kind(field.type) == KIND_ARRAY)
		addr = lock_state_old_waitgroup(addr);
	if (!runtime_bytes(rt, addr, &state, sizeof(state), &ignored))
		return false;
	lock_state_of_waitgroup(state, ret);
	return true;
}

static bool read_cond(struct runtime *rt, const struct value *v, struct wait_lock *ret)
{
	uint64_t given, called;

	if (!runtime_number(rt, v, "notify.wait.v|notify.wait", &given) ||
	    !runtime_number(rt, v, "notify.notify", &called))
		return false;
	lock_state_of_cond(given, called, ret);
	return true;
}

bool runtime_lock(struct runtime *rt, const struct value *v, struct wait_lock *ret)
{
	static const struct {
		const char *type;
		bool (*read)(struct runtime *, const struct value *, struct wait_lock *);
	} locks[] = { { "sync.Mutex", read_mutex },
		      { "sync.RWMutex", read_rwmutex },
		      { "sync.WaitGroup", read_waitgroup },
		      { "sync.Cond", read_cond } };

	*ret = (struct wait_lock){ .locked = false };
	for (size_t i = 0; i < ARRAY_SIZE(locks); i++)
		if (strcmp(type_name(v->type), locks[i].type) == 0)
			return locks[i].read(rt, v, ret);
	return false;
}
