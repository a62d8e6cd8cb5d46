/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h - bounded cursor over untrusted little-endian bytes.
 * Errors are sticky: check `bad` once per record. Failed reads return zero. */
#ifndef GOSNAP_BYTES_H
#define GOSNAP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct bytes bytes_over(const void *p, size_t len)
{
	/* Adding even 0 to NULL is undefined behaviour in C. */
	const uint8_t *start = p ? p : (const uint8_t *)"";

	return (struct bytes){ .at = start, .end = start + len };
}

/* The cursor advanced by off bytes; bad if that is past the end. */
static inline struct bytes bytes_at(struct bytes b, uint64_t off)
{
	if (b.bad || off > (uint64_t)(b.end - b.at))
		return (struct bytes){ .bad = true };
	if (off) /* the start of an empty cursor may be NULL */
		b.at += off;
	return b;
}

static inline void bytes_take(struct bytes *b, void *ret, size_t len)
{
	if (b->bad || len > (size_t)(b->end - b->at)) {
		b->bad = true;
		memset(ret, 0, len);
		return;
	}
	memcpy(ret, b->at, len);
	b->at += len;
}

#define BYTES_UINT(bits)                                                                 \
	static inline uint##bits##_t bytes_u##bits(struct bytes *b)                      \
	{                                                                                \
		uint##bits##_t v;                                                        \
		bytes_take(b, &v, sizeof(v));                                            \
		return v;                                                                \
	}
BYTES_UINT(8)
BYTES_UINT(16)
BYTES_UINT(32)
BYTES_UINT(64)
#undef BYTES_UINT

/* Unsigned LEB128 of at most 64 bits. */
static inline uint64_t bytes_uvarint(struct bytes *b)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t c = bytes_u8(b);
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	b->bad = true;
	return 0;
}

/* Signed LEB128 of at most 64 bits. */
static inline int64_t bytes_varint(struct bytes *b)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t c = bytes_u8(b);
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c & 0x80)
			continue;
		if (c & 0x40 && shift < 57)
			v |= ~UINT64_C(0) << (shift + 7);
		return (int64_t)v;
	}
	b->bad = true;
	return 0;
}

/* A NUL-terminated string, borrowed from the bytes. NULL (and bad): no NUL before the
 * end. */
static inline const char *bytes_string(struct bytes *b)
{
	const uint8_t *nul = b->bad ? NULL : memchr(b->at, 0, (size_t)(b->end - b->at));
	const char *s = (const char *)b->at;
	if (!nul) {
		b->bad = true;
		return NULL;
	}
	b->at = nul + 1;
	return s;
}

#endif
