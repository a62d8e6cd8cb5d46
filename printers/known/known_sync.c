/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and other types of package sync. */
#include <inttypes.h>
#include <string.h>

#include "printers/known/known.h"

static void add_waiters(uint32_t n, struct known_words *ret)
{
	if (n)
		known_add(ret, ", %" PRIu32 " waiting", n);
}

bool text_of_mutex(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct wait_lock lock;

	if (!runtime_lock(p->rt, v, &lock))
		return false;
	known_add(ret, lock.locked ? "locked" : "unlocked");
	add_waiters(lock.waiters, ret);
	if (lock.starving)
		known_add(ret, ", starving");
	return true;
}

/* While a goroutine writes or waits to write, the readers that hold it are those it waits
 * for. */
bool text_of_rwmutex(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct wait_lock lock;

	if (!runtime_lock(p->rt, v, &lock))
		return false;
	if (!lock.writer) {
		known_add(ret, lock.readers ? "%" PRIu32 " reading" : "unlocked",
			  lock.readers);
		return true;
	}
	if ((int32_t)lock.leaving > 0)
		known_add(ret, "%" PRIu32 " reading, one waiting to write", lock.leaving);
	else
		known_add(ret, "locked for writing");
	if (lock.readers > lock.leaving)
		known_add(ret, ", %" PRIu32 " waiting to read",
			  lock.readers - lock.leaving);
	if (lock.waiters)
		known_add(ret, ", %" PRIu32 " waiting to write", lock.waiters);
	return true;
}

bool text_of_waitgroup(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct wait_lock lock;

	if (!runtime_lock(p->rt, v, &lock))
		return false;
	known_add(ret, "%" PRId32 " to go", lock.counter);
	add_waiters(lock.waiters, ret);
	return true;
}

bool text_of_cond(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct wait_lock lock;

	if (!runtime_lock(p->rt, v, &lock))
		return false;
	known_add(ret, "%" PRIu32 " waiting", lock.waiters);
	return true;
}

bool text_of_once(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t done;

	if (!known_number(p, v, "done.v|done", &done))
		return false;
	known_add(ret, done ? "done" : "not done");
	return true;
}

bool text_of_atomic(struct printing *p, const struct value *v, struct known_words *ret)
{
	const char *name = type_name(v->type) + strlen("sync/atomic.");
	uint64_t value;

	if (!known_shown_number(p, v, "v", &value))
		return false;
	if (strcmp(name, "Bool") == 0)
		known_add(ret, "%s", value ? "true" : "false");
	else if (strcmp(name, "Int32") == 0)
		known_add(ret, "%d", (int32_t)value);
	else if (strcmp(name, "Int64") == 0)
		known_add(ret, "%" PRId64, (int64_t)value);
	else
		known_add(ret, "%" PRIu64, value);
	return true;
}

/* An atomic.Value; an atomic.Pointer has members instead. */
bool text_of_atomic_value(struct printing *p, const struct value *v,
			  struct known_words *ret)
{
	struct value inside;

	return known_field(p, v, "v", &inside) && known_text_of(p, &inside, ret);
}

static bool add_dequeues(struct printing *p, struct value elt, uint64_t *n)
{
	enum { DEQUEUES_MAX = 64 }; /* each is twice as long as the previous one */
	uint64_t ends;

	for (int i = 0; i < DEQUEUES_MAX; i++) {
		if (!known_number(p, &elt, "poolDequeue.headTail.v|poolDequeue.headTail",
				  &ends))
			return false;
		*n += (uint32_t)((ends >> 32) - ends);
		if (!known_number(p, &elt, "prev.v|prev", &elt.addr) || !elt.addr)
			return true;
	}
	return false;
}

static bool add_local(struct printing *p, const struct value *local, uint64_t *n)
{
	struct interface_value own;
	struct value field, elt;
	struct err ignored;

	if (!known_field(p, local, "poolLocalInternal.private", &field) ||
	    !runtime_interface(p->rt, &field, &own, &ignored))
		return false;
	*n += own.descriptor != 0;
	if (!known_field(p, local, "poolLocalInternal.shared.head", &field) ||
	    !runtime_behind(p->rt, &field, &elt))
		return true;
	return add_dequeues(p, elt, n);
}

/* sync/pool.go: for each P a private element and a chain; victims are those from before
 * the last collection. */
bool text_of_pool(struct printing *p, const struct value *v, struct known_words *ret)
{
	enum { PROCESSORS_MAX = 1024 };
	static const char *const lists[][2] = { { "local", "localSize" },
						{ "victim", "victimSize" } };
	uint64_t n = 0, addr, size;
	struct err ignored;
	const struct type *type = runtime_type_named(p->rt, "sync.poolLocal", &ignored);

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!known_number(p, v, lists[i][0], &addr) ||
		    !known_number(p, v, lists[i][1], &size) || size > PROCESSORS_MAX ||
		    (size && !type))
			return false;
		for (uint64_t j = 0; addr && j < size; j++)
			if (!add_local(
				    p,
				    &(struct value){ type, addr + j * type_size(type) },
				    &n))
				return false;
	}
	known_add(ret, "%" PRIu64 " cached", n);
	return true;
}
