/* SPDX-License-Identifier: Apache-2.0 */
/* block.h - pieces of data in a page, each an element that no browser runs. page/source.js reads
 * them. */
#ifndef GOSNAP_BLOCK_H
#define GOSNAP_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct page_out;
struct sink;

/* All elements of a part, see sink.h, as an array. */
void block_write_part(const struct page_out *out, const char *kind,
		      const struct sink *part);

/* Elements, each behind its number, in blocks of which the browser unpacks those that it needs. */
struct blocks {
	const struct page_out *out;
	const char *kind;  /* for source.js */
	struct sink *part; /* NULL: nothing is waiting */
	size_t first, last;
	uint64_t bytes; /* of all, before compression */
};

/* json: one value. */
void blocks_add(struct blocks *blocks, size_t number, const char *json, size_t len);
/* Writes what is waiting. */
void blocks_finish(struct blocks *blocks);

#endif
