/* SPDX-License-Identifier: Apache-2.0 */
/* Consecutive numbers. A secret is redacted as a whole: its elements, one by one, would
 * show how often each occurs. Numbers may also be characters: runes, UTF-16 or wider. */
#include <string.h>

#include "printers/values/value_printers.h"

enum {
	LETTERS_MIN = 6,
	UTF8_MAX = 4,
	NO_LETTER = 0xff, /* not in UTF-8 either */
	NUMBERS_MAX = 64 << 10,
	NUMBER_MAX = 8,
	WHOLE_MAX = 4096, /* bytes of one number */
};

static bool is_number(const struct type *elem)
{
	return elem && type_kind(elem) >= KIND_INT && type_kind(elem) <= KIND_COMPLEX128;
}

static bool is_letter_type(struct printing *p, const struct type *elem)
{
	enum type_kind kind = type_kind(elem);

	if (redaction_mode(p->redaction) == REDACT_STRICT) /* strict mode keeps numbers */
		return kind == KIND_INT32 || kind == KIND_UINT16 || kind == KIND_INT8;
	return kind >= KIND_INT && kind <= KIND_UINT64;
}

/* Returns the number of bytes written. */
static size_t write_letter(uint64_t c, char *ret)
{
	if (c < 0x80) {
		ret[0] = (char)c;
		return 1;
	}
	if (c > 0x10ffff) {
		ret[0] = (char)NO_LETTER;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n; --i > 0; c >>= 6)
		ret[i] = (char)(0x80 | (c & 0x3f));
	ret[0] = (char)(0xf00 >> n | c);
	return n;
}

struct letters {
	char *bytes; /* owned */
	size_t len;
};

/* False: not enough consecutive ones. */
static bool read_letters(const uint8_t *numbers, size_t n, size_t size,
			 struct letters *ret)
{
	size_t row = 0, longest = 0;

	*ret = (struct letters){ xcalloc(n * UTF8_MAX + 1, 1), 0 };
	for (size_t i = 0; i < n; i++) {
		uint64_t number = 0;
		memcpy(&number, numbers + i * size, size);
		row = number >= ' ' && number <= 0x10ffff ? row + 1 : 0;
		longest = row > longest ? row : longest;
		ret->len += write_letter(number, ret->bytes + ret->len);
	}
	return longest >= LETTERS_MIN;
}

static void print_redacted_row(struct printing *p, uint64_t n, const uint8_t *numbers,
			       size_t bytes, const char *rule)
{
	sink_named_uint(p->out, "len", redaction_length(n));
	print_redacted(p, numbers, bytes, rule);
}

/* math/big stores the lowest word first; text has the highest byte first. */
static void learn_whole(struct printing *p, const uint8_t *words, size_t len)
{
	uint8_t bytes[WHOLE_MAX];
	uint64_t number = 0;
	size_t n = p->is_public ? 0 : len;

	while (n && !words[n - 1])
		n--;
	if (n <= sizeof(number)) {
		memcpy(&number, words, n);
		redaction_learn_number(p->redaction, number);
	}
	if (n <= sizeof(number) || n > sizeof(bytes))
		return;
	for (size_t i = 0; i < n; i++)
		bytes[i] = words[n - 1 - i];
	if (redaction_is_key(bytes, n))
		redaction_learn_long_number(p->redaction, bytes, n);
	explicit_bzero(bytes, n);
}

/* A text would have the characters; other copies have the bytes. */
static void learn(struct printing *p, uint64_t addr, uint64_t size,
		  const struct letters *letters, const uint8_t *numbers, size_t len)
{
	bool key = !letters->len && redaction_is_key(numbers, len);

	learn_redacted(p, addr, size,
		       letters->len ? (const uint8_t *)letters->bytes
		       : key	    ? numbers
				    : NULL,
		       letters->len ? letters->len : len);
}

static bool may_be_letters(struct printing *p, const struct type *elem, size_t count)
{
	return count >= LETTERS_MIN && is_letter_type(p, elem);
}

static bool are_words(const struct type *elem)
{
	enum type_kind kind = type_kind(elem);

	return kind >= KIND_INT && kind <= KIND_UINTPTR && type_size(elem) == NUMBER_MAX;
}

/* Swaps the bytes of each number, for numbers stored big-endian. */
static void swap_each(uint8_t *bytes, size_t count, size_t size)
{
	for (uint8_t *number = bytes; number < bytes + count * size; number += size) {
		for (size_t i = 0; i < size / 2; i++) {
			uint8_t low = number[i];
			number[i] = number[size - 1 - i];
			number[size - 1 - i] = low;
		}
	}
}

/* A key may be stored as numbers of four or eight bytes. The latter are compared in
 * either order anyway. */
static bool are_of_secret(struct printing *p, const uint8_t *numbers, size_t count,
			  size_t size)
{
	const size_t len = count * size;

	if (redaction_mode(p->redaction) != REDACT_SECRETS || count < 2)
		return false;
	if (redaction_of_bytes(p->redaction, 0, numbers, len))
		return true;
	if (size == 1 || size == NUMBER_MAX)
		return false;
	AUTO(xfree) uint8_t *swapped = xmalloc(len);
	memcpy(swapped, numbers, len);
	swap_each(swapped, count, size);
	bool found = redaction_of_bytes(p->redaction, 0, swapped, len);
	explicit_bzero(swapped, len);
	return found;
}

bool redact_row(struct printing *p, const struct type *elem, uint64_t addr, uint64_t n)
{
	uint64_t most = p->redacted ? NUMBERS_MAX
				    : (uint64_t)p->bounds->elements + SECRETS_BEHIND;
	size_t count = n < most ? (size_t)n : (size_t)most;
	size_t size = is_number(elem) ? (size_t)type_size(elem) : 0;
	struct letters letters = { NULL, 0 };
	struct err ignored;

	if (!n || size < 1 || size > NUMBER_MAX ||
	    redaction_mode(p->redaction) == REDACT_NOTHING)
		return false;
	const bool letters_wanted = p->redacted || may_be_letters(p, elem, count);
	AUTO(xfree) uint8_t *numbers = xcalloc(count, size);
	if (!runtime_bytes(p->rt, addr, numbers, count * size, &ignored))
		return false;
	bool are_letters = letters_wanted && read_letters(numbers, count, size, &letters);
	AUTO(xfree) char *text = letters.bytes;
	struct redacted left = { .rule = p->redacted };
	if (!left.rule && (redaction_at(p->redaction, addr, n * size) ||
			   are_of_secret(p, numbers, count, size)))
		left.rule = redaction_rule_of_copy(p->redaction);
	if (p->redacted && !are_letters)
		letters.len = 0;
	if (p->redacted && !are_letters && are_words(elem))
		learn_whole(p, numbers, count * size);
	if (p->redacted)
		learn(p, addr, n * size, &letters, numbers, count * size);
	else if (!left.rule && are_letters)
		left = redaction_of_text(p->redaction, 0, text, letters.len);
	if (left.rule)
		print_redacted_row(p, n, numbers, count * size, left.rule);
	redacted_done(&left);
	return left.rule != NULL;
}
