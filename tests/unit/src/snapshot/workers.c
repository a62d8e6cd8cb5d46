/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that send what they were not asked for. */
#include "src/snapshot/workers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { FIRST = 100, END = 110 };

/* What they send of the batch [FIRST, END): two goroutines in one message. */
struct sent {
	struct printed list[2];
	bool sound;
};

static void print(void *arg, const struct batch *batch, printed_fn *fn, void *fn_arg)
{
	const struct sent *sent = arg;

	assert_int_equal(batch->first, FIRST);
	fn(fn_arg, sent->list, 2, "text", strlen("text"));
}

static void prepare(void *arg)
{
	(void)arg;
}

static void take(void *arg, const struct printed *list, size_t n, const char *text,
		 size_t bytes)
{
	size_t *taken = arg;

	assert_int_equal(n, 2);
	assert_int_equal(bytes, strlen("text"));
	assert_memory_equal(text, "text", bytes);
	for (size_t i = 0; i < n; i++)
		assert_in_range(list[i].goroutine, FIRST, END - 1);
	*taken += n;
}

static void check(struct sent sent)
{
	static const struct batch batch = { .first = FIRST, .end = END };
	AUTO(workers_end) struct workers *w = workers_start(2, print, prepare, &sent);
	size_t taken = 0;

	workers_submit(w, &batch);
	uint64_t next = workers_collect(w, &batch, take, &taken);
	assert_int_equal(taken, sent.sound ? 2 : 0);
	assert_int_equal(next, sent.sound ? END : FIRST);
	if (sent.sound)
		assert_null(workers_death(w));
	else
		assert_non_null(workers_death(w));
	/* The next one is as good as ever. */
	workers_submit(w, &batch);
	workers_collect(w, &batch, take, &taken);
}

#define TWO(...)                                                                         \
	(struct sent)                                                                    \
	{                                                                                \
		.list = { __VA_ARGS__ }                                                  \
	}

static void test_numbers(void **state)
{
	(void)state;
	struct sent sound = TWO({ .goroutine = FIRST, .bytes = 1 },
				{ .goroutine = END - 1, .bytes = 3 });
	sound.sound = true;
	check(sound);
	check(TWO({ .goroutine = FIRST }, { .goroutine = END }));
	check(TWO({ .goroutine = FIRST }, { .goroutine = UINT64_MAX }));
	check(TWO({ .goroutine = FIRST - 1 }, { .goroutine = FIRST }));
	check(TWO({ .goroutine = 0 }, { .goroutine = FIRST }));
	check(TWO({ .goroutine = FIRST }, { .goroutine = FIRST }));
	check(TWO({ .goroutine = FIRST + 1 }, { .goroutine = FIRST }));
	check(TWO({ .goroutine = FIRST, .values = VALUES_NOT_ASKED + 1 },
		  { .goroutine = FIRST + 1 }));
	check(TWO({ .goroutine = FIRST, .bytes = 2 },
		  { .goroutine = FIRST + 1, .bytes = 3 }));
	check(TWO({ .goroutine = FIRST, .bytes = UINT32_MAX },
		  { .goroutine = FIRST + 1, .bytes = UINT32_MAX }));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
