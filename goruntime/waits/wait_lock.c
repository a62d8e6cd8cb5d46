/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores, and the locks that contain them. The wait reason says which kind of lock.
 * Before Go 1.20, when it was "semacquire" for all of them, the functions on the stack
 * do. The lock's address follows from the offset of its semaphore. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/struct_scan.h"
#include "goruntime/values/lock_state.h"
#include "goruntime/waits/wait_priv.h"

enum { CALLERS_LOOKED_AT = 12 /* innermost frames */ };

static bool is_lock(const struct wait_record *r)
{
	enum wait_source source = wait_source_of(r);

	return r->state == WAIT_FOUND &&
	       (source == SOURCE_SEMAPHORE || source == SOURCE_COND);
}

static void take_lock(void *arg, const struct struct_scan_item *item,
		      const uint8_t *bytes)
{
	struct waits *w = arg;
	struct lock_record *l = &w->locks[w->lock_count++];

	*l = (struct lock_record){ .addr = item->addr + LOCK_BEFORE };
	if (!bytes)
		return;
	memcpy(l->bytes, bytes, LOCK_BYTES);
	l->to = LOCK_BYTES;
}

/* At the start or end of a mapping: reads as much as there is. */
static void read_edge(struct lock_record *l, struct target *live)
{
	const struct target_mapping *map = target_mapping_at(live, l->addr);
	uint64_t start = l->addr - LOCK_BEFORE, end = start + LOCK_BYTES;
	struct err ignored;

	if (l->to || !map)
		return;
	uint64_t from = start < map->start ? map->start : start;
	uint64_t to = end > map->end ? map->end : end;
	target_budget_unit(live);
	if (!target_search(live, from, l->bytes + (from - start), to - from, &ignored))
		return;
	l->from = (uint8_t)(from - start);
	l->to = (uint8_t)(to - start);
}

void waits_read_locks(struct runtime *rt, struct target *live)
{
	struct waits *w = rt->waits;
	size_t n = 0;

	for (size_t i = 0; i < w->count; i++)
		n += is_lock(&w->records[i]);
	AUTO(xfree) struct struct_scan_item *items = xcalloc(n + 1, sizeof(*items));
	n = 0;
	for (size_t i = 0; i < w->count; i++)
		if (is_lock(&w->records[i]) && w->records[i].object > LOCK_BEFORE)
			items[n++].addr = w->records[i].object - LOCK_BEFORE;
	n = struct_scan_distinct(items, n);
	w->locks = xcalloc(n + 1, sizeof(*w->locks));
	struct_scan(live, items, n, LOCK_BYTES, take_lock, w);
	for (size_t i = 0; i < w->lock_count; i++)
		read_edge(&w->locks[i], live);
}

static int by_lock(const void *a, const void *b)
{
	const struct lock_record *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Reads size bytes (at most 8) at addr, which is near the semaphore of l. */
static bool peek(const struct lock_record *l, uint64_t addr, size_t size, uint64_t *ret)
{
	uint64_t at = addr - (l->addr - LOCK_BEFORE);

	*ret = 0;
	if (at < l->from || at > l->to || size > l->to - at)
		return false;
	memcpy(ret, l->bytes + at, size);
	return true;
}

static bool peek_slot(const struct runtime *rt, const struct lock_record *l,
		      uint64_t base, enum layout_slot slot, uint64_t *ret)
{
	struct slot s = rt->layout.slot[slot];

	return s.off >= 0 && s.size <= sizeof(*ret) &&
	       peek(l, base + (uint64_t)s.off, s.size, ret);
}

/* What the functions on a stack say about a lock. */
enum callers {
	CALLERS_UNKNOWN, /* not looked at yet */
	CALLERS_SAY_NOTHING,
	CALLERS_MUTEX,
	CALLERS_RLOCK,
	CALLERS_LOCK,	      /* of an RWMutex, waiting for readers to leave */
	CALLERS_LOCK_IN_LINE, /* the same, waiting for its inner mutex */
	CALLERS_WAITGROUP,
};

static const struct {
	const char *function;
	enum callers says;
} lock_functions[] = {
	{ "sync.(*Mutex).lockSlow", CALLERS_MUTEX },
	{ "sync.(*Mutex).Lock", CALLERS_MUTEX },
	{ "internal/sync.(*Mutex).lockSlow", CALLERS_MUTEX },
	{ "internal/sync.(*Mutex).Lock", CALLERS_MUTEX },
	{ "sync.(*RWMutex).RLock", CALLERS_RLOCK },
	{ "sync.(*RWMutex).Lock", CALLERS_LOCK },
	{ "sync.(*WaitGroup).Wait", CALLERS_WAITGROUP },
};

static enum callers says(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(lock_functions); i++)
		if (strcmp(function, lock_functions[i].function) == 0)
			return lock_functions[i].says;
	return CALLERS_SAY_NOTHING;
}

static enum callers look_at_callers(struct runtime *rt, struct stack stack)
{
	enum callers found = CALLERS_SAY_NOTHING;

	for (uint32_t i = 0; i < stack.count && i < CALLERS_LOOKED_AT; i++) {
		const struct code *c =
			code_with_calls(rt->code, stack.frames[i].pc,
					stack.frames[i].flags & FRAME_AT_INSTRUCTION);
		for (uint32_t j = 0; c && j < c->call_count; j++) {
			enum callers next = says(c->calls[j].name);
			if (found == CALLERS_MUTEX && next == CALLERS_LOCK)
				return CALLERS_LOCK_IN_LINE;
			if (found == CALLERS_MUTEX && next != CALLERS_MUTEX)
				return found;
			if (found == CALLERS_SAY_NOTHING)
				found = next;
			if (found != CALLERS_SAY_NOTHING && found != CALLERS_MUTEX)
				return found;
		}
	}
	return found;
}

/* Stacks are added as long as goroutines that ran are unwound again. */
static void grow_callers(struct waits *w, size_t n)
{
	if (n <= w->caller_count)
		return;
	n += n / 2;
	w->callers = xreallocarray(w->callers, n, sizeof(*w->callers));
	memset(w->callers + w->caller_count, CALLERS_UNKNOWN,
	       (n - w->caller_count) * sizeof(*w->callers));
	w->caller_count = n;
}

static enum callers callers_of(struct runtime *rt, const struct goroutine *g)
{
	struct waits *w = rt->waits;
	size_t n = stacks_count(rt->shared->stacks);

	if (g->stack >= n)
		return CALLERS_SAY_NOTHING;
	grow_callers(w, n);
	uint8_t *kept = &w->callers[g->stack];
	if (*kept == CALLERS_UNKNOWN)
		*kept = (uint8_t)look_at_callers(rt,
						 runtimes_stack(rt->shared, g->stack));
	return *kept;
}

/* Sets the kind of lock. Returns the slot of its semaphore; LAYOUT_SLOTS: no slot. */
static enum layout_slot name_lock(struct runtime *rt, const struct goroutine *g,
				  struct wait *ret)
{
	enum callers callers = callers_of(rt, g);

	if (callers == CALLERS_LOCK_IN_LINE ||
	    (ret->kind == WAIT_SEMAPHORE && callers == CALLERS_LOCK)) {
		ret->kind = WAIT_RWMUTEX;
		ret->operation = WAIT_WRITE;
	} else if (ret->kind == WAIT_SEMAPHORE && callers == CALLERS_RLOCK) {
		ret->kind = WAIT_RWMUTEX;
		ret->operation = WAIT_READ;
	} else if (ret->kind == WAIT_SEMAPHORE && callers == CALLERS_MUTEX) {
		ret->kind = WAIT_MUTEX;
	} else if (ret->kind == WAIT_SEMAPHORE && callers == CALLERS_WAITGROUP) {
		ret->kind = WAIT_WAITGROUP;
	}
	switch ((int)ret->kind) {
	case WAIT_MUTEX:
		return L_mutex_sema;
	case WAIT_RWMUTEX:
		return ret->operation == WAIT_READ	 ? L_rwmutex_reader_sem
		       : callers == CALLERS_LOCK_IN_LINE ? L_mutex_sema
							 : L_rwmutex_writer_sem;
	case WAIT_WAITGROUP:
		return L_waitgroup_sema;
	default:
		return LAYOUT_SLOTS;
	}
}

static void describe_mutex(const struct runtime *rt, const struct lock_record *l,
			   uint64_t mutex, struct wait_lock *ret)
{
	uint64_t state;

	if (peek_slot(rt, l, mutex, L_mutex_state, &state))
		lock_state_of_mutex(state, ret);
}

static void describe_rwmutex(const struct runtime *rt, const struct lock_record *l,
			     uint64_t rwmutex, struct wait_lock *ret)
{
	uint64_t count, leaving;
	struct slot inner = rt->layout.slot[L_rwmutex_w];

	if (inner.off >= 0)
		describe_mutex(rt, l, rwmutex + (uint64_t)inner.off, ret);
	if (peek_slot(rt, l, rwmutex, L_rwmutex_reader_count, &count) &&
	    peek_slot(rt, l, rwmutex, L_rwmutex_reader_wait, &leaving))
		lock_state_of_rwmutex(count, leaving, ret);
}

/* In an old WaitGroup the semaphore is the third word, or the first. */
enum { OLD_WAITGROUP_BYTES = 12 };

static void describe_waitgroup(const struct runtime *rt, const struct lock_record *l,
			       struct wait *ret)
{
	struct slot state = rt->layout.slot[L_waitgroup_state];
	uint64_t state_at, value;

	if (state.size == OLD_WAITGROUP_BYTES) {
		ret->addr = l->addr % 8 == 0 ? l->addr - 8 : l->addr;
		state_at = lock_state_old_waitgroup(ret->addr);
	} else {
		state_at = ret->addr + (uint64_t)(state.off < 0 ? 0 : state.off);
	}
	if (peek(l, state_at, sizeof(value), &value))
		lock_state_of_waitgroup(value, &ret->lock);
}

/* slot: of the semaphore in the lock; LAYOUT_SLOTS: the semaphore is not in a lock. */
static void describe(const struct runtime *rt, const struct lock_record *l,
		     enum layout_slot slot, struct wait *ret)
{
	struct slot s = { .off = 0 };

	if (slot < LAYOUT_SLOTS)
		s = rt->layout.slot[slot];
	ret->addr = s.off < 0 ? 0 : l->addr - (uint64_t)s.off;
	switch ((int)ret->kind) {
	case WAIT_MUTEX:
		describe_mutex(rt, l, ret->addr, &ret->lock);
		break;
	case WAIT_RWMUTEX:
		if (slot == L_mutex_sema && layout_has(&rt->layout, L_rwmutex_w))
			ret->addr -= (uint64_t)rt->layout.slot[L_rwmutex_w].off;
		describe_rwmutex(rt, l, ret->addr, &ret->lock);
		break;
	case WAIT_WAITGROUP:
		describe_waitgroup(rt, l, ret);
		break;
	default:
		break;
	}
}

static void describe_cond(const struct runtime *rt, const struct lock_record *l,
			  uint64_t list, struct wait *ret)
{
	uint64_t wait, notify;

	if (layout_has(&rt->layout, L_cond_notify))
		ret->addr = list - (uint64_t)rt->layout.slot[L_cond_notify].off;
	if (peek_slot(rt, l, list, L_notify_wait, &wait) &&
	    peek_slot(rt, l, list, L_notify_notify, &notify))
		lock_state_of_cond(wait, notify, &ret->lock);
}

void waits_lock(struct runtime *rt, const struct goroutine *g,
		const struct wait_record *r, struct wait *ret)
{
	const struct waits *w = rt->waits;
	struct lock_record key = { .addr = r->object };
	const struct lock_record *l =
		r->state == WAIT_FOUND
			? bsearch(&key, w->locks, w->lock_count, sizeof(key), by_lock)
			: NULL;

	if (ret->kind == WAIT_COND) {
		if (l)
			describe_cond(rt, l, r->object, ret);
		return;
	}
	enum layout_slot slot = name_lock(rt, g, ret);
	if (l)
		describe(rt, l, slot, ret);
}
