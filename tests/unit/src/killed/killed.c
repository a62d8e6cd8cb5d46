/* SPDX-License-Identifier: Apache-2.0 */
#include "src/killed/killed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "tests/unit/unit.h"

enum { AT_ONCE = 64 };

static bool add(struct killed_list *list, uint32_t pid, enum kill_record_kind kind,
		struct killed *ret)
{
	const struct kill_end record = { .record = { kind, pid, 7 * pid } };
	const size_t len =
		kind == KILL_END ? sizeof(struct kill_end) : sizeof(struct kill_thread);

	return killed_list_add(list, &record.record, len, ret);
}

static off_t size_of(const struct killed *killed)
{
	struct stat st;

	assert_int_equal(fstat(killed->pieces, &st), 0);
	return st.st_size;
}

/* Several at a time, each with its own pieces. */
static void together(void **state)
{
	struct killed_list *list = killed_list_new();
	struct killed one;

	(void)state;
	for (int n = 0; n < 3; n++)
		for (uint32_t pid = 1; pid <= AT_ONCE; pid++)
			assert_false(add(list, pid, KILL_THREAD, &one));
	for (uint32_t pid = AT_ONCE; pid > 0; pid--) {
		assert_true(add(list, pid, KILL_END, &one));
		assert_int_equal(one.end.record.pid, pid);
		assert_int_equal(size_of(&one), 3 * (8 + sizeof(struct kill_thread)));
		assert_int_equal(one.left_out, 0);
		killed_done(&one);
	}
	assert_int_equal(killed_list_lost(list), 0);
	killed_list_free(list);
}

/* What there is no room for is counted, and takes no room from the others. */
static void too_many(void **state)
{
	struct killed_list *list = killed_list_new();
	struct killed one;

	(void)state;
	for (uint32_t pid = 1; pid <= AT_ONCE; pid++)
		assert_false(add(list, pid, KILL_THREAD, &one));
	assert_false(add(list, AT_ONCE + 1, KILL_THREAD, &one));
	assert_false(add(list, AT_ONCE + 1, KILL_END, &one));
	assert_int_equal(killed_list_lost(list), 2);
	assert_true(add(list, 1, KILL_END, &one));
	killed_done(&one);
	assert_true(add(list, AT_ONCE + 2, KILL_END, &one));
	assert_int_equal(size_of(&one), 0);
	killed_done(&one);
	killed_list_free(list);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(together),
		cmocka_unit_test(too_many),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
