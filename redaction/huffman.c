/* SPDX-License-Identifier: Apache-2.0 */
/* huffman.c - the Huffman code of HTTP/2 and HTTP/3 headers (RFC 7541, appendix B), and secrets in it.
 *
 * A code begins at any bit. Going backwards from the last bit, each bit has the eight letters whose codes begin there: the
 * letter at the bit, and the first seven of where its code ends. So one look into a table for each bit finds all, without
 * knowing where a string begins; the rest of an earlier string in a buffer is found, too. */
#include <limits.h>
#include <string.h>

#include "redaction/redaction_priv.h"

struct code {
	uint32_t bits;
	uint8_t len;
};

struct letter {
	uint8_t byte, bits;
};

#include "redaction/huffman.inc"

enum { LONGEST = 30, RING = HUFFMAN_RING - 1 };

size_t huffman_bits(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += codes[(uint8_t)text[i]].len;
	return n;
}

size_t huffman_encode(const char *text, size_t len, unsigned shift, uint8_t *ret)
{
	uint64_t bits = 0; /* the lowest `have` ones are not written yet */
	unsigned have = shift;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		const struct code *code = &codes[(uint8_t)text[i]];
		bits = bits << code->len | code->bits;
		for (have += code->len; have >= CHAR_BIT; n++)
			ret[n] = (uint8_t)(bits >> (have -= CHAR_BIT));
	}
	if (shift && n) /* the first byte has bits of something else */
		memmove(ret, ret + 1, --n);
	return n;
}

/* window: the next 32 bits. Bits 0: they begin no code, or that of the end of a string. */
static struct letter letter_of(uint32_t window)
{
	struct letter l = short_codes[window >> (32 - CHAR_BIT)];

	if (l.bits)
		return l;
	size_t low = 0, high = sizeof(rare);
	while (high - low > 1) { /* the last one that is not greater */
		const size_t middle = (low + high) / 2;
		const struct code *code = &codes[rare[middle]];
		if (code->bits << (32 - code->len) <= window)
			low = middle;
		else
			high = middle;
	}
	l = (struct letter){ rare[low], codes[rare[low]].len };
	if (window >> (32 - l.bits) != codes[l.byte].bits)
		l.bits = 0;
	return l;
}

/* The bits from that byte on, and then zeros. */
static uint64_t bits_at(const uint8_t *bytes, size_t len, size_t at)
{
	uint64_t word = 0;

	memcpy(&word, bytes + at, len - at < sizeof(word) ? len - at : sizeof(word));
	return __builtin_bswap64(word);
}

void huffman_letters(const uint8_t *bytes, size_t len, size_t at,
		     uint64_t ring[static HUFFMAN_RING])
{
	const uint64_t word = bits_at(bytes, len, at);
	const size_t end = len * CHAR_BIT;

	for (unsigned bit = CHAR_BIT; bit-- > 0;) {
		const size_t from = at * CHAR_BIT + bit;
		const struct letter l = letter_of((uint32_t)(word << bit >> 32));
		const bool there = l.bits && l.byte && from + l.bits <= end;
		ring[from & RING] =
			there ? l.byte | ring[(from + l.bits) & RING] << CHAR_BIT : 0;
	}
}

size_t huffman_end(size_t bit, const char *text, size_t len)
{
	return (bit + huffman_bits(text, len) + CHAR_BIT - 1) / CHAR_BIT;
}

size_t huffman_equal(const uint8_t *bytes, size_t len, size_t bit, const char *text,
		     size_t text_len)
{
	size_t n = 0;

	while (n < text_len && bit < len * CHAR_BIT) {
		const uint64_t word = bits_at(bytes, len, bit / CHAR_BIT);
		const struct code *code = &codes[(uint8_t)text[n]];
		if (bit + code->len > len * CHAR_BIT ||
		    word << bit % CHAR_BIT >> (64 - code->len) != code->bits)
			break;
		bit += code->len;
		n++;
	}
	return n;
}

bool huffman_decode(const uint8_t *bytes, size_t len, bool cut, char *ret,
		    size_t *ret_len)
{
	const size_t end = len * CHAR_BIT;
	size_t bit = 0, n = 0;

	while (bit < end) {
		const uint64_t word = bits_at(bytes, len, bit / CHAR_BIT);
		const uint32_t window = (uint32_t)(word << bit % CHAR_BIT >> 32);
		const struct letter l = letter_of(window);
		const size_t left = end - bit;
		if (!l.bits || l.bits > left) {
			const uint32_t rest = left < 32 ? window >> (32 - left) : 0;
			*ret_len = n;
			return cut ? left < LONGEST
				   : left < CHAR_BIT && rest == (1U << left) - 1;
		}
		ret[n++] = (char)l.byte;
		bit += l.bits;
	}
	*ret_len = n;
	return true;
}

bool huffman_may_be(const char *bytes, size_t len)
{
	enum { LEAST = 4 };
	size_t others = 0, no_zeros = 0;

	for (size_t i = 0; i < len && (!others || no_zeros < LEAST); i++) {
		const uint8_t c = (uint8_t)bytes[i];
		no_zeros += c != 0;
		others += c >= 0x7f || (c < ' ' && c != '\n' && c != '\r' && c != '\t');
	}
	return others && no_zeros >= LEAST;
}

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

/* Eight letters 0 are five zero bytes, which most memory has; small numbers in it are made of some others, too. */
static bool is_common(uint64_t letters)
{
	enum { ZEROS_MAX = 3, SMALL_MAX = 6 };
	size_t zeros = 0, small = 0;

	for (; letters; letters >>= CHAR_BIT) {
		const uint8_t c = letters & UINT8_MAX;
		zeros += c == '0';
		small += c == '0' || c == '1' || c == '2' || c == 'a';
	}
	return zeros > ZEROS_MAX || small > SMALL_MAX;
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
