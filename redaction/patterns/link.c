/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - links that log in whoever has them. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "redaction/patterns/patterns.h"

/* Does text[begin..end] have one of the words that such links have before the token? */
static bool is_word_of_link(const char *text, size_t len)
{
	static const char *const words[] = {
		"activate",	  "activation",	  "confirm",	    "confirmation",
		"invite",	  "invitation",	  "magic",	    "magic-link",
		"magic_link",	  "magiclink",	  "password-reset", "password_reset",
		"recover",	  "recovery",	  "reset",	    "reset-password",
		"reset_password", "set-password", "verification",   "verify",
		"verify-email",	  "verify_email",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (is_word(text, len, words[i]))
			return true;
	return false;
}

bool is_link(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { WORD_MAX = 16, WORD_MIN = 5, TOKEN_MIN = 16, USER_MAX = 15 };
	size_t begin = at, end;

	while (begin > 0 && at - begin <= WORD_MAX &&
	       (isalpha((unsigned char)text[begin - 1]) || text[begin - 1] == '-' ||
		text[begin - 1] == '_'))
		begin--;
	if (at - begin < WORD_MIN || begin == 0 || text[begin - 1] != '/' ||
	    !is_word_of_link(text + begin, at - begin))
		return false;
	end = at + 1 + count_letters(text, len, at + 1, LETTERS_TOKEN "=.");
	/* Django has the user before it: /reset/MQ/5x9-abc */
	if (end < len && text[end] == '/' && end > at + 1 && end - at - 1 <= USER_MAX) {
		at = end;
		end = at + 1 + count_letters(text, len, at + 1, LETTERS_TOKEN "=.");
	}
	*ret = (struct span){ at + 1, end, "key_value" };
	return is_random(text + at + 1, end - at - 1, TOKEN_MIN);
}

bool is_ticket(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { LEAST = 16, DIGITS_MAX = 12 };
	static const char *const kinds[] = { "ST-", "PT-", "TGT-", "PGT-", "PGTIOU-" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!follows(text, len, at, kinds[i]))
			continue;
		size_t number = at + strlen(kinds[i]);
		size_t digits = count_letters(text, len, number, LETTERS_DIGITS);
		size_t begin = number + digits + 1;
		if (!digits || digits > DIGITS_MAX || begin >= len ||
		    text[begin - 1] != '-')
			return false;
		size_t n = count_letters(text, len, begin, LETTERS_TOKEN ".");
		*ret = (struct span){ at, begin + n, "service_key" };
		return n >= LEAST;
	}
	return false;
}
