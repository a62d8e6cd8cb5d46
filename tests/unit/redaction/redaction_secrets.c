/* SPDX-License-Identifier: Apache-2.0 */
/* Where secrets are, and which texts are parts of them. Each text ends where the page does, so that who reads
 * on is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "redaction/redaction_priv.h"
#include "tests/unit/unit.h"

enum { PAGE = 4096, LONG = 3000 };

static char *page;

static int map_page(void **state)
{
	(void)state;
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	return page == MAP_FAILED || mprotect(page + PAGE, PAGE, PROT_NONE) != 0;
}

static int unmap_page(void **state)
{
	(void)state;
	return munmap(page, 2 * PAGE);
}

/* These bytes, at the end of the page. */
static const char *at_end(const char *bytes, size_t len)
{
	return memcpy(page + PAGE - len, bytes, len);
}

typedef size_t asked_fn(const struct secrets *s, const char *text, size_t len);

static void expect(asked_fn *ask, const struct secrets *s, const char *text, size_t n)
{
	const size_t len = strlen(text), found = ask(s, at_end(text, len), len);

	if (found != n)
		fail_msg("%s: %zu, not %zu", text, found, n);
}

static void learn(struct secrets *s, const char *text)
{
	secrets_learn(s, 0, 0, text, strlen(text));
}

/* Of a secret, eight bytes are enough. */
static void part(void **state)
{
	struct secrets *s = secrets_new();

	(void)state;
	expect(secrets_part, s, "correct-", 0);
	learn(s, "correct-horse-battery");
	expect(secrets_part, s, "correct", 0);
	expect(secrets_part, s, "correct-", 8);
	expect(secrets_part, s, "correct-horse-battery", 21);
	expect(secrets_part, s, "rect-horse-bat!", 14);
	expect(secrets_part, s, "-battery and more", 8);
	expect(secrets_part, s, "battery", 0);
	expect(secrets_part, s, "battery!", 0);
	expect(secrets_part, s, "a correct-", 0);
	/* The longest of several. */
	learn(s, "rect-horse-battle");
	learn(s, "rect-horse-bat");
	expect(secrets_part, s, "rect-horse-battles", 17);
	expect(secrets_part, s, "rect-horse-battery", 18);
	secrets_free(s);
}

/* It goes on to the end of the secret, or of the text. */
static void beginning(void **state)
{
	struct secrets *s = secrets_new();

	(void)state;
	expect(secrets_begin, s, "correct-", 0);
	learn(s, "correct-horse-battery");
	expect(secrets_begin, s, "correct", 0);
	expect(secrets_begin, s, "correct-", 8);
	expect(secrets_begin, s, "rect-horse-bat", 14);
	expect(secrets_begin, s, "rect-horse-bat!", 0);
	expect(secrets_begin, s, "rect-horse-battery!", 18);
	learn(s, "rect-horse-bat");
	expect(secrets_begin, s, "rect-horse-battery!", 18);
	expect(secrets_begin, s, "rect-horse-batman", 14);
	secrets_set_suspect(s, true);
	expect(secrets_begin, s, "what", 4);
	secrets_set_suspect(s, false);
	expect(secrets_begin, s, "what else", 0);
	secrets_free(s);
}

/* Sixteen with the same bytes are told apart; of more, any may be it. */
static void many_parts(void **state)
{
	struct secrets *s = secrets_new();
	char text[64];

	(void)state;
	for (int i = 0; i < 16; i++) {
		snprintf(text, sizeof(text), "%02d-in-common-%02d", i, i);
		learn(s, text);
	}
	expect(secrets_begin, s, "-in-common-15 and so on", 13);
	expect(secrets_begin, s, "-in-common-16", 0);
	learn(s, "xx-in-common-xx");
	expect(secrets_begin, s, "-in-common-16", 13);
	secrets_free(s);
}

/* Letters none eight of which are there twice. */
static void fill(char *text, size_t len)
{
	uint32_t number = 1;

	for (size_t i = 0; i < len; i++) {
		number = number * 1103515245 + 12345;
		text[i] = (char)('!' + (number >> 16) % 90);
	}
}

/* Of a long secret 512 bytes at each end, of 1024 bytes all. */
static void long_secret(void **state)
{
	char text[LONG];

	(void)state;
	fill(text, sizeof(text));
	for (size_t len = 1024; len <= LONG; len += LONG - 1024) {
		struct secrets *s = secrets_new();
		secrets_learn(s, 0, 0, text, len);
		for (size_t at = 0; at + 8 <= len; at++) {
			const bool near = len == 1024 || at < 512 || at >= len - 512;
			const size_t n = secrets_part(s, at_end(text + at, 8), 8);
			if (n != (near ? 8 : 0))
				fail_msg("%zu of %zu: %zu", at, len, n);
		}
		secrets_free(s);
	}
}

/* Of each 4096 bytes are remembered. */
static void remembered(void **state)
{
	static char text[2 * SECRET_KNOWN];
	struct secrets *s = secrets_new();

	(void)state;
	fill(text, sizeof(text));
	secrets_learn(s, 0, 0, text, sizeof(text));
	assert_int_equal(secrets_here(s, text, sizeof(text)), SECRET_KNOWN);
	assert_int_equal(secrets_part(s, text + SECRET_KNOWN - 8, 16), 8);
	assert_int_equal(secrets_part(s, text + SECRET_KNOWN, 16), 0);
	secrets_free(s);
}

static void whole(void **state)
{
	struct secrets *s = secrets_new();

	(void)state;
	expect(secrets_here, s, "swordfish", 0);
	learn(s, "swordfish");
	expect(secrets_here, s, "sword", 0);
	expect(secrets_here, s, "swordf", 6);
	expect(secrets_here, s, "swordfish-soup", 9);
	expect(secrets_here, s, "swordfisch", 0);
	learn(s, "swordfish-soup");
	learn(s, "swordfish-so");
	expect(secrets_here, s, "swordfish-soup!", 14);
	learn(s, "short");
	expect(secrets_here, s, "short", 0);
	learn(s, "0000000000");
	expect(secrets_here, s, "0000000000", 0);
	learn(s, "0000000001");
	expect(secrets_here, s, "0000000001", 10);
	secrets_free(s);
}

/* If more than 64 begin alike, what begins so is one. */
static void alike(void **state)
{
	struct secrets *s = secrets_new();
	char text[64];

	(void)state;
	for (int i = 0; i < 64; i++) {
		snprintf(text, sizeof(text), "common-%02d", i);
		learn(s, text);
	}
	expect(secrets_here, s, "common-xx", 0);
	learn(s, "common-64");
	expect(secrets_here, s, "common-xx", 9);
	expect(secrets_here, s, "command", 0);
	secrets_free(s);
}

struct place {
	uint64_t addr, size;
	uint64_t begin, end; /* 0: nothing of it is secret */
};

static void expect_places(const struct secrets *s, const struct place *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct place *p = &places[i];
		uint64_t begin, end;
		const bool found = secrets_place(s, p->addr, p->size, &begin, &end);
		if (found != (p->end != 0) || secrets_at(s, p->addr, p->size) != found ||
		    (found && (begin != p->begin || end != p->end)))
			fail_msg("place %zu: %d, %#llx to %#llx", i, found,
				 (unsigned long long)begin, (unsigned long long)end);
	}
}

static void ranges(void **state)
{
	static const struct place apart[] = {
		{ 0x100, 0x10, 0x100, 0x110 },
		{ 0xf0, 0x10, 0, 0 },
		{ 0xf0, 0x11, 0x100, 0x101 },
		{ 0x10f, 2, 0x10f, 0x110 },
		{ 0x110, 0x10, 0, 0 },
		{ 0x110, 0x11, 0x120, 0x121 },
		{ 0x108, 1, 0x108, 0x109 },
		{ 0x108, 0, 0, 0 },
		{ 0x130, 1, 0, 0 },
		{ 0, 0x1000, 0x100, 0x110 },
	};
	static const struct place joined[] = {
		{ 0, 0x1000, 0x100, 0x110 },	 { 0x110, 0x1000, 0x110, 0x130 },
		{ 0x12f, 0x1000, 0x12f, 0x130 }, { 0x130, 0x10, 0, 0 },
		{ 0x130, 0x1000, 0x200, 0x210 },
	};
	struct secrets *s = secrets_new();

	(void)state;
	secrets_learn(s, 0x120, 0x10, NULL, 0);
	secrets_learn(s, 0x100, 0x10, NULL, 0);
	secrets_learn(s, 0, 0x10, NULL, 0);
	secrets_learn(s, 0x300, 0, NULL, 0);
	secrets_learn(s, UINT64_MAX - 1, 8, NULL, 0);
	assert_int_equal(secrets_count(s), 2);
	expect_places(s, apart, ARRAY_SIZE(apart));
	/* What is known is not counted again. */
	secrets_learn(s, 0x104, 0xc, NULL, 0);
	secrets_learn(s, 0x100, 0x10, NULL, 0);
	assert_int_equal(secrets_count(s), 2);
	secrets_learn(s, 0x200, 0x10, NULL, 0);
	secrets_learn(s, 0x110, 0x10, NULL, 0);
	assert_int_equal(secrets_count(s), 4);
	expect_places(s, joined, ARRAY_SIZE(joined));
	secrets_learn(s, 0xf0, 0x50, NULL, 0);
	expect_places(s, (const struct place[]){ { 0, 0x1000, 0xf0, 0x140 } }, 1);
	secrets_clear(s);
	assert_false(secrets_at(s, 0x100, 0x10));
	secrets_free(s);
}

/* Numbers of fewer than six digits are everywhere. */
static void numbers(void **state)
{
	static const struct {
		int64_t number;
		bool learned;
	} all[] = {
		{ 0, false },	   { 99999, false },  { 100000, true },
		{ -99999, false }, { -100000, true }, { INT64_MIN, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct secrets *s = secrets_new();
		const uint64_t number = (uint64_t)all[i].number;
		secrets_learn_number(s, number);
		secrets_learn_number(s, number);
		assert_int_equal(secrets_count(s), all[i].learned);
		assert_int_equal(secrets_have_number(s, number), all[i].learned);
		assert_int_equal(secrets_have_word(s, number), all[i].learned);
		secrets_free(s);
	}
}

static bool asks_no_content(void *arg, const char *bytes, size_t len, bool is_whole)
{
	(void)bytes;
	(void)len;
	*(size_t *)arg += is_whole ? 100 : 1;
	return false;
}

static bool asks_no_number(void *arg, uint64_t number)
{
	*(size_t *)arg += number;
	return false;
}

static size_t asked_since(const struct secrets *s, const struct secrets_mark *mark)
{
	size_t sum = 0;

	assert_false(secrets_any_since(s, mark, asks_no_content, asks_no_number, &sum));
	return sum;
}

/* What came after the mark, and nothing else. */
static void since(void **state)
{
	struct secrets *s = secrets_new();

	(void)state;
	learn(s, "swordfish");
	secrets_learn_number(s, 1000000);
	const struct secrets_mark mark = secrets_mark(s);
	assert_int_equal(asked_since(s, &mark), 0);
	learn(s, "swordfish");
	assert_int_equal(asked_since(s, &mark), 0);
	const size_t contents = secrets_contents(s);
	learn(s, "hunter2hunter2");
	/* It, its encodings, and it as a whole. */
	assert_int_equal(asked_since(s, &mark), 100 + secrets_contents(s) - contents);
	secrets_learn_number(s, 2000000);
	assert_int_equal(asked_since(s, &mark),
			 2000000 + 100 + secrets_contents(s) - contents);
	secrets_free(s);
}

/* Of what was asked before it began again, nothing is left. */
static void asked(void **state)
{
	struct secrets *s = secrets_new();
	struct asked *a = asked_new();

	(void)state;
	asked_begin(a, s);
	asked_text(a, "of swordfish", 12);
	asked_text(a, "short", 5);
	asked_number(a, 1234567);
	learn(s, "hunter2hunter2");
	assert_true(asked_settled(a, s));
	learn(s, "swordfish");
	assert_false(asked_settled(a, s));
	asked_begin(a, s);
	assert_true(asked_settled(a, s));
	learn(s, "swordfish-soup");
	secrets_learn_number(s, 1234567);
	assert_true(asked_settled(a, s));
	asked_number(a, 7654321);
	secrets_learn_number(s, 7654321);
	assert_false(asked_settled(a, s));
	asked_free(a);
	secrets_free(s);
}

struct forms {
	const char *const *expected;
	size_t left; /* of the expected ones */
	uint64_t seen;
};

static void see_form(void *arg, const char *text, size_t len)
{
	struct forms *f = arg;

	for (size_t i = 0; f->expected[i]; i++)
		if (strlen(f->expected[i]) == len &&
		    memcmp(f->expected[i], text, len) == 0) {
			f->left -= !(f->seen >> i & 1);
			f->seen |= UINT64_C(1) << i;
			return;
		}
	fail_msg("%.*s is not expected", (int)len, text);
}

/* What others write: Python's base64, urllib and json, Go's %v, %#v and %q. */
static void forms(void **state)
{
	static const char *const texts[] = {
		"70203c773e22c3a9",
		"70203C773E22C3A9",
		"cCA8dz4i",
		"IDx3PiLD",
		"PHc+IsOp",
		"PHc-IsOp",
		"112 32 60 119 62 34 195 169",
		"112,32,60,119,62,34,195,169",
		"70 20 3c 77 3e 22 c3 a9",
		"0x70, 0x20, 0x3c, 0x77, 0x3e, 0x22, 0xc3, 0xa9",
		"p%20%3Cw%3E%22%C3%A9",
		"p+%3Cw%3E%22%C3%A9",
		"p <w>\\\"\xc3\xa9",
		"p \\u003cw\\u003e\\\"\xc3\xa9",
		"p <w>\\\"\\u00e9",
		NULL,
	};
	static const char *const numbers_of[] = { "583004511258931715540779008",
						  "1e24001e24001e240000000",
						  "1E24001E24001E240000000", NULL };
	struct forms of_text = { texts, ARRAY_SIZE(texts) - 1, 0 };
	struct forms of_number = { numbers_of, ARRAY_SIZE(numbers_of) - 1, 0 };

	(void)state;
	each_encoding("p <w>\"\xc3\xa9", 8, see_form, &of_text);
	assert_int_equal(of_text.left, 0);
	each_encoding("p <w>\"\xc3", 7, see_form, &of_text); /* too short */
	each_base((const uint8_t *)"\x01\xe2\x40\x01\xe2\x40\x01\xe2\x40\0\0", 12,
		  see_form, &of_number);
	assert_int_equal(of_number.left, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(part),	      cmocka_unit_test(beginning),
		cmocka_unit_test(many_parts), cmocka_unit_test(long_secret),
		cmocka_unit_test(remembered), cmocka_unit_test(whole),
		cmocka_unit_test(alike),      cmocka_unit_test(ranges),
		cmocka_unit_test(numbers),    cmocka_unit_test(since),
		cmocka_unit_test(asked),      cmocka_unit_test(forms),
	};

	return unit_run(argc, argv, tests, map_page, unmap_page);
}
