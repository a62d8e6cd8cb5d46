/* SPDX-License-Identifier: Apache-2.0 */
/* Which operation a function of Go's is, by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/operations/routine.h"
#include "tests/unit/unit.h"

static void test_whole_names(void **state)
{
	(void)state;
	assert_int_equal(operation_named("sync.(*Mutex).Lock"), OPERATION_LOCK);
	assert_int_equal(operation_named("sync.(*Mutex).LockFast"), OPERATION_NONE);
	assert_int_equal(operation_named("sync.(*Mutex)"), OPERATION_NONE);
	assert_int_equal(operation_named("main.sync.(*Mutex).Lock"), OPERATION_NONE);
	assert_int_equal(operation_named("runtime.throw"), OPERATION_NEVER);
	assert_int_equal(operation_named("runtime.throwing"), OPERATION_NONE);
}

/* Releases have several functions of these. */
static void test_beginnings(void **state)
{
	(void)state;
	assert_int_equal(operation_named("runtime.selectnbrecv"),
			 OPERATION_RECEIVE_SECOND);
	assert_int_equal(operation_named("runtime.selectnbrecv2"),
			 OPERATION_RECEIVE_SECOND);
	assert_int_equal(operation_named("runtime.panicIndex"), OPERATION_NEVER);
	assert_int_equal(operation_named("runtime.goPanicIndex"), OPERATION_NEVER);
	assert_int_equal(operation_named("runtime.fatalthrow"), OPERATION_NEVER);
	assert_int_equal(operation_named("runtime.selectnbrec"), OPERATION_NONE);
	assert_int_equal(operation_named("runtime.pani"), OPERATION_NONE);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_names),
		cmocka_unit_test(test_beginnings),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
