/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/stacks.h"

#include <string.h>

struct entry {
	uint64_t hash;
	size_t first; /* index into frames */
	uint32_t count;
};

struct stacks {
	struct raw_frame *frames; /* of all stacks, end to end */
	size_t frame_count, frame_cap;
	struct entry *entries;
	size_t count, cap;
	uint32_t *slots; /* open addressing: entry number + 1, 0 free; a power of two */
	size_t size;
};

struct stacks *stacks_new(void)
{
	struct stacks *s = xcalloc(1, sizeof(*s));

	s->size = 1 << 10;
	s->slots = xcalloc(s->size, sizeof(*s->slots));
	return s;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	xfree(s->frames);
	xfree(s->entries);
	xfree(s->slots);
	xfree(s);
}

static uint64_t hash_of(const struct raw_frame *frames, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ frames[i].pc ^ (uint64_t)frames[i].flags << 56 ^
		     (uint64_t)frames[i].argp << 24) *
		    UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
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

static void grow(struct stacks *s)
{
	s->size *= 2;
	xfree(s->slots);
	s->slots = xcalloc(s->size, sizeof(*s->slots));
	for (size_t i = 0; i < s->count; i++) {
		size_t at = s->entries[i].hash & (s->size - 1);
		while (s->slots[at])
			at = (at + 1) & (s->size - 1);
		s->slots[at] = (uint32_t)i + 1;
	}
}

static uint32_t add(struct stacks *s, uint64_t hash, const struct raw_frame *frames,
		    size_t n)
{
	size_t first = s->frame_count;

	for (size_t i = 0; i < n; i++) {
		GROW(s->frames, s->frame_count, s->frame_cap);
		s->frames[s->frame_count++] = frames[i];
	}
	GROW(s->entries, s->count, s->cap);
	s->entries[s->count] =
		(struct entry){ .hash = hash, .first = first, .count = (uint32_t)n };
	return (uint32_t)s->count++;
}

uint32_t stacks_intern(struct stacks *s, const struct raw_frame *frames, size_t n)
{
	uint64_t hash = hash_of(frames, n);
	size_t at = hash & (s->size - 1);

	for (; s->slots[at]; at = (at + 1) & (s->size - 1)) {
		const struct entry *e = &s->entries[s->slots[at] - 1];
		if (e->hash == hash && same(s, e, frames, n))
			return s->slots[at] - 1;
	}
	uint32_t id = add(s, hash, frames, n);
	s->slots[at] = id + 1;
	if (s->count * 2 > s->size)
		grow(s);
	return id;
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
