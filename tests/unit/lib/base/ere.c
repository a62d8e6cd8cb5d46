/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/ere.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/unit/unit.h"

static struct ere *compile(const char *text, struct err *err)
{
	uint64_t room = ERE_ROOM;

	return ere_new(text, true, &room, err);
}

static void refuses(const char *text, const char *why)
{
	struct err err;
	AUTO(ere_free) struct ere *e = compile(text, &err);

	if (e)
		fail_msg("%.100s was compiled", text);
	if (err.code != ERR_USAGE || !strstr(err.text, why))
		fail_msg("%s", err.text);
}

/* begin before end: it is found there; end 0: it is not. */
static void finds(const char *text, const char *in, size_t begin, size_t end)
{
	size_t from = 0, to = 0;
	struct err err;
	AUTO(ere_free) struct ere *e = compile(text, &err);

	if (!e)
		fail_msg("%s", err.text);
	if (ere_find(e, in, strlen(in), 0, &from, &to) != (end > 0) ||
	    (end && (from != begin || to != end)))
		fail_msg("%s in %s: %zu to %zu", text, in, from, to);
}

static char *repeated(const char *what, size_t n)
{
	char *text = xcalloc(n + 1, strlen(what));

	for (size_t i = 0; i < n; i++)
		memcpy(text + i * strlen(what), what, strlen(what));
	return text;
}

static void test_found(void **state)
{
	(void)state;
	finds("customer-[0-9]+", "of customer-17 and", 3, 14);
	finds("a|ab|abc", "xabcd", 1, 4);
	finds("^b.*$", "a\nbc\nd", 2, 4);
	finds("b", "aaa", 0, 0);
	finds("(x|y){3}", "xyxy", 0, 3);
	finds("[]a]{2,}[^]]", "x]a]]b", 1, 6);
	finds("[[:digit:]{+]{3}", "a1{+", 1, 4);
	finds("\\(\\{1,2\\}\\)", "({1,2})", 0, 7);
	finds("a{,2}b", "aaab", 1, 4);
	finds("x{0}y", "xy", 1, 2);
}

/* What comes before the place to begin at is still its text. */
static void test_from(void **state)
{
	size_t begin, end;
	struct err err;
	AUTO(ere_free) struct ere *e = compile("^ab|\\bcd|ef", &err);
	(void)state;
	assert_true(ere_find(e, "ababcd ef", 9, 0, &begin, &end));
	assert_int_equal(begin, 0);
	assert_true(ere_find(e, "ababcd ef", 9, 2, &begin, &end));
	assert_int_equal(begin, 7);
	assert_false(ere_find(e, "ababcd ef", 9, 8, &begin, &end));
}

/* What people write, and more than that. */
static void test_large(void **state)
{
	AUTO(xfree) char *words = repeated("password|", 1000);
	(void)state;
	finds("[A-Za-z0-9+/]{1000}", "none", 0, 0);
	finds("(sk|pk)_(live|test)_[0-9a-zA-Z]{24,247}", "none", 0, 0);
	finds("a{1,1000}", "xaaa", 1, 4);
	words[strlen(words) - 1] = 0;
	finds(words, "my password", 3, 11);
	finds("(\\b(sk|pk)_[a-z]+\\b|^key=(.*)$){1,5}", "my pk_live x", 3, 10);
}

static const char large[] = "is too large with its repetitions expanded";

static void test_refused_by_size(void **state)
{
	AUTO(xfree) char *plus = repeated("(", 40), *twice = repeated(")+", 40);
	AUTO(xfree) char *optional = repeated("a?", 5000);
	AUTO(xfree) char *doubled = xasprintf("%sa%s", plus, twice);
	(void)state;
	refuses("((a{1,50}){1,50}){1,50}", large);
	refuses("((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}", large);
	refuses("(a|bc){0,32767}", large);
	refuses("(((a{255,}){255,}){255,}){255,}", large);
	refuses(doubled, large);
	refuses(optional, large);
}

static void test_refused(void **state)
{
	AUTO(xfree) char *deep = repeated("(", 100000), *anchors = repeated("^", 1000);
	(void)state;
	test_refused_by_size(state);
	/* What the compiler takes for these is not in their numbers. */
	refuses("(){1000}{1000}{1000}", large);
	refuses("){1000}{1000}{1000}", large);
	refuses("a{1000}{1000}{1000}{0}", large);
	refuses(anchors, large);
	refuses("((\\b|\\B|a)(\\b|\\B|a)(\\b|\\B|a))*", large);
	refuses(deep, "its parentheses are nested too deeply");
	refuses("(a*)*\\1",
		"back-references are not allowed, as they can take forever to match");
	refuses("(a", "invalid regular expression \"(a\": Unmatched (");
	refuses("a{2", "invalid regular expression");
	refuses("a{99999}", "invalid regular expression");
	refuses("[[:alpha:", "invalid regular expression");
	refuses("\\", "invalid regular expression");
}

/* Without a child, what can take forever is refused by what it looks like: as quickly. */
static void test_alone(void **state)
{
	static const char anchored[] = "has too many anchors, or repeats one";

	ere_forbid_children();
	finds("(sk|pk)_(live|test)_[0-9a-zA-Z]{24,247}", "none", 0, 0);
	finds("ma.*n|^x$", "main", 0, 4);
	finds("^(a|b)+\\bc?$", "ab", 0, 2);
	refuses("(\\b(sk|pk)_[a-z]+\\b|^key=(.*)$){1,5}", anchored);
	refuses("((\\b|\\B|a)(\\b|\\B|a)(\\b|\\B|a))*", anchored);
	refuses("(^)+", anchored);
	test_refused_by_size(state);
}

static size_t peak(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (size_t)usage.ru_maxrss << 10;
}

/* Each letter leads to a state that was not there before. */
static char *hostile(size_t len)
{
	char *text = xcalloc(len + 1, 1);
	uint32_t x = 1;

	for (size_t i = 0; i < len; i++) {
		x = x * 1103515245 + 12345;
		text[i] = x & 0x10000 ? 'a' : 'b';
	}
	return text;
}

static const char explosive[] = "(a|b)*a(a|b){20}c";

static void test_long_text(void **state)
{
	enum { LEN = 1 << 20, MOST = 400 << 20 };
	AUTO(xfree) char *text = hostile(LEN);
	size_t begin = 1, end = 1;
	struct err err;
	AUTO(ere_free) struct ere *e = compile(explosive, &err);
	struct rlimit before, after;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	assert_true(ere_find(e, text, LEN, 0, &begin, &end));
	assert_int_equal(begin, 0);
	assert_int_equal(end, LEN);
	assert_int_equal(getrlimit(RLIMIT_AS, &after), 0);
	assert_int_equal(after.rlim_cur, before.rlim_cur);
	assert_true(peak() < MOST);
	/* It goes on to work. */
	assert_true(ere_find(e, "aaaaaaaaaaaaaaaaaaaaaac", 23, 0, &begin, &end));
	assert_int_equal(end, 23);
}

static void test_many_texts(void **state)
{
	enum { PIECE = 512, PIECES = 32, MOST = 150 << 20 };
	AUTO(xfree) char *text = hostile(PIECE * PIECES);
	size_t begin, end;
	struct err err;
	AUTO(ere_free) struct ere *e = compile(explosive, &err);
	(void)state;
	for (size_t i = 0; i < PIECES; i++) {
		AUTO(xfree) char *piece = xstrndup(text + i * PIECE, PIECE);
		ere_find(e, piece, PIECE, 0, &begin, &end);
	}
	assert_true(peak() < MOST);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_from),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_refused),
#if !defined(__SANITIZE_ADDRESS__) /* whose allocator has other bounds */
		cmocka_unit_test(test_many_texts),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_alone),
#endif
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
