/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/when.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/expression/lexer.h"

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

/* What is read, and the word to be looked at. */
struct reading {
	struct lexer lexer;
	struct token now;
};

static void advance(struct reading *r)
{
	lexer_next(&r->lexer, &r->now);
}

static bool is_sign(const struct reading *r, enum sign sign)
{
	return r->now.kind == TOKEN_SIGN && r->now.sign == sign;
}

static bool takes(struct reading *r, enum sign sign)
{
	if (!is_sign(r, sign))
		return false;
	advance(r);
	return true;
}

static bool expected(const char *what, const struct reading *r, struct err *err)
{
	return err_set(err, ERR_USAGE, "--when: expected %s at '%.40s'", what,
		       r->lexer.text + r->now.at);
}

/* "r.URL.Path" */
static bool read_names(struct reading *r, struct comparison *ret, struct err *err)
{
	size_t n = 0;

	do {
		if (r->now.kind != TOKEN_NAME || n + r->now.len + 2 > sizeof(ret->path))
			return expected("the name of an argument", r, err);
		memcpy(ret->path + n, r->lexer.text + r->now.at, r->now.len);
		n += r->now.len;
		ret->path[n++] = '.';
		advance(r);
	} while (takes(r, SIGN_DOT));
	ret->path[n - 1] = '\0';
	return true;
}

static bool read_path(struct reading *r, struct comparison *ret, struct err *err)
{
	struct reading ahead = *r;

	advance(&ahead);
	ret->length = token_is(r->lexer.text, &r->now, "len") && takes(&ahead, SIGN_OPEN);
	if (ret->length)
		*r = ahead;
	if (!read_names(r, ret, err))
		return false;
	return !ret->length || takes(r, SIGN_CLOSE) || expected(")", r, err);
}

static bool read_comparison(struct reading *r, enum trace_comparison *ret,
			    struct err *err)
{
	static const struct {
		enum sign sign;
		enum trace_comparison how;
	} signs[] = {
		{ SIGN_EQUAL, TRACE_EQUAL },
		{ SIGN_UNEQUAL, TRACE_UNEQUAL },
		{ SIGN_LESS_OR_EQUAL, TRACE_LESS_OR_EQUAL },
		{ SIGN_GREATER_OR_EQUAL, TRACE_GREATER_OR_EQUAL },
		{ SIGN_LESS, TRACE_LESS },
		{ SIGN_GREATER, TRACE_GREATER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		*ret = signs[i].how;
		if (takes(r, signs[i].sign))
			return true;
	}
	return expected("==, !=, <, <=, > or >=", r, err);
}

/* It begins with a quote. */
static bool read_text(struct reading *r, struct comparison *ret, struct err *err)
{
	AUTO(xfree) char *text = NULL;

	if (r->now.kind == TOKEN_TEXT)
		text = token_words(r->lexer.text, &r->now);
	if (!text || strlen(text) > TEXT_MAX)
		return expected("a string of 64 bytes at most", r, err);
	if (ret->how != TRACE_EQUAL && ret->how != TRACE_UNEQUAL)
		return expected("a number, as strings are only equal or not,", r, err);
	ret->is_text = true;
	ret->value = strlen(text);
	memcpy(ret->text, text, ret->value);
	advance(r);
	return true;
}

/* As in Go, 010 is eight. */
static bool read_number(struct reading *r, struct comparison *ret, struct err *err)
{
	const struct reading first = *r;
	char *end;

	ret->is_negative = takes(r, SIGN_MINUS);
	const char *digits = r->lexer.text + r->now.at;
	errno = 0;
	ret->value = strtoull(digits, &end, 0);
	if ((r->now.kind != TOKEN_NUMBER && r->now.kind != TOKEN_ADDRESS) || errno ||
	    end != digits + r->now.len ||
	    (ret->is_negative && ret->value > UINT64_C(1) << 63))
		return expected("a number, a string, true, false or nil", &first, err);
	if (ret->is_negative)
		ret->value = -ret->value;
	advance(r);
	return true;
}

static bool read_value(struct reading *r, struct comparison *ret, struct err *err)
{
	static const struct {
		const char *word;
		uint64_t value;
	} words[] = { { "true", 1 }, { "false", 0 }, { "nil", 0 } };

	if (r->lexer.text[r->now.at] == '"')
		return read_text(r, ret, err);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!token_is(r->lexer.text, &r->now, words[i].word))
			continue;
		ret->value = words[i].value;
		advance(r);
		return true;
	}
	return read_number(r, ret, err);
}

static bool read_one(struct reading *r, struct comparison *ret, struct err *err)
{
	return read_path(r, ret, err) && read_comparison(r, &ret->how, err) &&
	       read_value(r, ret, err);
}

struct when *when_parse(const char *text, struct err *err)
{
	AUTO(when_free) struct when *w = xcalloc(1, sizeof(*w));
	struct reading r = { .lexer = { .text = text } };

	do {
		advance(&r);
		if (w->count == TRACE_CONDITIONS) {
			err_set(err, ERR_USAGE, "--when has more than %d conditions",
				TRACE_CONDITIONS);
			return NULL;
		}
		if (!read_one(&r, &w->list[w->count++], err))
			return NULL;
	} while (is_sign(&r, SIGN_AND));
	if (r.now.kind == TOKEN_END)
		return TAKE(w);
	expected("&&", &r, err);
	return NULL;
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
