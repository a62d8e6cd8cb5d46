/* SPDX-License-Identifier: Apache-2.0 */
/* The Huffman code of HTTP/2 headers, by the examples of RFC 7541, appendix C; and secrets in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "redaction/redaction_priv.h"
#include "tests/unit/redaction/expected.h"
#include "tests/unit/unit.h"

enum { BITS = 8, ROOM = 8192 };

static const char secret[] = "NqVwYS81VP7H~{b}-and_More.of/it?00000000";

static const struct {
	const char *text;
	const uint8_t code[32];
	size_t len;
} examples[] = {
	{ "www.example.com",
	  { 0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff },
	  12 },
	{ "no-cache", { 0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf }, 6 },
	{ "custom-value", { 0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xb8, 0xe8, 0xb4, 0xbf }, 9 },
	{ "302", { 0x64, 0x02 }, 2 },
	{ "Mon, 21 Oct 2013 20:13:21 GMT",
	  { 0xd0, 0x7a, 0xbe, 0x94, 0x10, 0x54, 0xd4, 0x44, 0xa8, 0x20, 0x05,
	    0x95, 0x04, 0x0b, 0x81, 0x66, 0xe0, 0x82, 0xa6, 0x2d, 0x1b, 0xff },
	  22 },
	{ "", { 0 }, 0 },
};

static void strings(void **state)
{
	char text[64];
	uint8_t code[64];
	size_t n;
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		const size_t len = strlen(examples[i].text), whole = examples[i].len;
		assert_true(huffman_decode(examples[i].code, whole, false, text, &n));
		assert_int_equal(n, len);
		assert_memory_equal(text, examples[i].text, n);
		assert_int_equal((huffman_bits(text, n) + BITS - 1) / BITS, whole);
		n = huffman_encode(text, n, 0, code);
		assert_in_range(n, whole ? whole - 1 : 0, whole); /* without padding */
		assert_memory_equal(code, examples[i].code, n);
	}
}

static void no_strings(void **state)
{
	static const uint8_t padded[] = { 0x64, 0x02, 0xff }, zeros[] = { 0xf1, 0xe0 },
			     ends[] = { 0xff, 0xff, 0xff, 0xff };
	char text[16];
	size_t n;
	(void)state;

	assert_false(huffman_decode(padded, 3, false, text, &n)); /* a whole byte */
	assert_false(huffman_decode(zeros, 2, false, text, &n));  /* with zeros */
	assert_false(huffman_decode(ends, 4, false, text, &n));
	assert_false(huffman_decode(ends, 4, true, text, &n));
	assert_true(huffman_decode(zeros, 2, true, text, &n));
	assert_int_equal(n, 2);
}

/* Every byte, at every bit. */
static void all_bytes(void **state)
{
	char all[UINT8_MAX + 1], text[8 * ROOM / 5 + 1];
	uint8_t code[ROOM];
	size_t n;
	(void)state;

	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (char)(i * 7);
	n = huffman_encode(all, sizeof(all), 0, code);
	assert_true(huffman_decode(code, n, true, text, &n));
	assert_int_equal(n, sizeof(all) - 1); /* the last one is not whole */
	assert_memory_equal(text, all, n);
}

/* What surrounds a secret begins in its first byte and ends in its last one. */
static size_t write_at(unsigned shift, const char *text, size_t len, uint8_t *ret)
{
	static const uint8_t before[] = { 0x82, 0x57, 0xa5 };
	char words[ROOM];
	size_t n = 0;

	while (shift % 5 && shift < 30)
		shift += BITS;
	memcpy(ret, before, sizeof(before));
	memset(words, 'a', shift / 5);
	memcpy(words + shift / 5, text, len);
	n = shift / 5 + len;
	words[n++] = '~';
	words[n++] = '~';
	return sizeof(before) + huffman_encode(words, n, 0, ret + sizeof(before));
}

struct found {
	size_t begin, end, count;
};

static void note(void *arg, size_t begin, size_t end)
{
	struct found *found = arg;

	*found = (struct found){ begin, end, found->count + 1 };
}

static void each(const struct secrets *s, const uint8_t *bytes, size_t len,
		 struct found *ret)
{
	*ret = (struct found){ .count = 0 };
	secrets_each_coded(s, bytes, len, note, ret);
}

static void alignments(void **state)
{
	struct secrets *s = secrets_new();
	uint8_t bytes[ROOM];
	struct found found;
	(void)state;

	secrets_learn(s, 0, 0, secret, strlen(secret));
	for (unsigned shift = 0; shift < 40; shift += 5) {
		const size_t n = write_at(shift, secret, strlen(secret), bytes);
		each(s, bytes, n, &found);
		assert_int_equal(found.count, 1);
		assert_int_equal(found.begin, 3 + shift / BITS);
		assert_int_equal(found.end,
				 huffman_end(3 * BITS + shift, secret, strlen(secret)));
	}
	secrets_free(s);
}

/* The beginning was overwritten, the end is cut off; fewer than eight letters are not enough. */
static void parts(void **state)
{
	struct secrets *s = secrets_new();
	uint8_t bytes[ROOM];
	struct found found;
	const size_t n = write_at(0, secret, strlen(secret), bytes);
	(void)state;

	secrets_learn(s, 0, 0, secret, strlen(secret));
	for (size_t skip = 3; skip < 15; skip++) {
		each(s, bytes + skip, n - skip, &found);
		assert_int_equal(found.count, 1);
		assert_true(found.begin <= 1);
	}
	each(s, bytes, 3 + 10, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.begin, 3);
	assert_true(found.end >= 12);
	each(s, bytes, n, &found);
	secrets_clear(s);
	secrets_learn(s, 0, 0, "seven..", 7);
	each(s, bytes, write_at(0, "seven..", 7, bytes), &found);
	assert_int_equal(found.count, 0);
	secrets_free(s);
}

/* Only the ends of a long secret are in the table. */
static void long_ones(void **state)
{
	enum { LONG = 3000 };
	char text[LONG];
	struct secrets *s = secrets_new();
	uint8_t bytes[ROOM];
	struct found found;
	(void)state;

	for (size_t i = 0; i < LONG; i++)
		text[i] = (char)('A' + i * i % 23 + i % 31);
	secrets_learn(s, 0, 0, text, LONG);
	const size_t n = write_at(10, text, LONG, bytes);
	each(s, bytes, n, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.begin, 3 + 10 / BITS);
	assert_int_equal(found.end, huffman_end(3 * BITS + 10, text, LONG));
	each(s, bytes, n / 2, &found);
	assert_in_range(found.end, n / 2 - 1, n / 2); /* the last letter is cut off */
	secrets_free(s);
}

/* In texts of a document, before and after the secret is learned. */
static void texts(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	uint8_t bytes[ROOM];
	const size_t n = write_at(15, secret, strlen(secret), bytes);
	(void)state;

	struct redacted left = redaction_of_text(r, 0, (char *)bytes, n);
	assert_null(left.rule);
	redaction_learn(r, 0, 0, secret, strlen(secret));
	left = redaction_of_text(r, 0, (char *)bytes, n);
	assert_string_equal(left.rule, "copy_of_secret");
	assert_int_equal(left.len, 3 + 1 + strlen(REDACTION_MASK) + 3);
	redacted_done(&left);
}

/* In registers, numbers and argument words, in either byte order. */
static void words(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	uint8_t bytes[ROOM];
	(void)state;

	write_at(20, secret, strlen(secret), bytes);
	for (int learned = 0; learned < 2; learned++) {
		for (size_t at = 6; at < 20; at++) {
			uint64_t word;
			memcpy(&word, bytes + at, sizeof(word));
			const uint64_t swapped = __builtin_bswap64(word);
			assert_int_equal(redaction_of_word(r, word), learned);
			assert_int_equal(redaction_of_word(r, swapped), learned);
			assert_int_equal(redaction_of_word(r, word >> 24 << 24), learned);
			assert_int_equal(redaction_of_number(r, word) != NULL, learned);
			assert_int_equal(redaction_of_bytes(r, 0, &word, 8), learned);
		}
		redaction_learn(r, 0, 0, secret, strlen(secret));
	}
	assert_false(redaction_of_word(r, UINT64_C(0x9a7b3c5d8e2f1746)));
}

/* In memory that leaves as it is. */
static void memory(void **state)
{
	enum { BEFORE = 24 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	uint8_t bytes[ROOM] = { 0 }, was[ROOM];
	const size_t n = BEFORE + write_at(25, secret, strlen(secret), bytes + BEFORE);
	struct found found;
	(void)state;

	memcpy(was, bytes, ROOM);
	redaction_erase(r, 0, bytes, ROOM, NULL, NULL);
	assert_memory_equal(bytes, was, ROOM);
	redaction_learn(r, 0, 0, secret, strlen(secret));
	redaction_erase(r, 0, bytes, ROOM, NULL, NULL);
	each(r->here, was, ROOM, &found);
	assert_memory_equal(bytes, was, found.begin);
	assert_memory_equal(bytes + found.end, was + found.end, ROOM - found.end);
	for (size_t i = found.begin; i < found.end; i++)
		assert_int_equal(bytes[i], REDACTION_FILL);
	memcpy(bytes, was + BEFORE + 9, n - BEFORE - 9); /* ... without its beginning */
	redaction_erase(r, 0, bytes, n - BEFORE - 9, NULL, NULL);
	each(r->here, bytes, n - BEFORE - 9, &found);
	assert_int_equal(found.count, 0);
}

/* Its bytes are no text of four letters: it is found where all text is overwritten, too. */
static void strict(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_STRICT, NULL);
	uint8_t bytes[ROOM] = { 0 }, was[ROOM];
	struct found found;
	(void)state;

	write_at(30, secret, strlen(secret), bytes + BITS);
	memcpy(was, bytes, ROOM);
	redaction_learn(r, 0, 0, secret, strlen(secret));
	redaction_erase(r, 0, bytes, ROOM, NULL, NULL);
	each(r->here, was, ROOM, &found);
	assert_int_equal(found.count, 1);
	for (size_t i = found.begin; i < found.end; i++)
		assert_int_equal(bytes[i], REDACTION_FILL);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings),   cmocka_unit_test(no_strings),
		cmocka_unit_test(all_bytes), cmocka_unit_test(alignments),
		cmocka_unit_test(parts),     cmocka_unit_test(long_ones),
		cmocka_unit_test(texts),     cmocka_unit_test(words),
		cmocka_unit_test(memory),    cmocka_unit_test(strict),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
