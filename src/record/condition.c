/* SPDX-License-Identifier: Apache-2.0 */
#include "src/record/condition.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t");
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

static bool read_quantity(const char **at, struct term *ret, struct err *err)
{
	const char *start = skip_space(*at);
	size_t len = 0, i = 0;

	while (isalnum((unsigned char)start[len]) || start[len] == '_')
		len++;
	AUTO(xfree) char *word = xstrndup(start, len);
	while (i < QUANTITIES && strcmp(quantities[i].word, word) != 0)
		i++;
	if (i == QUANTITIES)
		return unknown(word, err);
	ret->quantity = (enum quantity)i;
	*at = skip_space(start + len);
	return true;
}

static bool read_comparison(const char **at, struct term *ret, struct err *err)
{
	const char *word = quantities[ret->quantity].word;

	if (**at != '<' && **at != '>')
		return err_set(err, ERR_USAGE,
			       "--when: expected <, <=, > or >= after %s, not \"%.20s\"",
			       word, *at);
	ret->below = **at == '<';
	++*at;
	ret->equal = **at == '=';
	*at = skip_space(*at + ret->equal);
	return true;
}

/* How much one of the unit at *at is; moves behind it. */
static double read_unit(const char **at, enum unit unit)
{
	static const char sizes[] = "KMGT";
	static const struct {
		char letter;
		double ns;
	} times[] = { { 's', 1e9 }, { 'm', 60e9 }, { 'h', 3600e9 } };
	const char *size = **at && unit == UNIT_SIZE ? strchr(sizes, **at) : NULL;

	for (size_t i = 0; unit == UNIT_TIME && i < ARRAY_SIZE(times); i++)
		if (**at == times[i].letter) {
			++*at;
			return times[i].ns;
		}
	if (size || (**at == '%' && unit == UNIT_PERCENT))
		++*at;
	if (unit == UNIT_TIME)
		return times[0].ns;
	return size ? ldexp(1, 10 * (int)(size - sizes + 1)) : 1;
}

static bool read_limit(const char **at, struct term *ret, struct err *err)
{
	static const char *const like[] = {
		[UNIT_NUMBER] = "a number like 1000",
		[UNIT_SIZE] = "a size like 2G",
		[UNIT_PERCENT] = "a percentage like 150%",
		[UNIT_TIME] = "a time like 30s",
	};
	const enum unit unit = quantities[ret->quantity].unit;
	const char *start = *at;
	char *end = NULL;

	double value = isdigit((unsigned char)*start) ? strtod(start, &end) : -1;
	if (end) {
		*at = end;
		value *= read_unit(at, unit);
		*at = skip_space(*at);
	}
	if (!end || value >= 0x1p63 || (**at && strncmp(*at, "&&", 2) != 0))
		return err_set(err, ERR_USAGE, "--when: %s requires %s, not \"%.40s\"",
			       quantities[ret->quantity].word, like[unit], start);
	ret->limit = (uint64_t)value;
	return true;
}

bool condition_read(const char *text, struct condition *ret, struct err *err)
{
	const char *at = text;

	*ret = (struct condition){ .text = text };
	for (;;) {
		struct term *term = &ret->terms[ret->count++];
		if (!read_quantity(&at, term, err) || !read_comparison(&at, term, err) ||
		    !read_limit(&at, term, err))
			return false;
		if (!*at)
			return true;
		at += strlen("&&");
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
