/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/expression/lexer.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

_Static_assert(__LDBL_MANT_DIG__ >= 64, "long double holds integers of 64 bits");

/* Longer ones first: "<=" is not "<" and "=". */
static const struct {
	const char *name;
	enum sign sign;
} signs[] = {
	{ "&&", SIGN_AND },
	{ "||", SIGN_OR },
	{ "==", SIGN_EQUAL },
	{ "!=", SIGN_UNEQUAL },
	{ "<=", SIGN_LESS_OR_EQUAL },
	{ ">=", SIGN_GREATER_OR_EQUAL },
	{ "!~", SIGN_UNMATCHED },
	{ "<", SIGN_LESS },
	{ ">", SIGN_GREATER },
	{ "~", SIGN_MATCHES },
	{ "!", SIGN_NOT },
	{ "=", SIGN_ASSIGN },
	{ "(", SIGN_OPEN },
	{ ")", SIGN_CLOSE },
	{ "[", SIGN_OPEN_BRACKET },
	{ "]", SIGN_CLOSE_BRACKET },
	{ ".", SIGN_DOT },
	{ ",", SIGN_COMMA },
	{ "-", SIGN_MINUS },
	{ "%", SIGN_PERCENT },
};

static const struct {
	const char *name;
	long double ns;
} times[] = {
	{ "ns", 1 },	{ "us", 1e3 },	 { "\302\265s", 1e3 }, { "ms", 1e6 },
	{ "s", 1e9 },	{ "sec", 1e9 },	 { "m", 60e9 },	       { "min", 60e9 },
	{ "h", 36e11 }, { "d", 864e11 },
};

static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_in_name(char c)
{
	return begins_name(c) || isdigit((unsigned char)c);
}

static void bad(struct token *t, size_t len, const char *why)
{
	t->kind = TOKEN_BAD;
	t->len = len;
	t->why = why;
}

/* at: at the quote. */
static void read_text(const char *at, struct token *ret)
{
	size_t len = 1;

	while (at[len] && at[len] != *at)
		len += *at == '"' && at[len] == '\\' && at[len + 1] ? 2 : 1;
	if (!at[len]) {
		bad(ret, len, "the text has no closing quote");
		return;
	}
	ret->kind = TOKEN_TEXT;
	ret->len = len + 1;
}

static void read_address(const char *at, struct token *ret)
{
	const size_t digits = strspn(at + 2, "0123456789abcdefABCDEF");

	ret->kind = TOKEN_ADDRESS;
	ret->len = 2 + digits;
	if (digits == 0 || is_in_name(at[ret->len]))
		bad(ret, ret->len + is_in_name(at[ret->len]),
		    "an address has hexadecimal digits behind 0x");
	else if (digits > 16)
		bad(ret, ret->len, "an address has at most 16 digits");
	else
		ret->number = strtoull(at + 2, NULL, 16);
}

static size_t unit_length(const char *at)
{
	size_t len = 0;

	while (begins_name(at[len]) && at[len] != '_')
		len++;
	return len;
}

/* Nanoseconds of a unit of time; 0: it is none. */
static long double time_unit(const char *at, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (strlen(times[i].name) == len && memcmp(times[i].name, at, len) == 0)
			return times[i].ns;
	return 0;
}

/* Bytes of a unit of size: K, KB and KiB are the same; 0: it is none. */
static long double size_unit(const char *at, size_t len)
{
	static const char letters[] = "BKMGT";
	const char *letter = len ? strchr(letters, *at) : NULL;
	long double ret = 1;

	if (!letter || len > 3 || (len > 1 && at[len - 1] != 'B') ||
	    (len == 3 && at[1] != 'i') || (letter == letters && len > 1))
		return 0;
	for (; letter > letters; letter--)
		ret *= 1024;
	return ret;
}

/* "30m" of "1h30m". */
static size_t read_times(const char *at, long double *sum)
{
	size_t len = 0;

	while (isdigit((unsigned char)at[len])) {
		char *end;
		const long double n = strtold(at + len, &end);
		const size_t unit = unit_length(end);
		const long double ns = time_unit(end, unit);
		if (ns == 0)
			break;
		*sum += n * ns;
		len = (size_t)(end - at) + unit;
	}
	return len;
}

/* Not what strtold() takes: no exponent, no hexadecimal. */
static size_t number_length(const char *at)
{
	size_t len = strspn(at, "0123456789");

	if (at[len] == '.' && isdigit((unsigned char)at[len + 1]))
		len += 1 + strspn(at + len + 1, "0123456789");
	return len;
}

static void read_number(const char *at, struct token *ret)
{
	const size_t digits = number_length(at), unit = unit_length(at + digits);
	AUTO(xfree) char *words = xstrndup(at, digits);

	ret->len = digits + unit;
	ret->kind = TOKEN_NUMBER;
	ret->number = strtold(words, NULL);
	if (unit && time_unit(at + digits, unit) > 0) {
		ret->kind = TOKEN_DURATION;
		ret->number *= time_unit(at + digits, unit);
		ret->len += read_times(at + ret->len, &ret->number);
	} else if (unit && size_unit(at + digits, unit) > 0) {
		ret->kind = TOKEN_SIZE;
		ret->number *= size_unit(at + digits, unit);
	} else if (unit) {
		bad(ret, ret->len,
		    "a number has no such unit: use 5m, 90s or 200ms, or 4KiB or 2M");
		return;
	}
	if (is_in_name(at[ret->len]))
		bad(ret, ret->len + 1, "a number ends with its unit");
	else if (ret->number > 0x1p64L)
		bad(ret, ret->len, "this number is too large");
}

static void read_sign(const char *at, struct token *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		const size_t len = strlen(signs[i].name);
		if (strncmp(at, signs[i].name, len) != 0)
			continue;
		ret->kind = TOKEN_SIGN;
		ret->sign = signs[i].sign;
		ret->len = len;
		return;
	}
	bad(ret, 1,
	    *at == '&'	  ? "\"and\" is &&"
	    : *at == '|'  ? "\"or\" is ||"
	    : *at == '\'' ? "a text is in double quotes"
			  : "this character means nothing here");
}

void lexer_next(struct lexer *l, struct token *ret)
{
	while (isspace((unsigned char)l->text[l->at]))
		l->at++;
	const char *at = l->text + l->at;
	*ret = (struct token){ .kind = TOKEN_END, .at = l->at };
	if (begins_name(*at)) {
		ret->kind = TOKEN_NAME;
		while (is_in_name(at[ret->len]))
			ret->len++;
	} else if (*at == '"' || *at == '`') {
		read_text(at, ret);
	} else if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		read_address(at, ret);
	} else if (isdigit((unsigned char)*at)) {
		read_number(at, ret);
	} else if (*at) {
		read_sign(at, ret);
	}
	l->at += ret->len;
}

bool token_is(const char *text, const struct token *t, const char *name)
{
	return t->kind == TOKEN_NAME && strlen(name) == t->len &&
	       memcmp(text + t->at, name, t->len) == 0;
}

static char unescaped(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

char *token_words(const char *text, const struct token *t)
{
	if (t->kind != TOKEN_TEXT)
		return xstrndup(text + t->at, t->len);
	char *ret = xstrndup(text + t->at + 1, t->len - 2), *to = ret;
	if (text[t->at] == '`')
		return ret;
	for (const char *from = ret; *from; from++) {
		const bool escapes =
			*from == '\\' && from[1] && strchr("\"\\nt", from[1]);
		*to++ = escapes ? unescaped(*++from) : *from;
	}
	*to = '\0';
	return ret;
}

const char *sign_name(enum sign sign)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (signs[i].sign == sign)
			return signs[i].name;
	return "?";
}
