/* SPDX-License-Identifier: Apache-2.0 */
#include "src/record/condition.h"

#include <string.h>

#include "lib/expression/lexer.h"
#include "src/viewer/terminal/nearest.h"

enum unit { UNIT_NUMBER, UNIT_SIZE, UNIT_PERCENT, UNIT_TIME };

static const struct {
	const char *word, *name;
	enum unit unit;
} quantities[QUANTITIES] = {
	[QUANTITY_GOROUTINES] = { "goroutines", "goroutines", UNIT_NUMBER },
	[QUANTITY_THREADS] = { "threads", "threads", UNIT_NUMBER },
	[QUANTITY_RSS] = { "rss", "rss_bytes", UNIT_SIZE },
	[QUANTITY_CPU] = { "cpu", "cpu_percent", UNIT_PERCENT },
	[QUANTITY_FILES] = { "files", "files", UNIT_NUMBER },
	[QUANTITY_IDLE] = { "idle", "idle_ns", UNIT_TIME },
};

const char *quantity_name(enum quantity quantity)
{
	return quantities[quantity].name;
}

/* What is read, and the word to be looked at. */
struct reading {
	struct lexer lexer;
	struct token now;
};

static void advance(struct reading *r)
{
	lexer_next(&r->lexer, &r->now);
}

static bool takes(struct reading *r, enum sign sign)
{
	if (r->now.kind != TOKEN_SIGN || r->now.sign != sign)
		return false;
	advance(r);
	return true;
}

/* What is not read yet. */
static const char *rest(const struct reading *r)
{
	return r->lexer.text + r->now.at;
}

static bool unknown(const char *word, struct err *err)
{
	struct nearest nearest = { .word = word };

	for (size_t i = 0; i < QUANTITIES; i++)
		nearest_try(&nearest, quantities[i].word);
	if (nearest.best)
		return err_set(err, ERR_USAGE,
			       "--when: unknown quantity %.40s: did you mean %s?", word,
			       nearest.best);
	return err_set(
		err, ERR_USAGE,
		"--when: unknown quantity %.40s: use goroutines, threads, rss, cpu, "
		"files or idle",
		*word ? word : "(none)");
}

static bool read_quantity(struct reading *r, struct term *ret, struct err *err)
{
	AUTO(xfree)
	char *word = xstrndup(rest(r), r->now.kind == TOKEN_NAME ? r->now.len : 0);
	size_t i = 0;

	while (i < QUANTITIES && strcmp(quantities[i].word, word) != 0)
		i++;
	if (i == QUANTITIES)
		return unknown(word, err);
	ret->quantity = (enum quantity)i;
	advance(r);
	return true;
}

static bool read_comparison(struct reading *r, struct term *ret, struct err *err)
{
	const enum sign sign = r->now.kind == TOKEN_SIGN ? r->now.sign : SIGNS;

	ret->below = sign == SIGN_LESS || sign == SIGN_LESS_OR_EQUAL;
	ret->equal = sign == SIGN_LESS_OR_EQUAL || sign == SIGN_GREATER_OR_EQUAL;
	if (!ret->below && !ret->equal && sign != SIGN_GREATER)
		return err_set(err, ERR_USAGE,
			       "--when: expected <, <=, > or >= after %s, not \"%.20s\"",
			       quantities[ret->quantity].word, rest(r));
	advance(r);
	return true;
}

/* A number with that unit, or without one. */
static bool takes_number(struct reading *r, enum unit unit, long double *ret)
{
	const enum token_kind kind = r->now.kind;

	*ret = r->now.number;
	if (kind == TOKEN_NUMBER && unit == UNIT_TIME)
		*ret *= 1e9L; /* seconds */
	else if (kind != TOKEN_NUMBER && !(kind == TOKEN_SIZE && unit == UNIT_SIZE) &&
		 !(kind == TOKEN_DURATION && unit == UNIT_TIME))
		return false;
	advance(r);
	if (unit == UNIT_PERCENT)
		takes(r, SIGN_PERCENT);
	return *ret < 0x1p63L;
}

static bool read_limit(struct reading *r, struct term *ret, struct err *err)
{
	static const char *const like[] = {
		[UNIT_NUMBER] = "a number like 1000",
		[UNIT_SIZE] = "a size like 2G",
		[UNIT_PERCENT] = "a percentage like 150%",
		[UNIT_TIME] = "a time like 30s",
	};
	const enum unit unit = quantities[ret->quantity].unit;
	const char *start = rest(r);
	long double value;

	if (!takes_number(r, unit, &value) ||
	    (r->now.kind != TOKEN_END &&
	     (r->now.kind != TOKEN_SIGN || r->now.sign != SIGN_AND)))
		return err_set(err, ERR_USAGE, "--when: %s requires %s, not \"%.40s\"",
			       quantities[ret->quantity].word, like[unit], start);
	ret->limit = (uint64_t)value;
	return true;
}

bool condition_read(const char *text, struct condition *ret, struct err *err)
{
	struct reading r = { .lexer = { .text = text } };

	*ret = (struct condition){ .text = text };
	for (;;) {
		struct term *term = &ret->terms[ret->count++];
		advance(&r);
		if (!read_quantity(&r, term, err) || !read_comparison(&r, term, err) ||
		    !read_limit(&r, term, err))
			return false;
		if (r.now.kind == TOKEN_END)
			return true;
		if (ret->count == CONDITION_TERMS)
			return err_set(err, ERR_USAGE, "--when: at most %d comparisons",
				       CONDITION_TERMS);
	}
}

bool condition_has(const struct condition *condition, enum quantity quantity)
{
	for (size_t i = 0; i < condition->count; i++)
		if (condition->terms[i].quantity == quantity)
			return true;
	return false;
}

bool condition_holds(const struct condition *condition, size_t i, uint64_t value)
{
	const struct term *term = &condition->terms[i];

	if (value == term->limit)
		return term->equal;
	return (value < term->limit) == term->below;
}
