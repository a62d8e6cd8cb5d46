/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of secrets that people expect to be recognised, each beside what is only like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "redaction/redaction_priv.h"
#include "redaction/patterns/tokens.h"
#include "tests/unit/redaction/expected.h"
#include "tests/unit/unit.h"

#define RANDOM "zsqXk2Jd9wPq7LmN4vRt"
#define OTHER "abXk2Jd9wzsqde8Fg3Hj"

struct form {
	const char *text,
		*left; /* left NULL: all of it is redacted; the text itself: none */
};

static void expect_forms(const struct form *forms, size_t n, const char *rule)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);

	for (size_t i = 0; i < n; i++) {
		const bool open =
			forms[i].left && strcmp(forms[i].text, forms[i].left) == 0;
		redaction_forget(r);
		expect_text(r, forms[i].text, open ? NULL : rule,
			    open ? NULL : forms[i].left);
	}
}

static void logins(void **state)
{
	static const struct form forms[] = {
		{ "machine example.org login bob password " RANDOM,
		  "machine example.org login bob password [redacted]" },
		{ "machine example.org\n  login bob\n  password plain\n",
		  "machine example.org\n  login bob\n  password [redacted]\n" },
		{ "machine learning login page", "machine learning login page" },
		{ "db.example.org:5432:app:bob:" RANDOM "\nx",
		  "db.example.org:5432:app:bob:[redacted]\nx" },
		{ "db:5432:app:bob:" RANDOM "\nx", "db:5432:app:bob:[redacted]\nx" },
		{ "*:*:*:bob:a\\:b" RANDOM, "*:*:*:bob:[redacted]" },
		{ "bob:x:1000:1000:Bob:/home/bob:/bin/sh",
		  "bob:x:1000:1000:Bob:/home/bob:/bin/sh" },
		{ "fe80:1234:abcd:12:34", "fe80:1234:abcd:12:34" },
		{ "main.c:10:5:warning:unused", "main.c:10:5:warning:unused" },
		{ "2026-12-01 12:30:45:123:456 x", "2026-12-01 12:30:45:123:456 x" },
		{ "bob logged in with password " RANDOM " from 10.0.0.1",
		  "bob logged in with password [redacted] from 10.0.0.1" },
		{ "uses token " RANDOM ".", "uses token [redacted]." },
		{ "password authentication failed for bob",
		  "password authentication failed for bob" },
		{ "the password Policy is strict", "the password Policy is strict" },
		{ "unexpected token ILLEGAL", "unexpected token ILLEGAL" },
		{ "bad token main.go:55: x", "bad token main.go:55: x" },
		{ "the token bucket has 100000 tokens",
		  "the token bucket has 100000 tokens" },
		{ "AUTH LOGIN\r\n334 VXNlcm5hbWU6\r\nYm9i\r\n334 "
		  "UGFzc3dvcmQ6\r\nenNxWGsySmQ5dw==\r\n235 ok",
		  "AUTH LOGIN\r\n334 VXNlcm5hbWU6\r\n[redacted]\r\n235 ok" },
		{ "AUTH LOGIN Ym9i\r\nenNxWGsySmQ5dw==\r\n",
		  "AUTH LOGIN [redacted]\r\n" },
		{ "334 UGFzc3dvcmQ6\r\nenNxWGsySmQ5dw==\r\n235 ok",
		  "334 UGFzc3dvcmQ6\r\n[redacted]\r\n235 ok" },
		{ "AUTH LOGIN\r\n", "AUTH LOGIN\r\n" },
		{ "334 VXNlcm5hbWU6\r\n", "334 VXNlcm5hbWU6\r\n" },
	};
	(void)state;
	expect_forms(forms, ARRAY_SIZE(forms), "key_value");
}

static void blocks(void **state)
{
	static const struct form forms[] = {
		{ "password: |\n  " RANDOM "\n  abc\nnext: 1",
		  "password: |\n  [redacted]\nnext: 1" },
		{ "a:\n  token: >-\n    " RANDOM "\n\n    abc\n  next: 1",
		  "a:\n  token: >-\n    [redacted]\n  next: 1" },
		{ "notes: |\n  abc\nnext: 1", "notes: |\n  abc\nnext: 1" },
		{ "client_secret = \"\"\"\n" RANDOM "\n\"\"\"\nx = 1",
		  "client_secret = \"\"\"[redacted]\"\"\"\nx = 1" },
		{ "password = '''a'" RANDOM "'''", "password = '''[redacted]'''" },
		{ "notes = \"\"\"\nabc\n\"\"\"\n", "notes = \"\"\"\nabc\n\"\"\"\n" },
		{ "kind: Secret\ndata:\n  uri: cG9zdGdyZXM6Ly9ib2I6aHVu\ntype: Opaque\n",
		  "kind: Secret\ndata:\n[redacted]\ntype: Opaque\n" },
		{ "data:\n  uri: cG9zdGdyZXM6Ly9ib2I6aHVu\nkind: Secret\n",
		  "data:\n[redacted]\nkind: Secret\n" },
		{ "  stringData:\n    uri: postgres\n  kind: \"Secret\"\n",
		  "  stringData:\n[redacted]\n  kind: \"Secret\"\n" },
		{ "{\"kind\":\"Secret\",\"data\":{\"uri\":\"cG9z\"}}",
		  "{\"kind\":\"Secret\",\"data\":{[redacted]}}" },
		{ "kind: ConfigMap\ndata:\n  uri: cG9zdGdyZXM6Ly9ib2I6aHVu\n",
		  "kind: ConfigMap\ndata:\n  uri: cG9zdGdyZXM6Ly9ib2I6aHVu\n" },
		{ "kind: Secret\n---\nkind: ConfigMap\ndata:\n  uri: cG9z\n",
		  "kind: Secret\n---\nkind: ConfigMap\ndata:\n  uri: cG9z\n" },
		{ "{\"kind\":\"SecretList\",\"data\":{\"uri\":\"cG9z\"}}",
		  "{\"kind\":\"SecretList\",\"data\":{\"uri\":\"cG9z\"}}" },
		{ ".dockerconfigjson: eyJhdXRocyI6eyJo",
		  ".dockerconfigjson: [redacted]" },
	};
	(void)state;
	expect_forms(forms, ARRAY_SIZE(forms), "key_value");
}

static void links(void **state)
{
	static const struct form forms[] = {
		{ "GET /cb?code=" RANDOM "&state=" OTHER " HTTP/1.1",
		  "GET /cb?code=[redacted]&state=[redacted] HTTP/1.1" },
		{ "grant_type=authorization_code&code_verifier=" OTHER,
		  "grant_type=authorization_code&code_verifier=[redacted]" },
		{ "/cb?code=404&state=CA&ticket=17", "/cb?code=404&state=CA&ticket=17" },
		{ "code=" RANDOM, "code=[redacted]" },
		{ "exit code: " RANDOM, "exit code: " RANDOM },
		{ "https://x/magic/" RANDOM "?a=1", "https://x/magic/[redacted]?a=1" },
		{ "https://x/reset-password/" RANDOM,
		  "https://x/reset-password/[redacted]" },
		{ "https://x/reset/MQ/" RANDOM "/", "https://x/reset/MQ/[redacted]/" },
		{ "https://x/login?magic=" RANDOM, "https://x/login?magic=[redacted]" },
		{ "/reset/all-the-counters-now", "/reset/all-the-counters-now" },
		{ "/verify/index.html", "/verify/index.html" },
		{ "/files/" RANDOM, "/files/" RANDOM },
		{ "X-Functions-Key: " RANDOM, "X-Functions-Key: [redacted]" },
		{ "X-Honeycomb-Team: " RANDOM, "X-Honeycomb-Team: [redacted]" },
		{ "Authentication: " RANDOM, "Authentication: [redacted]" },
		{ "Authentication: required", "Authentication: required" },
		{ "Sec-WebSocket-Key: " RANDOM, "Sec-WebSocket-Key: " RANDOM },
		{ "Idempotency-Key: " RANDOM, "Idempotency-Key: " RANDOM },
		{ "run --key " RANDOM " --license " OTHER " x",
		  "run --key [redacted] --license [redacted] x" },
		{ "run --key=" RANDOM " --license=" OTHER " x",
		  "run --key=[redacted] --license=[redacted] x" },
		{ "run --key /etc/ssl/private/Server2.pem --license Apache-2.0",
		  "run --key /etc/ssl/private/Server2.pem --license Apache-2.0" },
		{ "run --key=server2.pem", "run --key=server2.pem" },
		{ "sort --key 2,3", "sort --key 2,3" },
		{ "LICENSE=" RANDOM "\nAPP_SALT=" OTHER,
		  "LICENSE=[redacted]\nAPP_SALT=[redacted]" },
		{ "SEED=" RANDOM, "SEED=[redacted]" },
		{ "LICENSE=LGPL-2.1-or-later\nSEED=1764603456789",
		  "LICENSE=LGPL-2.1-or-later\nSEED=1764603456789" },
	};
	(void)state;
	expect_forms(forms, ARRAY_SIZE(forms), "key_value");
}

static void hashes(void **state)
{
	static const struct form forms[] = {
		{ "a pbkdf2_sha256$260000$abcdefghijkl$Zm9vYmFyYmF6cXV4Zm9vYmFy b",
		  "a [redacted] b" },
		{ "a $pbkdf2-sha256$29000$abcdefghijkl$Zm9vYmFyYmF6cXV4 b",
		  "a [redacted] b" },
		{ "SCRAM-SHA-256$4096:Zm9vYmFyYmF6cXV4$Zm9vYmFyYmF6cXV4Zm9v:Zm9vYmFy",
		  NULL },
		{ "userPassword {SSHA}Zm9vYmFyYmF6cXV4Zm9v x",
		  "userPassword [redacted] x" },
		{ "{PBKDF2-SHA512}Zm9vYmFyYmF6cXV4Zm9v", NULL },
		{ "{crypt}$6$rounds=5000$abcdefghijkl", NULL },
		{ "{SHA} and {SSHA}short", "{SHA} and {SSHA}short" },
		{ "pbkdf2_sha256 is a scheme", "pbkdf2_sha256 is a scheme" },
		{ "ST-956-Lyg0BdLkgdrBO9W17bXS for x", "[redacted] for x" },
		{ "ST-1-short", "ST-1-short" },
		{ "abcdefghijklmn.atlasv1." RANDOM RANDOM RANDOM,
		  "abcdefghijklmn.[redacted]" },
		{ "see atlasv1.com", "see atlasv1.com" },
	};
	(void)state;
	expect_forms(forms, ARRAY_SIZE(forms), "service_key");
}

static void accounts(void **state)
{
	static const struct form forms[] = {
		{ "pay DE89370400440532013000.", "pay [redacted]." },
		{ "IBAN GB29 NWBK 6016 1331 9268 19 x", "IBAN [redacted] x" },
		{ "DE89370400440532013001", "DE89370400440532013001" },
		{ "XX89370400440532013000", "XX89370400440532013000" },
		{ "DE893704004405320130001", "DE893704004405320130001" },
		{ "DE89", "DE89" },
	};
	(void)state;
	expect_forms(forms, ARRAY_SIZE(forms), "iban");
}

static void files(void **state)
{
	static const struct form forms[] = {
		{ "x: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB",
		  "x: [redacted]" },
		{ "x: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURJVENDQWdtZ0F3SUJBZ0lJ",
		  "x: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURJVENDQWdtZ0F3SUJBZ0lJ" },
		{ "x: LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0KTUlJQklqQU5CZ2txaGtpRzl3",
		  "x: LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0KTUlJQklqQU5CZ2txaGtpRzl3" },
	};
	(void)state;
	expect_forms(forms, ARRAY_SIZE(forms), "pem");
}

/* The password message has zeros in it. */
static void messages(void **state)
{
	static const char message[] = "p\0\0\0\x19" RANDOM "\0Q", other[] = "p\0\0\0\x19"
									    "not text\1";
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	struct redacted found = redaction_of_text(r, 0, message, sizeof(message) - 1);
	(void)state;
	assert_string_equal(found.rule, "key_value");
	assert_int_equal(found.len, 5 + strlen("[redacted]") + 2);
	assert_memory_equal(found.text + 5, "[redacted]", strlen("[redacted]"));
	redacted_done(&found);
	found = redaction_of_text(r, 0, other, sizeof(other) - 1);
	assert_null(found.rule);
}

/* A prefix and as many characters as are documented, of each format in the table. */
static void formats(void **state)
{
	static const char mixed[] = "aB3dE4fA5bC6dE7f", digits[] = "0123456789ABCDEF";
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	size_t count, all = 0;
	char text[512];
	(void)state;
	for (int first = 1; first < 128; first++) {
		const struct token_format *of = token_formats((char)first, &count);
		for (size_t i = 0; i < count; i++, all++) {
			size_t n = (size_t)snprintf(text, sizeof(text), "x=%s",
						    of[i].prefix);
			assert_true(strlen(of[i].prefix) + of[i].least >= TOKEN_MIN);
			const char *letters = strchr(of[i].letters, 'a') ? mixed : digits;
			for (size_t k = 0; k < of[i].least; k++)
				text[n++] = letters[k % 16];
			memcpy(text + n, " y", 3);
			redaction_forget(r);
			expect_text(r, text, "service_key", "x=[redacted] y");
			/* The prefix alone is in documentation. */
			snprintf(text, sizeof(text), "x=%s y", of[i].prefix);
			redaction_forget(r);
			expect_text(r, text, NULL, NULL);
		}
	}
	assert_true(all >= 160);
}

static void like_formats(void **state)
{
	static const char *const open[] = { "s.VeryLongMethodNameThatIsIt",
					    "key-value pairs",
					    "patterns of things.that",
					    "SKIP",
					    "secret_sauce",
					    "API-VERSION-2",
					    "EAAAAAAAAAAAAAAB",
					    "sq0idp-" RANDOM };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(open); i++)
		expect_text(r, open[i], NULL, NULL);
}

/* Names of which only the value tells whether it is secret. */
static void doubtful(void **state)
{
	static const struct {
		const char *name, *text;
		bool parameter, secret;
	} cases[] = {
		{ "code", RANDOM, true, true },
		{ "code", "404", true, false },
		{ "code", RANDOM, false, false },
		{ "state", RANDOM, true, true },
		{ "state", "California", true, false },
		{ "Authentication", RANDOM, true, true },
		{ "LICENSE", RANDOM, false, true },
		{ "LICENSE", "MIT", false, false },
		{ "SALT", RANDOM, false, true },
		{ "license", RANDOM, false, false },
		{ "password", "x", false, true },
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!redaction_of_named_text(r, cases[i].name, strlen(cases[i].name),
					     cases[i].text, strlen(cases[i].text),
					     cases[i].parameter) == cases[i].secret)
			fail_msg("%s: %s", cases[i].name, cases[i].text);
}

static size_t last_argument(struct redaction *r, const char *option, const char *word)
{
	struct arguments c = { .program = 0 };

	redaction_of_argument(r, &c, "run", strlen("run"));
	redaction_of_argument(r, &c, option, strlen(option));
	return redaction_of_argument(r, &c, word, strlen(word));
}

static void options(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	assert_int_equal(last_argument(r, "--key", RANDOM), 0);
	assert_int_equal(last_argument(r, "--license", RANDOM), 0);
	assert_int_equal(last_argument(r, "--key", "server2.pem"), strlen("server2.pem"));
	assert_int_equal(last_argument(r, "--license", "Apache-2.0"),
			 strlen("Apache-2.0"));
}

/* Parts of what is secret by its name or type. */
static void precise(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	bool by_name;
	(void)state;
	assert_true(redaction_is_open("net/url.URL", "Host", &by_name));
	assert_true(redaction_is_open("net/url.URL", "Path", &by_name));
	assert_false(redaction_is_open("net/url.URL", "RawQuery", &by_name));
	assert_false(redaction_is_open("net/url.URL", "User", &by_name));
	assert_false(redaction_is_open("net/http.Cookie", "Value", &by_name));
	assert_true(
		redaction_is_open("golang.org/x/time/rate.Limiter", "tokens", &by_name));
	assert_true(by_name);
	assert_true(redaction_is_open("crypto/tls.Config", "SessionTicketKey", &by_name));
	assert_false(by_name);
	assert_false(redaction_is_open("main.URL", "Host", &by_name));
	assert_true(redaction_is_enum("crypto/tls.ClientAuthType"));
	assert_true(redaction_is_enum("bytes.readOp"));
	assert_false(redaction_is_enum("main.Laptop"));
	assert_false(redaction_is_enum("uint64"));
	assert_false(redaction_is_enum("main.Pin"));
	assert_non_null(redaction_of_member(r, "main.Session", "ID"));
	assert_non_null(redaction_of_member(r, "main.userSession", "id"));
	assert_null(redaction_of_member(r, "main.Session", "User"));
	assert_null(redaction_of_member(r, "main.Order", "ID"));
	assert_false(redaction_is_users_rule(redaction_of_name(r, "password", 8)));
	assert_false(redaction_is_users_rule(NULL));
}

/* Copies of texts that are everywhere are left; the secret itself is redacted by its place. */
static void common(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0x1000, 9, "localhost", 9);
	redaction_learn(r, 0x2000, 8, "password", 8);
	redaction_learn(r, 0x3000, 4, "http", 4);
	redaction_learn(r, 0x4000, 10, "swordfish1", 10);
	expect_text(r, "at localhost", NULL, NULL);
	expect_text(r, "http and password", NULL, NULL);
	expect_text(r, "at swordfish1", "copy_of_secret", "at [redacted]");
	assert_true(redaction_at(r, 0x1004, 1));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logins),	cmocka_unit_test(blocks),
		cmocka_unit_test(links),	cmocka_unit_test(hashes),
		cmocka_unit_test(accounts),	cmocka_unit_test(files),
		cmocka_unit_test(messages),	cmocka_unit_test(formats),
		cmocka_unit_test(like_formats), cmocka_unit_test(doubtful),
		cmocka_unit_test(options),	cmocka_unit_test(precise),
		cmocka_unit_test(common),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
