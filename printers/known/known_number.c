/* SPDX-License-Identifier: Apache-2.0 */
/* Big numbers: math/big/nat.go, int.go, rat.go, float.go. A nat is a list of words,
 * lowest first. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "printers/known/known.h"

enum {
	WORDS_MAX = 48, /* nobody reads more digits than these have */
	HALVES_MAX = 2 * WORDS_MAX,
	DIGITS_MAX = WORDS_MAX * 20,
	GROUP = 1000000000, /* decimal digits divided off in one step */
	GROUP_DIGITS = 9,
	WORD_BITS = 64,
};

struct nat {
	uint32_t halves[HALVES_MAX];
	uint64_t words; /* words in the number; halves has all of it if they fit */
};

static bool read_nat(struct printing *p, const struct value *v, const char *path,
		     struct nat *ret)
{
	struct value field;
	struct slice_value s;
	struct err ignored;

	memset(ret, 0, sizeof(*ret));
	if (!known_field(p, v, path, &field) || type_kind(field.type) != KIND_SLICE ||
	    !runtime_slice(p->rt, &field, &s, &ignored))
		return false;
	ret->words = s.len;
	return s.len > WORDS_MAX ||
	       known_read(p, s.addr, ret->halves, (size_t)s.len * sizeof(uint64_t));
}

/* Divides n, of len halves, by GROUP in place and returns the remainder. */
static uint32_t divide(uint32_t *n, size_t len)
{
	uint64_t rest = 0;

	for (size_t i = len; i-- > 0;) {
		rest = rest << 32 | n[i];
		n[i] = (uint32_t)(rest / GROUP);
		rest %= GROUP;
	}
	return (uint32_t)rest;
}

static void add_nat(struct nat *n, struct known_words *ret)
{
	char digits[DIGITS_MAX + GROUP_DIGITS + 1], *at = digits + sizeof(digits);
	size_t len = 2 * (size_t)n->words;

	if (n->words > WORDS_MAX) {
		known_add(ret, "number of %" PRIu64 " words", n->words);
		return;
	}
	do {
		while (len && !n->halves[len - 1])
			len--;
		uint32_t group = divide(n->halves, len);
		for (int i = 0; i < GROUP_DIGITS; i++, group /= 10)
			*--at = (char)('0' + group % 10);
	} while (len);
	while (at < digits + sizeof(digits) - 1 && *at == '0')
		at++;
	known_add_bytes(ret, at, (size_t)(digits + sizeof(digits) - at));
}

bool text_of_big_int(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t negative;
	struct nat n;

	if (!known_number(p, v, "neg", &negative) || !read_nat(p, v, "abs", &n))
		return false;
	known_add(ret, negative ? "-" : "%s", "");
	add_nat(&n, ret);
	return true;
}

/* An unset denominator is 1. */
bool text_of_big_rat(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t negative;
	struct nat upper, lower;

	if (!known_number(p, v, "a.neg", &negative) || !read_nat(p, v, "a.abs", &upper) ||
	    !read_nat(p, v, "b.abs", &lower))
		return false;
	known_add(ret, negative ? "-" : "%s", "");
	add_nat(&upper, ret);
	known_add(ret, "/");
	if (lower.words)
		add_nat(&lower, ret);
	else
		known_add(ret, "1");
	return true;
}

/* 0.mant * 2^exp is between *low, from the highest bits, which are enough for ten digits,
 * and *high, an upper bound if more bits follow. */
static bool read_float(struct printing *p, const struct value *v, long double *low,
		       long double *high)
{
	struct nat n;
	uint64_t first, exponent;
	bool more = false;

	if (!read_nat(p, v, "mant", &n) || !n.words || n.words > WORDS_MAX ||
	    !known_number(p, v, "exp", &exponent))
		return false;
	memcpy(&first, n.halves + 2 * (n.words - 1), sizeof(first));
	for (uint64_t i = 0; i < 2 * (n.words - 1); i++)
		more |= n.halves[i] != 0;
	const int64_t shift = (int64_t)(int32_t)(uint32_t)exponent - WORD_BITS;
	if (shift < INT_MIN)
		return false;
	*low = ldexpl((long double)first, (int)shift);
	*high = ldexpl((long double)first + more, (int)shift);
	return isfinite(*high) && isnormal(*low);
}

/* Like its String(): ten digits. */
bool text_of_big_float(struct printing *p, const struct value *v, struct known_words *ret)
{
	enum { ZERO, FINITE, INFINITE };
	uint64_t form, negative;
	long double low = 0, high = 0;
	char digits[32], others[32];

	if (!known_number(p, v, "form", &form) || !known_number(p, v, "neg", &negative) ||
	    form > INFINITE || (form == FINITE && !read_float(p, v, &low, &high)))
		return false;
	if (form == INFINITE) {
		known_add(ret, negative ? "-Inf" : "+Inf");
		return true;
	}
	snprintf(digits, sizeof(digits), "%.10Lg", low);
	snprintf(others, sizeof(others), "%.10Lg", high);
	if (strcmp(digits, others) != 0)
		return false;
	known_add(ret, "%s%s", negative ? "-" : "", digits);
	return true;
}
