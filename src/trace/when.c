/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/when.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_BYTES = 128, TEXT_MAX = TRACE_TEXT_WORDS * 8 };

struct comparison {
	char path[PATH_MAX_BYTES];
	bool length, is_text, is_negative;
	enum trace_comparison how;
	uint64_t value;
	char text[TEXT_MAX];
};

struct when {
	struct comparison list[TRACE_CONDITIONS];
	size_t count;
};

static const char *skip_spaces(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static bool is_in_path(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' ||
	       (unsigned char)c >= 0x80;
}

static bool expected(const char *what, const char *at, struct err *err)
{
	return err_set(err, ERR_USAGE, "--when: expected %s at '%.40s'", what, at);
}

static bool read_path(const char **at, struct comparison *ret, struct err *err)
{
	size_t n = 0;

	ret->length = strncmp(*at, "len(", 4) == 0;
	*at = skip_spaces(*at + (ret->length ? 4 : 0));
	while (is_in_path((*at)[n]))
		n++;
	if (n == 0 || n >= sizeof(ret->path) || isdigit((unsigned char)**at))
		return expected("the name of an argument", *at, err);
	memcpy(ret->path, *at, n);
	ret->path[n] = '\0';
	*at = skip_spaces(*at + n);
	if (ret->length && *(*at)++ != ')')
		return expected(")", *at - 1, err);
	return true;
}

static bool read_comparison(const char **at, enum trace_comparison *ret, struct err *err)
{
	static const struct {
		const char *word;
		enum trace_comparison how;
	} words[] = {
		{ "==", TRACE_EQUAL },	       { "!=", TRACE_UNEQUAL },
		{ "<=", TRACE_LESS_OR_EQUAL }, { ">=", TRACE_GREATER_OR_EQUAL },
		{ "<", TRACE_LESS },	       { ">", TRACE_GREATER },
	};

	*at = skip_spaces(*at);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strncmp(*at, words[i].word, strlen(words[i].word)) != 0)
			continue;
		*at = skip_spaces(*at + strlen(words[i].word));
		*ret = words[i].how;
		return true;
	}
	return expected("==, !=, <, <=, > or >=", *at, err);
}

static bool read_text(const char **at, struct comparison *ret, struct err *err)
{
	const char *end = strchr(*at + 1, '"');

	if (!end || end - *at - 1 > TEXT_MAX)
		return expected("a string of 64 bytes at most", *at, err);
	if (ret->how != TRACE_EQUAL && ret->how != TRACE_UNEQUAL)
		return expected("a number, as strings are only equal or not,", *at, err);
	ret->is_text = true;
	ret->value = (uint64_t)(end - *at - 1);
	memcpy(ret->text, *at + 1, ret->value);
	*at = end + 1;
	return true;
}

static bool read_value(const char **at, struct comparison *ret, struct err *err)
{
	static const struct {
		const char *word;
		uint64_t value;
	} words[] = { { "true", 1 }, { "false", 0 }, { "nil", 0 } };
	char *end;

	if (**at == '"')
		return read_text(at, ret, err);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const size_t n = strlen(words[i].word);
		if (strncmp(*at, words[i].word, n) != 0 || is_in_path((*at)[n]))
			continue;
		ret->value = words[i].value;
		*at += n;
		return true;
	}
	ret->is_negative = **at == '-';
	errno = 0;
	ret->value = ret->is_negative ? (uint64_t)strtoll(*at, &end, 0)
				      : strtoull(*at, &end, 0);
	if (end == *at || errno || is_in_path(*end))
		return expected("a number, a string, true, false or nil", *at, err);
	*at = end;
	return true;
}

static bool read_one(const char **at, struct comparison *ret, struct err *err)
{
	return read_path(at, ret, err) && read_comparison(at, &ret->how, err) &&
	       read_value(at, ret, err);
}

struct when *when_parse(const char *text, struct err *err)
{
	AUTO(when_free) struct when *w = xcalloc(1, sizeof(*w));

	for (const char *at = text;;) {
		at = skip_spaces(at);
		if (w->count == TRACE_CONDITIONS) {
			err_set(err, ERR_USAGE, "--when has more than %d conditions",
				TRACE_CONDITIONS);
			return NULL;
		}
		if (!read_one(&at, &w->list[w->count++], err))
			return NULL;
		at = skip_spaces(at);
		if (!*at)
			return TAKE(w);
		if (strncmp(at, "&&", 2) != 0) {
			expected("&&", at, err);
			return NULL;
		}
		at += 2;
	}
}

void when_free(struct when *w)
{
	xfree(w);
}

static void set_text(const struct comparison *c, const struct call_word *word,
		     struct trace_condition *ret)
{
	uint8_t mask[TEXT_MAX] = { 0 };

	memset(mask, UINT8_MAX, c->value);
	memcpy(ret->mask, mask, sizeof(ret->mask));
	memcpy(ret->text, c->text, sizeof(ret->text));
	ret->is_text = true;
	ret->text_at = word->text_at;
	ret->text_step = (uint16_t)word->text_step;
}

/* Can a number of that size have the value at all? Otherwise the comparison would be of another one. */
static bool has_room(const struct comparison *c, const struct call_word *word)
{
	const unsigned bits = 8U * word->size - word->is_signed;

	if (c->is_negative)
		return word->is_signed &&
		       (int64_t)c->value >= -(int64_t)(UINT64_C(1) << (bits - 1)) * 2;
	return bits >= 64 || c->value < UINT64_C(1) << bits;
}

static uint16_t step_of(uint32_t step)
{
	return step == CALL_NO_STEP ? TRACE_NO_STEP : (uint16_t)step;
}

static bool compile(const struct comparison *c, const struct call_word *word,
		    struct trace_condition *ret, struct err *err)
{
	if (word->is_text != c->is_text)
		return err_set(err, ERR_USAGE, "--when: %s%.100s%s is %s string",
			       c->length ? "len(" : "", c->path, c->length ? ")" : "",
			       word->is_text ? "a" : "no");
	if (!c->is_text && !has_room(c, word))
		return err_set(err, ERR_USAGE, "--when: %.100s never has such a value",
			       c->path);
	*ret = (struct trace_condition){
		.at = word->at,
		.step = step_of(word->step),
		.need = word->need,
		.nil_at = word->may_be_nil ? word->nil_at : TRACE_NO_NIL,
		.nil_step = step_of(word->nil_step),
		.nil_need = word->nil_need,
		.size = word->size,
		.is_signed = word->is_signed,
		.comparison = (uint8_t)c->how,
		.value = c->value,
	};
	if (c->is_text)
		set_text(c, word, ret);
	return true;
}

bool when_compile(const struct when *w, struct calls *calls, uint64_t entry,
		  const struct call_plan *plan, struct trace_conditions *ret,
		  struct err *err)
{
	struct call_word word;
	struct err why;

	ret->count = 0;
	for (size_t i = 0; i < w->count; i++) {
		const struct comparison *c = &w->list[i];
		if (!calls_word(calls, entry, plan, c->path, c->length, &word, &why))
			return err_set(err, ERR_CANNOT,
				       "--when cannot be decided in the kernel: %s",
				       why.text);
		if (!compile(c, &word, &ret->list[ret->count++], err))
			return false;
	}
	return true;
}
