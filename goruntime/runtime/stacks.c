/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/stacks.h"

#include <string.h>

#include "lib/base/table.h"

struct entry {
	size_t first; /* index into frames */
	uint32_t count;
};

struct stacks {
	struct raw_frame *frames; /* of all stacks, end to end */
	size_t frame_count, frame_cap;
	struct entry *entries;
	size_t count, cap;
	struct table by_hash; /* hash, how many have the same one: entry number + 1 */
};

struct stacks *stacks_new(void)
{
	return xcalloc(1, sizeof(struct stacks));
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	xfree(s->frames);
	xfree(s->entries);
	table_free(&s->by_hash);
	xfree(s);
}

static uint64_t hash_of(const struct raw_frame *frames, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = table_hash(h ^ frames[i].pc,
			       (uint64_t)frames[i].flags << 32 | frames[i].argp);
	return h;
}

static bool same(const struct stacks *s, const struct entry *e,
		 const struct raw_frame *frames, size_t n)
{
	if (e->count != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct raw_frame *mine = &s->frames[e->first + i];
		if (mine->pc != frames[i].pc || mine->flags != frames[i].flags ||
		    mine->argp != frames[i].argp)
			return false;
	}
	return true;
}

static uint32_t add(struct stacks *s, const struct raw_frame *frames, size_t n)
{
	size_t first = s->frame_count;

	for (size_t i = 0; i < n; i++) {
		GROW(s->frames, s->frame_count, s->frame_cap);
		s->frames[s->frame_count++] = frames[i];
	}
	GROW(s->entries, s->count, s->cap);
	s->entries[s->count] = (struct entry){ .first = first, .count = (uint32_t)n };
	return (uint32_t)s->count++;
}

uint32_t stacks_intern(struct stacks *s, const struct raw_frame *frames, size_t n)
{
	const uint64_t hash = hash_of(frames, n);
	uint64_t id, alike = 0;

	for (; (id = table_get(&s->by_hash, hash, alike)); alike++)
		if (same(s, &s->entries[id - 1], frames, n))
			return (uint32_t)id - 1;
	id = add(s, frames, n);
	table_set(&s->by_hash, hash, alike, id + 1);
	return (uint32_t)id;
}

size_t stacks_frames(const struct stacks *s)
{
	return s->frame_count;
}

size_t stacks_count(const struct stacks *s)
{
	return s->count;
}

struct stack stacks_get(const struct stacks *s, uint32_t id)
{
	const struct entry *e = &s->entries[id];
	/* In C even NULL + 0 is undefined. */
	return (struct stack){ e->count ? s->frames + e->first : NULL, e->count };
}
