/* SPDX-License-Identifier: Apache-2.0 */
/* Texts within texts: what is found in one is found in it where it is escaped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redaction/redaction_priv.h"
#include "tests/unit/redaction/expected.h"
#include "tests/unit/unit.h"

#define SIGNED "abcdefghijklmnopqrstuvwxyz012345"
#define HUB "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
#define JWT "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"

static void shapes(void **state)
{
	static const struct {
		const char *text, *rule, *left;
	} cases[] = {
		{ "{\"u\":\"x?sv=1\\u0026sig=" SIGNED "\"}", "key_value",
		  "{\"u\":\"x?sv=1\\u0026sig=[redacted]\"}" },
		{ "{\"u\":\"x?a=1\\u0026X-Amz-Signature=" SIGNED "\\u0026b=1\"}",
		  "key_value",
		  "{\"u\":\"x?a=1\\u0026X-Amz-Signature=[redacted]\\u0026b=1\"}" },
		{ "x?a=1\\u0026token=hunter2\\u0026b=1", "key_value",
		  "x?a=1\\u0026token=[redacted]\\u0026b=1" },
		{ "x?a=1&amp;token=hunter2&amp;b=1", "key_value",
		  "x?a=1&amp;token=[redacted]&amp;b=1" },
		{ "x?a=1&#38;sig=" SIGNED "&#x26;b=1", "key_value",
		  "x?a=1&#38;sig=[redacted]&#x26;b=1" },
		{ "\"\\u003cpassword\\u003ehunter 2\\u003c/password\\u003e\"",
		  "key_value",
		  "\"\\u003cpassword\\u003e[redacted]\\u003c/password\\u003e\"" },
		{ "&lt;password&gt;hunter 2&lt;/password&gt;", "key_value",
		  "&lt;password&gt;[redacted]&lt;/password&gt;" },
		{ "a: 1\\ntoken: hunter2\\nb: 2", "key_value",
		  "a: 1\\ntoken: [redacted]\\nb: 2" },
		{ "a\\tSTRIPE_KEY=hunter2\\tb", "key_value",
		  "a\\tSTRIPE_KEY=[redacted]\\tb" },
		{ "\\r\\nAuthorization: Digest a=b, c=d\\r\\nHost: x", "key_value",
		  "\\r\\nAuthorization: [redacted]\\r\\nHost: x" },
		{ "see\\n" HUB "\\nx", "service_key", "see\\n[redacted]\\nx" },
		{ "see\\n" JWT "\\nx", "jwt", "see\\n[redacted]\\nx" },
		{ "see\\\\n" HUB "\\\\nx", "service_key", "see\\\\n[redacted]\\\\nx" },
		{ "\\x1b" HUB "\\x1b", "service_key", "\\x1b[redacted]\\x1b" },
		{ "pay\\n4111 1111 1111 1111\\n", "card_number", "pay\\n[redacted]\\n" },
		{ "x?number%3D4111111111111111%26", "card_number",
		  "x?number%3D[redacted]%26" },
		/* Behind the name, too. */
		{ "password\\u003dhunter2", "key_value", "password\\u003d[redacted]" },
		{ "password\\u003d\\\"hun\\\\\\\"ter2\\\" x", "key_value",
		  "password\\u003d\\\"[redacted]\\\" x" },
		{ "token\\\":\\\"hunter2\\\"", "key_value",
		  "token\\\":\\\"[redacted]\\\"" },
		{ "{\\u0022password\\u0022:\\u0022hunter2\\u0022}", "key_value",
		  "{\\u0022password\\u0022:\\u0022[redacted]\\u0022}" },
		{ "password=&#34;hunter 2&#34; x", "key_value",
		  "password=&#34;[redacted]&#34; x" },
		{ "bad token \\\"abc\\\" at 3", "key_value",
		  "bad token \\\"[redacted]\\\" at 3" },
		{ "cd\\nmysql -phunter2 db", "key_value", "cd\\nmysql -p[redacted] db" },
		{ "postgres:\\/\\/bob:hunter2@db\\/x", "url_password",
		  "postgres:\\/\\/[redacted]@db\\/x" },
		{ "name=\\\"password\\\"\\r\\n\\r\\nhunter2\\r\\n--x", "key_value",
		  "name=\\\"password\\\"\\r\\n\\r\\n[redacted]\\r\\n--x" },
		/* Of several levels. */
		{ "?to=%253Ftoken%253Dabc%2526x%253D1", "key_value",
		  "?to=%253Ftoken%253D[redacted]%2526x%253D1" },
		{ "{\\\"u\\\":\\\"x?a=1\\\\u0026token=hunter2\\\\u0026b=1\\\"}",
		  "key_value",
		  "{\\\"u\\\":\\\"x?a=1\\\\u0026token=[redacted]\\\\u0026b=1\\\"}" },
		{ "to=x%3Fa%3D1\\u0026sig=" SIGNED "%26b", "key_value",
		  "to=x%3Fa%3D1\\u0026sig=[redacted]%26b" },
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		redaction_forget(r);
		expect_text(r, cases[i].text, cases[i].rule, cases[i].left);
	}
}

/* What is not escaped, or of no secret. */
static void harmless(void **state)
{
	static const char *const cases[] = {
		"C:\\new\\token.txt",
		"open C:\\temp\\new\\token.txt: access denied",
		"{\"path\":\"C:\\\\new\\\\token.txt\"}",
		"100% token, %d of %5d, 50%ab",
		"killed:\\nsig=11\\n",
		"a\\u0026sig=11\\u0026b",
		"a & b &amp; c &#; &#x; &#99999999; &amp",
		"\\u12 \\x4 \\U00110000 \\",
		"%",
		"\\u",
		"&",
		"&#",
		"&#x41",
		"invalid token\\u003a unexpected end of input",
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_text(r, cases[i], NULL, NULL);
}

/* ab$cd e&f<gh: of which each escapes others. */
static void known(void **state)
{
	static const struct {
		const char *text, *left;
	} cases[] = {
		{ "https://h/u/ab$cd%20e&f%3Cgh", "https://h/u/[redacted]" },
		{ "it was ab$cd e&amp;f&lt;gh!", "it was [redacted]!" },
		{ "it was \\\"ab$cd e\\\\u0026f\\\\u003cgh\\\"!",
		  "it was \\\"[redacted]\\\"!" },
		{ "%61%62%24%63%64 e&f<gh!", "[redacted]!" },
		{ "ab%24cd e%26f%3Cgh", NULL },
		{ "%24cd e%26f%3Cgh", NULL }, /* the rest of it */
		{ "https://h/u/ab$cd%20e&f%3C", "https://h/u/[redacted]" },
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0, 0, "ab$cd e&f<gh", 12);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_text(r, cases[i].text, "copy_of_secret", cases[i].left);
}

/* In the letters of the text and in its own. */
static void learned(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	struct redacted found;
	static const char text[] = "{\"password\":\"ab\\u0026cd\\nef\",\"n\":1}";
	(void)state;
	found = redaction_of_text(r, 0x1000, text, strlen(text));
	assert_string_equal(found.rule, "key_value");
	redacted_done(&found);
	assert_true(redaction_at(r, 0x1000 + 13, 1));
	assert_false(redaction_at(r, 0x1000 + 12, 1));
	assert_false(redaction_at(r, 0x1000 + 28, 1));
	expect_text(r, "it was ab&cd\nef!", "copy_of_secret", "it was [redacted]!");
	expect_text(r, "it was ab\\u0026cd\\nef!", "copy_of_secret",
		    "it was [redacted]!");
	/* Shown, and then learned. */
	redaction_forget(r);
	redaction_ask(r);
	expect_text(r, "https://h/u/ab$cd%20e&fgh", NULL, NULL);
	redaction_learn(r, 0, 0, "ab$cd e&fgh", 11);
	assert_false(redaction_settled(r));
}

static void unescaped(void **state)
{
	static const struct {
		const char *text, *plain;
	} cases[] = {
		{ "\\n\\r\\t\\\"\\'\\\\\\/", "\n\r\t\"'\\/" },
		{ "\\u00e9\\u20ac\\U0001f600\\xff",
		  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff" },
		{ "%41%2f%2F&amp;&lt;&gt;&quot;&apos;&#65;&#x42;", "A//&<>\"'AB" },
		/* Of no more than seven digits. */
		{ "&#0000065;&#x0000042;&#00000067;", "AB&#00000067;" },
		{ "\\\\n %2541", "\\n %41" },
		{ "\\q\\u12 %4x &x; \\n", "\\q\\u12 %4x &x; \n" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(plain_text_free)
		struct plain_text *plain = unescape(cases[i].text, strlen(cases[i].text));
		assert_non_null(plain);
		assert_string_equal(plain->text, cases[i].plain);
		assert_int_equal(plain->len, strlen(cases[i].plain));
		struct span all =
			escaped_span(plain, (struct span){ 0, plain->len, NULL });
		assert_int_equal(all.begin, 0);
		assert_int_equal(all.end, strlen(cases[i].text));
	}
	assert_null(unescape("C:\\quay %d &x", 13));
	/* A letter of several bytes is one. */
	AUTO(plain_text_free) struct plain_text *plain = unescape("a\\u20acb", 8);
	struct span middle = escaped_span(plain, (struct span){ 2, 3, NULL });
	assert_int_equal(middle.begin, 1);
	assert_int_equal(middle.end, 7);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),    cmocka_unit_test(harmless),
		cmocka_unit_test(known),     cmocka_unit_test(learned),
		cmocka_unit_test(unescaped),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
