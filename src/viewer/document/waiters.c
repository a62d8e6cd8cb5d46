/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/waiters.h"

#include <string.h>

#include "src/viewer/model/model.h"

enum {
	OBJECTS = 1 << 14, /* slots */
	OBJECTS_FULL = OBJECTS / 4 * 3,
};

void waiters_done(struct waiters *waiters)
{
	xfree(waiters->objects);
}

/* Its slot, or a free one for it. */
static struct waited_object *place_of(struct waited_object *objects, uint64_t addr)
{
	size_t i = (addr * 0x9e3779b97f4a7c15) >> 50;
	_Static_assert(OBJECTS == 1 << (64 - 50), "the hash has as many bits");
	while (objects[i].addr != 0 && objects[i].addr != addr)
		i = (i + 1) % OBJECTS;
	return &objects[i];
}

/* Makes room by dropping the objects with the fewest waiters, by "lossy counting"
 * (Manku, Motwani 2002): objects with many waiters remain, off by at most the number
 * of sweeps. */
static void sweep(struct waiters *waiters)
{
	struct waited_object *old = waiters->objects;
	struct waited_object *objects = xcalloc(OBJECTS, sizeof(*objects));
	waiters->sweeps++;
	waiters->object_count = 0;
	for (size_t i = 0; i < OBJECTS; i++) {
		if (old[i].waiters + old[i].missed <= waiters->sweeps)
			continue;
		*place_of(objects, old[i].addr) = old[i];
		waiters->object_count++;
	}
	waiters->objects = objects;
	xfree(old);
}

static void add_object(struct waiters *waiters, uint64_t addr)
{
	struct waited_object *object;
	if (!waiters->objects)
		waiters->objects = xcalloc(OBJECTS, sizeof(*waiters->objects));
	while (waiters->object_count >= OBJECTS_FULL)
		sweep(waiters);
	object = place_of(waiters->objects, addr);
	if (object->addr == 0) {
		*object = (struct waited_object){
			.addr = addr,
			.missed = waiters->sweeps,
		};
		waiters->object_count++;
	}
	object->waiters++;
}

/* Many waiters are normal elsewhere, such as workers that receive. */
static bool is_contended(const struct model *m, const struct model_goroutine *goroutine)
{
	static const char *const kinds[] = { "mutex", "rwmutex", "semaphore",
					     "waitgroup" };
	const char *kind = model_text_of(m, goroutine->waits_kind);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kind, kinds[i]) == 0)
			return true;
	return strcmp(kind, "channel") == 0 &&
	       strcmp(model_text_of(m, goroutine->waits_operation), "send") == 0;
}

void waiters_add(struct waiters *waiters, const struct model *m,
		 const struct model_goroutine *goroutine)
{
	if (goroutine->waits_address && is_contended(m, goroutine))
		add_object(waiters, goroutine->waits_address);
}

uint64_t waiters_of(const struct waiters *waiters, uint64_t addr)
{
	return waiters->objects && addr ? place_of(waiters->objects, addr)->waiters : 0;
}
