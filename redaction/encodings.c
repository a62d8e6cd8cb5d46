/* SPDX-License-Identifier: Apache-2.0 */
/* encodings.c - other ways to write the bytes of a secret: the part that is the same
 * whatever surrounds them. */
#include <ctype.h>
#include <nettle/base16.h>
#include <nettle/base64.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/utf8.h"
#include "redaction/redaction_priv.h"

enum {
	ENCODED_MIN = 8, /* shorter ones would be found by chance */
	ENCODED_MAX = 1024,
	GROUP = 3,	 /* bytes in four characters */
	LETTERS_MAX = 6, /* for one byte: \\u003c, 0x3c and a comma */
};

struct encoding {
	const char *bytes;
	size_t len;
	encoded_fn *fn;
	void *arg;
	char text[LETTERS_MAX * ENCODED_MAX + 1];
};

static void in_hex(struct encoding *e)
{
	size_t n = 2 * e->len;

	base16_encode_update(e->text, e->len, (const uint8_t *)e->bytes);
	e->fn(e->arg, e->text, n);
	for (size_t i = 0; i < n; i++)
		e->text[i] = (char)toupper((unsigned char)e->text[i]);
	e->fn(e->arg, e->text, n);
}

static size_t put_byte(uint8_t c, bool hex, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	if (hex) {
		ret[n++] = digits[c >> 4];
		ret[n++] = digits[c & 15];
		return n;
	}
	if (c >= 100)
		ret[n++] = digits[c / 100];
	if (c >= 10)
		ret[n++] = digits[c / 10 % 10];
	ret[n++] = digits[c % 10];
	return n;
}

/* Byte by byte: [112 119] and []byte{0x70, 0x77} as Go prints them, [112,119] in JSON, 70
 * 77. */
static void in_numbers(struct encoding *e, bool hex, const char *before,
		       const char *between)
{
	const size_t of_before = strlen(before), of_between = strlen(between);
	size_t n = 0;

	for (size_t i = 0; i < e->len; i++) {
		memcpy(e->text + n, between, i ? of_between : 0);
		n += i ? of_between : 0;
		memcpy(e->text + n, before, of_before);
		n += of_before;
		n += put_byte((uint8_t)e->bytes[i], hex, e->text + n);
	}
	e->fn(e->arg, e->text, n);
}

/* Its characters depend on where it begins within a group of three: those of its whole
 * groups, for each case. */
static void in_base64(struct encoding *e)
{
	for (size_t skip = 0; skip < GROUP; skip++) {
		size_t n = (e->len - skip) / GROUP * GROUP;
		const uint8_t *from = (const uint8_t *)e->bytes + skip;
		base64_encode_raw(e->text, n, from);
		n = BASE64_ENCODE_RAW_LENGTH(n);
		e->fn(e->arg, e->text, n);
		for (size_t i = 0; i < n; i++)
			e->text[i] = e->text[i] == '+'	 ? '-'
				     : e->text[i] == '/' ? '_'
							 : e->text[i];
		e->fn(e->arg, e->text, n);
	}
}

/* As net/url writes queries (RFC 3986, 2.3: what need not be escaped). */
static void in_query(struct encoding *e, bool plus)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = 0;

	for (size_t i = 0; i < e->len; i++) {
		unsigned char c = (unsigned char)e->bytes[i];
		if (isalnum(c) || (c && strchr("-_.~", c))) {
			e->text[n++] = (char)c;
		} else if (c == ' ' && plus) {
			e->text[n++] = '+';
		} else {
			e->text[n++] = '%';
			e->text[n++] = digits[c >> 4];
			e->text[n++] = digits[c & 15];
		}
	}
	e->fn(e->arg, e->text, n);
}

/* at: in valid UTF-8. Returns the length of the multibyte character there; 0: ASCII. */
static size_t wide_letter(const unsigned char *at, uint32_t *ret)
{
	size_t n = *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;

	*ret = *at & (0xffU >> (n + 1));
	for (size_t i = 1; i < n; i++)
		*ret = *ret << 6 | (at[i] & 0x3f);
	return n;
}

enum quoting {
	QUOTED = 0,
	WITHOUT_TAGS = 1, /* as encoding/json escapes them */
	ASCII_ONLY = 2,	  /* %+q, and other JSON encoders */
};

/* In quotes, as Go and JSON write them. */
static void in_quotes(struct encoding *e, enum quoting how)
{
	const unsigned char *bytes = (const unsigned char *)e->bytes;
	uint32_t wide;
	size_t n = 0, step;

	for (size_t i = 0; i < e->len; i += step) {
		size_t of_wide = how == ASCII_ONLY ? wide_letter(bytes + i, &wide) : 0;
		step = 1;
		if (of_wide && wide <= UINT16_MAX) {
			n += (size_t)sprintf(e->text + n, "\\u%04x", wide);
			step = of_wide;
		} else if (how == WITHOUT_TAGS && bytes[i] && strchr("<>&", bytes[i])) {
			n += (size_t)sprintf(e->text + n, "\\u%04x", bytes[i]);
		} else {
			if (bytes[i] == '"' || bytes[i] == '\\')
				e->text[n++] = '\\';
			e->text[n++] = (char)bytes[i];
		}
	}
	if (n != e->len)
		e->fn(e->arg, e->text, n);
}

void each_encoding(const char *bytes, size_t len, encoded_fn *fn, void *arg)
{
	struct encoding e = { .bytes = bytes, .len = len, .fn = fn, .arg = arg };
	bool plain = true;

	if (len < ENCODED_MIN || len > ENCODED_MAX)
		return;
	in_hex(&e);
	in_base64(&e);
	in_numbers(&e, false, "", " ");
	in_numbers(&e, false, "", ",");
	in_numbers(&e, true, "", " ");
	in_numbers(&e, true, "0x", ", ");
	for (size_t i = 0; i < len; i++)
		plain &= isalnum((unsigned char)bytes[i]) != 0;
	if (!plain) {
		in_query(&e, false);
		in_query(&e, true);
		in_quotes(&e, QUOTED);
		in_quotes(&e, WITHOUT_TAGS);
		if (utf8_valid(bytes, len))
			in_quotes(&e, ASCII_ONLY);
	}
	explicit_bzero(e.text, sizeof(e.text));
}

/* Divides the number, highest limb first, in place; returns the remainder. */
static uint32_t divide(uint32_t *limbs, size_t n, uint32_t by)
{
	uint64_t rest = 0;

	for (size_t i = 0; i < n; i++) {
		rest = rest << 32 | limbs[i];
		limbs[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	return (uint32_t)rest;
}

static void in_decimal(struct encoding *e)
{
	enum { LIMB = sizeof(uint32_t), AT_ONCE = 9, BILLION = 1000000000 };
	uint32_t limbs[ENCODED_MAX / LIMB] = { 0 };
	const size_t count = (e->len + LIMB - 1) / LIMB;
	char *end = e->text + sizeof(e->text), *at = end;

	for (size_t i = 0; i < e->len; i++) {
		uint32_t *limb = &limbs[count - 1 - (e->len - 1 - i) / LIMB];
		*limb = *limb << 8 | (uint8_t)e->bytes[i];
	}
	for (size_t first = 0; first < count;) {
		uint32_t rest = divide(limbs + first, count - first, BILLION);
		for (int i = 0; i < AT_ONCE; i++, rest /= 10)
			*--at = (char)('0' + rest % 10);
		first += !limbs[first];
	}
	while (at < end && *at == '0')
		at++;
	e->fn(e->arg, at, (size_t)(end - at));
}

/* Without a leading zero, like strconv and math/big. */
static void in_hex_digits(struct encoding *e)
{
	const char *at = e->text;
	size_t n = 2 * e->len;

	base16_encode_update(e->text, e->len, (const uint8_t *)e->bytes);
	at += *at == '0';
	n -= (size_t)(at - e->text);
	if (n < ENCODED_MIN)
		return;
	e->fn(e->arg, at, n);
	for (size_t i = 0; i < 2 * e->len; i++)
		e->text[i] = (char)toupper((unsigned char)e->text[i]);
	e->fn(e->arg, at, n);
}

void each_base(const uint8_t *bytes, size_t len, encoded_fn *fn, void *arg)
{
	struct encoding e = {
		.bytes = (const char *)bytes, .len = len, .fn = fn, .arg = arg
	};

	if (len > ENCODED_MAX)
		return;
	in_decimal(&e);
	in_hex_digits(&e);
	explicit_bzero(e.text, sizeof(e.text));
}
