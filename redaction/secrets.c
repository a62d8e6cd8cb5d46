/* SPDX-License-Identifier: Apache-2.0 */
#include "redaction/redaction_priv.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/base/table.h"

enum {
	CONTENTS_MAX = 1 << 16, /* more are too many to search for */
	ALIKE_MAX = 64,		/* that begin alike; a text that begins so, too, is one */
	NUMBERS_MAX = 1 << 18,
	TABLE = 1024, /* initial size, by hash of the beginning: a power of two */
};

#define NUMBER_MIN UINT64_C(100000)

struct range {
	uint64_t begin, end;
};

struct content {
	char *bytes;
	size_t len;
	struct content *next; /* with the same hash */
	bool learned;	      /* false: only an encoding of one */
	uint64_t addr;	      /* where it was when added last; 0: was not */
};

struct secrets {
	struct range *ranges;
	size_t range_count, range_cap;
	struct content **table; /* by hash of the beginning */
	size_t table_size;
	struct content **contents; /* in the order in which they came */
	struct table exact;	   /* hash of all bytes, length: index + 1 */
	size_t in_table, contents_cap;
	struct content **told; /* the learned ones in that order */
	size_t content_count, told_cap;
	struct parts *parts; /* of the learned ones */
	struct table number_set;
	uint64_t *numbers;
	size_t number_count, numbers_cap, learned;
	struct windows *windows, *coded; /* coded: of the Huffman code */
	bool all;			 /* anything else may be one */
	bool suspect;			 /* ... for the time being */
};

struct secrets *secrets_new(void)
{
	struct secrets *s = xcalloc(1, sizeof(*s));

	s->table_size = TABLE;
	s->table = xcalloc(TABLE, sizeof(struct content *));
	s->windows = windows_new(true);
	s->coded = windows_new(false);
	s->parts = parts_new();
	return s;
}

static void free_contents(struct secrets *s)
{
	for (size_t i = 0; i < s->in_table; i++) {
		explicit_bzero(s->contents[i]->bytes, s->contents[i]->len);
		xfree(s->contents[i]->bytes);
		xfree(s->contents[i]);
	}
	if (s->in_table)
		memset(s->table, 0, s->table_size * sizeof(*s->table));
}

void secrets_clear(struct secrets *s)
{
	free_contents(s);
	windows_clear(s->windows);
	windows_clear(s->coded);
	parts_clear(s->parts);
	table_clear(&s->number_set);
	table_clear(&s->exact);
	s->in_table = 0;
	s->range_count = s->content_count = s->number_count = s->learned = 0;
	s->all = false;
}

void secrets_free(struct secrets *s)
{
	if (!s)
		return;
	free_contents(s);
	windows_free(s->windows);
	windows_free(s->coded);
	parts_free(s->parts);
	table_free(&s->number_set);
	table_free(&s->exact);
	xfree(s->numbers);
	xfree(s->contents);
	xfree(s->told);
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
	if (s->all || s->suspect)
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

static uint64_t hash_of_all(const char *bytes, size_t len)
{
	uint64_t hash = len, word;

	for (size_t at = 0; at < len; at += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes + at,
		       len - at < sizeof(word) ? len - at : sizeof(word));
		hash = table_hash(hash, word);
	}
	return hash;
}

static struct content *find_content(const struct secrets *s, const char *bytes,
				    size_t len)
{
	const uint64_t index = table_get(&s->exact, hash_of_all(bytes, len), len);
	struct content *c = index ? s->contents[index - 1] : NULL;

	return c && c->len == len && memcmp(c->bytes, bytes, len) == 0 ? c : NULL;
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
	if (len < SECRET_MIN || is_one_letter(bytes, len))
		return NULL;
	struct content *c = find_content(s, bytes, len), **at;
	if (c)
		return c;
	if (s->in_table == s->table_size)
		grow_table(s);
	GROW(s->contents, s->in_table, s->contents_cap);
	c = xcalloc(1, sizeof(*c));
	s->contents[s->in_table++] = c;
	table_set(&s->exact, hash_of_all(bytes, len), len, s->in_table);
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
	return windows_add(s->windows, bytes, len < SECRET_KNOWN ? len : SECRET_KNOWN);
}

/* Encoders write a string as it is if its code would be longer. */
static void add_coded_windows(struct secrets *s, const char *bytes, size_t len)
{
	enum { CODED_MIN = 8, CODED_MAX = 1024 };
	uint8_t coded[CODED_MAX + 1];

	if (len > CODED_MAX)
		len = CODED_MAX;
	if (len < CODED_MIN || huffman_bits(bytes, len) > len * CHAR_BIT)
		return;
	for (unsigned shift = 0; shift < CHAR_BIT; shift++)
		windows_add(s->coded, coded, huffman_encode(bytes, len, shift, coded));
	explicit_bzero(coded, sizeof(coded));
}

static const char *bytes_of(const void *arg, uint32_t secret)
{
	const struct secrets *s = arg;

	return s->told[secret]->bytes;
}

/* It may already be there as an encoding of another secret. */
static bool learn_content(struct secrets *s, const char *bytes, size_t len)
{
	if (len > SECRET_KNOWN)
		len = SECRET_KNOWN;
	bool is_new = add_windows(s, bytes, len);
	struct content *c =
		s->content_count < CONTENTS_MAX ? add_content(s, bytes, len) : NULL;
	if (!c || c->learned)
		return is_new;
	c->learned = true;
	GROW(s->told, s->content_count, s->told_cap);
	s->told[s->content_count] = c;
	parts_add(s->parts, (uint32_t)s->content_count, c->bytes, c->len, bytes_of, s);
	s->content_count++;
	each_encoding(bytes, len, add_encoding, s);
	add_coded_windows(s, bytes, len);
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

static bool is_learned(const struct secrets *s, uint64_t number)
{
	return s->number_count && table_get(&s->number_set, number, 0);
}

/* In the bytes of a big.Int or a netip.Addr, the highest comes first. */
bool secrets_have_number(const struct secrets *s, uint64_t number)
{
	const uint64_t swapped = __builtin_bswap64(number);

	return is_learned(s, number) || windows_all(s->windows, number) ||
	       windows_all(s->windows, swapped) || windows_all(s->coded, number) ||
	       windows_all(s->coded, swapped);
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
	GROW(s->numbers, s->number_count, s->numbers_cap);
	s->numbers[s->number_count++] = number;
	table_add(&s->number_set, number, 0);
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

void secrets_set_suspect(struct secrets *s, bool suspect)
{
	s->suspect = suspect;
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
	size_t longest = 0, alike = 0;

	if (!s->in_table || len < SECRET_MIN)
		return 0;
	for (const struct content *c = *chain(s, text); c; c = c->next) {
		alike += memcmp(c->bytes, text, SECRET_MIN) == 0;
		if (alike > ALIKE_MAX)
			return len;
		size_t n = c->len < len ? c->len : len; /* the text may be cut off */
		if (n > longest && memcmp(c->bytes, text, n) == 0)
			longest = n;
	}
	return longest;
}

bool secrets_are_all(const struct secrets *s)
{
	return s->all || s->suspect || s->content_count == CONTENTS_MAX ||
	       s->number_count == NUMBERS_MAX || parts_full(s->parts);
}

struct beginning {
	const struct secrets *secrets;
	const char *text;
	size_t len, longest;
};

/* Either all of the text is in the secret, or it goes on to the secret's end. Of many with the same
 * bytes, one will be it. */
static void compare(void *arg, uint32_t secret, size_t at, bool many)
{
	struct beginning *b = arg;
	const struct content *c = b->secrets->told[secret];
	size_t n = c->len - at < b->len ? c->len - at : b->len;

	if (many)
		b->longest = b->len;
	else if (n > b->longest && memcmp(c->bytes + at, b->text, n) == 0)
		b->longest = n;
}

size_t secrets_begin(const struct secrets *s, const char *text, size_t len)
{
	struct beginning b = { s, text, len, 0 };

	if (secrets_are_all(s))
		return len;
	if (s->content_count && len >= PART_BYTES)
		parts_each(s->parts, text, compare, &b);
	return b.longest;
}

/* As far as the bytes are the same. */
static void compare_part(void *arg, uint32_t secret, size_t at, bool many)
{
	struct beginning *b = arg;
	const struct content *c = b->secrets->told[secret];
	const size_t most = c->len - at < b->len ? c->len - at : b->len;
	size_t n = 0;

	while (n < most && c->bytes[at + n] == b->text[n])
		n++;
	(void)many; /* they have the same eight bytes */
	if (n >= PART_BYTES && n > b->longest)
		b->longest = n;
}

size_t secrets_part(const struct secrets *s, const char *text, size_t len)
{
	struct beginning b = { s, text, len, 0 };

	if (s->content_count && len >= PART_BYTES)
		parts_each(s->parts, text, compare_part, &b);
	return b.longest;
}

static const char *text_of(const void *arg, uint32_t secret, size_t *ret_len)
{
	const struct secrets *s = arg;

	*ret_len = s->told[secret]->len;
	return s->told[secret]->bytes;
}

void secrets_each_coded(const struct secrets *s, const uint8_t *bytes, size_t len,
			coded_fn *fn, void *arg)
{
	if (s->content_count)
		each_coded(s->parts, text_of, s, bytes, len, fn, arg);
}

struct secrets_mark secrets_mark(const struct secrets *s)
{
	return (struct secrets_mark){ s->in_table, s->content_count, s->number_count };
}

bool secrets_any_since(const struct secrets *s, const struct secrets_mark *mark,
		       bool (*of_content)(void *arg, const char *bytes, size_t len,
					  bool whole),
		       bool (*of_number)(void *arg, uint64_t number), void *arg)
{
	for (size_t i = mark->contents; i < s->in_table; i++)
		if (of_content(arg, s->contents[i]->bytes, s->contents[i]->len, false))
			return true;
	for (size_t i = mark->learned; i < s->content_count; i++)
		if (of_content(arg, s->told[i]->bytes, s->told[i]->len, true))
			return true;
	for (size_t i = mark->numbers; i < s->number_count; i++)
		if (of_number(arg, s->numbers[i]))
			return true;
	return false;
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
	const uint64_t swapped = __builtin_bswap64(word);

	return windows_any(s->windows, word) || windows_any(s->windows, swapped) ||
	       windows_two(s->coded, word) || windows_two(s->coded, swapped) ||
	       have_encoded_piece(s, word);
}

bool secrets_have_word(const struct secrets *s, uint64_t word)
{
	char bytes[sizeof(word)];

	memcpy(bytes, &word, sizeof(word));
	return secrets_at(s, word, 1) || is_learned(s, word) ||
	       secrets_have_piece(s, word) ||
	       (secrets_are_all(s) && !memchr(bytes, 0, sizeof(bytes)));
}
