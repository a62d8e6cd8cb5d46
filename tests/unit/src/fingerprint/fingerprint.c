/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions as releases and builds have them, and what is left of each; stacks whose calls
 * repeat; hostile names. */
#include "src/fingerprint/fingerprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static const struct {
	const char *name, *left;
	enum function_kind kind;
	const char *file;
} names[] = {
	{ "main.main", "main.main", FUNCTION_OWN, NULL },
	{ "main.(*T).f", "main.(*T).f", FUNCTION_OWN, NULL },
	{ "main.(*T).f.func1.2", "(*T).f.func", FUNCTION_OWN, NULL },
	{ "main.f.func1.g.func2", "g.func", FUNCTION_OWN, NULL },
	{ "main.main.New.func1", "New.func", FUNCTION_OWN, "/home/u/app/new.go" },
	{ "main.main.(*T).f.func1", "(*T).f.func", FUNCTION_OWN, NULL },
	{ "main.init.OnceFunc.func3", "OnceFunc.func", FUNCTION_LIBRARY,
	  "/usr/lib/go-1.24/src/sync/oncefunc.go" },
	{ "main.init.OnceFunc.func3", "OnceFunc.func", FUNCTION_LIBRARY,
	  "sync/oncefunc.go" },
	{ "sync.OnceFunc.func2", "OnceFunc.func", FUNCTION_LIBRARY, NULL },
	{ "main.glob..func1", "init.func", FUNCTION_OWN, NULL },
	{ "main.init.func1", "init.func", FUNCTION_OWN, NULL },
	{ "main.init.0", "main.init", FUNCTION_OWN, NULL },
	{ "main.init.0.func1", "init.func", FUNCTION_OWN, NULL },
	{ "main.f-range1", "main.f", FUNCTION_OWN, NULL },
	{ "main.f.func1-range2", "f.func", FUNCTION_OWN, NULL },
	{ "main.Map[...]", "main.Map", FUNCTION_OWN, NULL },
	{ "main.Map[go.shape.int,github.com/x/y.T[int]]", "main.Map", FUNCTION_OWN,
	  NULL },
	{ "main.(*List[...]).Push", "main.(*List).Push", FUNCTION_OWN, NULL },
	{ "main.(*List[go.shape.struct { a/b.C int }]).Push.func1", "(*List).Push.func",
	  FUNCTION_OWN, NULL },
	{ "main.T.f-fm", "", FUNCTION_WRAPPER, NULL },
	{ "main.main.gowrap1", "", FUNCTION_WRAPPER, NULL },
	{ "main.f.deferwrap2", "", FUNCTION_WRAPPER, NULL },
	{ "github.com/x/y/v2.F", "github.com/x/y.F", FUNCTION_OWN, NULL },
	{ "github.com/x/y/v2/z.F", "github.com/x/y/z.F", FUNCTION_OWN, NULL },
	{ "gopkg.in/yaml%2ev3.Unmarshal", "gopkg.in/yaml.Unmarshal", FUNCTION_OWN, NULL },
	{ "a.com/x%2ey.F", "a.com/x.y.F", FUNCTION_OWN, NULL },
	{ "a.com/app/vendor/b.com/c.F", "b.com/c.F", FUNCTION_OWN, NULL },
	{ "logger.F", "logger.F", FUNCTION_OWN, NULL },
	{ "log/slog.Info", "log/slog.Info", FUNCTION_LIBRARY, NULL },
	{ "math/rand/v2.IntN", "math/rand.IntN", FUNCTION_LIBRARY, NULL },
	{ "vendor/golang.org/x/net/http.F", "vendor/golang.org/x/net/http.F",
	  FUNCTION_LIBRARY, NULL },
	{ "runtime.GC", "runtime.GC", FUNCTION_LIBRARY, NULL },
	{ "runtime/debug.SetGCPercent", "runtime/debug.SetGCPercent", FUNCTION_LIBRARY,
	  NULL },
	{ "runtime.mapassign_faststr", "runtime.mapassign_faststr", FUNCTION_RUNTIME,
	  NULL },
	{ "internal/runtime/maps.(*Map).Get", "internal/runtime/maps.(*Map).Get",
	  FUNCTION_RUNTIME, NULL },
	{ "internal/sync.(*Mutex).lockSlow", "internal/sync.(*Mutex).lockSlow",
	  FUNCTION_LIBRARY, NULL },
	{ "type..eq.main.T", "type.eq.main.T", FUNCTION_RUNTIME, NULL },
	{ "memeqbody", "memeqbody", FUNCTION_RUNTIME, NULL },
	{ "", "", FUNCTION_RUNTIME, NULL },
	{ "main.", "", FUNCTION_RUNTIME, NULL },
	{ ".", "", FUNCTION_RUNTIME, NULL },
	{ "main.func1", "main.func1", FUNCTION_OWN, NULL },
	{ "main.[", "", FUNCTION_RUNTIME, NULL },
	{ "main.f]", "main.f]", FUNCTION_OWN, NULL },
	{ "/.func1", ".func1", FUNCTION_OWN, NULL },
	{ "((((.func1.2", "((((.func1.2", FUNCTION_RUNTIME, NULL },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct text text = { .words = NULL };
		const enum function_kind kind =
			function_name_add(&text, names[i].name, names[i].file);
		if (strcmp(text_words(&text), names[i].left) != 0 ||
		    kind != names[i].kind)
			fail_msg("%s: %s, kind %d, not %s, kind %d", names[i].name,
				 text_words(&text), kind, names[i].left, names[i].kind);
		text_done(&text);
	}
}

static void check_stack(const char *const *calls, size_t n, size_t most,
			const char *wanted)
{
	struct stack_text stack = { .most = most };

	for (size_t i = 0; i < n; i++)
		stack_text_call(&stack, &(struct stack_call){ .function = calls[i] });
	stack_text_end(&stack);
	assert_string_equal(text_words(&stack.text), wanted);
	stack_text_done(&stack);
}

#define STACK(most, wanted, ...)                                                         \
	check_stack((const char *const[]){ __VA_ARGS__ },                                \
		    ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })), most, wanted)

static void test_stacks(void **state)
{
	(void)state;
	STACK(9, "chan send\nmain.f\nmain.main\n", "runtime.gopark", "runtime.chansend",
	      "runtime.chansend1", "main.f", "main.main", "runtime.main",
	      "runtime.goexit");
	STACK(9, "sync.(*Mutex).Lock\nmain.f\n", "runtime.gopark",
	      "sync.runtime_SemacquireMutex", "sync.(*Mutex).lockSlow",
	      "sync.(*Mutex).Lock", "main.f");
	/* The library's own channels are its affair. */
	STACK(9, "net/http.(*persistConn).readLoop\n", "runtime.selectgo",
	      "net/http.(*persistConn).readLoop", "runtime.goexit");
	STACK(9, "main.less\nsort.Sort\nmain.main\n", "main.less", "sort.insertionSort",
	      "sort.Sort", "main.main");
	STACK(9, "main.f\nmain.g\n", "main.f", "main.g", "main.f", "main.g", "main.f");
	STACK(2, "main.f\nmain.g\n", "main.f", "main.g", "main.h");
	STACK(9, "main.f\n", "runtime.mapassign", "main.f");
	STACK(9, "runtime.bgsweep\n", "runtime.gopark", "runtime.bgsweep",
	      "runtime.goexit");
	STACK(9, "", "runtime.goexit");
}

static void test_c(void **state)
{
	struct stack_text stack = { .most = 9 };
	size_t lines = 0;

	(void)state;
	for (int i = 0; i < 2 * STACK_LINES; i++) {
		AUTO(xfree) char *name = xasprintf("c%d", i);
		stack_text_call(&stack,
				&(struct stack_call){ .function = name, .c = true });
	}
	stack_text_end(&stack);
	for (const char *c = text_words(&stack.text); *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, STACK_LINES);
	stack_text_done(&stack);
}

/* Where a wrapper panics, tracebacks show it. */
static void test_wrapper(void **state)
{
	struct stack_text stack = { .most = 9 };

	(void)state;
	stack_text_call(&stack, &(struct stack_call){ .function = "main.(*T).f",
						      .wrapper = true });
	stack_text_call(&stack, &(struct stack_call){ .function = "main.g" });
	stack_text_end(&stack);
	assert_string_equal(text_words(&stack.text), "main.g\n");
	stack_text_done(&stack);
}

static void test_causes(void **state)
{
	static const char *const causes[][2] = {
		{ "panic: runtime error: index out of range [5] with length 3",
		  "index out of range" },
		{ "panic: runtime error: invalid memory address or nil pointer "
		  "dereference\n"
		  "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4]",
		  "invalid memory address or nil pointer dereference" },
		{ "panic: close of closed channel [recovered]",
		  "close of closed channel" },
		{ "fatal error: all goroutines are asleep - deadlock!",
		  "all goroutines are asleep - deadlock!" },
		{ "runtime: goroutine stack exceeds 1000000000-byte limit\n"
		  "fatal error: stack overflow",
		  "stack overflow" },
		{ "panic: interface conversion: main.T is not main.I: missing method F",
		  "interface conversion" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		char *cause = fault_cause(causes[i][0]);
		assert_string_equal(cause, causes[i][1]);
		xfree(cause);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),  cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_c),      cmocka_unit_test(test_wrapper),
		cmocka_unit_test(test_causes),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
