/* SPDX-License-Identifier: Apache-2.0 */
/* All findings are looked for, one kind after the other, and the worst are first. Each kind is made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/findings/analysis/find.h"
#include "tests/unit/src/findings/process.h"
#include "tests/unit/unit.h"

static struct made_up {
	unsigned calls;
	bool is_idle, told;
	enum severity severity; /* of what these find */
	uint64_t affected[2];
} kinds[] = {
#define FINDING(kind) { 0 },
#include "src/findings/findings.def"
#undef FINDING
};

static void found(struct finder *f, const char *kind)
{
	struct made_up *it = &kinds[f->rank];

	it->calls++;
	it->is_idle = f->is_idle;
	it->told = f->told[process.count - 1];
	assert_int_equal(f->chains.count, process.count);
	for (size_t i = 0; i < ARRAY_SIZE(it->affected); i++)
		if (it->affected[i])
			finding_add(f, kind, it->severity, it->affected[i], "");
}

#define FINDING(kind)                                                                    \
	void finding_##kind(struct finder *f)                                            \
	{                                                                                \
		found(f, #kind);                                                         \
	}
#include "src/findings/findings.def"
#undef FINDING

static void find(struct findings *findings)
{
	const struct findings_about about = { .waits = &process.graph };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		kinds[i].calls = 0;
	findings_find(findings, &about);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		assert_int_equal(kinds[i].calls, 1);
		assert_false(kinds[i].told);
	}
}

static void assert_idle(bool is_idle)
{
	struct findings findings;

	find(&findings);
	assert_int_equal(findings.count, 0);
	assert_int_equal(kinds[0].is_idle, is_idle);
	findings_free(&findings);
}

static void test_idle(void **state)
{
	(void)state;
	process_begin();
	process_add(GOROUTINE_WAITING, "main.main");
	assert_idle(true);
	process_add(GOROUTINE_SYSCALL, "main.main");
	assert_idle(true);
	process.goroutines[1].status = GOROUTINE_RUNNABLE;
	assert_idle(false);
	process.goroutines[1].status = GOROUTINE_RUNNING;
	assert_idle(false);
	process.goroutines[1].system = true;
	assert_idle(true);
}

static void test_order(void **state)
{
	static const struct {
		size_t kind;
		enum severity severity;
		uint64_t affected[2];
	} made[] = {
		{ 0, SEVERITY_INFO, { 90, 0 } },     { 3, SEVERITY_WARNING, { 1, 5 } },
		{ 5, SEVERITY_CRITICAL, { 2, 0 } },  { 7, SEVERITY_WARNING, { 70, 0 } },
		{ 9, SEVERITY_CRITICAL, { 99, 0 } },
	};
	static const uint64_t wanted[] = { 2, 99, 5, 1, 70, 90 };
	struct findings findings;

	(void)state;
	process_begin();
	process_add(GOROUTINE_WAITING, "main.main");
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		kinds[made[i].kind].severity = made[i].severity;
		memcpy(kinds[made[i].kind].affected, made[i].affected,
		       sizeof(made[i].affected));
	}
	find(&findings);
	assert_int_equal(findings.count, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_int_equal(findings.list[i]->affected, wanted[i]);
	findings_free(&findings);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_order),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
