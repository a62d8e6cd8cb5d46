/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - which secrets contain these eight bytes, and where: a text may begin in the
 * middle of one. */
#include <limits.h>
#include <string.h>

#include "redaction/redaction_priv.h"

enum {
	FIRST = 1 << 10,
	COUNT_MAX = 1 << 22,
	EQUAL_MAX = 16, /* of the same bytes; more are not told apart */
	MANY = 0x8000,	/* in `at`: ... and this stands for all of them */
	BITS = 4,
	EDGE = 512, /* of a longer secret, only bytes so near to its ends */
};

struct part {
	uint32_t secret; /* number + 1; 0: free */
	uint16_t at, tag;
};

struct parts {
	struct part *slots; /* open addressing, a power of two */
	size_t count, size;
	uint8_t *
		bits; /* by hash, BITS for each slot: most questions end here, without a look into large memory */
};

struct parts *parts_new(void)
{
	return xcalloc(1, sizeof(struct parts));
}

void parts_free(struct parts *p)
{
	if (!p)
		return;
	xfree(p->slots);
	xfree(p->bits);
	xfree(p);
}

void parts_clear(struct parts *p)
{
	xfree(p->slots);
	xfree(p->bits);
	*p = (struct parts){ .count = 0 };
}

bool parts_full(const struct parts *p)
{
	return p->count >= COUNT_MAX;
}

static uint64_t hash_of(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, PART_BYTES);
	return word * UINT64_C(0x9e3779b97f4a7c15);
}

static size_t slot_of(uint64_t hash)
{
	return hash >> 24;
}

static uint16_t tag_of(uint64_t hash)
{
	return (uint16_t)(hash >> 8);
}

static size_t bit_of(const struct parts *p, uint64_t hash)
{
	return (hash >> 20) & (BITS * p->size - 1);
}

static void set_bit(struct parts *p, uint64_t hash)
{
	const size_t bit = bit_of(p, hash);

	p->bits[bit / CHAR_BIT] |= (uint8_t)(1 << bit % CHAR_BIT);
}

/* Slots keep too little of the hash to be moved: they are found again by their bytes. */
static void grow(struct parts *p, bytes_of_fn *bytes_of, const void *arg)
{
	const struct parts old = *p;

	p->size = old.size ? 2 * old.size : FIRST;
	p->slots = xcalloc(p->size, sizeof(*p->slots));
	p->bits = xcalloc(BITS * p->size / CHAR_BIT, 1);
	for (size_t i = 0; i < old.size; i++) {
		const struct part *part = &old.slots[i];
		if (!part->secret)
			continue;
		const char *bytes = bytes_of(arg, part->secret - 1) + (part->at & ~MANY);
		size_t at = slot_of(hash_of(bytes));
		set_bit(p, hash_of(bytes));
		while (p->slots[at & (p->size - 1)].secret)
			at++;
		p->slots[at & (p->size - 1)] = *part;
	}
	xfree(old.slots);
	xfree(old.bits);
}

static void add(struct parts *p, uint32_t secret, uint16_t at, const char *bytes)
{
	const uint64_t hash = hash_of(bytes);
	size_t equal = 0;

	set_bit(p, hash);
	for (size_t i = slot_of(hash);; i++) {
		struct part *part = &p->slots[i & (p->size - 1)];
		if (part->secret) {
			equal += part->tag == tag_of(hash);
			if (equal == EQUAL_MAX) {
				part->at |= MANY;
				return;
			}
			continue;
		}
		*part = (struct part){ secret + 1, at, tag_of(hash) };
		p->count++;
		return;
	}
}

void parts_add(struct parts *p, uint32_t secret, const char *bytes, size_t len,
	       bytes_of_fn *bytes_of, const void *arg)
{
	for (size_t at = 0; at + PART_BYTES <= len && !parts_full(p); at++) {
		if (at == EDGE && len > 2 * EDGE)
			at = len - EDGE;
		if (2 * p->count >= p->size)
			grow(p, bytes_of, arg);
		add(p, secret, (uint16_t)at, bytes + at);
	}
}

void parts_each(const struct parts *p, const char *bytes, part_fn *fn, void *arg)
{
	const uint64_t hash = hash_of(bytes);
	const size_t bit = p->count ? bit_of(p, hash) : 0;

	if (!p->count || !(p->bits[bit / CHAR_BIT] >> bit % CHAR_BIT & 1))
		return;
	for (size_t i = slot_of(hash);; i++) {
		const struct part *part = &p->slots[i & (p->size - 1)];
		if (!part->secret)
			return;
		if (part->tag == tag_of(hash))
			fn(arg, part->secret - 1, part->at & ~MANY, part->at & MANY);
	}
}
