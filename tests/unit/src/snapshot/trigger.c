/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/trigger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "printers/printers.h"
#include "tests/unit/unit.h"

static void kind_alone(void **state)
{
	struct trigger t = { .goroutine = 7 };
	struct err err;

	(void)state;
	assert_true(trigger_read("api", &t, &err));
	assert_int_equal(t.kind, TRIGGER_API);
	assert_int_equal(t.goroutine, 0);
}

static void with_numbers(void **state)
{
	struct trigger t;
	struct err err;

	(void)state;
	assert_true(trigger_read("signal,goroutine=41,thread=12,signal=11", &t, &err));
	assert_int_equal(t.kind, TRIGGER_SIGNAL);
	assert_int_equal(t.goroutine, 41);
	assert_int_equal(t.thread, 12);
	assert_int_equal(t.signal, 11);
}

static void refused(void **state)
{
	static const char *const bad[] = {
		"",
		"manual",
		"panics",
		"panic,",
		"panic,goroutine",
		"panic,goroutine=",
		"panic,goroutine=0",
		"panic,signal=65",
		"panic,goroutine=-1",
		"panic,pid=1",
		"panic,signal=1x",
		"panic,goroutine=99999999999999999999",
	};
	struct trigger t = { .kind = TRIGGER_EXIT };
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (trigger_read(bad[i], &t, &err))
			fail_msg("%s was accepted", bad[i]);
	assert_int_equal(t.kind, TRIGGER_EXIT);
}

static void attributes(void **state)
{
	static const char *const bad[] = { "", "key", "=value" };
	struct trigger t = { .kind = TRIGGER_NONE };
	struct err err;

	(void)state;
	assert_true(trigger_add_attribute("request=a=b", &t, &err));
	assert_true(trigger_add_attribute("empty=", &t, &err));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (trigger_add_attribute(bad[i], &t, &err))
			fail_msg("%s was accepted", bad[i]);
	/* In whatever order the options are. */
	assert_true(trigger_read("panic,goroutine=3", &t, &err));
	assert_int_equal(t.attribute_count, 2);
	assert_string_equal(t.attributes[0].key, "request");
	assert_string_equal(t.attributes[0].value, "a=b");
	assert_string_equal(t.attributes[1].value, "");
	assert_int_equal(trigger_panicking(&t), 3);
	assert_true(trigger_read("signal,goroutine=3", &t, &err));
	assert_int_equal(trigger_panicking(&t), 0);
	while (trigger_add_attribute("one=more", &t, &err))
		assert_in_range(t.attribute_count, 3, 256);
	assert_string_equal(err.text, "more than 256 attributes");
	for (size_t i = 0; i < t.attribute_count; i++)
		xfree((char *)t.attributes[i].key);
	xfree(t.attributes);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kind_alone),
		cmocka_unit_test(with_numbers),
		cmocka_unit_test(refused),
		cmocka_unit_test(attributes),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
