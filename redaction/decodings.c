/* SPDX-License-Identifier: Apache-2.0 */
/* decodings.c - what eight characters of a longer text represent, if it is hexadecimal or
 * base64: copying encoded secrets leaves such words in registers. */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "redaction/redaction_priv.h"

enum {
	LETTER_BITS = 6, /* of a character of base64 */
	WORD_BITS = LETTER_BITS * (int)sizeof(uint64_t),
};

static int digit_of(unsigned char c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* RFC 4648, sections 4 and 5: in both alphabets. */
static int letter_of(unsigned char c)
{
	if (isupper(c))
		return c - 'A';
	if (islower(c))
		return c - 'a' + 26;
	if (isdigit(c))
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* The values of all eight characters, the first one highest. False: one has none. */
static bool values_of(uint64_t word, int (*value_of)(unsigned char), unsigned bits,
		      uint64_t *ret)
{
	uint8_t text[sizeof(word)];

	memcpy(text, &word, sizeof(word));
	*ret = 0;
	for (size_t i = 0; i < sizeof(text); i++) {
		int value = value_of(text[i]);
		if (value < 0)
			return false;
		*ret = *ret << bits | (unsigned)value;
	}
	return true;
}

/* A byte of the secret begins at any second bit of base64, and at each second digit; the
 * text may begin in the middle of a byte. */
size_t decodings_of(uint64_t word, uint64_t ret[static DECODINGS_MAX])
{
	enum { BITS = 64, HEX_BITS = 4, HEX_WORD_BITS = 32, STEP = 2 };
	size_t n = 0;
	uint64_t value;

	if (values_of(word, digit_of, HEX_BITS, &value))
		ret[n++] = __builtin_bswap64(value << (BITS - HEX_WORD_BITS));
	if (values_of(word, letter_of, LETTER_BITS, &value))
		for (int bit = 0; bit < CHAR_BIT; bit += STEP)
			ret[n++] = __builtin_bswap64(value << (BITS - WORD_BITS + bit));
	return n;
}
