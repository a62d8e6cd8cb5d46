/* SPDX-License-Identifier: Apache-2.0 */
/* header_values.c - what values of HTTP headers look like, and how much more probable it is in them than among random
 * letters: as logarithms. */
#include <string.h>
#include <strings.h>

#include "redaction/redaction_priv.h"

static bool begins(const char *text, size_t len, const char *word)
{
	return len > strlen(word) && strncasecmp(text, word, strlen(word)) == 0;
}

bool has_scheme(const char *text, size_t len)
{
	static const char *const schemes[] = { "Bearer ", "Basic ",	"Digest ",
					       "Token ",  "AWS4-HMAC-", "Negotiate ",
					       "NTLM ",	  "ApiKey ",	"GoogleLogin " };

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (begins(text, len, schemes[i]))
			return true;
	return false;
}

static bool has_only(const char *text, size_t len, const char *letters)
{
	return len > 0 && count_letters(text, len, 0, letters) == len;
}

bool is_header_value(const char *name, const char *text, size_t len, int *ret_evidence)
{
	enum { PATH = 6, DIGITS = 8, SLASH = 3 };
	static const struct {
		const char *name, *first, *letters;
		int evidence;
		bool slash;
	} known[] = {
		{ ":path", "/", NULL, PATH, false },
		{ ":status", NULL, LETTERS_DIGITS, DIGITS, false },
		{ ":method", NULL, LETTERS_UPPER, DIGITS, false },
		{ ":scheme", "h", "https", DIGITS, false },
		{ ":authority", NULL, LETTERS_TOKEN ".:[]", SLASH, false },
		{ "content-length", NULL, LETTERS_DIGITS, DIGITS, false },
		{ "accept-encoding", NULL, LETTERS_TOKEN " ,;=.*", SLASH, false },
		{ "user-agent", NULL, NULL, SLASH, true },
		{ "content-type", NULL, NULL, SLASH, true },
	};

	*ret_evidence = 0;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(name, known[i].name) != 0)
			continue;
		if ((known[i].first && (!len || text[0] != *known[i].first)) ||
		    (known[i].letters && !has_only(text, len, known[i].letters)))
			return false;
		if (!i && memchr(text, ' ', len))
			return false;
		if (!known[i].slash || memchr(text, '/', len))
			*ret_evidence = known[i].evidence;
	}
	return true;
}

/* RFC 6265: "a=b", "a=b; c=d", "a=b; Path=/; Expires=Wed, ...". */
static bool is_cookie(const char *text, size_t len)
{
	const char *semicolon = memchr(text, ';', len);
	const size_t first = semicolon ? (size_t)(semicolon - text) : len;
	const size_t name = count_letters(text, first, 0, LETTERS_TOKEN ".%");

	if (!name || name == first || text[name] != '=')
		return false;
	for (size_t i = name; i < first; i++)
		if (strchr(" ,\\", text[i]))
			return false;
	return !semicolon || (first + 1 < len && semicolon[1] == ' ');
}

int evidence_of_secret(const char *name, const char *text, size_t len)
{
	enum { NAMED = 5, GOOD = 4, BAD = -3, SCHEME = 100 };
	const bool good = strstr(name, "cookie")
				  ? is_cookie(text, len)
				  : has_only(text, len, LETTERS_BASE64 ".~");

	return has_scheme(text, len) ? SCHEME : NAMED + (good ? GOOD : BAD);
}
