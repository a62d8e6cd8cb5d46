/* SPDX-License-Identifier: Apache-2.0 */
/* coded.c - finds eight or more letters of a secret in Huffman code, wherever they begin.
 *
 * Going backwards from the last bit, each bit has the eight letters whose codes begin there: the letter at the bit, and
 * the first seven of where its code ends. So one look into a table per bit finds all, without knowing where a string
 * begins; of a buffer that was used again, the rest of an earlier string is found, too. */
#include <limits.h>
#include <string.h>

#include "redaction/redaction_priv.h"

struct search {
	const struct parts *parts;
	text_of_fn *text_of;
	const void *texts;
	const uint8_t *bytes;
	size_t len;
	uint64_t letters[HUFFMAN_RING];
	size_t ends
		[HUFFMAN_RING]; /* in bytes, of the secret at this bit; 0: there is none */
	size_t bit, end;	/* of the question */
};

/* A long secret has parts only near its ends: the letters between them are compared. */
static void compare(void *arg, uint32_t secret, size_t at, bool many)
{
	struct search *c = arg;
	size_t len, n = PART_BYTES;
	const char *from = c->text_of(c->texts, secret, &len) + at;
	(void)many;

	if (memcmp(from, &c->letters[c->bit % HUFFMAN_RING], PART_BYTES) != 0)
		return;
	const size_t end = c->ends[(c->bit + huffman_bits(from, 1)) % HUFFMAN_RING];
	if (!end)
		n = huffman_equal(c->bytes, c->len, c->bit, from, len - at);
	const size_t own = huffman_end(c->bit, from, n);
	c->end = own > end ? own : end;
}

/* Eight letters 0 are five zero bytes, which most memory has. */
static bool is_common(uint64_t letters)
{
	enum { ZEROS_MAX = 3 };
	size_t zeros = 0;

	for (; letters; letters >>= CHAR_BIT)
		zeros += (letters & UINT8_MAX) == '0';
	return zeros > ZEROS_MAX;
}

static void find_at(struct search *c, size_t bit)
{
	const uint64_t *letters = &c->letters[bit % HUFFMAN_RING];

	c->bit = bit;
	c->end = 0;
	if (*letters >> (64 - CHAR_BIT) && !is_common(*letters))
		parts_each(c->parts, (const char *)letters, compare, c);
	c->ends[bit % HUFFMAN_RING] = c->end;
}

void each_coded(const struct parts *parts, text_of_fn *text_of, const void *texts,
		const uint8_t *bytes, size_t len, coded_fn *fn, void *arg)
{
	struct search c = { parts, text_of, texts, bytes, len, { 0 }, { 0 }, 0, 0 };
	size_t begin = 0, end = 0; /* found before; end 0: nothing */

	for (size_t at = len; at-- > 0;) {
		huffman_letters(bytes, len, at, c.letters);
		for (size_t bit = CHAR_BIT; bit-- > 0;) {
			find_at(&c, at * CHAR_BIT + bit);
			if (!c.end)
				continue;
			if (end && c.end < begin)
				fn(arg, begin, end);
			if (!end || c.end < begin || c.end > end)
				end = c.end;
			begin = at;
		}
	}
	if (end)
		fn(arg, begin, end);
	explicit_bzero(c.letters, sizeof(c.letters));
}
