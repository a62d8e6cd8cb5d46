/* SPDX-License-Identifier: Apache-2.0 */
/* token.c - keys and tokens in a documented format of their own. */
#include "redaction/patterns/patterns.h"
#include "redaction/patterns/tokens.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DIGITS LETTERS_DIGITS
#define WORD LETTERS_WORD
#define TOKEN LETTERS_TOKEN
#define BASE64 LETTERS_BASE64

/* "AKIA.../20261122/eu-west-1/s3/aws4_request": X-Amz-Credential only says who signed. */
static bool is_scope(const char *text, size_t len, size_t at)
{
	enum { DATE = 8 };
	size_t slash = follows(text, len, at, "/") ? 1 : 3;

	return (slash == 1 || follows(text, len, at, "%2F")) &&
	       count_letters(text, len, at + slash, DIGITS) == DATE;
}

/* Are these as many characters as the format has? A text may be cut off. */
static bool is_long_enough(const struct token_format *format, const char *text, size_t n,
			   bool is_end)
{
	if (format->flags & TOKEN_WHOLE)
		return n == format->least && is_random(text, n, n);
	return n >= format->least || (n > 0 && is_end && !(format->flags & TOKEN_LONG));
}

static bool is_of_maker(const char *text, size_t len, size_t at, struct span *ret)
{
	size_t count;

	/* Most words are short. */
	if (memchr(text + at, ' ', len - at < TOKEN_MIN ? len - at : TOKEN_MIN))
		return false;
	const struct token_format *formats = token_formats(text[at], &count);
	for (size_t i = 0; i < count; i++) {
		if (!follows(text, len, at, formats[i].prefix))
			continue;
		size_t begin = at + strlen(formats[i].prefix);
		/* What is too long is not counted again for each word in it. */
		size_t most = formats[i].flags & TOKEN_WHOLE
				      ? begin + formats[i].least + 1
				      : len;
		size_t n = count_letters(text, most < len ? most : len, begin,
					 formats[i].letters);
		*ret = (struct span){ at, begin + n, "service_key" };
		if (is_long_enough(&formats[i], text + begin, n, begin + n == len))
			return !(formats[i].flags & TOKEN_SCOPE) ||
			       !is_scope(text, len, begin + n);
	}
	return false;
}

/* "abcdefghijklmn.atlasv1.": an id is before it. */
static bool is_of_terraform(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { ID = 14, LEAST = 60 };
	static const char mark[] = "atlasv1.";

	if (at < ID + 1 || text[at - 1] != '.' || !follows(text, len, at, mark))
		return false;
	const size_t begin = at + strlen(mark), id = at - ID - 1;
	const size_t n = count_letters(text, len, begin, TOKEN "=");
	*ret = (struct span){ at, begin + n, "service_key" };
	return count_letters(text, at, id, WORD) == ID &&
	       (n >= LEAST || (n > 0 && begin + n == len));
}

/* Password hashes of crypt(3) and its successors: $2a$10$..., $argon2id$v=19$... */
bool is_password_hash(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { LEAST = 16 };
	static const char *const schemes[] = {
		"$1$",	   "$2a$",     "$2b$",	   "$2x$",     "$2y$",
		"$5$",	   "$6$",      "$7$",	   "$H$",      "$P$",
		"$S$",	   "$apr1$",   "$argon2d", "$argon2i", "$gy$",
		"$pbkdf2", "$bcrypt-", "$scrypt$", "$sha1$",   "$y$",
	};

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		if (!follows(text, len, at, schemes[i]))
			continue;
		*ret = (struct span){ at,
				      at + count_letters(text, len, at, WORD "$./+=,-"),
				      "service_key" };
		return ret->end - at >= LEAST;
	}
	return false;
}

/* RFC 2307, 5.3, and what OpenLDAP added. */
bool is_directory_hash(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { LEAST = 16 };
	static const char *const schemes[] = { "ARGON2", "BCRYPT", "CRYPT",
					       "MD5",	 "PBKDF2", "SHA",
					       "SMD5",	 "SSHA",   "X-ISSHA" };
	const size_t name = at + 1;

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		const size_t n = strlen(schemes[i]);
		if (len - name <= n || strncasecmp(text + name, schemes[i], n) != 0)
			continue;
		const size_t brace =
			name + n + count_letters(text, len, name + n, DIGITS "-SHA");
		if (brace >= len || text[brace] != '}')
			continue;
		const size_t hash = count_letters(text, len, brace + 1, WORD "$./+=,-");
		*ret = (struct span){ at, brace + 1 + hash, "service_key" };
		return hash >= LEAST;
	}
	return false;
}

/* RFC 7519: three parts in base64url, the first of them JSON: {" is eyJ. */
static bool is_jwt(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { PART_MIN = 8, PART_ENOUGH = 2048 };
	size_t end = at, n;

	if (!follows(text, len, at, "eyJ"))
		return false;
	for (int part = 0; part < 3; part++) {
		n = count_letters(text, len, end, WORD "_-");
		end += n;
		/* Cut off, or without a signature; or so long that this is not searched
		 * again. */
		if (end == len || n >= PART_ENOUGH)
			break;
		if (n < PART_MIN || (part < 2 && text[end] != '.'))
			return false;
		end += part < 2;
	}
	*ret = (struct span){ at, end, "jwt" };
	return end - at > 2 * PART_MIN;
}

/* "Bearer abc", "Basic abc": RFC 6750, 7617. */
static bool is_bearer(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { LEAST = 8 };
	static const char *const words[] = { "bearer ", "basic " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);
		if (len - at < n || strncasecmp(text + at, words[i], n) != 0)
			continue;
		size_t token = count_letters(text, len, at + n, BASE64 "._~");
		*ret = (struct span){ at + n, at + n + token, "authorization" };
		return token >= LEAST;
	}
	return false;
}

/* Telegram's, as in /bot123456789:AAabc/getMe: the number is the bot's id. */
bool is_bot_token(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { ID_MIN = 6, ID_MAX = 12, LEAST = 30, ALONE = 35 };
	bool named = follows(text, len, at, "bot");
	size_t id = named ? at + strlen("bot") : at;
	size_t digits = count_letters(text, len, id, DIGITS), colon = id + digits;
	size_t begin = colon + 1;

	if (digits < ID_MIN || digits > ID_MAX || begin >= len || text[colon] != ':')
		return false;
	size_t n = count_letters(text, len, begin, TOKEN);
	*ret = (struct span){ begin, begin + n, "service_key" };
	if (named)
		return n >= LEAST || (n > 0 && begin + n == len);
	return n == ALONE && follows(text, len, begin, "AA");
}

bool is_token(const char *text, size_t len, size_t at, struct span *ret)
{
	if (is_jwt(text, len, at, ret) || is_bearer(text, len, at, ret) ||
	    is_of_maker(text, len, at, ret))
		return true;
	switch (text[at]) {
	case 'a':
		return is_of_terraform(text, len, at, ret);
	case 'L':
	case 'M':
		return is_base64_key(text, len, at, ret);
	case 'b':
		return is_bot_token(text, len, at, ret) ||
		       is_base64_key(text, len, at, ret);
	}
	return false;
}
