/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/when.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { TEXT_AT = 400, TEXT_STEP = 3 };

/* Instead of goruntime/calls: the arguments of a function. */
static const struct argument {
	const char *path;
	bool length;
	struct call_word word;
} arguments[] = {
	{ "id", false, { .at = 0, .size = 8, .is_signed = true, .step = CALL_NO_STEP } },
	{ "small", false, { .at = 8, .size = 1, .step = CALL_NO_STEP } },
	{ "byte",
	  false,
	  { .at = 16, .size = 1, .is_signed = true, .step = CALL_NO_STEP } },
	{ "word", false, { .at = 24, .size = 8, .step = CALL_NO_STEP } },
	{ "r.p.X",
	  false,
	  { .at = 500, .size = 4, .is_signed = true, .step = 2, .need = 12 } },
	{ "name",
	  false,
	  { .at = 32,
	    .size = 8,
	    .step = CALL_NO_STEP,
	    .is_text = true,
	    .text_at = TEXT_AT,
	    .text_step = TEXT_STEP } },
	{ "name", true, { .at = 32, .size = 8, .step = CALL_NO_STEP } },
	{ "m",
	  true,
	  { .at = 600,
	    .size = 8,
	    .step = 5,
	    .need = 8,
	    .may_be_nil = true,
	    .nil_at = 40,
	    .nil_step = CALL_NO_STEP } },
	{ "r.m",
	  true,
	  { .at = 608,
	    .size = 8,
	    .step = 6,
	    .need = 8,
	    .may_be_nil = true,
	    .nil_at = 504,
	    .nil_need = 24,
	    .nil_step = 2 } },
};

bool calls_word(struct calls *c, uint64_t entry, const struct call_plan *plan,
		const char *path, bool length, struct call_word *ret, struct err *err)
{
	(void)c, (void)entry, (void)plan;
	for (size_t i = 0; i < ARRAY_SIZE(arguments); i++) {
		if (strcmp(arguments[i].path, path) != 0 || arguments[i].length != length)
			continue;
		*ret = arguments[i].word;
		return true;
	}
	return err_set(err, ERR_CANNOT, "%.100s: there is no such argument", path);
}

static bool compiled(const char *text, struct trace_conditions *ret, struct err *err)
{
	AUTO(when_free) struct when *w = when_parse(text, err);

	return w && when_compile(w, NULL, 0, NULL, ret, err);
}

static struct trace_condition only(const char *text)
{
	struct trace_conditions all;
	struct err err;

	if (!compiled(text, &all, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(all.count, 1);
	return all.list[0];
}

static void assert_refused(const char *text, enum err_code code, const char *why)
{
	struct trace_conditions all;
	struct err err = { .code = ERR_NONE };

	if (compiled(text, &all, &err) || err.code != code || !strstr(err.text, why))
		fail_msg("'%s' is not refused with \"%s\", but: %s", text, why, err.text);
}

static void comparisons(void **state)
{
	static const struct {
		const char *text;
		enum trace_comparison how;
		uint64_t value;
	} cases[] = {
		{ "id==1", TRACE_EQUAL, 1 },
		{ " id  !=  1 ", TRACE_UNEQUAL, 1 },
		{ "id<0x10", TRACE_LESS, 16 },
		{ "id <= 010", TRACE_LESS_OR_EQUAL, 8 },
		{ "id>-1", TRACE_GREATER, UINT64_MAX },
		{ "id >= -9223372036854775808", TRACE_GREATER_OR_EQUAL,
		  UINT64_C(1) << 63 },
		{ "id == 9223372036854775807", TRACE_EQUAL, INT64_MAX },
		{ "word == 18446744073709551615", TRACE_EQUAL, UINT64_MAX },
		{ "word == nil", TRACE_EQUAL, 0 },
		{ "small == true", TRACE_EQUAL, 1 },
		{ "small != false", TRACE_UNEQUAL, 0 },
		{ "small <= 255", TRACE_LESS_OR_EQUAL, 255 },
		{ "byte == -128", TRACE_EQUAL, (uint64_t)-128 },
		{ "byte == 127", TRACE_EQUAL, 127 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct trace_condition c = only(cases[i].text);
		if (c.comparison != cases[i].how || c.value != cases[i].value ||
		    c.is_text)
			fail_msg("%s: %u, %llx", cases[i].text, c.comparison,
				 (unsigned long long)c.value);
	}
}

static void places(void **state)
{
	const struct trace_condition field = only("r.p.X == 1"), id = only("id == 1"),
				     length = only("len( name ) > 3"),
				     map = only("len(m) == 0"),
				     inner = only("len(r.m) == 0");

	(void)state;
	assert_true(field.at == 500 && field.size == 4 && field.is_signed);
	assert_true(field.step == 2 && field.need == 12);
	assert_true(id.at == 0 && id.size == 8 && id.step == TRACE_NO_STEP);
	assert_true(length.at == 32 && length.value == 3 && !length.is_text);
	assert_true(length.nil_at == TRACE_NO_NIL && id.nil_at == TRACE_NO_NIL);
	assert_true(map.at == 600 && map.step == 5 && map.need == 8);
	assert_true(map.nil_at == 40 && map.nil_step == TRACE_NO_STEP);
	assert_true(inner.nil_at == 504 && inner.nil_step == 2 && inner.nil_need == 24);
}

static void texts(void **state)
{
	enum { MOST = TRACE_TEXT_WORDS * 8 };
	struct trace_condition c = only("name == \"GET && x\"");
	char long_one[MOST + 16];

	(void)state;
	assert_true(c.is_text && c.value == 8 && c.text_at == TEXT_AT &&
		    c.text_step == TEXT_STEP && c.comparison == TRACE_EQUAL);
	assert_memory_equal(c.text, "GET && x\0", 9);
	assert_true(c.mask[0] == UINT64_MAX && c.mask[1] == 0);
	c = only("name != \"\"");
	assert_true(c.is_text && c.value == 0 && c.mask[0] == 0);
	snprintf(long_one, sizeof(long_one), "name==\"%0*d\"", MOST, 0);
	c = only(long_one);
	assert_true(c.value == MOST && c.mask[TRACE_TEXT_WORDS - 1] == UINT64_MAX);
	snprintf(long_one, sizeof(long_one), "name==\"%0*d\"", MOST + 1, 0);
	assert_refused(long_one, ERR_USAGE, "64 bytes");
}

static void several(void **state)
{
	struct trace_conditions all;
	struct err err;

	(void)state;
	assert_true(compiled("id==1&&small<2 && name==\"x\"", &all, &err));
	assert_true(all.count == 3 && all.list[1].value == 2 && all.list[2].is_text);
	assert_true(
		compiled("id>0&&id>1&&id>2&&id>3&&id>4&&id>5&&id>6&&id>7", &all, &err));
	assert_int_equal(all.count, TRACE_CONDITIONS);
	assert_refused("id>0&&id>1&&id>2&&id>3&&id>4&&id>5&&id>6&&id>7&&id>8", ERR_USAGE,
		       "more than 8");
}

static void refusals(void **state)
{
	static const struct {
		const char *text;
		enum err_code code;
		const char *why;
	} cases[] = {
		{ "", ERR_USAGE, "the name of an argument at ''" },
		{ "id", ERR_USAGE, "==, !=" },
		{ "id =", ERR_USAGE, "==, !=" },
		{ "id = 4", ERR_USAGE, "at '= 4'" },
		{ "id ==", ERR_USAGE, "a number, a string" },
		{ "id == 4x", ERR_USAGE, "a number" },
		{ "id == -", ERR_USAGE, "a number" },
		{ "id == truely", ERR_USAGE, "a number" },
		{ "id == 18446744073709551616", ERR_USAGE, "a number" },
		{ "4 == id", ERR_USAGE, "the name of an argument" },
		{ "id == 4 &&", ERR_USAGE, "the name of an argument" },
		{ "id == 4 || id == 5", ERR_USAGE, "expected && at '|| id == 5'" },
		{ "id == 4 id == 5", ERR_USAGE, "expected &&" },
		{ "len(name > 3", ERR_USAGE, "expected )" },
		{ "len(", ERR_USAGE, "the name of an argument" },
		{ "name == \"x", ERR_USAGE, "a string of 64 bytes" },
		{ "name < \"x\"", ERR_USAGE, "a number, as strings" },
		{ "name == 4", ERR_USAGE, "name is a string" },
		{ "id == \"4\"", ERR_USAGE, "id is no string" },
		{ "len(name) == \"abc\"", ERR_USAGE, "len(name) is no string" },
		{ "len(name) == -1", ERR_USAGE, "never has" },
		{ "small == 256", ERR_USAGE, "never has" },
		{ "small == -1", ERR_USAGE, "never has" },
		{ "byte == 128", ERR_USAGE, "never has" },
		{ "byte == -129", ERR_USAGE, "never has" },
		{ "id == 9223372036854775808", ERR_USAGE, "never has" },
		{ "other == 4", ERR_CANNOT, "other: there is no such argument" },
		{ "len(id) == 4", ERR_CANNOT, "no such argument" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_refused(cases[i].text, cases[i].code, cases[i].why);
}

/* Bytes of all kinds, each beginning of them, are read to their end and not beyond. */
static void beginnings(void **state)
{
	static const char text[] =
		"len( a.b_\xc3\xa4 ) >= -0x1f && s != \"\xff\x01\" && t == nil";
	struct err err;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		AUTO(xfree) char *part = xstrndup(text, n);
		when_free(when_parse(part, &err));
	}
	when_free(when_parse(text, &err));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons), cmocka_unit_test(places),
		cmocka_unit_test(texts),       cmocka_unit_test(several),
		cmocka_unit_test(refusals),    cmocka_unit_test(beginnings),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
