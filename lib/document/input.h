/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - the bytes of a document, plain or zstd, from a file or a pipe, through a buffer.
 * Private to lib/document. */
#ifndef GOSNAP_INPUT_H
#define GOSNAP_INPUT_H

#include <sys/types.h>
#include <zstd.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

enum {
	/* bytes; our largest element is the id list of a group of millions. jansson needs
	 * up to ten times as much. */
	ELEMENT_MAX = 128 << 20,
	END_OF_INPUT = -1,
};

struct input {
	int fd;
	char *name; /* for messages */
	off_t start;
	ZSTD_DCtx *zstd; /* NULL: plain */
	ZSTD_inBuffer packed;
	char *packed_buf;
	uint64_t packed_bytes, unpacked_bytes; /* since it was rewound */

	/* buf[at..end) has been read but not scanned; from mark on, data must be kept. */
	char *buf;
	size_t mark, at, end, cap;
	bool marked;
	uint64_t offset;   /* of buf[0] in the uncompressed document */
	struct err broken; /* why reading ended; ERR_NONE: end of input */
};

/* Takes ownership of fd, spooled to an unlinked temporary file if it is not seekable. What it returns
 * must be undone in any case. */
MUST_CHECK bool input_init(struct input *in, int fd, const char *name, struct err *err);
void input_done(struct input *in);
MUST_CHECK bool input_rewind(struct input *in, struct err *err);
/* Reads on when all is scanned: the next character. buf may move; mark and at move with it. A compressed
 * document ends where unpacks_to_too_much(), and broken says so. */
int input_fill(struct input *in);
/* Makes places readable in a compressed document, by writing it to an unlinked temporary
 * file. What is damaged stays packed: then who reads the document says so. */
MUST_CHECK bool input_unpack(struct input *in, struct err *err);
/* False: it is packed, or shorter. */
MUST_CHECK bool input_read_at(const struct input *in, uint64_t offset, char *ret,
			      size_t bytes);

static inline int input_peek(struct input *in)
{
	return in->at < in->end ? (unsigned char)in->buf[in->at] : input_fill(in);
}

#endif
