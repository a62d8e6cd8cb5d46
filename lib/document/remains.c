/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/remains.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/document/writer.h"

enum {
	/* The writer's buffers, and what of one the compressor has made but the kernel not taken. Each
	 * page of it costs the child some microseconds. */
	KEPT_BYTES = 3 * WRITER_BUFFER,
	PIECE_BYTES = WRITER_BUFFER, /* added at once */
	RING_BYTES = KEPT_BYTES + PIECE_BYTES,
	/* So much is mapped at once, and not page by page as it is written to. */
	MAPPED_BYTES = 1 << 16,
};

/* Text at an offset is at that offset modulo RING_BYTES. KEPT_BYTES of it are sound while a piece is
 * written to the rest. */
struct remains {
	_Atomic uint64_t end, written, writing;
	_Atomic uint64_t whole; /* times four, and the depth */
	size_t mapped;		/* bytes of this struct, in the child */
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

/* A kernel before 5.14 does not know how. */
static void map_for(struct remains *r, size_t at)
{
	while (r->mapped < sizeof(*r) &&
	       r->mapped < offsetof(struct remains, text) + at) {
		(void)madvise((char *)r + r->mapped, MAPPED_BYTES, MADV_POPULATE_WRITE);
		r->mapped += MAPPED_BYTES;
	}
}

void remains_add(struct remains *r, const char *text, size_t len)
{
	uint64_t end = r->end;

	while (len) {
		const size_t at = end % RING_BYTES;
		size_t n = (size_t)lesser(lesser(len, PIECE_BYTES), RING_BYTES - at);
		map_for(r, at + n);
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
	r->mapped = 0;
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
