/* SPDX-License-Identifier: Apache-2.0 */
/* account.c - bank accounts: ISO 13616. */
#include <ctype.h>
#include <string.h>

#include "redaction/patterns/patterns.h"

enum { IBAN_MAX = 34, HEAD = 4, GROUP = 4 };

/* Countries with the length of their numbers, as the registry of SWIFT has them. */
static const struct {
	char country[3];
	uint8_t len;
} lengths[] = {
	{ "AD", 24 }, { "AE", 23 }, { "AL", 28 }, { "AT", 20 }, { "AZ", 28 },
	{ "BA", 20 }, { "BE", 16 }, { "BG", 22 }, { "BH", 22 }, { "BR", 29 },
	{ "BY", 28 }, { "CH", 21 }, { "CR", 22 }, { "CY", 28 }, { "CZ", 24 },
	{ "DE", 22 }, { "DK", 18 }, { "DO", 28 }, { "EE", 20 }, { "EG", 29 },
	{ "ES", 24 }, { "FI", 18 }, { "FO", 18 }, { "FR", 27 }, { "GB", 22 },
	{ "GE", 22 }, { "GI", 23 }, { "GL", 18 }, { "GR", 27 }, { "GT", 28 },
	{ "HR", 21 }, { "HU", 28 }, { "IE", 22 }, { "IL", 23 }, { "IQ", 23 },
	{ "IS", 26 }, { "IT", 27 }, { "JO", 30 }, { "KW", 30 }, { "KZ", 20 },
	{ "LB", 28 }, { "LC", 32 }, { "LI", 21 }, { "LT", 20 }, { "LU", 20 },
	{ "LV", 21 }, { "LY", 25 }, { "MC", 27 }, { "MD", 24 }, { "ME", 22 },
	{ "MK", 19 }, { "MR", 27 }, { "MT", 31 }, { "MU", 30 }, { "NL", 18 },
	{ "NO", 15 }, { "PK", 24 }, { "PL", 28 }, { "PS", 29 }, { "PT", 25 },
	{ "QA", 29 }, { "RO", 24 }, { "RS", 22 }, { "SA", 24 }, { "SC", 31 },
	{ "SE", 24 }, { "SI", 19 }, { "SK", 24 }, { "SM", 27 }, { "ST", 25 },
	{ "SV", 28 }, { "TL", 23 }, { "TN", 24 }, { "TR", 26 }, { "UA", 29 },
	{ "VA", 22 }, { "VG", 24 }, { "XK", 20 },
};

static size_t length_of(const char *country)
{
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (memcmp(lengths[i].country, country, 2) == 0)
			return lengths[i].len;
	return 0;
}

/* ISO 7064, MOD 97-10, the first four characters last. */
static bool is_checked(const char *number, size_t len)
{
	unsigned rest = 0;

	for (size_t i = 0; i < len; i++) {
		char c = number[(i + HEAD) % len];
		unsigned value =
			(unsigned)(isdigit((unsigned char)c) ? c - '0' : c - 'A' + 10);
		rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
	}
	return rest == 1;
}

bool is_bank_account(const char *text, size_t len, size_t at, struct span *ret)
{
	char number[IBAN_MAX];
	size_t n = 0, to = at, wanted;

	if (len - at < HEAD || !isupper((unsigned char)text[at]) ||
	    !isupper((unsigned char)text[at + 1]) ||
	    !isdigit((unsigned char)text[at + 2]) ||
	    !isdigit((unsigned char)text[at + 3]) || !(wanted = length_of(text + at)))
		return false;
	for (; to < len && n < wanted; to++) {
		char c = text[to];
		if (isdigit((unsigned char)c) || isupper((unsigned char)c))
			number[n++] = c;
		else if (c != ' ' || n % GROUP != 0 || text[to - 1] == ' ')
			return false;
	}
	*ret = (struct span){ at, to, "iban" };
	return n == wanted && (to == len || !isalnum((unsigned char)text[to])) &&
	       is_checked(number, n);
}
