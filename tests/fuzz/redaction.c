/* SPDX-License-Identifier: Apache-2.0 */
/* Text in which secrets are looked for. The input is the length of a secret, the secret and the
 * text: whatever stands around it, what is left does not hold it, nor where both are escaped. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redaction/redaction.h"
#include "tests/fuzz/fuzz.h"

enum { SECRET_MIN = 6 }; /* shorter ones are words like any other */

static bool is_one_letter(const char *bytes, size_t len)
{
	return memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* Between the marks of what was redacted: together with what is around it a mark may be like the
 * secret, by chance. */
static bool is_left(const struct redacted *left, const char *secret, size_t secret_len)
{
	static const char mark[] = "[redacted]";
	const char *at = left->text, *end = left->text + left->len, *next;

	while ((next = memmem(at, (size_t)(end - at), mark, strlen(mark)))) {
		if (memmem(at, (size_t)(next - at), secret, secret_len))
			return true;
		at = next + strlen(mark);
	}
	return memmem(at, (size_t)(end - at), secret, secret_len) != NULL;
}

static void look(struct redaction *r, const char *secret, size_t secret_len,
		 const char *text, size_t len)
{
	/* Just as long as it is, so that a sanitizer sees who reads on. */
	char *exact = malloc(len ? len : 1);
	memcpy(exact, text, len);
	struct redacted left = redaction_of_text(r, 0, exact, len);
	bool is_secret = secret_len >= SECRET_MIN && !is_one_letter(secret, secret_len);
	if (is_secret && memmem(exact, len, secret, secret_len))
		assert(left.rule);
	if (is_secret && left.text)
		assert(!is_left(&left, secret, secret_len));
	redacted_done(&left);
	free(exact);
}

/* Owned: with %25 or \\x25 for the percent sign; and so for digits, as those of \\xfa are like a letter of a secret. */
static char *escape(const char *text, size_t len, char sign, size_t *ret_len)
{
	enum { LETTERS_MAX = 4 };
	char *ret = malloc(LETTERS_MAX * len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (isalnum(c) && !isxdigit(c))
			ret[n++] = (char)c;
		else
			n += (size_t)sprintf(ret + n, sign == '%' ? "%%%02X" : "\\x%02x",
					     c);
	}
	*ret_len = n;
	return ret;
}

static void look_at_escaped(struct redaction *r, const char *secret, size_t secret_len,
			    const char *text, size_t len, char sign)
{
	size_t n, secret_n;
	char *escaped = escape(text, len, sign, &n);
	char *escaped_secret = escape(secret, secret_len, sign, &secret_n);
	struct redacted left = redaction_of_text(r, 0, escaped, n);

	if (secret_len >= SECRET_MIN && !is_one_letter(secret, secret_len) && left.text)
		assert(!is_left(&left, escaped_secret, secret_n));
	redacted_done(&left);
	free(escaped_secret);
	free(escaped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct redaction_options options = { .mode = REDACT_SECRETS };
	static struct redaction *r;
	struct err err;

	if (!r)
		r = redaction_new(&options, &err);
	assert(r);
	if (size < 1)
		return 0;
	size_t secret = data[0] < size - 1 ? data[0] : size - 1;
	const char *text = (const char *)data + 1;
	redaction_forget(r);
	redaction_learn(r, 0, 0, text, secret);
	/* Common texts are not learned. */
	const size_t known = redaction_known(r) ? secret : 0;
	if (secret && *text) /* of a number it would be the highest byte */
		redaction_learn_long_number(r, (const uint8_t *)text, secret);
	look(r, text, known, text + secret, size - 1 - secret);
	look_at_escaped(r, text, known, text + secret, size - 1 - secret, '%');
	look_at_escaped(r, text, known, text + secret, size - 1 - secret, '\\');
	return 0;
}
