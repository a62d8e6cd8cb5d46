/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys without PEM around them, and what only begins like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>

#include "tests/unit/unit.h"

#include "redaction/redaction.h"

enum { KEY_MAX = 2048 };

/* A beginning as openssl(1) writes it, in digits; what follows is filled up to len. */
struct sample {
	const char *name, *begin;
	size_t len;
};

static const struct sample keys[] = {
	{ "PKCS #1", "308204a30201000282010100a09f7eb1d19ef742", 1191 },
	{ "PKCS #1 of 512 bits", "3082013b020100024100a09f7eb1d19ef742", 319 },
	{ "PKCS #1 of three primes", "308204a30201010282010100a09f7eb1d19ef742", 1191 },
	{ "DSA", "308201ca0201000281810ecf11d451c16b51f6a0", 462 },
	{ "PKCS #8 of RSA", "308204bd020100300d06092a864886f70d0101010500048204a7",
	  1217 },
	{ "PKCS #8 of P-256",
	  "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420",
	  138 },
	{ "PKCS #8 of Ed25519", "302e020100300506032b657004220420", 48 },
	{ "PKCS #8 with the public key", "3051020101300506032b657004220420", 83 },
	{ "SEC 1 of P-256", "307702010104208775aa275c02633afa984f6d", 121 },
	{ "SEC 1 of P-521", "3081dc02010104420175aa275c02633afa984f6d", 223 },
	{ "PKCS #8, encrypted by PBES2",
	  "3082052d305706092a864886f70d01050d304a302906092a864886f70d01050c301c0408599cae"
	  "25"
	  "f2baeaba02020800300c06082a864886f70d02090500301d060960864801650304012a0410f67f"
	  "98"
	  "090d7ac696e3996d5831cac376048204d0",
	  1329 },
	{ "PKCS #8, encrypted as PKCS #12 does",
	  "308204ea301c060a2a864886f70d010c0103300e04080b9ee3a22e90f15202020800048204c8",
	  1262 },
	{ "OpenSSH", "6f70656e7373682d6b65792d763100000000046e6f6e65", 400 },
};

static const struct sample others[] = {
	{ "a certificate", "308202f9308201e1a00302010202146ecd18cc508911ab3e5d", 765 },
	{ "a certificate of version 1, number 1",
	  "308202f9020101300d06092a864886f70d01010b0500300c310a3008", 765 },
	{ "a request",
	  "3082025102010030"
	  "0c310a300806035504030c017830820122",
	  597 },
	{ "a public key", "30820122300d06092a864886f70d01010105000382010f00", 294 },
	{ "a public key of PKCS #1", "3082010a0282010100edfdc2330d0237d7b4bb", 270 },
	{ "too long for a curve", "3081ce0201010481c875aa275c02633afa984f6d", 209 },
	{ "no algorithm of PKCS #5",
	  "308204e8301a06082a864886f70d0105300e04080b9ee3a22e90f15202020800048204c8",
	  1260 },
	{ "no algorithm of PKCS #12",
	  "308204e9301b06092a864886f70d010c01300e04080b9ee3a22e90f15202020800048204c8",
	  1261 },
	{ "a signature", "304502207fa09f7eb1d19ef742a09f7eb1d19ef742", 71 },
	{ "a digest", "3031300d060960864801650304020105000420a09f7eb1d19ef742", 51 },
	{ "a message of SNMP", "302902010104067075626c6963a01c0204", 43 },
	{ "a list of what was revoked",
	  "3082025102010130"
	  "0d06092a864886f70d01010b0500300c",
	  597 },
	{ "encrypted data",
	  "3082025102010030"
	  "0d06092a864886f70d010701a0820200",
	  597 },
	{ "text", "303132333435363738390201003031323334", 40 },
	{ "a length without end", "30ffffffffffffff020100", 40 },
	{ "a name of a format", "6f70656e7373682d6b65792d763120", 40 },
};

static size_t make(const struct sample *sample, uint8_t ret[static KEY_MAX])
{
	size_t n = strlen(sample->begin) / 2;
	unsigned byte;

	for (size_t i = 0; i < n; i++) {
		sscanf(sample->begin + 2 * i, "%2x", &byte);
		ret[i] = (uint8_t)byte;
	}
	for (size_t i = n; i < sample->len; i++)
		ret[i] = (uint8_t)(i * 7919 >> 3 | 0x80);
	return sample->len;
}

static struct redaction *new_redaction(void)
{
	const struct redaction_options options = { .mode = REDACT_SECRETS };
	struct err err;
	struct redaction *r = redaction_new(&options, &err);

	assert_non_null(r);
	return r;
}

/* Returns how many bytes are left besides masks; -1: nothing was found. */
static int left_of(struct redaction *r, const void *bytes, size_t len)
{
	/* Just as long as it is, so that a sanitizer sees who reads on. */
	char *exact = malloc(len ? len : 1);
	memcpy(exact, bytes, len);
	struct redacted found = redaction_of_text(r, 0, exact, len);
	int left = (int)(found.len ? found.len - strlen("[redacted]") : 0);

	free(exact);
	if (found.rule && strcmp(found.rule, "der") != 0)
		fail_msg("the rule is %s", found.rule);
	if (!found.rule)
		left = -1;
	redacted_done(&found);
	redaction_forget(r);
	return left;
}

static void binary(void **state)
{
	AUTO(redaction_free) struct redaction *r = new_redaction();
	uint8_t bytes[KEY_MAX + 8];
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t n = make(&keys[i], bytes), shortest = strlen(keys[i].begin) / 2;
		if (left_of(r, bytes, n) != 0)
			fail_msg("%s is shown", keys[i].name);
		if (left_of(r, bytes, shortest) != 0)
			fail_msg("the beginning of %s is shown", keys[i].name);
		for (size_t len = 0; len < n; len++)
			left_of(r, bytes, len);
		/* In the middle of something else, which is left. */
		memmove(bytes + 3, bytes, n);
		memcpy(bytes, "a: ", 3);
		memcpy(bytes + 3 + n, " end", 4);
		bool open = strcmp(keys[i].name, "OpenSSH") == 0;
		if (left_of(r, bytes, n + 7) != (open ? 3 : 7))
			fail_msg("%s between texts: %d are left", keys[i].name,
				 left_of(r, bytes, n + 7));
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		size_t n = make(&others[i], bytes);
		if (left_of(r, bytes, n) != -1)
			fail_msg("%s is redacted", others[i].name);
	}
}

static void base64(void **state)
{
	AUTO(redaction_free) struct redaction *r = new_redaction();
	uint8_t bytes[KEY_MAX];
	char text[BASE64_ENCODE_RAW_LENGTH(KEY_MAX) + 1];
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys) + ARRAY_SIZE(others); i++) {
		bool is_key = i < ARRAY_SIZE(keys);
		const struct sample *s =
			is_key ? &keys[i] : &others[i - ARRAY_SIZE(keys)];
		size_t n = make(s, bytes);
		base64_encode_raw(text, n, bytes);
		n = BASE64_ENCODE_RAW_LENGTH(n);
		if (left_of(r, text, n) != (is_key ? 0 : -1))
			fail_msg("%s: %d are left", s->name, left_of(r, text, n));
		for (size_t at = 0; at < n; at++) /* of addresses */
			text[at] = text[at] == '+'   ? '-'
				   : text[at] == '/' ? '_'
						     : text[at];
		if (left_of(r, text, n) != (is_key ? 0 : -1))
			fail_msg("%s, base64url: %d are left", s->name,
				 left_of(r, text, n));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binary),
		cmocka_unit_test(base64),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
