/* SPDX-License-Identifier: Apache-2.0 */
#include "redaction_priv.h"

#include <stdlib.h>
#include <string.h>

enum {
	CONTENT_MIN = 6,     /* shorter ones are words like any other */
	PART_MIN = 8,	     /* of a secret, to be known by */
	CONTENT_MAX = 4096,  /* of each, is remembered */
	CONTENTS_MAX = 1024, /* more are too many to look for */
	TABLE = 1024,	     /* by the hash of their beginning: a power of two */
};

struct range {
	uint64_t begin, end;
};

struct content {
	char *bytes;
	size_t len;
	struct content *next; /* of the same hash */
};

struct secrets {
	struct range *ranges;
	size_t range_count, range_cap;
	struct content **table;
	size_t content_count, learned;
};

struct secrets *secrets_new(void)
{
	struct secrets *s = xcalloc(1, sizeof(*s));

	s->table = xcalloc(TABLE, sizeof(struct content *));
	return s;
}

void secrets_free(struct secrets *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < TABLE; i++) {
		for (struct content *c = s->table[i], *next; c; c = next) {
			next = c->next;
			explicit_bzero(c->bytes, c->len);
			xfree(c->bytes);
			xfree(c);
		}
	}
	xfree(s->table);
	xfree(s->ranges);
	xfree(s);
}

static struct content **chain(const struct secrets *s, const char *bytes)
{
	uint32_t low;
	uint16_t high;

	memcpy(&low, bytes, sizeof(low));
	memcpy(&high, bytes + sizeof(low), sizeof(high));
	uint64_t hash = (low | (uint64_t)high << 32) * UINT64_C(0x9e3779b97f4a7c15);
	return &s->table[(hash >> 40) & (TABLE - 1)];
}

/* The first whose end is behind addr. */
static size_t range_behind(const struct secrets *s, uint64_t addr)
{
	size_t low = 0, high = s->range_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (s->ranges[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool secrets_at(const struct secrets *s, uint64_t addr, uint64_t size)
{
	size_t i = range_behind(s, addr);

	return size > 0 && i < s->range_count && s->ranges[i].begin < addr + size;
}

/* Sorted, none overlaps another. */
static bool learn_range(struct secrets *s, uint64_t begin, uint64_t end)
{
	size_t first = range_behind(s, begin), last = first;

	if (first < s->range_count && s->ranges[first].begin <= begin &&
	    s->ranges[first].end >= end)
		return false;
	for (; last < s->range_count && s->ranges[last].begin <= end; last++) {
		if (s->ranges[last].begin < begin)
			begin = s->ranges[last].begin;
		if (s->ranges[last].end > end)
			end = s->ranges[last].end;
	}
	GROW(s->ranges, s->range_count, s->range_cap);
	memmove(s->ranges + first + 1, s->ranges + last,
		(s->range_count - last) * sizeof(*s->ranges));
	s->range_count -= last - first;
	s->ranges[first] = (struct range){ begin, end };
	s->range_count++;
	return true;
}

static bool is_known(const struct secrets *s, const char *bytes, size_t len)
{
	for (const struct content *c = *chain(s, bytes); c; c = c->next)
		if (c->len == len && memcmp(c->bytes, bytes, len) == 0)
			return true;
	return false;
}

/* "        " and "00000000" are in many texts. */
static bool is_one_letter(const char *bytes, size_t len)
{
	return memcmp(bytes, bytes + 1, len - 1) == 0;
}

static bool learn_content(struct secrets *s, const char *bytes, size_t len)
{
	if (len > CONTENT_MAX)
		len = CONTENT_MAX;
	if (s->content_count == CONTENTS_MAX || len < CONTENT_MIN ||
	    is_one_letter(bytes, len) || is_known(s, bytes, len))
		return false;
	struct content *c = xcalloc(1, sizeof(*c)), **at = chain(s, bytes);
	*c = (struct content){ xmalloc(len), len, *at };
	memcpy(c->bytes, bytes, len);
	*at = c;
	s->content_count++;
	return true;
}

void secrets_learn(struct secrets *s, uint64_t addr, uint64_t size, const void *bytes,
		   size_t len)
{
	if (addr && size && addr + size > addr)
		s->learned += learn_range(s, addr, addr + size);
	if (bytes)
		s->learned += learn_content(s, bytes, len);
}

size_t secrets_count(const struct secrets *s)
{
	return s->learned;
}

size_t secrets_here(const struct secrets *s, const char *text, size_t len)
{
	size_t longest = 0;

	if (!s->content_count || len < CONTENT_MIN)
		return 0;
	for (const struct content *c = *chain(s, text); c; c = c->next) {
		size_t n = c->len < len ? c->len : len; /* the text may be cut off */
		if (n > longest && memcmp(c->bytes, text, n) == 0)
			longest = n;
	}
	return longest;
}

bool secrets_hold(const struct secrets *s, const char *text, size_t len)
{
	if (s->content_count == CONTENTS_MAX)
		return true;
	if (!s->content_count || len < PART_MIN || len > CONTENT_MAX)
		return false;
	for (size_t i = 0; i < TABLE; i++)
		for (const struct content *c = s->table[i]; c; c = c->next)
			if (c->len >= len && memmem(c->bytes, c->len, text, len))
				return true;
	return false;
}
