/* SPDX-License-Identifier: Apache-2.0 */
/* block.h - pieces of data in a page, each an element that no browser runs. page/source.js reads
 * them. */
#ifndef GOSNAP_BLOCK_H
#define GOSNAP_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct page_out;
struct sink;

/* What so many bytes take up in the page at most. */
uint64_t block_bytes_at_most(uint64_t bytes);
/* All elements of a part, see sink.h, as an array. Returns how many bytes that is in the page. */
size_t block_write_part(const struct page_out *out, const char *kind,
			const struct sink *part);

/* Elements, each behind its number, in blocks of which the browser unpacks those that it needs. */
struct blocks {
	const struct page_out *out;
	const char *kind;  /* for source.js */
	struct sink *part; /* NULL: nothing is waiting */
	size_t first, last;
	uint64_t bytes,
		packed; /* of all, before compression and in the page; but of what is waiting */
};

/* json: one value. */
void blocks_add(struct blocks *blocks, size_t number, const char *json, size_t len);
/* What is waiting, and one more of so many bytes. */
uint64_t blocks_waiting_with(const struct blocks *blocks, uint64_t more);
/* Writes what is waiting. */
void blocks_finish(struct blocks *blocks);

#endif
