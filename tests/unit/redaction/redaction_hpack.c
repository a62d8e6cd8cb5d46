/* SPDX-License-Identifier: Apache-2.0 */
/* Header blocks of HTTP/2 and HTTP/3: whatever is secret of them by its name or form is, without being known before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "redaction/redaction_priv.h"
#include "tests/unit/redaction/expected.h"
#include "tests/unit/unit.h"

enum { ROOM = 4096, STRING = 512 };

struct block {
	uint8_t bytes[ROOM];
	size_t len;
	bool plain; /* no Huffman code */
};

static void put(struct block *b, uint8_t byte)
{
	assert_true(b->len < ROOM);
	b->bytes[b->len++] = byte;
}

/* RFC 7541, 5.1 */
static void put_number(struct block *b, unsigned bits, uint8_t above, size_t n)
{
	const size_t most = ((size_t)1 << bits) - 1;

	if (n < most) {
		put(b, (uint8_t)(above | n));
		return;
	}
	put(b, (uint8_t)(above | most));
	for (n -= most; n >= 0x80; n >>= 7)
		put(b, (uint8_t)(0x80 | (n & 0x7f)));
	put(b, (uint8_t)n);
}

static void put_string(struct block *b, unsigned bits, uint8_t above, const char *text)
{
	const size_t len = strlen(text), whole = (huffman_bits(text, len) + 7) / 8;
	uint8_t coded[STRING + 8];
	char padded[STRING];

	assert_true(len + 2 < STRING);
	if (b->plain) {
		put_number(b, bits, above, len);
		memcpy(b->bytes + b->len, text, len);
		b->len += len;
		return;
	}
	put_number(b, bits, (uint8_t)(above | 1 << bits), whole);
	snprintf(padded, sizeof(padded), "%s\\", text); /* begins with 16 bits 1 */
	assert_true(huffman_encode(padded, len + 1, 0, coded) >= whole);
	memcpy(b->bytes + b->len, coded, whole);
	b->len += whole;
}

static void put_known(struct block *b, size_t index, const char *value)
{
	put_number(b, 6, 0x40, index);
	put_string(b, 7, 0, value);
}

static void put_named(struct block *b, uint8_t form, const char *name, const char *value)
{
	put(b, form);
	put_string(b, 7, 0, name);
	put_string(b, 7, 0, value);
}

/* As a client of net/http begins one. */
static void put_request(struct block *b)
{
	put_known(b, 1, "shop.example.org:8443");
	put(b, 0x83);
	put_known(b, 4, "/orders/4711");
	put(b, 0x87);
}

static void put_rest(struct block *b)
{
	put_known(b, 28, "512");
	put(b, 0x90);
	put_known(b, 58, "Go-http-client/2.0");
}

/* NULL: nothing is redacted. */
static void judged(struct redaction *r, const struct block *b, const char *rule)
{
	struct redacted left = redaction_of_text(r, 0, (const char *)b->bytes, b->len);

	if (!rule)
		assert_null(left.rule);
	else
		assert_string_equal(left.rule, rule);
	redacted_done(&left);
}

/* The value is known from now on. */
static void withheld(const struct block *b, const char *value, const char *rule)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	char text[STRING + 8];

	judged(r, b, rule);
	snprintf(text, sizeof(text), "see %s", value);
	struct redacted left = redaction_of_text(r, 0, text, strlen(text));
	assert_string_equal(left.rule, "copy_of_secret");
	assert_string_equal(left.text, "see [redacted]");
	redacted_done(&left);
	struct redaction *strict = make_redaction(REDACT_STRICT, NULL);
	judged(strict, b, "strict");
	redaction_free(strict);
}

static const struct {
	size_t index;
	const char *value;
} known[] = {
	{ 23, "Bearer-less.0a1b2c3d4e5f60718293a4b5" },
	{ 32, "sid=Zm9vYmFyYmF6cXV4; theme=dark" },
	{ 49, "k9LmNoPqRsTuVwXyZ0123" },
	{ 55, "sid=Zm9vYmFyYmF6cXV4; Path=/; HttpOnly" },
};

static void static_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct block b = { .len = 0 };
		put_request(&b);
		put_known(&b, known[i].index, known[i].value);
		put_rest(&b);
		withheld(&b, known[i].value, "key_value");
	}
}

/* A scheme is enough, without anything around it; the token is known by itself, too. */
static void schemes(void **state)
{
	static const char token[] = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
	static const uint8_t forms[][3] = { { 0x57 }, { 0x0f, 8 }, { 0x1f, 8 } };
	char value[STRING];
	(void)state;

	snprintf(value, sizeof(value), "Bearer %s", token);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(forms); i++) {
		const uint8_t *form = forms[i / 2];
		struct block b = { .plain = i & 1 };
		for (int n = 0; n < 50; n++)
			put(&b, (uint8_t)(0xf8 + n % 7)); /* of something else */
		put(&b, form[0]);
		if (form[1])
			put(&b, form[1]);
		put_string(&b, 7, 0, value);
		put(&b, 0xf9);
		withheld(&b, token, "authorization");
		b.len -= 9; /* cut off */
		AUTO(redaction_free)
		struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
		judged(r, &b, "authorization");
	}
}

static void literal_names(void **state)
{
	static const char *const names[] = { "x-api-key", "x-auth-token", "api-key",
					     "x-hub-signature-256", "client-secret" };
	static const uint8_t forms[] = { 0x40, 0x00, 0x10 };
	static const char value[] = "QmFzZTY0PT0vYW5kKw";
	(void)state;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(names) * ARRAY_SIZE(forms); i++) {
		struct block b = { .plain = i & 1 };
		put(&b, 0xff);
		put(&b, 0x01);
		put_named(&b, forms[i / 2 % 3], names[i / 6], value);
		put(&b, 0xff);
		put(&b, 0xff);
		withheld(&b, value, "key_value");
	}
}

/* What looks like a secret is one under any name, as in other text. */
static void by_form(void **state)
{
	static const char jwt[] = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."
				  "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
	struct block b = { .len = 0 };
	(void)state;

	put_request(&b);
	put_named(&b, 0x40, "x-forwarded-identity", jwt);
	put_rest(&b);
	withheld(&b, jwt, "jwt");
	b.len = 0;
	put_request(&b);
	put_known(&b, 5, "/callback?access_token=0a1b2c3d4e5f6071");
	put_rest(&b);
	withheld(&b, "0a1b2c3d4e5f6071", "key_value");
}

/* A frame's header is enough for a single field; the rest of a split block is withheld as a whole. */
static void frames(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	struct block b = { .len = 0 };
	(void)state;

	for (size_t i = 0; i < 40; i++)
		put(&b, (uint8_t)(0xc0 + i));
	memcpy(b.bytes + b.len, "\0\0\x20\1\4\0\0\0\3", 9);
	b.len += 9;
	put_known(&b, 32, "sid=Zm9vYmFyYmF6cXV4");
	put(&b, 0xc3);
	put(&b, 0xff);
	withheld(&b, "sid=Zm9vYmFyYmF6cXV4", "key_value");
	b.len = 0;
	memcpy(b.bytes, "\0\0\x20\11\4\0\0\0\3", 9);
	b.len += 9;
	put_string(&b, 7, 0, "the rest of a token");
	judged(r, &b, "uncertain");
}

/* A value that goes on in a CONTINUATION frame is one value. */
static void continued(void **state)
{
	static const char value[] = "Bearer 0a1b2c3d4e5f60718293a4b5c6d7e8f9";
	struct block whole = { .len = 0 }, b = { .len = 0 };
	(void)state;

	put_known(&whole, 23, value);
	memcpy(b.bytes, "\0\0\14\1\0\0\0\0\3", 9);
	memcpy(b.bytes + 9, whole.bytes, 12);
	memcpy(b.bytes + 21, "\0\0\20\11\4\0\0\0\3", 9);
	memcpy(b.bytes + 30, whole.bytes + 12, whole.len - 12);
	b.len = whole.len + 18;
	withheld(&b, value + strlen("Bearer "), "authorization");
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	redaction_erase(r, 0, b.bytes, b.len, NULL, NULL);
	for (size_t i = 11; i < b.len; i++)
		assert_int_equal(b.bytes[i], REDACTION_FILL);
}

/* QPACK, of HTTP/3. */
static void of_http3(void **state)
{
	struct block b = { .len = 0 };
	(void)state;

	put(&b, 0);
	put(&b, 0);
	put(&b, 0xc0 | 17);
	put(&b, 0xc0 | 23);
	put_number(&b, 4, 0x50, 1);
	put_string(&b, 7, 0, "/orders/4711");
	put_number(&b, 4, 0x50, 84);
	put_string(&b, 7, 0, "0a1b2c3d4e5f60718293a4b5");
	put_number(&b, 4, 0x50, 95);
	put_string(&b, 7, 0, "quic-go HTTP/3");
	withheld(&b, "0a1b2c3d4e5f60718293a4b5", "key_value");
	b.len = 0;
	put(&b, 0xff);
	put_string(&b, 3, 0x20, "x-api-key");
	put_string(&b, 7, 0, "QmFzZTY0PT0vYW5kKw");
	put(&b, 0xff);
	withheld(&b, "QmFzZTY0PT0vYW5kKw", "key_value");
}

/* What no secret is in is left, and so are bytes that are none. */
static void ordinary(void **state)
{
	enum { BUFFERS = 4000, BUFFER = 64 };
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	struct block b = { .len = 0 };
	uint64_t seed = 88172645463325252;
	size_t redacted = 0;
	(void)state;

	put_request(&b);
	put_named(&b, 0x40, "x-request-id", "4711-0815");
	put_rest(&b);
	judged(r, &b, NULL);
	for (size_t i = 0; i < BUFFERS; i++) {
		for (b.len = 0; b.len < BUFFER;) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			put(&b, (uint8_t)(seed >> 32));
		}
		struct redacted left =
			redaction_of_text(r, 0, (const char *)b.bytes, b.len);
		redacted += left.rule != NULL;
		redacted_done(&left);
		redaction_forget(r);
	}
	assert_in_range(redacted, 0, BUFFERS / 1000);
}

/* Bytes that are a long string from wherever it begins. */
static void too_much(void **state)
{
	enum { LONG = 100000 };
	static const uint8_t field[] = { 0x57, 0x7f, 0xf0, 0x1e }; /* of 4,079 bytes */
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	AUTO(xfree) uint8_t *bytes = xmalloc(LONG);
	(void)state;

	for (size_t i = 0; i < LONG; i++)
		bytes[i] = field[i % sizeof(field)];
	struct redacted left = redaction_of_text(r, 0, (const char *)bytes, LONG);
	assert_string_equal(left.rule, "uncertain");
	redacted_done(&left);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(static_names),	 cmocka_unit_test(schemes),
		cmocka_unit_test(literal_names), cmocka_unit_test(by_form),
		cmocka_unit_test(frames),	 cmocka_unit_test(continued),
		cmocka_unit_test(of_http3),	 cmocka_unit_test(ordinary),
		cmocka_unit_test(too_much),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
