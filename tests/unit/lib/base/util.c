/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/util.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/bytes.h"
#include "lib/base/err.h"
#include "lib/base/guard.h"
#include "lib/base/utf8.h"
#include "tests/unit/unit.h"

static void test_err(void **state)
{
	struct err err = { 0 };
	char longer[2 * sizeof(err.text)];
	(void)state;
	assert_false(err_set(&err, ERR_FAULT, "at 0x%x", 16));
	assert_int_equal(err.code, ERR_FAULT);
	assert_false(err_prefix(&err, "goroutine %d", 7));
	assert_string_equal(err.text, "goroutine 7: at 0x10");
	assert_int_equal(err.code, ERR_FAULT);
	err_set(&err, ERR_LIMIT, "again: %s", err.text); /* its own text */
	assert_string_equal(err.text, "again: goroutine 7: at 0x10");
	errno = ENOENT;
	assert_false(err_sys(&err, "/x"));
	assert_string_equal(err.text, "/x: No such file or directory");
	assert_int_equal(err.code, ERR_SYS);
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	err_set(&err, ERR_SYS, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	err_prefix(&err, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void test_memory(void **state)
{
	AUTO(xfree) char *s = xasprintf("%d and %s", 5, "six");
	AUTO(xfree) int *numbers = NULL;
	size_t cap = 0;
	(void)state;
	assert_string_equal(s, "5 and six");
	for (int i = 0; i < 1000; i++) {
		GROW(numbers, (size_t)i, cap);
		numbers[i] = i;
	}
	assert_int_equal(numbers[999], 999);
	assert_in_range(cap, 1000, 2000);
	char *taken = TAKE(s);
	assert_null(s);
	xfree(taken);
	xfree(xmalloc(0));
}

static void test_slurp(void **state)
{
	size_t len = 0;
	(void)state;
	AUTO(xfree) char *whole = slurp("/proc/self/status", 1 << 20, &len);
	assert_non_null(whole);
	assert_int_equal(strlen(whole), len);
	AUTO(xfree) char *part = slurp("/proc/self/status", 10, &len);
	assert_int_equal(len, 10);
	assert_memory_equal(part, "Name:\tutil", 10);
	assert_null(slurp("/nowhere", 10, NULL));
	assert_int_equal(errno, ENOENT);
}

static void test_bytes(void **state)
{
	static const uint8_t data[] = {
		1, 2, 3, 4, 5, 6, 7, 8, 0x80, 0x7f, 'o', 'k', 0, 9
	};
	struct bytes b = bytes_over(data, sizeof(data));
	(void)state;
	assert_int_equal(bytes_u16(&b), 0x0201);
	assert_int_equal(bytes_u8(&b), 3);
	assert_int_equal(bytes_u32(&b), 0x07060504);
	b = bytes_at(bytes_over(data, sizeof(data)), 8);
	assert_int_equal(bytes_uvarint(&b), 0x7f << 7);
	assert_string_equal(bytes_string(&b), "ok");
	assert_false(b.bad);
	assert_null(bytes_string(&b));
	assert_true(b.bad);
	assert_int_equal(bytes_u8(&b), 0); /* sticky, though there is a byte */
	assert_true(bytes_at(bytes_over(data, 4), 5).bad);
	assert_false(bytes_at(bytes_over(data, 4), 4).bad);
	b = bytes_over(data, 4);
	assert_int_equal(bytes_u64(&b), 0);
	assert_true(b.bad);
	memset(&b, 0, sizeof(b));
	uint8_t endless[11];
	memset(endless, 0xff, sizeof(endless));
	b = bytes_over(endless, sizeof(endless));
	bytes_uvarint(&b);
	assert_true(b.bad);
}

enum { ENDED = 7 };

static void end(void)
{
	_exit(ENDED);
}

/* How a child ends for which there is no memory. */
static int without_memory(void (*as)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		if (as)
			on_out_of_memory(as);
		xfree(xmalloc(SIZE_MAX / 2));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_out_of_memory(void **state)
{
	(void)state;
	int status = without_memory(end);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), ENDED);
	status = without_memory(NULL);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void test_guard(void **state)
{
	unsigned depth = 0;
	uint64_t spent = 0;

	(void)state;
	assert_true(recursion_enter(&depth, 2));
	assert_true(recursion_enter(&depth, 2));
	assert_false(recursion_enter(&depth, 2));
	recursion_leave(&depth);
	assert_true(recursion_enter(&depth, 2));
	assert_true(budget_spend(&spent, 3, 5));
	assert_false(budget_spend(&spent, 3, 5));
	assert_false(budget_spend(&spent, UINT64_MAX, 5));
	assert_true(budget_spend(&spent, 2, 5));
	assert_int_equal(spent, 5);
	assert_false(budget_spend(&spent, 0, 4));
}

static void test_harmless(void **state)
{
	static const char words[] = "a\033[2J\xc2\x9b"
				    "b\u202e\u2066\xff\xc3\u00e9\n";
	char shown[sizeof(words)] = "";
	FILE *out = fmemopen(shown, sizeof(shown), "w");

	(void)state;
	assert_non_null(out);
	utf8_print_harmless(out, words, sizeof(words) - 1);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(shown, "a?[2J?b????\u00e9?");
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_err),	      cmocka_unit_test(test_memory),
		cmocka_unit_test(test_slurp),	      cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_guard),
		cmocka_unit_test(test_harmless),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
