/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that leaves as it is, but for secrets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/target/memory_set.h"
#include "redaction/redaction_priv.h"
#include "tests/unit/redaction/expected.h"
#include "tests/unit/unit.h"

enum { AT = 0x1000 };

static void erased(struct redaction *r, const char *before, const char *after)
{
	char bytes[200];
	const size_t len = strlen(before);

	memcpy(bytes, before, len + 1);
	redaction_erase(r, AT, bytes, len, NULL, NULL);
	assert_string_equal(bytes, after);
}

static void contents(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	static const char secret[] = "correct-horse-battery";
	(void)state;

	redaction_learn(r, 0, 0, secret, strlen(secret));
	erased(r, "a correct-horse-battery b", "a XXXXXXXXXXXXXXXXXXXXX b");
	erased(r, "correct-horse-batterycorrect-horse-battery",
	       "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX");
	erased(r, "part: rect-horse-bat!", "part: XXXXXXXXXXXXXX!"); /* of its middle */
	erased(r, "a horse, a battery", "a horse, a battery"); /* fewer than eight */
	erased(r, "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5",
	       "XXXXXXXXXXXXXXXXXXXXXXXXXXXX"); /* base64 */
}

static void places(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;

	redaction_learn(r, AT + 2, 3, NULL, 0);
	redaction_note_place(r, AT + 8, 2);
	redaction_note_place(r, AT - 4, 5);
	erased(r, "0123456789", "X1XXX567XX");
	assert_false(redaction_at(r, AT + 8, 2)); /* the document does not know it */
}

/* From any byte on to the end of a word. */
static void unused(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	AUTO(redaction_free)
	struct redaction *none = make_redaction(REDACT_NOTHING, NULL);
	const size_t known = redaction_known(r);
	(void)state;

	redaction_note_unused(r, AT + 3, 13);
	assert_true(redaction_known(r) > known);
	redaction_note_consumed(r, AT + 16, 10);
	erased(r, "0123456789012345consumed yes", "012XXXXXXXXXXXXXXXXXXXXX yes");
	assert_int_equal(redaction_used(r, AT, 100), 3);
	assert_int_equal(redaction_used(r, AT + 1, 2), 2);
	assert_int_equal(redaction_used(r, AT + 5, 100), 0);
	assert_int_equal(redaction_used(r, AT + 16, 100),
			 100); /* what was consumed is shown */
	assert_int_equal(redaction_used(r, UINT64_MAX - 1, 100), 100);
	/* Of a text that was never set; it ends. */
	assert_int_equal(redaction_used(r, 64 * AT, UINT64_C(1) << 61), UINT64_C(1)
										<< 61);
	assert_int_equal(redaction_used(r, UINT64_MAX, 0), 0); /* ends, too */
	assert_int_equal(redaction_used(r, UINT64_MAX - 8, 8), 8);
	redaction_note_consumed(r, UINT64_MAX - 3, 2);
	redaction_note_unused(r, UINT64_MAX - 3, 2);
	redaction_note_unused(r, UINT64_MAX - 8, 100);
	redaction_note_unused(r, AT + 50 * PAGE_BYTES, 3 * PAGE_BYTES);
	assert_int_equal(redaction_used(r, AT + 49 * PAGE_BYTES, 8 * PAGE_BYTES),
			 PAGE_BYTES);
	redaction_forget(r);
	assert_int_equal(redaction_used(r, AT, 100), 100);
	redaction_note_unused(none, AT, 100);
	assert_int_equal(redaction_used(none, AT, 100), 100);
}

static void numbers(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	const uint64_t number = UINT64_C(4012888888881881);
	uint64_t words[3] = { 5, number, 7 };
	(void)state;

	redaction_learn_number(r, number);
	redaction_erase(r, AT, words, sizeof(words), NULL, NULL);
	assert_int_equal(words[0], 5);
	assert_true(words[1] != number);
	assert_int_equal(words[2], 7);
	erased(r, "card 4012888888881881.", "card XXXXXXXXXXXXXXXX.");
}

static bool is_short(void *arg, uint64_t addr, const uint8_t *word)
{
	(void)arg;
	assert_int_equal(addr % 8, 0);
	return word[7] == 0;
}

/* Words that are no text stay where only a part of a secret, or any text, is looked for. */
static void kept(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	AUTO(redaction_free)
	struct redaction *strict = make_redaction(REDACT_STRICT, NULL);
	static const char secret[] = "\300\001\002\003letters, and more than that";
	const uint64_t number = UINT64_C(4012888888881881);
	uint8_t words[24] = "", texts[] = "\201\202\203\204\205\0\0\0letters";
	(void)state;

	redaction_learn(r, 0, 0, secret, strlen(secret));
	redaction_learn_number(r, number);
	memcpy(words + 4, "s, and m", 8); /* of its middle, in two words */
	memcpy(words + 16, &number, sizeof(number));
	redaction_erase(r, AT, words, sizeof(words), is_short, NULL);
	assert_memory_equal(words, "\0\0\0\0XXXXnd m", 12);
	assert_memory_equal(words + 16, "XXXXXXX", 8); /* all its bytes but zeros */
	redaction_erase(strict, AT, texts, sizeof(texts), is_short, NULL);
	assert_memory_equal(texts, "\201\202\203\204\205\0\0\0letters", 15);
}

static void modes(void **state)
{
	AUTO(redaction_free)
	struct redaction *strict = make_redaction(REDACT_STRICT, NULL);
	AUTO(redaction_free)
	struct redaction *nothing = make_redaction(REDACT_NOTHING, NULL);
	AUTO(redaction_free) struct redaction *all = make_redaction(REDACT_SECRETS, NULL);
	(void)state;

	erased(strict, "abc\001text\002ab", "abc\001XXXX\002ab");
	redaction_learn(nothing, AT, 4, "texttext", 8);
	erased(nothing, "texttext", "texttext");
	redaction_suspect_all(all);
	erased(all, "abc\001text\002ab", "abc\001XXXX\002ab");
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents), cmocka_unit_test(places),
		cmocka_unit_test(unused),   cmocka_unit_test(numbers),
		cmocka_unit_test(kept),	    cmocka_unit_test(modes),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
