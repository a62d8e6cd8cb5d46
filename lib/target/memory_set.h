/* SPDX-License-Identifier: Apache-2.0 */
/* memory_set.h - a set of addresses, by words: which memory has been read, or is wanted. It
 * knows nothing of what is there. */
#ifndef GOSNAP_MEMORY_SET_H
#define GOSNAP_MEMORY_SET_H

#include "lib/base/util.h"
#include "lib/target/arch.h"

struct memory_set;

struct memory_set *memory_set_new(void);
void memory_set_free(struct memory_set *s);
DEFINE_AUTO(struct memory_set, memory_set_free)

/* Every word that [addr, addr + len) touches. Pages past LIMIT_EXTENT_BYTES in total are ignored. */
void memory_set_add(struct memory_set *s, uint64_t addr, uint64_t len);
void memory_set_add_set(struct memory_set *s, const struct memory_set *other);
enum { MEMORY_PAGE_WORDS = PAGE_BYTES / WORD };

struct memory_page {
	uint64_t addr;
	uint64_t words[MEMORY_PAGE_WORDS / 64]; /* a bit for each word */
};
/* Those with at least one word, sorted. Borrowed until the next call. */
const struct memory_page *memory_set_pages(struct memory_set *s, size_t *ret_n);
/* That of addr; NULL: not in the set. */
const struct memory_page *memory_set_page(const struct memory_set *s, uint64_t addr);
static inline bool memory_page_has(const struct memory_page *page, uint64_t addr)
{
	const size_t word = (size_t)(addr - page->addr) / WORD;

	return page->words[word / 64] >> word % 64 & 1;
}
/* The first word of a page that is in the set. */
uint64_t memory_page_first(const struct memory_page *page);
/* Takes words out: [from, to) is in the page. */
void memory_page_clear(struct memory_page *page, uint64_t from, uint64_t to);
/* fn() may clear words of each page. Pages without words are no longer in the set. */
void memory_set_filter(struct memory_set *s,
		       void (*fn)(void *arg, struct memory_page *page), void *arg);
/* Is the word of addr in the set? */
bool memory_set_has(const struct memory_set *s, uint64_t addr);

#endif
