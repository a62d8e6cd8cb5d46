/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - frames of HTTP/2 with parts of a header block: RFC 9113, 4.1. */
#include <string.h>

#include "redaction/redaction_priv.h"

enum { HEADERS = 1, PUSH_PROMISE = 5, CONTINUATION = 9, FLAGS = 0x2d, END_HEADERS = 4 };

bool is_header_frame(const uint8_t bytes[static FRAME_HEADER])
{
	const uint8_t type = bytes[3];

	return (type == HEADERS || type == PUSH_PROMISE || type == CONTINUATION) &&
	       !bytes[0] && (bytes[1] || bytes[2]) && !(bytes[4] & ~FLAGS) && !bytes[5] &&
	       (bytes[6] || bytes[7] || bytes[8]);
}

/* All but the last are as large as they may be. Small numbers in memory are like other frames. */
static bool is_continuation(const char *bytes)
{
	enum { LARGE = 8192 };
	const uint8_t *frame = (const uint8_t *)bytes;

	if (frame[3] != CONTINUATION || !is_header_frame(frame))
		return false;
	return frame[4] == END_HEADERS || (!frame[4] && frame[1] >= LARGE >> 8);
}

size_t continued_fields(const char *bytes, size_t len)
{
	const uint8_t *frame = (const uint8_t *)bytes;

	if (len <= FRAME_HEADER || !is_continuation(bytes))
		return 0;
	const size_t end = FRAME_HEADER + (size_t)(frame[1] << 8 | frame[2]);
	return end < len ? end : len;
}

/* The next one at or after bytes[at]; len: there is none. */
static size_t next_continuation(const char *bytes, size_t len, size_t at)
{
	for (; at + FRAME_HEADER <= len; at++)
		if (is_continuation(bytes + at))
			return at;
	return len;
}

struct joined *frames_join(const char *bytes, size_t len)
{
	size_t at = next_continuation(bytes, len, 0), from = 0;

	if (at == len)
		return NULL;
	struct joined *j = xcalloc(1, sizeof(*j));
	j->bytes = xmalloc(len);
	j->from = xreallocarray(NULL, len + 1, sizeof(*j->from));
	for (; from < len; from = at + FRAME_HEADER) {
		at = next_continuation(bytes, len, from);
		for (size_t i = from; i < at; i++) {
			j->from[j->len] = i;
			j->bytes[j->len++] = bytes[i];
		}
		if (at == len)
			break;
	}
	j->from[j->len] = len;
	return j;
}

void joined_free(struct joined *j)
{
	if (!j)
		return;
	explicit_bzero(j->bytes, j->len);
	xfree(j->bytes);
	xfree(j->from);
	xfree(j);
}
