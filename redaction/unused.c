/* SPDX-License-Identifier: Apache-2.0 */
/* unused.c - parts of buffers that hold what was there before. By words, as buffers are many; of the
 * word in which such a part begins, the edge says from which byte on. */
#include "redaction/redaction_priv.h"

#include "lib/base/table.h"
#include "lib/target/memory_set.h"

struct unused {
	struct memory_set *everywhere, *consumed;
	struct memory_set *edge_words; /* of which only the rest is unused everywhere */
	struct table edges;	       /* the first such byte of each */
	size_t noted;
};

static uint64_t word_of(uint64_t addr)
{
	return addr & -(uint64_t)WORD;
}

/* A variable that was never set has any address and length: no loop is to begin again at address 0. */
static bool is_memory(uint64_t addr, uint64_t size)
{
	uint64_t end;

	return addr && size && !__builtin_add_overflow(addr, size, &end) &&
	       end <= (uint64_t)-PAGE_BYTES;
}

static struct unused *unused_new(void)
{
	struct unused *u = xcalloc(1, sizeof(*u));

	u->everywhere = memory_set_new();
	u->consumed = memory_set_new();
	u->edge_words = memory_set_new();
	return u;
}

void unused_free(struct unused *u)
{
	if (!u)
		return;
	memory_set_free(u->everywhere);
	memory_set_free(u->consumed);
	memory_set_free(u->edge_words);
	table_free(&u->edges);
	xfree(u);
}

/* True: that was not known. */
static bool unused_add_edge(struct unused *u, uint64_t word, uint64_t first)
{
	const uint64_t known = table_get(&u->edges, word, 0);

	if (known && known <= first)
		return false;
	table_set(&u->edges, word, 0, first);
	memory_set_add(u->edge_words, word, WORD);
	return true;
}

void redaction_note_unused(struct redaction *r, uint64_t addr, uint64_t size)
{
	const uint64_t end = word_of(addr + size), word = word_of(addr);

	if (r->mode == REDACT_NOTHING || !is_memory(addr, size) || end <= word)
		return;
	if (!r->unused)
		r->unused = unused_new();
	struct unused *u = r->unused;
	bool is_new = false;
	if (addr > word)
		is_new = unused_add_edge(u, word, addr - word);
	const uint64_t from = addr > word ? word + WORD : word;
	if (end > from) {
		is_new |= !memory_set_has(u->everywhere, from) ||
			  !memory_set_has(u->everywhere, end - WORD);
		memory_set_add(u->everywhere, from, end - from);
	}
	u->noted += is_new;
}

void redaction_note_consumed(struct redaction *r, uint64_t addr, uint64_t size)
{
	const uint64_t from = word_of(addr + WORD - 1), end = word_of(addr + size);

	if (r->mode == REDACT_NOTHING || !is_memory(addr, size) || end <= from)
		return;
	if (!r->unused)
		r->unused = unused_new();
	memory_set_add(r->unused->consumed, from, end - from);
}

size_t unused_noted(const struct redaction *r)
{
	return r->unused ? r->unused->noted : 0;
}

/* The first byte of the word that is unused; WORD: none. */
static uint64_t unused_byte(const struct unused *u, const struct memory_page *page,
			    const struct memory_page *edges, uint64_t word)
{
	if (page && memory_page_has(page, word))
		return 0;
	return edges && memory_page_has(edges, word) ? table_get(&u->edges, word, 0)
						     : WORD;
}

uint64_t redaction_used(const struct redaction *r, uint64_t addr, uint64_t size)
{
	/* The length of a text that was never set is any number; nobody shows so much of one. */
	enum { MOST = 64 << 20 };
	const struct unused *u = r->unused;
	const uint64_t end = addr + (size < MOST ? size : MOST);

	if (!u || !is_memory(addr, size))
		return size;
	for (uint64_t word = word_of(addr), next; word < end; word = next) {
		const struct memory_page *page = memory_set_page(u->everywhere, word),
					 *edges = memory_set_page(u->edge_words, word);
		next = (word | (PAGE_BYTES - 1)) + 1;
		for (; (page || edges) && word < next && word < end; word += WORD) {
			const uint64_t first = word + unused_byte(u, page, edges, word);
			if (first < word + WORD && first < end)
				return first > addr ? first - addr : 0;
		}
	}
	return size;
}

/* Even where it may be an address: nobody needs it. */
void unused_erase(const struct redaction *r, uint64_t addr, uint8_t *bytes, size_t len)
{
	const struct unused *u = r->unused;

	for (size_t at = 0; u && at < len; at++) {
		const uint64_t word = word_of(addr + at),
			       first = memory_set_has(u->everywhere, word) ||
						       memory_set_has(u->consumed, word)
					       ? 0
				       : memory_set_has(u->edge_words, word)
					       ? table_get(&u->edges, word, 0)
					       : WORD;
		if (addr + at >= word + first)
			bytes[at] = REDACTION_FILL;
	}
}
