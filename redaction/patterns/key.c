/* SPDX-License-Identifier: Apache-2.0 */
/* key.c - private keys in binary, and in base64 without PEM lines. Public keys and
 * certificates start differently. */
#include <nettle/base64.h>
#include <string.h>

#include "redaction/patterns/der.h"
#include "redaction/patterns/patterns.h"

bool der_enter(struct der *d, uint8_t tag, struct der *ret, size_t *ret_len)
{
	enum { LONG = 0x80, LENGTH_MAX = 3 };
	const uint8_t *at = d->at;
	size_t len;

	if (d->end - at < 2 || at[0] != tag)
		return false;
	len = at[1];
	at += 2;
	if (len & LONG) {
		size_t n = len & ~(size_t)LONG;
		if (n < 1 || n > LENGTH_MAX || (size_t)(d->end - at) < n)
			return false;
		for (len = 0; n > 0; n--)
			len = len << 8 | *at++;
	}
	*ret_len = len;
	ret->at = at;
	ret->end = (size_t)(d->end - at) > len ? at + len : d->end;
	d->at = ret->end;
	return true;
}

/* Reads a number of one byte. */
static bool take_version(struct der *d, uint8_t *ret)
{
	struct der number;
	size_t len;

	if (!der_enter(d, DER_INTEGER, &number, &len) || len != 1 ||
	    number.at == number.end)
		return false;
	*ret = *number.at;
	return *ret <= 1;
}

/* SEQUENCE { OBJECT IDENTIFIER, ... }; *ret: the identifier. */
static bool take_algorithm(struct der *d, struct der *ret)
{
	struct der algorithm;
	size_t len;

	return der_enter(d, DER_SEQUENCE, &algorithm, &len) &&
	       der_enter(&algorithm, DER_OBJECT_IDENTIFIER, ret, &len);
}

/* RFC 5958: version, algorithm, key. RFC 8017: version, modulus. RFC 5915: version, key.
 * In a certificate request a name follows the version, and in an old certificate the
 * serial number and algorithm. */
static bool is_plain_key(struct der d)
{
	enum { EC_MIN = 20, EC_MAX = 66, RSA_MIN = 32 }; /* bytes */
	struct der inside;
	uint8_t version;
	size_t len;

	if (!take_version(&d, &version))
		return false;
	if (take_algorithm(&d, &inside))
		return der_enter(&d, DER_OCTET_STRING, &inside, &len);
	if (version == 1 && der_enter(&d, DER_OCTET_STRING, &inside, &len))
		return len >= EC_MIN && len <= EC_MAX;
	return der_enter(&d, DER_INTEGER, &inside, &len) && len >= RSA_MIN;
}

/* RFC 5958, 3: an algorithm of PKCS #5 or PKCS #12, then the encrypted key. */
static bool is_encrypted_key(struct der d)
{
	static const uint8_t pkcs5[] = { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5 };
	static const uint8_t pkcs12[] = { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 12, 1 };
	struct der id, key;
	size_t len;

	if (!take_algorithm(&d, &id) || !der_enter(&d, DER_OCTET_STRING, &key, &len))
		return false;
	size_t n = (size_t)(id.end - id.at);
	return (n > sizeof(pkcs5) && memcmp(id.at, pkcs5, sizeof(pkcs5)) == 0) ||
	       (n > sizeof(pkcs12) && memcmp(id.at, pkcs12, sizeof(pkcs12)) == 0);
}

static const char openssh[] = OPENSSH_KEY;

/* ret_len: its full length; text may end in the middle of it. */
static bool begins_key(const uint8_t *bytes, size_t len, size_t *ret_len)
{
	struct der d = { bytes, bytes + len }, inside;

	*ret_len = SIZE_MAX;
	if (len >= sizeof(openssh) && memcmp(bytes, openssh, sizeof(openssh)) == 0)
		return true;
	if (!der_enter(&d, DER_SEQUENCE, &inside, ret_len))
		return false;
	*ret_len += (size_t)(inside.at - bytes);
	return is_plain_key(inside) || is_encrypted_key(inside);
}

bool is_binary_key(const char *text, size_t len, size_t at, struct span *ret)
{
	size_t n;

	if (!begins_key((const uint8_t *)text + at, len - at, &n))
		return false;
	*ret = (struct span){ at, n < len - at ? at + n : len, "der" };
	return true;
}

static bool is_base64(char c)
{
	return is_name_letter(c) ? c != '.' : c && strchr("+/=\r\n", c);
}

/* From URL-safe base64 to standard base64. */
static char standard(char c)
{
	return c == '-' ? '+' : c == '_' ? '/' : c;
}

/* One of the first sixteen base64 digits. */
static bool is_early(char c)
{
	return c >= 'A' && c <= 'P';
}

size_t decode_base64(const char *text, size_t len, uint8_t *ret)
{
	struct base64_decode_ctx decode;
	size_t n = 0;

	base64_decode_init(&decode);
	for (size_t i = 0; i < len && is_base64(text[i]); i++)
		if (text[i] != '=' &&
		    base64_decode_single(&decode, ret + n, standard(text[i])) == 1)
			n++;
	return n;
}

/* A sequence that starts with a number or another sequence. */
static bool may_begin_key(const uint8_t *bytes, size_t n)
{
	struct der d = { bytes, bytes + n }, inside;
	size_t len;

	return (n > 0 && bytes[0] == (uint8_t)openssh[0]) ||
	       (der_enter(&d, DER_SEQUENCE, &inside, &len) && inside.at < inside.end &&
		(*inside.at == DER_INTEGER || *inside.at == DER_SEQUENCE));
}

/* RFC 7468, as Kubernetes has files. A label that is cut off may be that of a key. */
static bool is_base64_pem(const char *text, size_t len, size_t at, struct span *ret)
{
	static const char begin[] = "LS0tLS1CRUdJTi", line[] = "-----BEGIN ",
			  dashes[] = "-----";
	enum { HEAD = 84 }; /* characters */
	uint8_t bytes[BASE64_DECODE_LENGTH(HEAD)];

	if (!follows(text, len, at, begin))
		return false;
	size_t n = decode_base64(text + at, len - at < HEAD ? len - at : HEAD, bytes),
	       end = at;
	if (n < strlen(line) + 2)
		return false;
	const char *label = (const char *)bytes + strlen(line);
	n -= strlen(line);
	const bool whole = memmem(label, n, dashes, strlen(dashes));
	if (label[0] == 'C' || (label[0] == 'P' && label[1] == 'U') ||
	    (whole && !memmem(label, n, "PRIVATE KEY", strlen("PRIVATE KEY"))))
		return false;
	while (end < len && is_base64(text[end]))
		end++;
	*ret = (struct span){ at, end, "pem" };
	return true;
}

bool is_base64_key(const char *text, size_t len, size_t at, struct span *ret)
{
	enum {
		FIRST = 12,
		HEAD = 256
	}; /* characters, including what precedes an encrypted key */
	uint8_t bytes[BASE64_DECODE_LENGTH(HEAD)];
	const size_t most = len - at;
	size_t end = at, n, whole;

	if (text[at] == 'L')
		return is_base64_pem(text, len, at, ret);
	/* 0x30 and the next byte are M and an early digit; "open" is b3Bl. */
	if (most < FIRST ||
	    !(text[at] == 'b' ? text[at + 1] == '3' : is_early(text[at + 1])))
		return false;
	n = decode_base64(text + at, FIRST, bytes);
	if (!may_begin_key(bytes, n))
		return false;
	n = decode_base64(text + at, most < HEAD ? most : HEAD, bytes);
	if (!begins_key(bytes, n, &whole))
		return false;
	while (end < len && is_base64(text[end]))
		end++;
	*ret = (struct span){ at, end, "der" };
	return true;
}
