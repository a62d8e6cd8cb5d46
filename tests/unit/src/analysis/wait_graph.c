/* SPDX-License-Identifier: Apache-2.0 */
/* What goroutines wait for, and how the document says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/limit.h"
#include "lib/document/sink.h"
#include "src/analysis/print_waits.h"
#include "tests/unit/src/analysis/scene.h"
#include "tests/unit/unit.h"

enum { FIRST = 0x1000, SECOND = 0x2000, THIRD = 0x3000 };

static void expect_object(const struct wait_graph *w, size_t i,
			  const struct wait_object *expected)
{
	const struct wait_object *o = &w->objects[i];

	assert_true(i < w->object_count);
	assert_int_equal(o->addr, expected->addr);
	assert_int_equal(o->kind, expected->kind);
	assert_int_equal(o->first_waiter, expected->first_waiter);
	assert_int_equal(o->waiter_count, expected->waiter_count);
	assert_int_equal(o->goroutine_count, expected->goroutine_count);
	assert_ptr_equal(wait_graph_object(w, o->addr), o);
}

/* Objects by address, the waiters of each by goroutine. */
static void test_objects(void **state)
{
	static const struct wait_object expected[] = {
		{ .addr = FIRST,
		  .kind = WAIT_COND,
		  .first_waiter = 0,
		  .waiter_count = 1,
		  .goroutine_count = 1 },
		{ .addr = SECOND,
		  .kind = WAIT_RWMUTEX,
		  .first_waiter = 1,
		  .waiter_count = 2,
		  .goroutine_count = 2 },
		{ .addr = THIRD,
		  .kind = WAIT_SEMAPHORE,
		  .first_waiter = 3,
		  .waiter_count = 1,
		  .goroutine_count = 1 },
	};
	static const uint32_t waiters[] = { 3, 1, 2, 0 };
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene_waiter(WAIT_SEMAPHORE, THIRD);
	scene_waiter(WAIT_RWMUTEX, SECOND);
	scene_waiter(WAIT_RWMUTEX, SECOND);
	scene_waiter(WAIT_COND, FIRST);
	const uint32_t free = scene_add();
	scene.goroutines[1].wait.lock.readers = 7;
	scene_look(&w);
	assert_int_equal(w.object_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		expect_object(&w, i, &expected[i]);
	assert_int_equal(w.waiter_count, ARRAY_SIZE(waiters));
	for (size_t i = 0; i < ARRAY_SIZE(waiters); i++)
		assert_int_equal(w.waiters[i].goroutine, waiters[i]);
	assert_int_equal(w.objects[1].lock.readers, 7);
	assert_ptr_equal(wait_graph_of(&w, 0), &w.objects[2]);
	assert_ptr_equal(wait_graph_of(&w, 2), &w.objects[1]);
	assert_ptr_equal(wait_graph_of(&w, 3), &w.objects[0]);
	assert_null(wait_graph_of(&w, free));
	assert_null(wait_graph_object(&w, FIRST - 1));
	assert_null(wait_graph_object(&w, FIRST + 1));
	assert_null(wait_graph_object(&w, THIRD + 1));
	wait_graph_done(&w);
}

/* A timer, the network, a nil channel: nobody else can end that. */
static void test_no_object(void **state)
{
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene_waiter(WAIT_TIMER, FIRST);
	scene_waiter(WAIT_NETWORK, SECOND);
	scene_waiter(WAIT_CHANNEL, 0);
	scene_look(&w);
	assert_int_equal(w.object_count, 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_null(wait_graph_of(&w, i));
	wait_graph_done(&w);
}

static void add_select(const struct scene_case *cases, size_t n)
{
	static size_t used;
	const uint32_t i = scene_waiter(WAIT_SELECT, 0);

	used = i == 0 ? 0 : used;
	memcpy(&scene.cases[used], cases, n * sizeof(*cases));
	scene.goroutines[i].wait.first_case = used;
	scene.goroutines[i].wait.case_count = n;
	used += n;
}

/* Who selects waits for one of several things, and for one of them twice. */
static void test_select(void **state)
{
	static const struct scene_case first[] = {
		{ WAIT_RECEIVE, { .addr = FIRST, .len = 1 } },
		{ WAIT_RECEIVE, { .addr = SECOND, .len = 2 } },
		{ WAIT_SEND, { .addr = SECOND, .len = 2 } },
	};
	static const struct scene_case second[] = {
		{ WAIT_RECEIVE, { .addr = SECOND, .len = 2 } },
		{ WAIT_RECEIVE, { .addr = THIRD, .len = 3 } },
	};
	static const struct wait_object expected[] = {
		{ .addr = FIRST, .waiter_count = 1, .goroutine_count = 1 },
		{ .addr = SECOND,
		  .first_waiter = 1,
		  .waiter_count = 4,
		  .goroutine_count = 3 },
		{ .addr = THIRD,
		  .first_waiter = 5,
		  .waiter_count = 1,
		  .goroutine_count = 1 },
	};
	struct wait_graph w;

	(void)state;
	scene_begin();
	add_select(first, ARRAY_SIZE(first));
	add_select(second, ARRAY_SIZE(second));
	scene_waiter(WAIT_CHANNEL, SECOND);
	scene_look(&w);
	assert_int_equal(w.object_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		expect_object(&w, i, &expected[i]);
		assert_int_equal(w.objects[i].channel.len, i + 1);
	}
	assert_true(w.waiters[1].one_of && w.waiters[3].one_of);
	assert_int_equal(w.waiters[3].operation, WAIT_RECEIVE);
	assert_false(w.waiters[4].one_of);
	assert_null(wait_graph_of(&w, 0));
	assert_null(wait_graph_of(&w, 1));
	assert_ptr_equal(wait_graph_of(&w, 2), &w.objects[1]);
	wait_graph_done(&w);
}

/* What the document says, without spaces. Owned. */
static char *printed(const struct wait_graph *w)
{
	AUTO(sink_free) struct sink *out = sink_part_new();
	size_t n = 0;

	print_waits(out, w);
	char *text = xstrdup(sink_part_text(out));
	const size_t len = sink_part_bytes(out);
	for (size_t i = 0; i < len; i++)
		if (text[i] != ' ' && text[i] != '\n')
			text[n++] = text[i];
	text[n] = '\0';
	return text;
}

static size_t times(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void expect_printed(const struct wait_graph *w, const char *expected)
{
	char *text = printed(w);

	assert_string_equal(text, expected);
	xfree(text);
}

static uint32_t add_partner(uint64_t addr, const struct operation_at *said, size_t n)
{
	const uint32_t one = scene_add();

	for (size_t i = 0; i < n; i++) {
		struct operation_at at = said[i];
		at.addr = addr;
		scene_says_at(one, &at);
	}
	return one;
}

static void test_print_holders(void **state)
{
	static const struct operation_at certain[] = {
		{ OPERATION_LOCK, PASSED, 0, 11, 0, false },
		{ OPERATION_UNLOCK, AHEAD_DEFERRED, 0, 12, 0, false },
	};
	static const struct operation_at probable = {
		OPERATION_UNLOCK, AHEAD_SURELY, 0, 13, 0, false
	};
	static const struct operation_at unknown = {
		OPERATION_UNLOCK, AHEAD_MAYBE, 0, NO_CODE, 0, false
	};
	struct wait_graph w;

	(void)state;
	scene_begin();
	scene_waiter(WAIT_MUTEX, FIRST);
	scene_waiter(WAIT_MUTEX, SECOND);
	add_partner(FIRST, certain, ARRAY_SIZE(certain));
	add_partner(SECOND, &probable, 1);
	add_partner(SECOND, &unknown, 1);
	scene_look(&w);
	expect_printed(
		&w,
		"[{\"address\":\"0x1000\",\"runtime\":0,\"kind\":\"mutex\",\"waiters\":1,"
		"\"goroutines\":[100],\"partners\":[{\"goroutine\":102,"
		"\"operation\":\"unlock\",\"holds\":\"certain\",\"locked_at\":{\"line\":"
		"11},"
		"\"ahead\":\"deferred\",\"ahead_at\":{\"line\":12}}]},"
		"{\"address\":\"0x2000\",\"runtime\":0,\"kind\":\"mutex\",\"waiters\":1,"
		"\"goroutines\":[101],\"partners\":[{\"goroutine\":103,"
		"\"operation\":\"unlock\",\"holds\":\"probable\",\"ahead\":\"always\","
		"\"ahead_at\":{\"line\":13}},{\"goroutine\":104,\"operation\":\"unlock\","
		"\"ahead\":\"sometimes\"}]}]");
	wait_graph_done(&w);
}

static void test_print_operations(void **state)
{
	static const struct {
		enum wait_kind kind;
		enum operation operation;
		const char *name;
	} all[] = {
		{ WAIT_RWMUTEX, OPERATION_READ_LOCK, "\"operation\":\"readunlock\"" },
		{ WAIT_MUTEX, OPERATION_LOCK, "\"operation\":\"unlock\"" },
		{ WAIT_WAITGROUP, OPERATION_DONE, "\"operation\":\"done\"" },
		{ WAIT_COND, OPERATION_SIGNAL, "\"operation\":\"signal\"" },
		{ WAIT_CHANNEL, OPERATION_SEND, "\"operation\":\"send\"" },
		{ WAIT_CHANNEL, OPERATION_RECEIVE, "\"operation\":\"receive\"" },
		{ WAIT_CHANNEL, OPERATION_CLOSE, "\"operation\":\"close\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const struct operation_at at = {
			all[i].operation, PASSED, 0, 0, 0, false
		};
		struct wait_graph w;
		scene_begin();
		scene_waiter(all[i].kind, FIRST);
		add_partner(FIRST, &at, 1);
		scene_look(&w);
		char *text = printed(&w);
		assert_int_equal(times(text, all[i].name), 1);
		/* Neither ahead, nor at a place that is known. */
		assert_int_equal(times(text, "ahead"), 0);
		assert_int_equal(times(text, "locked_at"), 0);
		xfree(text);
		wait_graph_done(&w);
	}
}

/* Of one goroutine that waits for a channel, the goroutine itself tells. */
static void test_print_channels(void **state)
{
	static const struct scene_case both[] = {
		{ WAIT_RECEIVE, { .addr = SECOND } },
		{ WAIT_SEND, { .addr = SECOND } },
	};
	static const struct operation_at sends = { OPERATION_SEND, AHEAD_MAYBE, 0, 0, 0,
						   false };
	struct wait_graph w;

	(void)state;
	scene_begin();
	add_select(both, ARRAY_SIZE(both));
	scene_waiter(WAIT_CHANNEL, FIRST);
	scene_look(&w);
	expect_printed(&w, "[]");
	wait_graph_done(&w);
	scene_waiter(WAIT_CHANNEL, SECOND);
	add_partner(FIRST, &sends, 1);
	scene_look(&w);
	expect_printed(
		&w, "[{\"address\":\"0x1000\",\"runtime\":0,\"kind\":\"other\","
		    "\"waiters\":1,\"goroutines\":[101],\"partners\":[{\"goroutine\":103,"
		    "\"operation\":\"send\",\"ahead\":\"sometimes\"}]},"
		    "{\"address\":\"0x2000\",\"runtime\":0,\"kind\":\"other\","
		    "\"waiters\":2,\"goroutines\":[100,102]}]");
	wait_graph_done(&w);
}

/* Of an object 100 waiters and partners are shown, and so many objects. */
static void test_print_limits(void **state)
{
	static const struct operation_at unlocks = {
		OPERATION_UNLOCK, AHEAD_MAYBE, 0, 0, 0, false
	};
	struct wait_graph w;

	(void)state;
	scene_begin();
	for (size_t i = 0; i < 101; i++) {
		scene_waiter(WAIT_RWMUTEX, FIRST);
		add_partner(FIRST, &unlocks, 1);
	}
	scene_look(&w);
	char *text = printed(&w);
	assert_int_equal(times(text, "\"waiters\":101"), 1);
	assert_int_equal(times(text, "\"goroutine\":"), 100);
	/* Of the waiters of the first object all but the last: 100, 102, ... 298. */
	assert_non_null(strstr(text, ",298]"));
	assert_null(strstr(text, ",300"));
	xfree(text);
	wait_graph_done(&w);
}

static void test_print_objects(void **state)
{
	struct wait_graph w;

	(void)state;
	scene_begin();
	for (size_t i = 0; i <= LIMIT_WAIT_OBJECTS; i++)
		scene_waiter(WAIT_MUTEX, FIRST + 8 * i);
	scene_look(&w);
	char *text = printed(&w);
	assert_int_equal(times(text, "\"address\""), LIMIT_WAIT_OBJECTS);
	xfree(text);
	wait_graph_done(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_no_object),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_print_holders),
		cmocka_unit_test(test_print_operations),
		cmocka_unit_test(test_print_channels),
		cmocka_unit_test(test_print_limits),
		cmocka_unit_test(test_print_objects),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
