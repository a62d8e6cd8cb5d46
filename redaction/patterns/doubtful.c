/* SPDX-License-Identifier: Apache-2.0 */
/* doubtful.c - names that mean a secret only before a value that may be one: "code=404",
 * LICENSE=MIT and --key=server.pem are none. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "redaction/patterns/patterns.h"

bool is_random(const char *text, size_t len, size_t least)
{
	bool lower = false, upper = false, digit = false, turn = false;

	if (len < least)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (!isalnum(c) && !strchr("._~+/=%-", c))
			return false;
		turn |= i > 0 && isupper(c) && islower((unsigned char)text[i - 1]);
		lower |= islower(c) != 0;
		upper |= isupper(c) != 0;
		digit |= isdigit(c) != 0;
	}
	return turn || (digit && (lower || upper));
}

/* /etc/x, ./x, ~/x, x.pem */
static bool is_path(const char *text, size_t len)
{
	enum { SUFFIX_MIN = 2, SUFFIX_MAX = 4 };
	size_t n = 0;

	if (len > 0 && strchr("/.~", text[0]))
		return true;
	while (n < len && islower((unsigned char)text[len - 1 - n]))
		n++;
	return n >= SUFFIX_MIN && n <= SUFFIX_MAX && n < len && text[len - 1 - n] == '.';
}

/* Is its last word this one, in capital letters? NEWRELIC_LICENSE */
static bool is_variable(const char *name, size_t len, const char *word)
{
	const size_t n = strlen(word);

	if (len < n || memcmp(name + len - n, word, n) != 0 ||
	    (len > n && name[len - n - 1] != '_'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (islower((unsigned char)name[i]))
			return false;
	return true;
}

static bool is_option(const char *name, size_t len, const char *word)
{
	while (len > 0 && name[0] == '-') {
		name++;
		len--;
	}
	return is_word(name, len, word);
}

/* How long the value must be, at least; 0: the name means no secret. */
enum { KEY_MIN = 8, PARAMETER_MIN = 10, LICENSE_MIN = 20 }; /* LGPL-2.1-or-later */

static size_t least_of_option(const char *name, size_t len)
{
	return is_option(name, len, "key")	 ? KEY_MIN
	       : is_option(name, len, "license") ? LICENSE_MIN
						 : 0;
}

static size_t least_of_variable(const char *name, size_t len)
{
	return is_variable(name, len, "LICENSE") ? LICENSE_MIN
	       : is_variable(name, len, "SALT") || is_variable(name, len, "SEED")
		       ? KEY_MIN
		       : 0;
}

/* RFC 6749, 4.1.2; CAS; links in mails. */
static size_t least_of_parameter(const char *name, size_t len)
{
	static const char *const words[] = { "authentication", "code", "magic", "state",
					     "ticket" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (is_word(name, len, words[i]))
			return PARAMETER_MIN;
	return 0;
}

/* Most names are none of these. */
static bool may_be_doubtful(const char *name, size_t len, enum doubtful_place place)
{
	enum { SHORTEST = 4, LONGEST = 64 };
	const char last = len ? name[len - 1] : '\0';

	if (len < SHORTEST || len > LONGEST)
		return false;
	if (place == DOUBTFUL_PARAMETER)
		return len <= strlen("ticket") || len == strlen("authentication");
	return name[0] == '-' || last == 'E' || last == 'T' || last == 'D';
}

bool is_doubtful_name(const char *name, size_t len, enum doubtful_place place)
{
	if (!may_be_doubtful(name, len, place))
		return false;
	return place == DOUBTFUL_PARAMETER ? least_of_parameter(name, len)
	       : name[0] == '-'		   ? least_of_option(name, len)
					   : least_of_variable(name, len);
}

bool is_doubtful_value(const char *name, size_t len, enum doubtful_place place,
		       const char *value, size_t value_len)
{
	const size_t least = place == DOUBTFUL_PARAMETER ? least_of_parameter(name, len)
			     : len > 0 && name[0] == '-' ? least_of_option(name, len)
							 : least_of_variable(name, len);

	return least && is_random(value, value_len, least) &&
	       (place == DOUBTFUL_PARAMETER || !is_path(value, value_len));
}
