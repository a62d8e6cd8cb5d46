/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of private keys, by themselves, once the key is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/base16.h>
#include <nettle/base64.h>

#include "tests/unit/redaction/expected.h"
#include "tests/unit/unit.h"

enum { PART = 32, KEY_MAX = 1024 };

struct key {
	uint8_t bytes[KEY_MAX];
	size_t len;
};

/* Bytes that differ from those of any other part. */
static void fill(uint8_t part[static PART], unsigned which)
{
	for (unsigned i = 0; i < PART; i++)
		part[i] = (uint8_t)(0x80 | (which * 37 + i * 11 + i * i * 3));
}

static void put(struct key *key, const char *digits)
{
	unsigned byte;

	for (; *digits; digits += 2) {
		assert_int_equal(sscanf(digits, "%2x", &byte), 1);
		key->bytes[key->len++] = (uint8_t)byte;
	}
}

static void put_part(struct key *key, unsigned which)
{
	fill(key->bytes + key->len, which);
	key->len += PART;
}

/* A sequence of so many bytes around it all. */
static void enclose(struct key *key)
{
	memmove(key->bytes + 4, key->bytes, key->len);
	memcpy(key->bytes,
	       (uint8_t[]){ 0x30, 0x82, (uint8_t)(key->len >> 8), (uint8_t)key->len }, 4);
	key->len += 4;
}

/* PKCS #1: the modulus is part 1, then e, and the parts 2 to 7. */
static struct key rsa_key(void)
{
	struct key key = { .len = 0 };

	put(&key, "020100");
	put(&key, "022100");
	put_part(&key, 1);
	put(&key, "0203010001");
	for (unsigned i = 2; i < 8; i++) {
		put(&key, "022100");
		put_part(&key, i);
	}
	enclose(&key);
	return key;
}

static struct key edwards_key(void)
{
	struct key key = { .len = 0 };

	put(&key, "302e020100300506032b657004220420");
	put_part(&key, 2);
	return key;
}

static void put_string(struct key *key, const char *text)
{
	put(key, "000000");
	key->bytes[key->len++] = (uint8_t)strlen(text);
	memcpy(key->bytes + key->len, text, strlen(text));
	key->len += strlen(text);
}

/* The public half is part 1, the seed part 2. */
static struct key openssh_key(void)
{
	struct key key = { .len = 0 };

	memcpy(key.bytes, "openssh-key-v1", 15);
	key.len = 15;
	put_string(&key, "none");
	put_string(&key, "none");
	put_string(&key, "");
	put(&key, "00000001");
	put_string(&key, "public");
	put(&key, "00000086");
	put(&key, "0102030401020304");
	put_string(&key, "ssh-ed25519");
	put(&key, "00000020");
	put_part(&key, 1);
	put(&key, "00000040");
	put_part(&key, 2);
	put_part(&key, 1);
	put_string(&key, "bob");
	return key;
}

static bool is_known(struct redaction *r, unsigned which)
{
	static const char left[] = "it is [redacted], or so";
	uint8_t part[PART];
	char text[2 * PART + 32] = "it is ";
	const size_t before = strlen(text);

	fill(part, which);
	base16_encode_update(text + before, PART, part);
	memcpy(text + before + 2 * PART, ", or so", 8);
	struct redacted found = redaction_of_text(r, 0, text, strlen(text));
	const bool known = found.rule != NULL;
	if (known &&
	    (found.len != strlen(left) || memcmp(found.text, left, found.len) != 0))
		fail_msg("part %u: %.*s", which, (int)found.len, found.text);
	redacted_done(&found);
	return known;
}

static void need(struct redaction *r, const char *what, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (!is_known(r, i))
			fail_msg("%s: part %u is not known", what, i);
	if (is_known(r, 1))
		fail_msg("%s: what is public of it is redacted", what);
}

static char *in_pem(const struct key *key, size_t *ret_len)
{
	char *text = calloc(1, 4 * KEY_MAX);
	size_t n = (size_t)sprintf(text, "-----BEGIN PRIVATE KEY-----\n");

	for (size_t at = 0; at < key->len; at += 48) {
		const size_t len = key->len - at < 48 ? key->len - at : 48;
		base64_encode_raw(text + n, len, key->bytes + at);
		n += BASE64_ENCODE_RAW_LENGTH(len);
		text[n++] = '\n';
	}
	n += (size_t)sprintf(text + n, "-----END PRIVATE KEY-----\n");
	*ret_len = n;
	return text;
}

/* In binary, in base64 and in PEM, found in a text. */
static void learned_from(const char *what, const struct key *key, unsigned to)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	char text[BASE64_ENCODE_RAW_LENGTH(KEY_MAX) + 1];
	size_t len;
	struct redacted found =
		redaction_of_text(r, 0, (const char *)key->bytes, key->len);

	redacted_done(&found);
	need(r, what, 2, to);
	redaction_forget(r);
	base64_encode_raw(text, key->len, key->bytes);
	found = redaction_of_text(r, 0, text, BASE64_ENCODE_RAW_LENGTH(key->len));
	redacted_done(&found);
	need(r, what, 2, to);
	redaction_forget(r);
	char *pem = in_pem(key, &len);
	found = redaction_of_text(r, 0, pem, len);
	redacted_done(&found);
	need(r, what, 2, to);
	redaction_forget(r);
	char *twice = calloc(1, 8 * KEY_MAX); /* as Kubernetes has files */
	base64_encode_raw(twice, len, (const uint8_t *)pem);
	found = redaction_of_text(r, 0, twice, BASE64_ENCODE_RAW_LENGTH(len));
	redacted_done(&found);
	need(r, what, 2, to);
	redaction_forget(r);
	free(twice);
	for (size_t i = 0; i < key->len; i++) { /* for sanitizers */
		uint8_t *cut = malloc(i + 1);
		memcpy(cut, key->bytes, i);
		redaction_learn_parts(r, cut, i);
		free(cut);
	}
	free(pem);
}

static void keys(void **state)
{
	const struct key rsa = rsa_key(), edwards = edwards_key(),
			 openssh = openssh_key();
	(void)state;

	learned_from("RSA", &rsa, 8);
	learned_from("ed25519", &edwards, 3);
	learned_from("OpenSSH", &openssh, 3);
}

/* Memory is hostile: a sequence in a sequence without end, and lengths that lie. */
static void hostile(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	uint8_t bytes[8 << 10];
	(void)state;

	for (size_t i = 0; i < sizeof(bytes); i += 4)
		memcpy(bytes + i, "\x30\x82\xff\xff", 4);
	memcpy(bytes, "\x30\x82\x1f\xfc\x02\x01\x00\x02\x82\x01\x00\x80", 12);
	redaction_learn_parts(r, bytes, sizeof(bytes));
	for (size_t i = 12; i < sizeof(bytes); i += 2)
		memcpy(bytes + i, "\x04\x80", 2);
	redaction_learn_parts(r, bytes, sizeof(bytes));
}

#define LONG "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE"

static void web_keys(void **state)
{
	AUTO(redaction_free) struct redaction *r = make_redaction(REDACT_SECRETS, NULL);
	static const struct {
		const char *text, *left; /* NULL: all */
	} samples[] = {
		{ "{\"kty\":\"OKP\",\"d\":\"" LONG "\",\"x\":\"public\"}",
		  "{\"kty\":\"OKP\",\"d\":\"[redacted]\",\"x\":\"public\"}" },
		{ "{\"k\" : \"" LONG "\", \"kty\": \"oct\"}",
		  "{\"k\" : \"[redacted]\", \"kty\": \"oct\"}" },
		{ "{\\\"kty\\\":\\\"oct\\\",\\\"k\\\":\\\"" LONG "\\\"}",
		  "{\\\"kty\\\":\\\"oct\\\",\\\"k\\\":\\\"[redacted]\\\"}" },
		{ "{\"d\":\"" LONG, "{\"d\":\"[redacted]" },
		{ "{\"q\":\"" LONG "\"}", NULL },
		{ "{\"q\":\"" LONG, NULL },
		{ "{\"d\":\"" LONG "\"}", NULL },
		{ "{\"kty\":\"EC\",\"x\":\"" LONG "\"}", NULL },
		{ "{\"kty\":\"EC\"},{\"d\":\"" LONG "\"}", NULL },
		{ "{\"kty\":\"EC\",\"d\":\"short\"}", NULL },
		{ "\"d\":", NULL },
		{ ":\"", NULL },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		expect_text(r, samples[i].text, samples[i].left ? "key_value" : NULL,
			    samples[i].left);
		redaction_forget(r);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(hostile),
		cmocka_unit_test(web_keys),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
