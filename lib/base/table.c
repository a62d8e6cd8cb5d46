/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - open addressing, a power of two, at most three quarters full. */
#include "lib/base/table.h"

#include <string.h>
#include <sys/random.h>

#include "lib/base/util.h"

enum { SIZE_FIRST = 64 };

struct table_slot {
	uint64_t a, b;
	uint64_t value; /* 0: free */
};

/* Random, so that a subject cannot choose keys that meet. If the kernel has none yet, the
 * table still works. */
static uint64_t seed(void)
{
	static uint64_t random;

	if (!random && getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 1;
	return random;
}

/* The finalizer of MurmurHash3 (Appleby, public domain): each bit changes half of all. */
static uint64_t mixed(uint64_t word)
{
	word = (word ^ word >> 33) * UINT64_C(0xff51afd7ed558ccd);
	word = (word ^ word >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return word ^ word >> 33;
}

uint64_t table_hash(uint64_t a, uint64_t b)
{
	return mixed(mixed(a ^ seed()) + b);
}

uint64_t table_hash_bytes(const void *bytes, size_t len)
{
	uint64_t hash = len;

	for (size_t i = 0; i < len; i += sizeof(uint64_t)) {
		uint64_t word = 0;
		memcpy(&word, (const uint8_t *)bytes + i,
		       len - i < sizeof(word) ? len - i : sizeof(word));
		hash = table_hash(hash, word);
	}
	return hash;
}

static struct table_slot *find(const struct table *t, uint64_t a, uint64_t b)
{
	uint64_t i = table_hash(a, b);

	for (;; i++) {
		struct table_slot *slot = &t->slots[i & (t->size - 1)];
		if (!slot->value || (slot->a == a && slot->b == b))
			return slot;
	}
}

static void grow(struct table *t)
{
	const struct table old = *t;

	t->size = old.size ? 2 * old.size : SIZE_FIRST;
	t->slots = xcalloc(t->size, sizeof(*t->slots));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].value)
			*find(t, old.slots[i].a, old.slots[i].b) = old.slots[i];
	xfree(old.slots);
}

uint64_t table_get(const struct table *t, uint64_t a, uint64_t b)
{
	return t->size ? find(t, a, b)->value : 0;
}

void table_set(struct table *t, uint64_t a, uint64_t b, uint64_t value)
{
	if (4 * t->count >= 3 * t->size)
		grow(t);
	struct table_slot *slot = find(t, a, b);
	t->count += !slot->value;
	*slot = (struct table_slot){ a, b, value };
}

bool table_add(struct table *t, uint64_t a, uint64_t b)
{
	if (table_get(t, a, b))
		return false;
	table_set(t, a, b, 1);
	return true;
}

uint64_t table_next(const struct table *t, size_t *at)
{
	while (*at < t->size) {
		uint64_t value = t->slots[(*at)++].value;
		if (value)
			return value;
	}
	return 0;
}

void table_clear(struct table *t)
{
	if (t->count)
		memset(t->slots, 0, t->size * sizeof(*t->slots));
	t->count = 0;
}

void table_free(struct table *t)
{
	xfree(t->slots);
	*t = (struct table){ .slots = NULL };
}
