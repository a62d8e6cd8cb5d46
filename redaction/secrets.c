/* SPDX-License-Identifier: Apache-2.0 */
#include "redaction/redaction_priv.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"

enum {
	CONTENT_MIN = 6,     /* shorter ones are ordinary words */
	PART_MIN = 8,	     /* of a secret, to be recognised */
	CONTENT_MAX = 4096,  /* remembered of each */
	CONTENTS_MAX = 1024, /* more are too many to search for */
	NUMBERS_MAX = 64,    /* likewise */
	ADDED_MIN = 8,	     /* for one of many: shorter ones occur in others by chance */
	ADDED_MAX = 1 << 16, /* number of those */
	TABLE = 1024,	     /* initial size, by hash of the beginning: a power of two */
};

#define NUMBER_MIN UINT64_C(100000)

struct range {
	uint64_t begin, end;
};

struct content {
	char *bytes;
	size_t len;
	struct content *next;	/* with the same hash */
	struct content *before; /* the one learned before this */
	bool learned;		/* false: only an encoding of one */
	uint64_t addr;		/* where it was when added last; 0: was not */
};

struct secrets {
	struct range *ranges;
	size_t range_count, range_cap;
	struct content **table, *last; /* learned last */
	size_t table_size, in_table, added;
	uint64_t numbers[NUMBERS_MAX];
	size_t content_count, number_count, learned;
	uint64_t *many; /* numbers of secrets_add_number(), sorted by secrets_sort() */
	size_t many_count, many_cap;
	struct windows *windows;
	bool all; /* anything else may be one */
};

struct secrets *secrets_new(void)
{
	struct secrets *s = xcalloc(1, sizeof(*s));

	s->table_size = TABLE;
	s->table = xcalloc(TABLE, sizeof(struct content *));
	s->windows = windows_new();
	return s;
}

static void free_contents(struct secrets *s)
{
	for (size_t i = 0; s->in_table && i < s->table_size; i++) {
		for (struct content *c = s->table[i], *next; c; c = next) {
			next = c->next;
			explicit_bzero(c->bytes, c->len);
			xfree(c->bytes);
			xfree(c);
		}
		s->table[i] = NULL;
	}
}

void secrets_clear(struct secrets *s)
{
	free_contents(s);
	windows_clear(s->windows);
	s->last = NULL;
	s->in_table = s->added = s->many_count = 0;
	s->range_count = s->content_count = s->number_count = s->learned = 0;
	s->all = false;
}

void secrets_free(struct secrets *s)
{
	if (!s)
		return;
	free_contents(s);
	windows_free(s->windows);
	xfree(s->table);
	xfree(s->ranges);
	xfree(s->many);
	xfree(s);
}

static struct content **chain(const struct secrets *s, const char *bytes)
{
	uint32_t low;
	uint16_t high;

	memcpy(&low, bytes, sizeof(low));
	memcpy(&high, bytes + sizeof(low), sizeof(high));
	uint64_t hash = (low | (uint64_t)high << 32) * UINT64_C(0x9e3779b97f4a7c15);
	return &s->table[(hash >> 40) & (s->table_size - 1)];
}

/* The first range that ends after addr. */
static size_t range_behind(const struct secrets *s, uint64_t addr)
{
	return LOWER_BOUND(i, s->range_count, s->ranges[i].end <= addr);
}

bool secrets_place(const struct secrets *s, uint64_t addr, uint64_t size,
		   uint64_t *ret_begin, uint64_t *ret_end)
{
	size_t i = range_behind(s, addr);

	*ret_begin = addr;
	*ret_end = addr + size;
	if (s->all)
		return true;
	if (size == 0 || i == s->range_count || s->ranges[i].begin >= addr + size)
		return false;
	if (s->ranges[i].begin > addr)
		*ret_begin = s->ranges[i].begin;
	if (s->ranges[i].end < addr + size)
		*ret_end = s->ranges[i].end;
	return true;
}

bool secrets_at(const struct secrets *s, uint64_t addr, uint64_t size)
{
	uint64_t begin, end;

	return secrets_place(s, addr, size, &begin, &end);
}

/* Ranges are sorted and do not overlap. */
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

static struct content *find_content(const struct secrets *s, const char *bytes,
				    size_t len)
{
	for (struct content *c = *chain(s, bytes); c; c = c->next)
		if (c->len == len && memcmp(c->bytes, bytes, len) == 0)
			return c;
	return NULL;
}

/* "        " and "00000000" are in many texts. */
static bool is_one_letter(const char *bytes, size_t len)
{
	return memcmp(bytes, bytes + 1, len - 1) == 0;
}

static void grow_table(struct secrets *s)
{
	struct content **old = s->table;
	size_t size = s->table_size;

	s->table_size = 2 * size;
	s->table = xcalloc(s->table_size, sizeof(struct content *));
	for (size_t i = 0; i < size; i++) {
		for (struct content *c = old[i], *next; c; c = next) {
			struct content **at = chain(s, c->bytes);
			next = c->next;
			c->next = *at;
			*at = c;
		}
	}
	xfree(old);
}

/* NULL: it is an ordinary word. */
static struct content *add_content(struct secrets *s, const char *bytes, size_t len)
{
	if (len < CONTENT_MIN || is_one_letter(bytes, len))
		return NULL;
	struct content *c = find_content(s, bytes, len), **at;
	if (c)
		return c;
	if (s->in_table++ == s->table_size)
		grow_table(s);
	c = xcalloc(1, sizeof(*c));
	at = chain(s, bytes);
	*c = (struct content){ .bytes = xmalloc(len), .len = len, .next = *at };
	memcpy(c->bytes, bytes, len);
	*at = c;
	return c;
}

static void add_encoding(void *arg, const char *text, size_t len)
{
	add_content(arg, text, len);
}

static bool add_windows(struct secrets *s, const char *bytes, size_t len)
{
	return windows_add(s->windows, bytes, len < CONTENT_MAX ? len : CONTENT_MAX);
}

/* It may already be there as an encoding of another secret. */
static bool learn_content(struct secrets *s, const char *bytes, size_t len)
{
	if (len > CONTENT_MAX)
		len = CONTENT_MAX;
	bool is_new = add_windows(s, bytes, len);
	struct content *c =
		s->content_count < CONTENTS_MAX ? add_content(s, bytes, len) : NULL;
	if (!c || c->learned)
		return is_new;
	c->learned = true;
	c->before = s->last;
	s->last = c;
	s->content_count++;
	each_encoding(bytes, len, add_encoding, s);
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

void secrets_add(struct secrets *s, uint64_t addr, uint64_t size, const void *bytes,
		 size_t len)
{
	if (s->added == ADDED_MAX || !size || addr + size < addr)
		return;
	add_windows(s, bytes, len);
	if (len < ADDED_MIN)
		return;
	struct content *c = add_content(s, bytes, len);
	if (c && c->addr == addr)
		return;
	if (c)
		c->addr = addr;
	s->added++;
	GROW(s->ranges, s->range_count, s->range_cap);
	s->ranges[s->range_count++] = (struct range){ addr, addr + size };
}

static int by_begin(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void sort_numbers(struct secrets *s)
{
	size_t n = 0;

	if (s->many_count)
		qsort(s->many, s->many_count, sizeof(*s->many), by_number);
	for (size_t i = 0; i < s->many_count; i++)
		if (n == 0 || s->many[i] != s->many[n - 1])
			s->many[n++] = s->many[i];
	s->many_count = n;
}

void secrets_sort(struct secrets *s)
{
	size_t n = 0;

	sort_numbers(s);
	if (s->range_count)
		qsort(s->ranges, s->range_count, sizeof(*s->ranges), by_begin);
	for (size_t i = 0; i < s->range_count; i++) {
		struct range *last = n ? &s->ranges[n - 1] : NULL;
		if (!last || s->ranges[i].begin > last->end)
			s->ranges[n++] = s->ranges[i];
		else if (s->ranges[i].end > last->end)
			last->end = s->ranges[i].end;
	}
	s->range_count = n;
}

static bool is_learned(const struct secrets *s, uint64_t number)
{
	for (size_t i = 0; i < s->number_count; i++)
		if (s->numbers[i] == number)
			return true;
	return false;
}

/* In the bytes of a big.Int or a netip.Addr, the highest comes first. */
bool secrets_have_number(const struct secrets *s, uint64_t number)
{
	return is_learned(s, number) || windows_all(s->windows, number) ||
	       windows_all(s->windows, __builtin_bswap64(number));
}

/* Small numbers, also negative ones, are too common. */
static bool is_small(uint64_t number)
{
	return number < NUMBER_MIN || -number < NUMBER_MIN;
}

/* In either byte order. Only complete numbers are searched for: times share their first
 * four bytes. For a negative number the sign is dropped. */
static void add_bytes_of(struct secrets *s, uint64_t number)
{
	enum { SIGN = 40 };

	if ((int64_t)number >> SIGN == -1)
		number = -number;
	const size_t unused = (size_t)__builtin_clzll(number) / 8,
		     len = sizeof(number) - unused;
	const uint64_t reversed = __builtin_bswap64(number);
	uint8_t bytes[sizeof(number)];

	memcpy(bytes, &number, sizeof(number));
	add_content(s, (const char *)bytes, len);
	memcpy(bytes, &reversed, sizeof(reversed));
	add_content(s, (const char *)bytes + unused, len);
	each_base(bytes + unused, len, add_encoding, s);
}

void secrets_learn_number(struct secrets *s, uint64_t number)
{
	if (s->number_count == NUMBERS_MAX || is_small(number) || is_learned(s, number))
		return;
	s->numbers[s->number_count++] = number;
	s->learned++;
	add_bytes_of(s, number);
}

void secrets_learn_long_number(struct secrets *s, const uint8_t *bytes, size_t len)
{
	const size_t before = s->in_table;

	if (s->content_count == CONTENTS_MAX)
		return;
	learn_content(s, (const char *)bytes, len);
	each_base(bytes, len, add_encoding, s);
	s->learned += s->in_table > before;
}

void secrets_add_number(struct secrets *s, uint64_t number)
{
	if (s->many_count == ADDED_MAX || is_small(number))
		return;
	GROW(s->many, s->many_count, s->many_cap);
	s->many[s->many_count++] = number;
}

void secrets_suspect_all(struct secrets *s)
{
	s->all = true;
	s->learned++;
}

size_t secrets_count(const struct secrets *s)
{
	return s->learned;
}

size_t secrets_contents(const struct secrets *s)
{
	return s->in_table;
}

size_t secrets_here(const struct secrets *s, const char *text, size_t len)
{
	size_t longest = 0;

	if (!s->in_table || len < CONTENT_MIN)
		return 0;
	for (const struct content *c = *chain(s, text); c; c = c->next) {
		size_t n = c->len < len ? c->len : len; /* the text may be cut off */
		if (n > longest && memcmp(c->bytes, text, n) == 0)
			longest = n;
	}
	return longest;
}

/* How many bytes at the start of text are in c, either all of text or up to the end of
 * c. */
static size_t rest_of(const struct content *c, const char *text, size_t len)
{
	enum { TRIES = 16 }; /* more: few distinct characters; assume a match */
	const char *end = c->bytes + c->len, *at = c->bytes;

	for (int i = 0; (at = memmem(at, (size_t)(end - at), text, PART_MIN)); at++) {
		size_t n = (size_t)(end - at) < len ? (size_t)(end - at) : len;
		if (memcmp(at, text, n) == 0 || ++i == TRIES)
			return n;
	}
	return 0;
}

bool secrets_are_all(const struct secrets *s)
{
	return s->all || s->content_count == CONTENTS_MAX;
}

size_t secrets_begin(const struct secrets *s, const char *text, size_t len)
{
	size_t longest = 0;

	if (secrets_are_all(s))
		return len;
	if (!s->content_count || len < PART_MIN)
		return 0;
	for (const struct content *c = s->last; c && longest < len; c = c->before) {
		size_t n = rest_of(c, text, len);
		longest = n > longest ? n : longest;
	}
	return longest;
}

static bool have_encoded_piece(const struct secrets *s, uint64_t word)
{
	uint64_t decoded[DECODINGS_MAX];
	size_t n = decodings_of(word, decoded);

	for (size_t i = 0; i < n; i++)
		if (windows_any(s->windows, decoded[i]))
			return true;
	return false;
}

bool secrets_have_piece(const struct secrets *s, uint64_t word)
{
	return windows_any(s->windows, word) ||
	       windows_any(s->windows, __builtin_bswap64(word)) ||
	       have_encoded_piece(s, word);
}

bool secrets_have_word(const struct secrets *s, uint64_t word)
{
	char bytes[sizeof(word)];

	memcpy(bytes, &word, sizeof(word));
	return secrets_at(s, word, 1) || is_learned(s, word) ||
	       (s->many_count &&
		bsearch(&word, s->many, s->many_count, sizeof(word), by_number)) ||
	       secrets_have_piece(s, word) ||
	       (secrets_are_all(s) && !memchr(bytes, 0, sizeof(bytes)));
}
