/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets, and pieces of them, in registers and argument words; bytes that texts are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "redaction/redaction_priv.h"
#include "tests/unit/redaction/expected.h"
#include "tests/unit/unit.h"

/* Up to eight letters, the first at the lowest byte. */
static uint64_t word_of(const char *letters)
{
	uint64_t word = 0;

	memcpy(&word, letters, strlen(letters));
	return word;
}

static uint64_t word_of_part(const char *letters)
{
	uint64_t word;

	memcpy(&word, letters, sizeof(word));
	return word;
}

static void words(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0xc000001000, 18, "swordfish-and-more", 18);
	redaction_learn_number(r, 7000123);
	redaction_learn_number(r, 99999);
	assert_int_equal(secrets_count(r->here), 3);
	assert_true(redaction_of_word(r, 0xc000001000));
	assert_true(redaction_of_word(r, 0xc000001011));
	assert_false(redaction_of_word(r, 0xc000001012));
	assert_true(redaction_of_word(r, word_of("ordfish-")));
	assert_true(redaction_of_word(r, 7000123));
	assert_true(redaction_of_word(r, 4111111111111111));
	assert_true(redaction_of_word(r, 378282246310005));
	assert_false(redaction_of_word(r, 378282246310006));
	assert_false(redaction_of_word(r, 4222222222222));
	assert_false(redaction_of_word(r, 99999));
	assert_string_equal(redaction_of_number(r, 7000123), "copy_of_secret");
	assert_string_equal(redaction_of_number(r, 4111111111111111), "card_number");
	redaction_remember(r);
	assert_true(redaction_of_word(r, 7000123));
	assert_true(redaction_of_word(r, word_of("ordf")));
	redaction_suspect_all(r);
	assert_true(redaction_of_word(r, 1));
	redaction_forget(r);
	assert_false(redaction_of_word(r, 1));
}

/* Eight characters of an encoding, from wherever they are taken. */
static void encoded_pieces(void **state)
{
	/* "swordfish-and-more" in hexadecimal and base64, the latter also after one and two
	 * bytes. */
	static const char *const encodings[] = {
		"73776f7264666973682d616e642d6d6f7265",
		"73776F7264666973682D616E642D6D6F7265",
		"c3dvcmRmaXNoLWFuZC1tb3Jl",
		"eHN3b3JkZmlzaC1hbmQtbW9yZQ",
		"eHhzd29yZGZpc2gtYW5kLW1vcmU",
	};
	enum { LETTERS = 8, OF_OTHERS = 4, OF_END = 3 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0, 0, "swordfish-and-more", 18);
	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++) {
		const bool hex = i < 2;
		const size_t first = i > 2 ? OF_OTHERS : 0, step = hex ? 2 : 1,
			     end = strlen(encodings[i]) - (hex ? 0 : OF_END);
		for (size_t at = first; at + LETTERS <= end; at += step)
			if (!redaction_of_word(r, word_of_part(encodings[i] + at)))
				fail_msg("%.8s of %s is shown", encodings[i] + at,
					 encodings[i]);
	}
	assert_false(redaction_of_word(r, word_of("00776f72")));
	assert_false(redaction_of_word(r, word_of("function")));
	assert_false(redaction_of_word(r, word_of("c3dvcm=1")));
}

/* As moves of four and eight bytes leave them, which overlap. */
static void pieces(void **state)
{
	static const char *const redacted[] = { "swor",	    "ordf",	"more",
						"sword",    "swordfi",	"xxsword",
						"fishxx",   "d-moreno", "XYand-m",
						"fish-and", "4711",	"x4711y" };
	static const char *const shown[] = { "swo", "rdxx",   "sw0rd", "SWORDFIS",
					     "mor", "ore-mo", "471",   "47 11" };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0, 0, "swordfish-and-more", 18);
	redaction_learn(r, 0, 0, "4711", 4); /* too short to be looked for in texts */
	for (size_t i = 0; i < ARRAY_SIZE(redacted); i++)
		if (!redaction_of_word(r, word_of(redacted[i])))
			fail_msg("%s is shown", redacted[i]);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		if (redaction_of_word(r, word_of(shown[i])))
			fail_msg("%s is redacted", shown[i]);
	/* Eight in a number of the program's own; fewer are letters by chance. */
	assert_non_null(redaction_of_number(r, word_of("ordfish-")));
	assert_null(redaction_of_number(r, word_of("swordfix")));
	/* As numbers are made of bytes whose first is the highest. */
	assert_non_null(redaction_of_number(r, __builtin_bswap64(word_of("ordfish-"))));
	assert_true(redaction_of_bytes(r, 0, "-hsifdro", 8));
	assert_false(redaction_of_bytes(r, 0, "-hsifxro", 8));
	assert_true(redaction_of_word(r, __builtin_bswap32((uint32_t)word_of("fish"))));
	redaction_forget(r);
	assert_false(redaction_of_word(r, word_of("swordfis")));
}

/* What is known as another's digits may be redacted itself: then its pieces are, too. */
static void of_encoding(void **state)
{
	static const char digits[] = "73776f7264666973682d616e642d6d6f7265";
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0, 0, "swordfish-and-more", 18);
	assert_false(redaction_of_word(r, word_of("3776f726")));
	redaction_learn(r, 0, 0, digits, strlen(digits));
	assert_int_equal(secrets_count(r->here), 2);
	assert_true(redaction_of_word(r, word_of("3776f726")));
	/* A part of it is all of a text. */
	struct redacted part = redaction_of_text(r, 0, digits + 8, 12);
	assert_string_equal(part.rule, "copy_of_secret");
	assert_null(part.text);
	redaction_learn(r, 0, 0, digits, strlen(digits));
	assert_int_equal(secrets_count(r->here), 2);
}

/* What is in any register is none, though a key has such bytes, too. */
static void common(void **state)
{
	static const uint8_t key[] = { 0,    0,	   0,	 0xc0, 0,    0,	   0,	0,
				       0xff, 0xff, 0xff, 0xff, 0xff, 0x85, 0,	0,
				       1,    0,	   0,	 0,    'a',  'a',  'a', 'a' };
	static const uint64_t shown[] = { 0,
					  1,
					  -UINT64_C(123),
					  UINT32_MAX,
					  UINT64_MAX,
					  0xc000000000,
					  0xc00000ff85,
					  0x61616161 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0, 0, key, sizeof(key));
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		if (redaction_of_word(r, shown[i]))
			fail_msg("0x%llx is redacted", (unsigned long long)shown[i]);
}

static void vectors(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	AUTO(redaction_free)
	struct redaction *strict = make_redaction(REDACT_STRICT, NULL);
	AUTO(redaction_free)
	struct redaction *nothing = make_redaction(REDACT_NOTHING, NULL);
	static const char piece[] = "fish";
	uint8_t vector[REDACTION_VECTOR];
	(void)state;
	redaction_learn(r, 0xc000001000, 18, "swordfish-and-more", 18);
	for (size_t i = 0; i + strlen(piece) <= sizeof(vector); i++) {
		memset(vector, 0x91, sizeof(vector));
		memcpy(vector + i, piece, strlen(piece));
		assert_true(redaction_of_vector(r, vector));
		assert_true(redaction_of_vector(strict, vector));
		assert_false(redaction_of_vector(nothing, vector));
		vector[i + 1] ^= 0x80;
		assert_false(redaction_of_vector(r, vector));
		assert_false(redaction_of_vector(strict, vector));
	}
	memset(vector, 0, sizeof(vector));
	memcpy(vector + 8, &(uint64_t){ 0xc000001004 }, 8);
	assert_true(redaction_of_vector(r, vector));
	redaction_forget(r);
	assert_false(redaction_of_vector(r, vector));
}

/* Strict cannot know what it says: only letters are redacted. */
static void strictly(void **state)
{
	AUTO(redaction_free)
	struct redaction *strict = make_redaction(REDACT_STRICT, NULL);
	AUTO(redaction_free)
	struct redaction *nothing = make_redaction(REDACT_NOTHING, NULL);
	(void)state;
	assert_true(redaction_of_word(strict, word_of("ordfish-")));
	assert_true(redaction_of_word(strict, 0x64636261));
	assert_true(redaction_of_word(strict, 0x6463626101));
	assert_false(redaction_of_word(strict, 0x636261));
	assert_false(redaction_of_word(strict, 0xc000616161));
	assert_false(redaction_of_word(strict, 0));
	assert_false(redaction_of_word(nothing, word_of("ordfish-")));
}

/* Of another time: it may be of any goroutine's text. */
static void dead(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	AUTO(redaction_free)
	struct redaction *nothing = make_redaction(REDACT_NOTHING, NULL);
	(void)state;
	assert_true(redaction_of_dead_word(r, word_of("ordfish-")));
	assert_false(redaction_of_word(r, word_of("ordfish-")));
	assert_false(redaction_of_dead_word(r, word_of("swordfi")));
	assert_false(redaction_of_dead_word(r, 0xc061626364));
	redaction_learn(r, 0, 0, "swordfi", 7);
	assert_true(redaction_of_dead_word(r, word_of("swordfi")));
	assert_false(redaction_of_dead_word(nothing, word_of("ordfish-")));
}

/* Without values nothing is learned: what text leaves is redacted, addresses and numbers are not. */
static void unlearned(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	assert_false(redaction_of_word(r, word_of("ordfish-")));
	redaction_learns_nothing(r);
	assert_true(redaction_of_word(r, word_of("ordfish-")));
	assert_false(redaction_of_word(r, word_of("fish")));
	assert_false(redaction_of_word(r, word_of("swordfi")));
	assert_false(redaction_of_word(r, 0xc061626364));
	assert_false(redaction_of_word(r, 0x7f6162636465));
	assert_false(redaction_of_word(r, 0x556162636465));
	assert_false(redaction_of_word(r, 0));
	assert_false(redaction_of_word(r, UINT64_MAX));
}

/* Where not all was read, a piece of anything is withheld from registers, also from those of vectors. */
static void missed(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	AUTO(redaction_free)
	struct redaction *nothing = make_redaction(REDACT_NOTHING, NULL);
	uint8_t vector[REDACTION_VECTOR] = { 0 };
	(void)state;
	memcpy(vector + 6, "fish", 4);
	assert_false(redaction_of_register(r, word_of("fish")));
	assert_false(redaction_of_vector(r, vector));
	redaction_set_missed(r, true);
	redaction_set_missed(nothing, true);
	assert_true(redaction_of_register(r, word_of("fish")));
	assert_true(redaction_of_register(r, word_of("ordfish-")));
	assert_true(redaction_of_vector(r, vector));
	/* What is behind a vector is not part of it. */
	static const uint8_t two[][16] = { "", "fish" };
	assert_false(redaction_of_vector(r, two[0]));
	assert_true(redaction_of_vector(r, two[1]));
	assert_false(redaction_of_register(r, word_of("fis")));
	assert_false(redaction_of_register(r, 0xc000616263));
	assert_false(redaction_of_word(r, word_of("fish")));
	assert_false(redaction_of_register(nothing, word_of("fish")));
	redaction_set_missed(r, false);
	assert_false(redaction_of_register(r, word_of("fish")));
}

/* Of all goroutines: with many of them addresses, numbers and hashes are still shown. */
static void many(void **state)
{
	enum { MANY = 10000, LETTERS = 24, TRIES = 100000 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	uint64_t seed = 88172645463325252, chance = 0;
	char secret[LETTERS];
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		for (size_t c = 0; c < LETTERS; c++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			secret[c] = "0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(seed >> 32) % 62];
		}
		redaction_learn(r, 0xd000000000 + i * 64, LETTERS, secret, LETTERS);
		redaction_learn_number(r, UINT64_C(1000000000000) + i * 7919);
	}
	redaction_learn(r, 0, 0, "k3#qZ", 5);
	for (size_t i = 0; i + 4 <= LETTERS; i++) {
		char piece[5] = "";
		memcpy(piece, secret + i, 4);
		assert_true(redaction_of_word(r, word_of(piece)));
	}
	assert_true(redaction_of_word(r, word_of("3#qZ")));
	assert_true(redaction_of_word(r, UINT64_C(1000000000000) + 77 * 7919));
	assert_false(redaction_of_word(r, UINT64_C(1000000000001) + 77 * 7919));
	assert_non_null(redaction_of_number(r, UINT64_C(1000000000000) + 77 * 7919));
	assert_null(redaction_of_number(r, UINT64_C(1000000000001) + 77 * 7919));
	for (uint64_t i = 0; i < TRIES; i++) {
		assert_false(redaction_of_word(r, i));
		assert_false(redaction_of_word(r, -i));
		assert_false(redaction_of_word(r, 0xc000000000 + 8 * i));
		assert_false(redaction_of_word(r, 0x7f12a4c00000 + 4096 * i));
		chance += redaction_of_word(r, i * UINT64_C(0x9e3779b97f4a7c15));
	}
	if (chance > TRIES / 1000)
		fail_msg("%llu of %d hashes are redacted", (unsigned long long)chance,
			 TRIES);
}

/* What texts are made of in other letters. */
static void bytes(void **state)
{
	static const uint64_t number[] = { 0x8877665544332211, 0x12f0debc9a786756,
					   0xfedcba9876543211, 5 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0xc000001000, 24, number, 24);
	assert_true(redaction_of_bytes(r, 0xc000001008, "abcd", 4));
	assert_false(redaction_of_bytes(r, 0xc000002000, "abcd", 4));
	assert_true(redaction_of_bytes(r, 0, number, sizeof(number)));
	assert_true(redaction_of_bytes(r, 0, number + 1, 8));
	assert_false(redaction_of_bytes(r, 0, number + 3, 8));
	assert_false(redaction_of_bytes(r, 0, number, 7));
	assert_true(redaction_of_bytes(r, 0, "abcd\x11\x22\x33\x44\x55\x66\x77\x88", 12));
	const uint64_t card = 4242424242424242;
	assert_false(redaction_of_bytes(r, 0, &card, sizeof(card)));
	assert_non_null(redaction_of_number(r, card));
	redaction_forget(r);
	redaction_ask(r);
	assert_false(redaction_of_bytes(r, 0xc000002000, number + 1, 8));
	redaction_learn(r, 0, 0, number, 24);
	assert_false(redaction_settled(r));
	/* Small numbers are no key. */
	assert_true(redaction_is_key(number, 24));
	assert_false(redaction_is_key((uint64_t[]){ 1, 70000, 3 }, 24));
}

static bool is_redacted(struct redaction *r, const void *text, size_t len)
{
	char around[64];
	const size_t before = strlen("it is ");

	assert_true(before + len <= sizeof(around) - 1);
	memcpy(around, "it is ", before);
	memcpy(around + before, text, len);
	around[before + len] = ';';
	struct redacted left = redaction_of_text(r, 0, around, before + len + 1);
	bool ret = left.rule && left.text && left.len == strlen("it is [redacted];");
	redacted_done(&left);
	return ret;
}

/* A long one as a program writes it. */
static void long_numbers(void **state)
{
	static const uint8_t number[] = { 0x0b, 0x8f, 0x3a, 0xd2, 0x71, 0x9e,
					  0x64, 0xc5, 0x50, 0x17, 0xfe, 0x88,
					  0x23, 0xb1, 0xdc, 0x49, 0x6a, 0xf0 };
	static const char *const texts[] = {
		"1006973711629614252750048932130962983709424",
		"0b8f3ad2719e64c55017fe8823b1dc496af0",
		"0B8F3AD2719E64C55017FE8823B1DC496AF0",
		"b8f3ad2719e64c55017fe8823b1dc496af0",
		"B8F3AD2719E64C55017FE8823B1DC496AF0",
		"C4860nGeZMVQF_6II7HcSWrw"
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_ask(r);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(is_redacted(r, texts[i], strlen(texts[i])));
	redaction_learn_long_number(r, number, sizeof(number));
	assert_false(redaction_settled(r));
	assert_true(is_redacted(r, number, sizeof(number)));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!is_redacted(r, texts[i], strlen(texts[i])))
			fail_msg("%s is shown", texts[i]);
	size_t learned = secrets_count(r->here);
	redaction_learn_long_number(r, number, sizeof(number));
	assert_int_equal(secrets_count(r->here), learned);
	/* Its bytes were a secret by themselves. */
	redaction_forget(r);
	redaction_learn(r, 0, 0, number, sizeof(number));
	assert_false(is_redacted(r, texts[0], strlen(texts[0])));
	redaction_ask(r);
	assert_false(is_redacted(r, texts[0], strlen(texts[0])));
	redaction_learn_long_number(r, number, sizeof(number));
	assert_false(redaction_settled(r));
	assert_true(is_redacted(r, texts[0], strlen(texts[0])));
}

/* With zeros in the middle, and as long as digits are made of. */
static void digits(void **state)
{
	static const uint8_t round[] = { 0x36, 0x35, 0xc9, 0xad, 0xc5, 0xde, 0xa0, 0, 1 };
	static const char as_round[] = "1000000000000000000001";
	uint8_t longest[1024 + 1];
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn_long_number(r, round, sizeof(round));
	assert_true(is_redacted(r, as_round, strlen(as_round)));
	for (size_t i = 0; i < sizeof(longest); i++)
		longest[i] = (uint8_t)(37 * i + 11);
	redaction_learn_long_number(r, longest, sizeof(longest) - 1);
	struct redacted left = redaction_of_text(
		r, 0, "47672529049294564911638088896831449717898374419737", 50);
	assert_string_equal(left.rule, "copy_of_secret");
	redacted_done(&left);
	redaction_learn_long_number(r, longest, sizeof(longest));
}

/* One of eight bytes in a text. */
static void short_numbers(void **state)
{
	static const uint8_t high[] = { 0x81, 0x2e, 0x60, 0xd4, 0x07, 0x3b, 0x99, 0xf5 };
	static const uint8_t low[] = { 0xf5, 0x99, 0x3b, 0x07, 0xd4, 0x60, 0x2e, 0x81 };
	static const char *const redacted[] = { "812e60d4073b99f5", "812E60D4073B99F5",
						"9308483943592073717", "2dfdc1c35" };
	static const char *const shown[] = { "2e60d4073b99f5", "ffffffff", "186a1",
					     "00000186a1" };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn_number(r, 0x812e60d4073b99f5);
	redaction_learn_number(r, (uint64_t)-12345678901);
	redaction_learn_number(r, 100001);
	assert_true(is_redacted(r, high, sizeof(high)));
	assert_true(is_redacted(r, low, sizeof(low)));
	for (size_t i = 0; i < ARRAY_SIZE(redacted); i++)
		if (!is_redacted(r, redacted[i], strlen(redacted[i])))
			fail_msg("%s is shown", redacted[i]);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		if (is_redacted(r, shown[i], strlen(shown[i])))
			fail_msg("%s is redacted", shown[i]);
	/* As the time of a moment later is. */
	assert_false(redaction_of_word(r, 0x812e60d4074c1122));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),	  cmocka_unit_test(pieces),
		cmocka_unit_test(of_encoding),	  cmocka_unit_test(common),
		cmocka_unit_test(vectors),	  cmocka_unit_test(strictly),
		cmocka_unit_test(unlearned),	  cmocka_unit_test(missed),
		cmocka_unit_test(many),		  cmocka_unit_test(bytes),
		cmocka_unit_test(long_numbers),	  cmocka_unit_test(digits),
		cmocka_unit_test(short_numbers),  cmocka_unit_test(dead),
		cmocka_unit_test(encoded_pieces),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
