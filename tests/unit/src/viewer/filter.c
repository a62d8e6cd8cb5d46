/* SPDX-License-Identifier: Apache-2.0 */
/* Which goroutines of filtered.c each expression selects; what is said of wrong ones, and where. */
#include "src/viewer/filter/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/viewer/model/model.h"
#include "src/viewer/terminal/text.h"
#include "tests/unit/src/viewer/filtered.h"
#include "tests/unit/unit.h"

static struct model *model;

static const struct {
	const char *text, *ids;
} selected[] = {
	{ "true", "7 8 9 4 11" },
	{ "false", "" },
	{ "id == 7", "7" },
	{ "id != 7", "8 9 4 11" },
	{ "id in (4, 7-9)", "7 8 9 4" },
	{ "id > 8 && id <= 11", "9 11" },
	{ "status == \"waiting\"", "7 8 4" },
	{ "status in (\"syscall\", \"runnable\")", "9 11" },
	{ "status ~ \"^(run|sys)\"", "9 11" },
	{ "status !~ `a`", "" },
	{ "reason == \"select\"", "8" },
	{ "reason != \"select\"", "7 4" },
	{ "!(reason == \"select\")", "7 9 4 11" },
	{ "reason == null", "9 11" },
	{ "has(reason) && !system", "7 8" },
	{ "state == \"syscall\" || state == \"select\"", "8 9" },
	{ "waiting > 5m", "7" },
	{ "waiting >= 5s", "7 8" },
	{ "waiting < 1h", "7 8" },
	{ "!(waiting > 5m)", "8 9 4 11" },
	{ "runnable >= 10ms", "9" },
	{ "system", "4" },
	{ "!system && !locked", "7 8 11" },
	{ "locked == true", "9" },
	{ "panics == false", "7 8 4 11" },
	{ "incomplete", "4" },
	{ "group == 0", "7 8" },
	{ "group == null", "11" },
	{ "thread == 4711", "9" },
	{ "thread != null", "9" },
	{ "parent == 1", "7" },
	{ "creator == \"main.main\" && creator.line == 17 && creator.file ~ "
	  "\"main[.]go$\"",
	  "7" },
	{ "finding == \"spins\"", "9" },
	{ "finding == \"lock_held\"", "7 9" },
	{ "has(finding)", "7 9" },
	{ "label.tenant == \"acme\"", "7" },
	{ "label.tenant != \"acme\"", "8" },
	{ "label.http.route == \"/order\"", "7" },
	{ "label[\"odd key\"] == \"x\"", "7" },
	{ "has(label.hidden)", "7" },
	{ "label.hidden == \"\"", "" },
	{ "label.hidden != \"x\"", "" },
	{ "label.tenant in (\"acme\", \"zoo\")", "7 8" },
	{ "waits.kind == \"channel\"", "7" },
	{ "waits.address == 0xc000010000", "7 8" },
	{ "waits.address == 0xc000011000", "8" },
	{ "waits.address > 0xc000010000", "8" },
	{ "waits.operation == \"read\"", "9" },
	{ "waits.peer ~ \":5432$\" && waits.local ~ \"^10\" && waits.fd == 7", "9" },
	{ "waits.closed", "" },
	{ "waits.closed == false", "7" },
	{ "waits.len == 0 && waits.cap == 4", "7" },
	{ "contains(waits, \"TCP\")", "9" },
	{ "contains(waits, \"0xc00001100\")", "8" },
	{ "has(waits)", "7 8 9" },
	{ "stack.size == 8KiB && stack.used < 2K", "7" },
	{ "trace.id ~ \"^4bf9\" && context.error == \"context canceled\"", "9" },
	{ "any(frames, function ~ \"sql\")", "7 8" },
	{ "any(frames, own)", "7 8 11" },
	{ "all(frames, own)", "11" },
	{ "any(frames, own) && any(frames, language == \"c\")", "" },
	{ "any(frames, own) || any(frames, language == \"c\")", "7 8 9 11" },
	{ "!any(frames, own) && any(frames, language == \"c\")", "9" },
	{ "all(frames, !own)", "9 4" },
	{ "count(frames) == 4", "7 8" },
	{ "count(frames, own) == 2", "7 8" },
	{ "count(frames, hidden) in (1, 5-9)", "7 8" },
	{ "any(frames, package == \"database/sql\" && line == 1369)", "7 8" },
	{ "any(frames, package == \"example.com/shop/web\" && inlined)", "7 8" },
	{ "any(frames, package == \"main\")", "7 8 11" },
	{ "any(frames, language == \"c\" && pc == 0x7f12aa0fe2b0)", "9" },
	{ "any(frames, !has(package))", "9" },
	{ "any(frames, file ~ \"/order.go$\")", "7 8" },
	{ "any(frames, contains(function, \"GOPARK\")) && waiting > 1m", "7" },
	{ "var.n == 42", "7" },
	{ "var.n == 1", "7" },
	{ "var.n != \"x\"", "" }, /* a number is no text */
	{ "var.n != 42", "7 8 11" },
	{ "var.n < 0", "11" },
	{ "var.n == -3", "11" },
	{ "any(frames, function == \"main.main\" && var.n == 1)", "7" },
	{ "any(frames, function == \"main.main\" && var.n == 42)", "" },
	{ "any(frames, own && var.n > 5)", "7 8" },
	{ "count(frames, has(var.n)) == 2", "7" },
	{ "var.req.URL.Path ~ \"^/api\"", "7" },
	{ "var.req.URL == \"/api/v1?q=1\"", "7" },
	{ "var.req.Method == \"GET\"", "7" },
	{ "var.req.Header[\"X-Id\"][0] == \"abc\"", "7" },
	{ "var.req.Header[7] == \"seven\"", "7" },
	{ "has(var.req.Header[\"None\"])", "" },
	{ "len(var.req.Header) == 2", "7" },
	{ "len(var.ids) > 2 && var.ids[2] == 8", "7" },
	{ "has(var.ids[3]) || has(var.ids[-1])", "" },
	{ "var.db.pool.open == 12", "7 8" },
	{ "has(var.db.open)", "" }, /* two at the same depth */
	{ "var.db.waits == 3", "7 8" },
	{ "var.db.stats.open == 99", "7 8" },
	{ "var.db.self.self.self.pool.open == 12", "7 8" },
	{ "var.db == 0xc000020000", "7 8" },
	{ "var.err == \"no rows\"", "7" },
	{ "var.err != \"no rows\"", "" },
	{ "var.err.s ~ \"rows$\"", "7" },
	{ "var.err != nil", "7" },
	{ "var.none == nil", "7" },
	{ "var.none != null", "7" },
	{ "var.big == 18446744073709551615", "7" },
	{ "var.big == 18446744073709551614", "" },
	{ "var.wait > 1m && var.wait == \"1m30s\"", "7" },
	{ "var.ok", "7" },
	{ "var.ok == false", "" },
	{ "has(var.secret) || has(var.gone) || has(var.bad) || has(var.missing)", "" },
	{ "var.secret != \"x\"", "" },
	{ "status == \"waiting\" && (waiting > 5m || system) && !(id == 99)", "7 4" },
	{ "!!system", "4" },
};

static bool add_id(struct text *ids, struct filter *filter, uint32_t row)
{
	size_t n;
	const struct model_goroutine *rows = model_goroutines(model, &n);

	if (filter_passes(filter, row))
		text_add(ids, "%s%d", ids->len ? " " : "", (int)rows[row].id);
	return row + 1 < n;
}

static void select_of(struct filter *filter, struct text *ids)
{
	uint32_t row = 0;

	filter_begin(filter, model);
	while (add_id(ids, filter, row))
		row++;
}

static void test_selected(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(selected); i++) {
		AUTO(filter_free) struct filter *filter = filter_new();
		struct filter_error error;
		struct text ids = { .words = NULL };
		if (!filter_add_where(filter, "where", selected[i].text, &error))
			fail_msg("%s: %s", selected[i].text, error.text);
		select_of(filter, &ids);
		if (strcmp(text_words(&ids), selected[i].ids) != 0)
			fail_msg("%s: selects %s, not %s", selected[i].text,
				 text_words(&ids), selected[i].ids);
		text_done(&ids);
	}
}

/* at: where the part begins that is wrong; it is as long as ~ below. */
static const struct {
	const char *text, *where, *sentence;
	bool unfinished;
} wrong[] = {
	{ "", "^", "expected a condition, as in waiting > 5m at the end", true },
	{ "wating > 5m", "^~~~~~", "unknown field wating: did you mean waiting?", false },
	{ "wait", "^~~~", "unknown field wait: did you mean waits?", true },
	{ "zzzz", "^~~~", "unknown field zzzz: see gosnap-filter(7)", false },
	{ "waits.pear == \"x\"", "^~~~~~~~~~",
	  "unknown field waits.pear: did you mean waits.peer?", false },
	{ "status = \"x\"", "       ^", "= is no comparison: write ==", false },
	{ "status", "^~~~~~", "status is text, and is compared, as in status == \"...\"",
	  true },
	{ "waiting && locked", "^~~~~~~",
	  "waiting is a duration, and is compared, as in waiting == 5m", false },
	{ "waiting > 5 && locked", "          ^", "waiting is a duration: write 5m",
	  false },
	{ "waiting > \"5m\" && locked", "          ^~~~",
	  "waiting is a duration: write 5m", false },
	{ "waiting > 5parsec", "          ^~~~~~~",
	  "a number has no such unit: use 5m, 90s or 200ms, or 4KiB or 2M", true },
	{ "status == waiting && locked", "          ^~~~~~~",
	  "status is text: write \"waiting\"", false },
	{ "id == \"7\" && locked", "      ^~~", "id is a number: write 12", false },
	{ "waits.address == 12 && locked", "                 ^~",
	  "waits.address is an address: write 0xc000012345", false },
	{ "stack.size > 5m && locked", "             ^~",
	  "stack.size is a size: write 64KiB", false },
	{ "locked == 1 && locked", "          ^", "locked is true or false: write true",
	  false },
	{ "status < \"x\" && locked", "         ^~~",
	  "status is text: it is equal or not, but not less", false },
	{ "id ~ \"7\" && locked", "     ^~~",
	  "id is a number: regular expressions are for text", false },
	{ "reason ~ \"(\" && locked", "         ^~~",
	  "invalid regular expression \"(\": Unmatched ( or \\(", false },
	{ "reason ~ 5 && locked", "         ^",
	  "expected a regular expression in quotes, not 5", false },
	{ "(waiting > 5m", "^", "this parenthesis is not closed", true },
	{ "waiting > 5m)", "            ^", "no parenthesis is open here", true },
	{ "waiting > 5m locked", "             ^~~~~~", "expected && or ||, not locked",
	  true },
	{ "locked & system", "       ^", "\"and\" is &&", false },
	{ "locked | system", "       ^", "\"or\" is ||", false },
	{ "status == 'x'", "          ^", "a text is in double quotes", false },
	{ "status == \"x", "          ^~", "the text has no closing quote", true },
	{ "function ~ \"x\"", "^~~~~~~~",
	  "function is of a frame: write it in any(frames, ...)", false },
	{ "any(frames, waiting > 5m)", "            ^~~~~~~",
	  "waiting is of the goroutine, not of a frame: write it outside of the "
	  "parentheses",
	  false },
	{ "any(frames, any(frames, own))", "            ^~~~",
	  "any(), all() and count() cannot be inside of one another", false },
	{ "any(stack, own)", "    ^~~~~", "expected frames, not stack", false },
	{ "any(frames)", "          ^", "expected , and a condition on a frame, not )",
	  true },
	{ "count(frames, own)", "                  ^",
	  "expected a comparison of count() with a number at the end", true },
	{ "len(status) > 1 && locked", "^~~~~~~~~~~",
	  "len() is of a variable, as in len(var.ids)", false },
	{ "contains(id, \"1\")", "^~~~~~~~~~~", "id is a number: contains() is of text",
	  false },
	{ "label == \"x\"", "      ^~",
	  "expected a key: label.tenant or label[\"odd key\"], not ==", false },
	{ "label.a-b == \"x\"", "      ^",
	  "a key with other signs than letters and dots is in brackets: label[\"a-...\"]",
	  false },
	{ "var == 5", "    ^~",
	  "expected a name: var.req or var.req.URL.Path, not ==", false },
	{ "var[5] == 5", "^~~~~~", "a variable has a name: var.req", false },
	{ "var.x < \"5\" && locked", "        ^~~", "only numbers are less or greater",
	  false },
	{ "var.x == waiting && locked", "         ^~~~~~~",
	  "expected a number, a text, true, false, nil or null: is it \"waiting\"?",
	  false },
	{ "id in 5", "      ^", "expected ( and a list, as in (12, 15-20), not 5", true },
	{ "id in (9-7)", "         ^", "this range ends before it begins", false },
	{ "id in (7 8)", "         ^", "expected ) or a comma, not 8", false },
	{ "id == 99999999999999999999999", "      ^~~~~~~~~~~~~~~~~~~~~~~",
	  "this number is too large", true },
	{ "waits.address == 0x", "                 ^~",
	  "an address has hexadecimal digits behind 0x", true },
	{ "# == 5", "^", "this character means nothing here", false },
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		AUTO(filter_free) struct filter *filter = filter_new();
		struct filter_error error;
		const size_t at = strcspn(wrong[i].where, "^");
		const size_t len = strlen(wrong[i].where) - at;
		if (filter_add_where(filter, "where", wrong[i].text, &error))
			fail_msg("%s: nothing is wrong with it", wrong[i].text);
		if (strcmp(error.text, wrong[i].sentence) != 0)
			fail_msg("%s: says\n%s and not\n%s", wrong[i].text, error.text,
				 wrong[i].sentence);
		/* At the end, nothing is wrong but that it ends. */
		if (error.at != at || (error.len != len && !(error.len == 0 && len == 1)))
			fail_msg("%s: at %zu, %zu bytes", wrong[i].text, error.at,
				 error.len);
		if (error.unfinished != wrong[i].unfinished)
			fail_msg("%s: more text may%s make it right", wrong[i].text,
				 error.unfinished ? "" : " not");
		assert_true(filter_is_empty(filter));
	}
}

static void explained(const char *text, const char *wanted)
{
	struct filter_error error;
	struct text said = { .words = NULL };

	assert_false(filter_check(text, &error));
	filter_error_explain(&error, text, &said);
	assert_string_equal(text_words(&said), wanted);
	text_done(&said);
}

static void test_explained(void **state)
{
	(void)state;
	explained("wating > 5m", "unknown field wating: did you mean waiting?\n"
				 "  wating > 5m\n"
				 "  ^");
	explained("status == \"\303\244\" && id = 1",
		  "= is no comparison: write ==\n"
		  "  status == \"\303\244\" && id = 1\n"
		  "                      ^");
	explained("status ==\n\"x\" && id = 1", "= is no comparison: write ==\n"
						"  status == \"x\" && id = 1\n"
						"                      ^");
	explained("status == \"waiting\" && status == \"waiting\" && status == "
		  "\"waiting\" && id = 1"
		  " && status == \"waiting\" && status == \"waiting\"",
		  "= is no comparison: write ==\n"
		  "  ... status == \"waiting\" && status == \"waiting\" && id = 1 && "
		  "status == \"wait...\n"
		  "                                                       ^");
}

static char *repeated(const char *part, size_t n, const char *end)
{
	struct text text = { .words = NULL };

	for (size_t i = 0; i < n; i++)
		text_append(&text, part, strlen(part));
	text_append(&text, end, strlen(end));
	return text.words;
}

static void bounded(const char *part, size_t n, const char *end, const char *why)
{
	AUTO(xfree) char *text = repeated(part, n, end);
	struct filter_error error;

	if (!why && !filter_check(text, &error))
		fail_msg("%zu times %s: %s", n, part, error.text);
	if (why && filter_check(text, &error))
		fail_msg("%zu times %s: nothing is wrong with it", n, part);
	if (why)
		assert_string_equal(error.text, why);
}

static void test_bounds(void **state)
{
	(void)state;
	bounded("!", 60, "locked", NULL);
	bounded("!", 65, "locked", "it is nested more than 64 levels deep");
	bounded("(", 65, "locked", "it is nested more than 64 levels deep");
	bounded("locked && ", 1000, "locked", NULL);
	bounded("locked && ", 1024, "locked", "it has more than 1024 conditions");
	bounded("reason ~ \"x\" || ", 31, "locked", NULL);
	bounded("reason ~ \"x\" || ", 33, "locked",
		"it has more than 32 regular expressions");
	bounded("            ", 2000, "locked", "it is longer than 16384 bytes");
	bounded("locked && var", 1,
		".x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x == 1", NULL);
	bounded("locked && var", 1,
		".x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x == 1",
		"it has more than 31 steps");
}

/* More conditions on frames than have bits. */
static void test_many_frames(void **state)
{
	AUTO(xfree)
	char *text = repeated("any(frames, contains(function, \"sql\")) && ", 100,
			      "any(frames, function == \"nowhere\")");
	AUTO(filter_free) struct filter *filter = filter_new();
	struct filter_error error;
	struct text ids = { .words = NULL };

	(void)state;
	assert_true(filter_add_where(filter, "where", text, &error));
	select_of(filter, &ids);
	assert_string_equal(text_words(&ids), "");
	text_done(&ids);
}

static void add(struct filter *filter, enum filter_kind kind, bool negated,
		const char *words)
{
	struct err err;

	if (!filter_add(filter, kind, negated, "option", words, &err))
		fail_msg("%s: %s", words, err.text);
}

/* Options and expressions together. */
static void test_short_forms(void **state)
{
	AUTO(filter_free) struct filter *filter = filter_new();
	struct text ids = { .words = NULL }, missing = { .words = NULL };
	struct filter_error error;

	(void)state;
	assert_true(filter_is_empty(filter));
	add(filter, FILTER_GOROUTINE, false, "7-9,77");
	add(filter, FILTER_GOROUTINE, false, "78");
	add(filter, FILTER_STATUS, true, "SYSCALL");
	add(filter, FILTER_LABEL, false, "tenant=acme");
	add(filter, FILTER_LABEL, false, "tenant=zoo");
	assert_true(filter_names_goroutines(filter));
	select_of(filter, &ids);
	assert_string_equal(text_words(&ids), "7 8");
	filter_add_missing(filter, &missing);
	assert_string_equal(text_words(&missing), "77, 78");
	text_done(&ids);
	text_done(&missing);
	ids = (struct text){ .words = NULL };
	assert_true(
		filter_add_where(filter, "where", "var.n == 42 && waiting > 5m", &error));
	select_of(filter, &ids);
	assert_string_equal(text_words(&ids), "7");
	text_done(&ids);
}

static void blamed(const char *text, const char *wanted)
{
	AUTO(filter_free) struct filter *filter = filter_new();
	struct text ids = { .words = NULL }, blame = { .words = NULL };
	struct filter_error error;

	assert_true(filter_add_where(filter, "where", text, &error));
	select_of(filter, &ids);
	assert_string_equal(text_words(&ids), "");
	filter_blame(filter, &blame);
	assert_string_equal(text_words(&blame), wanted);
	text_done(&blame);
}

static void test_blame(void **state)
{
	(void)state;
	blamed("locked && id == 99 && status == \"syscall\"", "--where 'id == 99'");
	blamed("locked && system", "all filters together");
	blamed("var.n == 99 && status == \"waiting\"", "--where 'var.n == 99'");
	blamed("(id == 99 || id == 98) && id == 97",
	       "--where '(id == 99 || id == 98)', --where 'id == 97'");
}

static void add_candidate(void *arg, const struct filter_candidate *candidate)
{
	struct text *all = arg;

	assert_true(candidate->about[0]);
	text_add(all, "%s%s", all->len ? " " : "", candidate->word);
}

/* text: ^ is the cursor. */
static void completed(const char *text, size_t begin, const char *wanted)
{
	AUTO(xfree) char *whole = xstrdup(text);
	struct text all = { .words = NULL };
	const size_t cursor = strcspn(text, "^");

	memmove(whole + cursor, text + cursor + 1, strlen(text + cursor));
	assert_int_equal(filter_complete(whole, cursor, add_candidate, &all), begin);
	assert_string_equal(text_words(&all), wanted);
	text_done(&all);
}

static void test_completed(void **state)
{
	(void)state;
	completed("waiti^", 0, "waiting");
	completed("stat^ == 5", 0, "status state");
	completed("locked && stack.^", 10, "stack.size stack.used");
	completed("(co^", 1, "context.error context.overdue count contains");
	completed("any(^", 4, "frames");
	completed("any(fr^", 4, "frames");
	completed("any(frames, fu^", 12, "function");
	completed("any(frames, own) && fu^", 20, "");
	completed("any(frames, own) && fi^", 20, "finding");
	completed("status ^", 7, "== != ~ !~ in");
	completed("waiting ^", 8, "== != < <= > >= in");
	completed("label.tenant ^", 13, "== != ~ !~ in");
	completed("locked ^", 7, "== != in");
	completed("status == \"wai^", 14, "");
	completed("status == ^", 10, "");
}

static int open_model(void **state)
{
	(void)state;
	model = filtered_model();
	return 0;
}

static int close_model(void **state)
{
	(void)state;
	model_free(model);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selected),    cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_explained),   cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_many_frames), cmocka_unit_test(test_short_forms),
		cmocka_unit_test(test_blame),	    cmocka_unit_test(test_completed),
	};

	return unit_run(argc, argv, tests, open_model, close_model);
}
