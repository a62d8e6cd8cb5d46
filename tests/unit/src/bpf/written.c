/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the files that are watched was written to. */
#include "src/bpf/written.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/unit.h"

enum { FILES = 3 };

struct subject {
	int written, file[FILES], number[FILES];
};

static int temporary(void)
{
	char path[] = "/tmp/gosnap-written-XXXXXX";
	const int file = mkstemp(path);

	assert_true(file >= 0);
	unlink(path);
	return file;
}

static int set_up(void **state)
{
	struct subject *s = xcalloc(1, sizeof(*s));

	s->written = written_open();
	assert_true(s->written >= 0);
	for (int i = 0; i < FILES; i++) {
		s->file[i] = temporary();
		s->number[i] = written_add(s->written, s->file[i]);
		assert_true(s->number[i] >= 0);
	}
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct subject *s = *state;

	for (int i = 0; i < FILES; i++)
		close(s->file[i]);
	close(s->written);
	xfree(s);
	return 0;
}

static void put(const struct subject *s, int i)
{
	assert_int_equal(write(s->file[i], "x", 1), 1);
}

static void test_none(void **state)
{
	const struct subject *s = *state;

	assert_int_equal(written_next(s->written), -1);
	assert_int_equal(written_add(s->written, -1), -1);
}

/* In their order, and each file once. */
static void test_each(void **state)
{
	const struct subject *s = *state;

	put(s, 2);
	put(s, 0);
	put(s, 2);
	assert_int_equal(written_next(s->written), s->number[2]);
	assert_int_equal(written_next(s->written), s->number[0]);
	assert_int_equal(written_next(s->written), -1);
}

/* The kernel reports as well that it watches a file no more: that is not a write. */
static void test_removed(void **state)
{
	const struct subject *s = *state;

	for (int i = 0; i < FILES - 1; i++)
		written_remove(s->written, s->number[i]);
	written_remove(s->written, -1);
	for (int i = 0; i < FILES; i++)
		put(s, i);
	assert_int_equal(written_next(s->written), s->number[FILES - 1]);
	assert_int_equal(written_next(s->written), -1);
}

static void test_closed(void **state)
{
	(void)state;
	assert_int_equal(written_next(-1), -1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_removed, set_up, tear_down),
		cmocka_unit_test(test_closed),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
