/* SPDX-License-Identifier: Apache-2.0 */
/* key_parts.c - the secret numbers in a private key: each is enough to have the key, and programs keep them
 * apart from it: the seed of ed25519, the primes and the exponent of RSA, the scalars of curves. */
#include <nettle/base64.h>
#include <string.h>

#include "redaction/patterns/der.h"
#include "redaction/redaction_priv.h"

enum {
	PART_MIN = 16,	 /* bytes */
	SCALAR_MAX = 66, /* of P-521 */
	SEED = 32,	 /* of ed25519 */
	DEPTH_MAX = 6,
	KEY_MAX = 16 << 10, /* of RSA with 16384 bits there are 9 KiB */
};

static void learn_part(struct redaction *r, const uint8_t *bytes, size_t len)
{
	while (len && !*bytes) {
		bytes++;
		len--;
	}
	if (len >= PART_MIN && redaction_is_key(bytes, len))
		redaction_learn_long_number(r, bytes, len);
}

static bool is_text(const uint8_t *bytes, size_t len)
{
	size_t letters = 0;

	for (size_t i = 0; i < len; i++)
		letters += bytes[i] >= ' ' && bytes[i] < 0x7f;
	return letters == len;
}

static void learn_elements(struct redaction *r, struct der d, int depth);

/* PKCS #8 has a key in it, that of ed25519 the seed in another one. */
static void learn_octets(struct redaction *r, struct der inside, int depth)
{
	const size_t n = (size_t)(inside.end - inside.at);

	if (n <= SCALAR_MAX)
		learn_part(r, inside.at, n);
	if (n && memchr("\x02\x04\x30", *inside.at, 3))
		learn_elements(r, inside, depth + 1);
}

/* RFC 8017: version, modulus, exponents, primes. The modulus is public; of DSA there is one number only. An
 * algorithm with its parameters begins with its identifier. */
static void learn_elements(struct redaction *r, struct der d, int depth)
{
	struct der inside;
	size_t len;

	for (size_t number = 0; d.at < d.end && depth < DEPTH_MAX;) {
		const uint8_t tag = *d.at;
		if (!der_enter(&d, tag, &inside, &len))
			return;
		if (tag == DER_SEQUENCE && inside.at < inside.end &&
		    *inside.at != DER_OBJECT_IDENTIFIER)
			learn_elements(r, inside, depth + 1);
		else if (tag == DER_OCTET_STRING)
			learn_octets(r, inside, depth);
		else if (tag == DER_INTEGER && number++ != 1)
			learn_part(r, inside.at, (size_t)(inside.end - inside.at));
	}
}

/* RFC 4251, 5: a string, which may be cut off. */
static bool take_string(struct der *d, struct der *ret)
{
	enum { LENGTH = 4 };
	size_t n = 0;

	if (d->end - d->at < LENGTH)
		return false;
	for (int i = 0; i < LENGTH; i++)
		n = n << 8 | *d->at++;
	if (n > (size_t)(d->end - d->at))
		n = (size_t)(d->end - d->at);
	*ret = (struct der){ d->at, d->at + n };
	d->at += n;
	return true;
}

/* Of ed25519: public, both; of RSA: n, e, d, the coefficient, p, q; of ECDSA: curve, public, d. */
static void learn_openssh(struct redaction *r, struct der d)
{
	enum { HEAD = 3, COUNT = 4, CHECK = 8, PARTS = 7 };
	struct der part, kind;

	d.at += sizeof(OPENSSH_KEY);
	for (int i = 0; i < HEAD; i++)
		if (!take_string(&d, &part))
			return;
	if (d.end - d.at < COUNT)
		return;
	d.at += COUNT;
	if (!take_string(&d, &part) || !take_string(&d, &part) ||
	    part.end - part.at < CHECK)
		return;
	d = (struct der){ part.at + CHECK, part.end };
	if (!take_string(&d, &kind))
		return;
	const bool is_edwards =
		kind.end - kind.at == 11 && memcmp(kind.at, "ssh-ed25519", 11) == 0;
	for (int i = 1; i < PARTS && take_string(&d, &part); i++) {
		const size_t n = (size_t)(part.end - part.at);
		if (is_edwards ? i == 2 && n >= SEED : i > 2 && !is_text(part.at, n))
			learn_part(r, part.at, is_edwards ? SEED : n);
	}
}

static void learn_binary(struct redaction *r, const uint8_t *bytes, size_t len)
{
	const struct der d = { bytes, bytes + len };
	struct span key;

	if (!is_binary_key((const char *)bytes, len, 0, &key))
		return;
	if (*bytes == (uint8_t)OPENSSH_KEY[0])
		learn_openssh(r, d);
	else
		learn_elements(r, d, 0);
}

/* What PEM has between its lines, or base64 alone; that may be of PEM, too. */
static void learn_base64(struct redaction *r, const char *text, size_t len, bool inside)
{
	static const char dashes[] = "-----BEGIN ";
	const char *line = follows(text, len, 0, dashes) ? memchr(text, '\n', len) : text;

	if (!line)
		return;
	len -= (size_t)(line - text);
	AUTO(xfree) uint8_t *bytes = xmalloc(BASE64_DECODE_LENGTH(len) + 1);
	size_t n = decode_base64(line, len, bytes);
	/* The dashes at the end are of base64url. */
	if (!inside && follows((const char *)bytes, n, 0, dashes))
		learn_base64(r, (const char *)bytes, n, true);
	else
		learn_binary(r, bytes, n);
	explicit_bzero(bytes, n);
}

void redaction_learn_parts(struct redaction *r, const void *key, size_t len)
{
	const uint8_t *bytes = key;
	struct span found;

	if (r->mode == REDACT_NOTHING || len < PART_MIN)
		return;
	if (len > KEY_MAX)
		len = KEY_MAX;
	if (len <= SCALAR_MAX && !is_text(bytes, len)) {
		learn_part(r, bytes, len);
		if (len == 2 * SEED) { /* the other half is public */
			learn_part(r, bytes, SEED);
			redaction_learn(r, 0, 0, bytes, SEED);
		}
	}
	if (is_binary_key(key, len, 0, &found))
		learn_binary(r, bytes, len);
	else if (follows(key, len, 0, "-----BEGIN ") ||
		 is_base64_key(key, len, 0, &found))
		learn_base64(r, key, len, false);
}

void redaction_learn_encoded(struct redaction *r, const char *text, size_t len)
{
	if (r->mode == REDACT_NOTHING || len > KEY_MAX)
		return;
	AUTO(xfree) uint8_t *bytes = xmalloc(BASE64_DECODE_LENGTH(len) + 1);
	size_t n = decode_base64(text, len, bytes);
	if (n >= PART_MIN) {
		redaction_learn(r, 0, 0, bytes, n);
		learn_part(r, bytes, n);
	}
	explicit_bzero(bytes, n);
}

bool redaction_is_key_member(const char *name, size_t len)
{
	return is_web_key_member(name, len);
}
