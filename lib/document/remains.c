/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/remains.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

/* A buffer of the writer's, what it holds back, and what the compressor has not passed on yet. */
enum { KEPT_BYTES = 1 << 20, RING_BYTES = 2 * KEPT_BYTES };

/* Text at an offset is at that offset modulo RING_BYTES. Half of it is sound while the other half is
 * written to. */
struct remains {
	_Atomic uint64_t end, written, writing;
	_Atomic uint64_t whole; /* times four, and the depth */
	char text[RING_BYTES];
};

struct remains *remains_new(void)
{
	void *r = mmap(NULL, sizeof(struct remains), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return r == MAP_FAILED ? NULL : r;
}

void remains_free(struct remains *r)
{
	if (r)
		munmap(r, sizeof(*r));
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void remains_add(struct remains *r, const char *text, size_t len)
{
	uint64_t end = r->end;

	while (len) {
		const size_t at = end % RING_BYTES;
		size_t n = (size_t)lesser(lesser(len, KEPT_BYTES), RING_BYTES - at);
		memcpy(r->text + at, text, n);
		r->end = end += n;
		text += n;
		len -= n;
	}
}

void remains_whole(struct remains *r, unsigned depth)
{
	r->whole = r->end << 2 | (depth & 3);
}

void remains_writing(struct remains *r, uint64_t bytes)
{
	r->writing = bytes;
}

void remains_written(struct remains *r, uint64_t bytes)
{
	r->written += bytes;
	r->writing = 0;
}

void remains_clear(struct remains *r)
{
	r->end = r->written = r->writing = r->whole = 0;
}

void remains_look(const struct remains *r, struct remains_state *ret)
{
	const uint64_t whole = r->whole;

	*ret = (struct remains_state){ .end = r->end,
				       .written = r->written,
				       .writing = r->writing,
				       .whole = whole >> 2,
				       .depth = whole & 3 };
	ret->first = ret->end > KEPT_BYTES ? ret->end - KEPT_BYTES : 0;
}

size_t remains_read(const struct remains *r, const struct remains_state *state,
		    uint64_t offset, char *ret, size_t size)
{
	if (offset < state->first || offset >= state->end)
		return 0;
	const size_t at = offset % RING_BYTES;
	size_t n = (size_t)lesser(lesser(size, state->end - offset), RING_BYTES - at);
	memcpy(ret, r->text + at, n);
	return n;
}
