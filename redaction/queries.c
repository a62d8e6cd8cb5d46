/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c - texts and numbers that were not secret when they were asked about. Of their
 * bytes only hashes are kept, as bits: what was asked is found, and sometimes what was
 * not. */
#include <string.h>

#include "redaction/redaction_priv.h"

enum {
	TEXT_BITS = 23, /* logarithm of their number */
	OTHER_BITS = 20,
	PIECE = 8, /* bytes of a number, and of a text's beginning */
};

struct bits {
	uint8_t *bytes;
	unsigned log;
};

struct asked {
	struct bits texts, beginnings, numbers;
	struct secrets_mark mark; /* what was known at the start */
	bool all;		  /* ... everything was secret */
};

static struct bits bits_new(unsigned log)
{
	return (struct bits){ xcalloc((size_t)1 << (log - 3), 1), log };
}

static size_t place_of(const struct bits *bits, uint64_t what)
{
	return (what * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits->log);
}

static void note(struct bits *bits, uint64_t what)
{
	const size_t at = place_of(bits, what);

	bits->bytes[at >> 3] |= (uint8_t)(1 << (at & 7));
}

static bool is_noted(const struct bits *bits, uint64_t what)
{
	const size_t at = place_of(bits, what);

	return bits->bytes[at >> 3] >> (at & 7) & 1;
}

struct asked *asked_new(void)
{
	struct asked *a = xcalloc(1, sizeof(*a));

	a->texts = bits_new(TEXT_BITS);
	a->beginnings = bits_new(OTHER_BITS);
	a->numbers = bits_new(OTHER_BITS);
	return a;
}

void asked_free(struct asked *a)
{
	if (!a)
		return;
	xfree(a->texts.bytes);
	xfree(a->beginnings.bytes);
	xfree(a->numbers.bytes);
	xfree(a);
}

static void clear(struct bits *bits)
{
	memset(bits->bytes, 0, (size_t)1 << (bits->log - 3));
}

void asked_begin(struct asked *a, const struct secrets *s)
{
	clear(&a->texts);
	clear(&a->beginnings);
	clear(&a->numbers);
	a->mark = secrets_mark(s);
	a->all = secrets_are_all(s);
}

void asked_number(struct asked *a, uint64_t number)
{
	note(&a->numbers, number);
}

static uint64_t word_of(const char *bytes, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, bytes, len);
	return word;
}

void asked_text(struct asked *a, const char *text, size_t len)
{
	if (len >= PIECE)
		note(&a->beginnings, word_of(text, PIECE));
	for (size_t at = 0; at + SECRET_MIN <= len; at++)
		note(&a->texts, word_of(text + at, SECRET_MIN));
}

static bool is_content_asked(void *arg, const char *bytes, size_t len, bool whole)
{
	const struct asked *a = arg;

	if (is_noted(&a->texts, word_of(bytes, SECRET_MIN)))
		return true;
	for (size_t at = 0; whole && at + PIECE <= len; at++) {
		uint64_t word = word_of(bytes + at, PIECE);
		if (is_noted(&a->beginnings, word) || is_noted(&a->numbers, word) ||
		    is_noted(&a->numbers, __builtin_bswap64(word)))
			return true;
	}
	return false;
}

static bool is_number_asked(void *arg, uint64_t number)
{
	const struct asked *a = arg;

	return is_noted(&a->numbers, number);
}

bool asked_settled(const struct asked *a, const struct secrets *s)
{
	if (secrets_are_all(s) && !a->all)
		return false;
	return !secrets_any_since(s, &a->mark, is_content_asked, is_number_asked,
				  (void *)a);
}
