/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/target_copy.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/ptrace/live_copy.h"
#include "lib/ptrace/target_live.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

enum { PAGE = 4096, PAGES = 40, HOLE = 3, SHARED = 7, SPANS = 5000, LEN_MAX = 300 };

/* No two pages, and few places in one, look alike. */
static void holds_pattern(struct subject_shared *shared)
{
	uint8_t *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mmap(p + SHARED * PAGE, PAGE, PROT_READ | PROT_WRITE,
	     MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	for (int i = 0; i < PAGES * PAGE; i++)
		p[i] = (uint8_t)(i / PAGE * 31 + i % 251);
	munmap(p + HOLE * PAGE, PAGE);
	shared->address = (uintptr_t)p;
	subject_ready();
	for (;;)
		pause();
}

static int by_address(const void *a, const void *b)
{
	const struct target_span *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void assert_as_one_by_one(struct target *copy, struct target_span *spans, size_t n)
{
	uint8_t alone[LEN_MAX];
	struct err err;

	target_read_many(copy, spans, n);
	for (size_t i = 0; i < n; i++) {
		bool done = target_read(copy, spans[i].addr, alone, spans[i].len, &err);
		if (done != spans[i].done ||
		    (done && memcmp(alone, spans[i].buf, spans[i].len)))
			fail_msg("span %zu, %zu bytes at 0x%llx: %d, alone %d", i,
				 spans[i].len, (unsigned long long)spans[i].addr,
				 spans[i].done, done);
	}
}

static void test_read_many(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(holds_pattern, &shared);
	struct err err;
	(void)state;
	AUTO(target_close) struct target *live = target_live_open(pid, &err);
	assert_non_null(live);
	AUTO(target_close) struct target *copy = target_copy_open(pid, live, &err);
	assert_non_null(copy);
	AUTO(xfree) struct target_span *spans = xcalloc(SPANS, sizeof(*spans));
	AUTO(xfree) uint8_t *bytes = xcalloc(SPANS, LEN_MAX);
	srandom(1);
	for (size_t i = 0; i < SPANS; i++)
		spans[i] = (struct target_span){ shared->address + (uint64_t)random() %
									   (PAGES * PAGE),
						 bytes + i * LEN_MAX,
						 (uint64_t)random() % LEN_MAX, false };
	assert_as_one_by_one(copy, spans, SPANS);
	qsort(spans, SPANS, sizeof(*spans), by_address);
	assert_as_one_by_one(copy, spans, SPANS);
	/* None of them overlaps the next. */
	for (size_t i = 0; i + 1 < SPANS; i++)
		if (spans[i].len > spans[i + 1].addr - spans[i].addr)
			spans[i].len = spans[i + 1].addr - spans[i].addr;
	assert_as_one_by_one(copy, spans, SPANS);
	assert_true(target_copy_foreign_bytes(copy) > 0);
	subject_end(pid, shared);
}

/* Lengths and addresses of a hostile program. */
static void test_hostile_spans(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(holds_pattern, &shared);
	uint8_t bytes[4][LEN_MAX];
	struct err err;
	(void)state;
	AUTO(target_close) struct target *live = target_live_open(pid, &err);
	AUTO(target_close) struct target *copy = target_copy_open(pid, live, &err);
	struct target_span spans[] = {
		{ shared->address, bytes[0], 8, false },
		{ UINT64_MAX - 8, bytes[1], 16, false },
		{ UINT64_MAX - 4, bytes[2], 4, false },
		{ shared->address + 8, bytes[3], 8, false },
	};

	target_read_many(copy, spans, ARRAY_SIZE(spans));
	assert_true(spans[0].done && !spans[1].done && !spans[2].done && spans[3].done);
	assert_int_equal(bytes[3][0], 8);
	subject_end(pid, shared);
}

static void waits(struct subject_shared *shared)
{
	(void)shared;
	subject_ready();
	for (;;)
		pause();
}

/* Its number may be another process's since. */
static void test_killed(void **state)
{
	struct subject_shared *shared;
	struct live_copy copy = { .copy = subject_start(waits, &shared) };
	const pid_t pid = copy.copy;
	uint64_t look_at = UINT64_MAX;
	siginfo_t info;
	(void)state;

	assert_null(live_copy_over(&copy, UINT64_MAX, &look_at));
	assert_int_equal(copy.copy, pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_string_equal(live_copy_over(&copy, UINT64_MAX, &look_at), "it was killed");
	assert_int_equal(copy.copy, 0);
	munmap(shared, sizeof(*shared));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_many),
		cmocka_unit_test(test_hostile_spans),
		cmocka_unit_test(test_killed),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
