/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "redaction/redaction_priv.h"
#include "tests/unit/redaction/expected.h"
#include "tests/unit/unit.h"

static void types(void **state)
{
	static const char *const secret[] = {
		"crypto/rsa.PrivateKey",
		"crypto/ed25519.PrivateKey",
		"net/url.Userinfo",
		"net/http.Cookie",
		"crypto/internal/fips140/aes.Block",
		"main.Password",
		"main.dbCredentials",
		"example.org/auth.ClientSecret",
		"main.secretString",
		"main.APIKey",
	};
	static const char *const open[] = {
		"crypto/rsa.PublicKey",
		"string",
		"go/token.Token",
		"main.Session",
		"net/url.URL",
		"[]uint8",
		"map[string]main.Password",
		"crypto/tls.Conn",
		"main.box[main.Secret]",
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(secret); i++)
		if (!redaction_of_type(r, secret[i]))
			fail_msg("%s is not secret", secret[i]);
	for (size_t i = 0; i < ARRAY_SIZE(open); i++)
		if (redaction_of_type(r, open[i]))
			fail_msg("%s is secret", open[i]);
	assert_true(redaction_is_public("crypto/internal/fips140/rsa.PublicKey"));
	assert_true(redaction_is_public("crypto/ecdh.Curve"));
	assert_false(redaction_is_public("crypto/rsa.PrivateKey"));
	assert_false(redaction_is_public("main.PublicKey"));
}

#define JWT "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"

static void texts(void **state)
{
	static const struct {
		const char *text, *rule, *left;
	} cases[] = {
		{ JWT, "jwt", NULL },
		{ "a " JWT " b", "jwt", "a [redacted] b" },
		{ "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0N", "jwt", NULL },
		{ "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
		  "pem", NULL },
		{ "-----BEGIN PRIVATE KEY-----\nMIIEvQ", "pem", NULL },
		{ "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", NULL,
		  NULL },
		{ "AKIAIOSFODNN7EXAMPLE", "service_key", NULL },
		{ "key=AKIAIOSFODNN7EXAMPLE;", "service_key", "key=[redacted];" },
		{ "xAKIAIOSFODNN7EXAMPLE", NULL, NULL },
		{ "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "service_key", NULL },
		{ "4111 1111 1111 1111", "card_number", NULL },
		{ "pay 4111-1111-1111-1111.", "card_number", "pay [redacted]." },
		{ "4111111111111112", NULL, NULL },
		{ "41111111111111111111111111", NULL, NULL },
		{ "1732240000123456789", NULL, NULL },
		{ "postgres://bob:hunter2@db/x", "url_password",
		  "postgres://[redacted]@db/x" },
		{ "https://example.org/a@b", NULL, NULL },
		{ "bob:hunter2@tcp(db:3306)/x", "url_password",
		  "bob:[redacted]@tcp(db:3306)/x" },
		{ "GET /a?token=abc&x=1 HTTP/1.1", "key_value",
		  "GET /a?token=[redacted]&x=1 HTTP/1.1" },
		{ "Authorization: Basic dXNlcjpwYXNz\r\nHost: x", "key_value",
		  "Authorization: [redacted]\r\nHost: x" },
		{ "{\"user\":\"bob\",\"password\":\"hun\\\"ter2\",\"n\":1}", "key_value",
		  "{\"user\":\"bob\",\"password\":\"[redacted]\",\"n\":1}" },
		{ "{\\\"password\\\":\\\"hunter2\\\"}", "key_value",
		  "{\\\"password\\\":\\\"[redacted]\\\"}" },
		/* A quote that is escaped less is part of it. */
		{ "{\\\\\\\"password\\\\\\\":\\\\\\\"hun \\\"ter2\\\\\\\"}", "key_value",
		  "{\\\\\\\"password\\\\\\\":\\\\\\\"[redacted]\\\\\\\"}" },
		{ "{User:bob Password:hunter2}", "key_value",
		  "{User:bob Password:[redacted]}" },
		{ "password: hunter", "key_value", "password: [redacted]" },
		{ "invalid token: unexpected end of input", NULL, NULL },
		{ "invalid token: a83bc92", "key_value", "invalid token: [redacted]" },
		{ "bad token \"abc\" at 3", "key_value",
		  "bad token \"[redacted]\" at 3" },
		{ "run --password hunter2 -v", "key_value",
		  "run --password [redacted] -v" },
		{ "curl -H x Bearer abcdefgh12", "authorization",
		  "curl -H x Bearer [redacted]" },
		{ "x Basic mnopqrst y", "authorization", "x Basic [redacted] y" },
		{ "x Basic zyxwvut y", NULL, NULL },
		{ "the bearer of news", NULL, NULL },
		{ "map[password:hunter2 user:bob]", "key_value",
		  "map[password:[redacted] user:bob]" },
		{ "map[Authorization:[Bearer abc] Accept:[*/*]]", "key_value",
		  "map[Authorization:[[redacted]] Accept:[*/*]]" },
		{ "sent Authorization: Bearer abc to x", "key_value",
		  "sent Authorization: [redacted] to x" },
		{ "sent Authorization: AWS4-HMAC-SHA256 def to x", "key_value",
		  "sent Authorization: [redacted] to x" },
		{ "curl -H 'Cookie: a=b; c=d' x", "key_value",
		  "curl -H 'Cookie: [redacted]' x" },
		{ "?to=%2Fcb%3Ftoken%3Dabc%26x%3D1", "key_value",
		  "?to=%2Fcb%3Ftoken%3D[redacted]%26x%3D1" },
		{ "<password>hunter 2</password>", "key_value",
		  "<password>[redacted]</password>" },
		{ "<name>bob</name>", NULL, NULL },
		{ "\\\\\\\"token\\\\\\\":\\\\\\\"abc\\\\\\\"}", "key_value",
		  "\\\\\\\"token\\\\\\\":\\\\\\\"[redacted]\\\\\\\"}" },
		{ "{\\\"password\\\":\\\"hun\\\\\\\"ter2\\\",1}", "key_value",
		  "{\\\"password\\\":\\\"[redacted]\\\",1}" },
		{ "{\"tokens\":[\"abc\",\"x\"],\"n\":1}", "key_value",
		  "{\"tokens\":[[redacted]],\"n\":1}" },
		{ "bob:p@ss:w/d@tcp(db:3306)/x", "url_password",
		  "bob:[redacted]@tcp(db:3306)/x" },
		{ "bob:hunter2@/x", "url_password", "bob:[redacted]@/x" },
		{ "https://hooks.slack.com/services/T0000/B0000/abcdefghij",
		  "service_key", "https://[redacted]" },
		{ "plain words, 12:30, a=b, http://x/y", NULL, NULL },
		{ ":", NULL, NULL },
		{ "token=", NULL, NULL },
		{ "token ", NULL, NULL },
		{ "password=\"", NULL, NULL },
		{ "password=[redacted] [redacted]", NULL, NULL },
		{ "", NULL, NULL },
	};
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		expect_text(r, cases[i].text, cases[i].rule, cases[i].left);
		redaction_forget(r);
	}
}

static void elsewhere(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0x1000, 16, "swordfish-and-more", 18);
	redaction_learn(r, 0x2000, 8, "abc", 3);
	assert_int_equal(secrets_count(r->here), 3);
	redaction_learn(r, 0x1004, 4, "swordfish-and-more", 18);
	assert_int_equal(secrets_count(r->here), 3);
	expect_text(r, "it was swordfish-and-more!", "copy_of_secret",
		    "it was [redacted]!");
	expect_text(r, "it was swordfish-", "copy_of_secret", "it was [redacted]");
	expect_text(r, "ordfish-a", "copy_of_secret", NULL);
	expect_text(r, "and-more of it", "copy_of_secret", "[redacted] of it");
	expect_text(r, "and-more", "copy_of_secret", NULL);
	expect_text(r, "abc", NULL, NULL);
	assert_true(redaction_at(r, 0xff8, 9));
	assert_true(redaction_at(r, 0x100f, 1));
	assert_false(redaction_at(r, 0x1010, 100));
	assert_false(redaction_at(r, 0xff8, 8));
	/* Many that meet: the ranges stay sorted, and are one in the end. */
	for (uint64_t i = 0; i < 1000; i++)
		redaction_learn(r, 0x10000 + (i * 7919 % 1000) * 16, 8, NULL, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_true(redaction_at(r, 0x10000 + i * 16 + 7, 1));
		assert_false(redaction_at(r, 0x10000 + i * 16 + 8, 8));
	}
	redaction_learn(r, 0x10000, 16000, NULL, 0);
	assert_true(redaction_at(r, 0x10000 + 8, 1));
	struct redacted found = redaction_of_text(r, 0x1008, "other words", 11);
	assert_string_equal(found.rule, "copy_of_secret");
	assert_null(found.text);
	redaction_remember(r);
	redaction_forget(r);
	assert_int_equal(secrets_count(r->here), 0);
	expect_text(r, "it was swordfish-and-more!", "copy_of_secret",
		    "it was [redacted]!");
	redaction_learn(r, 0, 0, "another-one", 11);
	expect_text(r, "another-one", "copy_of_secret", NULL);
	redaction_forget(r);
	expect_text(r, "another-one", NULL, NULL);
}

static void many(void **state)
{
	enum { MANY = 10000 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	char secret[32], text[64];
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		int n = snprintf(secret, sizeof(secret), "%05u-is-secret",
				 i * 7919 % MANY);
		redaction_learn(r, 0x10000 + i * 7919 % MANY * 64, 32, secret, (size_t)n);
	}
	for (unsigned i = 0; i < MANY; i += 77) {
		snprintf(text, sizeof(text), "a %05u-is-secret b", i);
		expect_text(r, text, "copy_of_secret", "a [redacted] b");
		snprintf(text, sizeof(text), "a %05u-is-", i);
		expect_text(r, text, "copy_of_secret", "a [redacted]");
		/* A hundred of them end so. */
		snprintf(text, sizeof(text), "%05u-is-secret b", i);
		expect_text(r, text + 3, "copy_of_secret", NULL);
		assert_true(redaction_at(r, 0x10000 + i * 64 + 31, 1));
		assert_false(redaction_at(r, 0x10000 + i * 64 + 32, 32));
	}
	expect_text(r, "harmless", NULL, NULL);
}

/* None of them is forgotten because others begin or end with the same characters. */
static void alike(void **state)
{
	enum { MANY = 20000 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	char secret[64], text[96];
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		int n = snprintf(secret, sizeof(secret), "session-prefix-%08x-end-of-it",
				 i * 0x9e3779b1);
		redaction_learn(r, 0, 0, secret, (size_t)n);
	}
	for (unsigned i = 0; i < MANY; i += 977) {
		snprintf(text, sizeof(text), "a session-prefix-%08x-end-of-it b",
			 i * 0x9e3779b1);
		expect_text(r, text, "copy_of_secret", "a [redacted]");
		expect_text(r, text + 9, "copy_of_secret", NULL);
	}
	expect_text(r, "harmless", NULL, NULL);
}

/* Of one that is as long as a session's token, both ends are found. */
static void long_ones(void **state)
{
	enum { MANY = 1500, LEN = 3800 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	AUTO(xfree) char *secret = xmalloc(LEN + 1);
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		for (unsigned at = 0; at < LEN; at += 8)
			snprintf(secret + at, LEN + 1 - at, "%08x",
				 (i * LEN + at) * 0x9e3779b1);
		redaction_learn(r, 0, 0, secret, LEN);
	}
	expect_text(r, "harmless", NULL, NULL);
	secret[300] = '\0';
	expect_text(r, secret + 100, "copy_of_secret", NULL);
}

/* Until there are too many. */
static void too_many(void **state)
{
	enum { MOST = 1 << 16 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	char secret[24];
	(void)state;
	for (unsigned i = 0; i < MOST; i++) {
		int n = snprintf(secret, sizeof(secret), "%08x-secret", i * 0x9e3779b1);
		redaction_learn(r, 0, 0, secret, (size_t)n);
		if (i == MOST / 2)
			expect_text(r, "anything", NULL, NULL);
	}
	expect_text(r, "anything", "uncertain", NULL);
}

static void encoded(void **state)
{
	/* s<ord"ü and more of it */
	static const struct {
		const char *text, *left;
	} cases[] = {
		{ "0x733c6f726422c3bc21646d6f7265 0", "0x[redacted] 0" },
		{ "0x733C6F726422C3BC21646D6F7265 0", "0x[redacted] 0" },
		{ "s%3Cord%22%C3%BC%21dmore", NULL },
		{ "is \"s\\u003cord\\\"\xc3\xbc!dmore\"", "is \"[redacted]\"" },
		{ "is \"s<ord\\\"\\u00fc!dmore\"", "is \"[redacted]\"" },
		{ "czxvcmQiw7whZG1vcmU=", "[redacted]cmU=" }, /* alone */
		{ "[115 60 111 114 100 34 195 188 33 100 109 111 114 101]",
		  "[[redacted]]" },
		{ "[115,60,111,114,100,34,195,188,33,100,109,111,114,101]",
		  "[[redacted]]" },
		{ "{0x73, 0x3c, 0x6f, 0x72, 0x64, 0x22, 0xc3, 0xbc, 0x21, 0x64, 0x6d, "
		  "0x6f, "
		  "0x72, 0x65}",
		  "{[redacted]}" },
		{ "eHM8b3JkIsO8IWRtb3Jl", "eHM8[redacted]" },	  /* x before it */
		{ "YWJzPG9yZCLDvCFkbW9yZQ", "YWJz[redacted]ZQ" }, /* ab */
	};
	static const char secret[] = "s<ord\"\xc3\xbc!dmore";
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0, 0, secret, strlen(secret));
	assert_int_equal(secrets_count(r->here), 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_text(r, cases[i].text, "copy_of_secret", cases[i].left);
	assert_int_equal(secrets_count(r->here), 1);
}

static void pieces(void **state)
{
	static const struct {
		const char *text;
		bool piece, inside;
	} cases[] = {
		{ "abcd", false, false },
		{ "-----BEGIN CERTIFICATE-----", false, false },
		{ "-----BEGIN PRIVATE KEY-----\nab", false, true },
		{ "abcd", true, true },
		{ "", false, true },
		{ "ab/+=\r\n", true, true },
		{ "xy\n-----END PRIVATE KEY-----", true, false },
		{ "abcd", false, false },
		{ "-----BEGIN RSA PRIVATE KEY-----", false, true },
		{ "other words", false, false },
		{ "-----BEGIN PRIVATE KEY-----\na\n-----END PRIVATE KEY-----", false,
		  false },
	};
	bool inside = false;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = cases[i].text;
		if (redaction_of_piece(text, strlen(text), &inside) != cases[i].piece ||
		    inside != cases[i].inside)
			fail_msg("%zu: %s", i, text);
	}
}

/* What was said to be no secret, and turns out to be one, is to be said again. */
static void settled(void **state)
{
	static const char words[] = "it was swordfish-and-more!";
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0x1000, 16, "swordfish-and-more", 18);
	redaction_ask(r);
	assert_false(redaction_at(r, 0x2000, 8));
	expect_text(r, "nothing of it", NULL, NULL);
	assert_true(redaction_at(r, 0x1000, 8));
	assert_true(redaction_settled(r));
	/* Learned before it was asked for, or nobody asked for it. */
	redaction_ask(r);
	redaction_learn(r, 0x3000, 8, "another-secret", 14);
	assert_true(redaction_at(r, 0x3000, 8));
	assert_false(redaction_at(r, 0x3008, 8));
	expect_text(r, "nothing of it", NULL, NULL);
	redaction_learn(r, 0x3010, 8, "the third one", 13);
	assert_true(redaction_settled(r));
	/* The text, its end, a part of it. */
	redaction_forget(r);
	const char *const parts[] = { "swordfish", "and-more!!", words, "and-more!" };
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		redaction_ask(r);
		expect_text(r, words, NULL, NULL);
		redaction_learn(r, 0, 0, parts[i], strlen(parts[i]));
		assert_false(redaction_settled(r));
		redaction_forget(r);
	}
	redaction_ask(r);
	expect_text(r, "swordfish-", NULL, NULL);
	redaction_learn(r, 0, 0, words, sizeof(words) - 1);
	assert_false(redaction_settled(r));
	redaction_forget(r);
	/* A number, and one that is part of a text. */
	uint64_t letters;
	memcpy(&letters, "ordfish-", sizeof(letters));
	redaction_ask(r);
	assert_null(redaction_of_number(r, 7000124));
	redaction_learn_number(r, 7000123);
	assert_true(redaction_settled(r));
	const uint64_t numbers[] = { 7000124, letters, __builtin_bswap64(letters) };
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		redaction_forget(r);
		redaction_ask(r);
		assert_null(redaction_of_number(r, numbers[i]));
		redaction_learn_number(r, 7000124);
		redaction_learn(r, 0x4ff0, 0x11, words, sizeof(words) - 1);
		assert_false(redaction_settled(r));
	}
	redaction_forget(r);
	/* A long one. */
	AUTO(xfree) char *text = xcalloc(2 << 20, 1);
	redaction_ask(r);
	struct redacted none = redaction_of_text(r, 0, text, 2 << 20);
	assert_null(none.rule);
	redaction_learn(r, 0, 0, words, sizeof(words) - 1);
	assert_true(redaction_settled(r));
}

/* What takes long to read is no reason to take long. */
static void hostile(void **state)
{
	static const char *const rows[] = { " ",
					    ":",
					    "eyJ-",
					    "eyJabcdefgh-",
					    "\"",
					    "=",
					    "4",
					    "-----BEGIN ",
					    "://",
					    "password=",
					    "token ",
					    "a ",
					    "sk-",
					    "\\",
					    "{\"",
					    "bearer ",
					    "-p ",
					    " -",
					    "M",
					    "M/",
					    "0\x82\x02\x02\x01",
					    "bot123456789:A",
					    "sig=",
					    "mysql -p",
					    "curl -u ",
					    "&sig=M ",
					    "\\u0026sig=M ",
					    "\\\\",
					    "%25",
					    "&amp;",
					    "&#",
					    "%3Dtoken%3D" };
	enum { SIZE = 1 << 20 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	AUTO(xfree) char *text = xmalloc(SIZE);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = strlen(rows[i]);
		for (size_t at = 0; at < SIZE; at++)
			text[at] = rows[i][at % n];
		text[SIZE - 1] = '!';
		struct redacted found = redaction_of_text(r, 0, text, SIZE);
		redacted_done(&found);
		redaction_forget(r);
	}
}

static void suspected(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	assert_string_equal(redaction_rule_of_copy(r), "copy_of_secret");
	redaction_suspect_all(r);
	expect_text(r, "anything", "uncertain", NULL);
	redaction_forget(r);
	expect_text(r, "anything", NULL, NULL);
	redaction_set_suspect(r, true);
	expect_text(r, "anything", "uncertain", NULL);
	redaction_set_suspect(r, false);
	expect_text(r, "anything", NULL, NULL);
}

/* A variable that was never set has any length. */
static void endless(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	(void)state;
	redaction_learn(r, 0x10000, UINT64_C(1) << 40, "swordfish", 9);
	assert_true(redaction_at(r, 0x10000, 8));
	assert_false(redaction_at(r, 0x10000 + 8192, 8));
	expect_text(r, "it was swordfish", "copy_of_secret", "it was [redacted]");
}

static void modes(void **state)
{
	AUTO(redaction_free)
	struct redaction *strict = make_redaction(REDACT_STRICT, NULL);
	AUTO(redaction_free)
	struct redaction *nothing = make_redaction(REDACT_NOTHING, NULL);
	(void)state;
	expect_text(strict, "anything", "strict", NULL);
	expect_text(nothing, "password=hunter2 " JWT, NULL, NULL);
	assert_null(redaction_of_name(nothing, "password", 8));
	assert_null(redaction_of_type(nothing, "crypto/rsa.PrivateKey"));
}

static const char *write_file(const char *text)
{
	static char path[] = "/tmp/redaction.XXXXXX";
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

static void rules(void **state)
{
	static const char text[] = "# ours\n\nname *_dsn\nkeep name pagetoken\n"
				   "type main.account\nkeep type crypto/rsa.*\n"
				   "value customer-[0-9]+-[a-z]+\n"
				   "value customer-[0-9]+\n"
				   "value customer-[0-9]+-[a-z]\n"
				   "value alpha-[a-z]+\n"
				   "value beta-[0-9]+-\n"
				   "value 7-gamma\n"
				   "value q*\n"; /* matches nothing, everywhere */
	const char *path = write_file(text);
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, path);
	(void)state;
	unlink(path);
	assert_non_null(redaction_of_name(r, "main_DSN", 8));
	assert_null(redaction_of_name(r, "pageToken", 9));
	assert_non_null(redaction_of_name(r, "token", 5));
	assert_non_null(redaction_of_type(r, "main.account"));
	assert_null(redaction_of_type(r, "crypto/rsa.PrivateKey"));
	expect_text(r, "of customer-17 and customer-18.", "user_rule",
		    "of [redacted] and [redacted].");
	expect_text(r, "nothing of theirs", NULL, NULL);
	/* A match that begins in another one and ends behind it, and one that begins in that. */
	expect_text(r, "an alpha-beta-17-gamma, beta-.", "user_rule",
		    "an [redacted], beta-.");
	expect_text(r, "beta-1-alpha-x beta-7-gamma", "user_rule",
		    "[redacted][redacted] [redacted]");
	/* Behind the empty matches of an expression is one that is not. */
	expect_text(r, "of qqq", "user_rule", "of [redacted]");
	/* The longest of those that begin first. */
	expect_text(r, "customer-27-ab, customer-28.", "user_rule",
		    "[redacted], [redacted].");
}

static void bad_rules(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "name a\nnme b\n", ", line 2: expected name PATTERN" },
		{ "value [\n", ", line 1: invalid regular expression \"[\": " },
		{ "value a\nvalue (b)\\1\n", ", line 2: (b)\\1: back-references" },
		{ "value ((a{1,50}){1,50}){1,50}\n", "expanded: use smaller" },
		{ "value a{1,2000}\nvalue b{1,2000}\n",
		  ", line 2: b{1,2000} is too large" },
		{ "keep value x\n", ", line 1: expected" },
		{ "name\n", ", line 1: expected" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *path = write_file(cases[i].text);
		const struct redaction_options options = { .rules = path };
		struct err err;
		assert_null(redaction_new(&options, &err));
		unlink(path);
		if (!strstr(err.text, cases[i].said) || !strstr(err.text, path))
			fail_msg("%s", err.text);
	}
}

static void same(void **state)
{
	AUTO(redaction_free) struct redaction *a = make_redaction(REDACT_SECRETS, NULL);
	AUTO(redaction_free) struct redaction *b = make_redaction(REDACT_SECRETS, NULL);
	char x[REDACTION_HASH], y[REDACTION_HASH];
	(void)state;
	redaction_hash(a, "hunter2", 7, x);
	redaction_hash(a, "hunter2", 7, y);
	assert_string_equal(x, y);
	assert_int_equal(strlen(x), 16);
	redaction_hash(b, "hunter2", 7, y);
	assert_string_not_equal(x, y);
	redaction_hash(a, "hunter3", 7, y);
	assert_string_not_equal(x, y);
	const char *path = write_file("0123456789abcdef");
	const struct redaction_options options = { .key = path };
	struct err err;
	AUTO(redaction_free) struct redaction *c = redaction_new(&options, &err);
	AUTO(redaction_free) struct redaction *d = redaction_new(&options, &err);
	unlink(path);
	redaction_hash(c, "hunter2", 7, x);
	redaction_hash(d, "hunter2", 7, y);
	assert_string_equal(x, y);
	assert_int_equal(redaction_length(0), 0);
	assert_int_equal(redaction_length(1), 1);
	assert_int_equal(redaction_length(5), 8);
	assert_int_equal(redaction_length(UINT64_C(1) << 63), UINT64_C(1) << 62);
	assert_int_equal(redaction_length(64), 64);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types),     cmocka_unit_test(texts),
		cmocka_unit_test(elsewhere), cmocka_unit_test(many),
		cmocka_unit_test(encoded),   cmocka_unit_test(pieces),
		cmocka_unit_test(settled),   cmocka_unit_test(hostile),
		cmocka_unit_test(too_many),  cmocka_unit_test(alike),
		cmocka_unit_test(long_ones), cmocka_unit_test(suspected),
		cmocka_unit_test(endless),   cmocka_unit_test(modes),
		cmocka_unit_test(rules),     cmocka_unit_test(bad_rules),
		cmocka_unit_test(same),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
