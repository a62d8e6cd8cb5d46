/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts that are done: what is told of each, and what else must be known. The frames of the goroutine, and what
 * their contexts are, is made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/findings/program/http_client.h"
#include "src/findings/program/program.h"
#include "tests/unit/src/findings/process.h"
#include "tests/unit/unit.h"

#define EXPIRED "context.deadlineExceededError"
#define CANCELLED "*errors.errorString"
#define LOOKED_NS (2 * SECOND_NS)
#define LATE                                                                             \
	"1 goroutine goes on though the deadline of its context passed 10 s ago. It "    \
	"sleeps."

/* The types of a variable and of an error: no more is known of them than their names. */
static char of_variable, of_error;
#define VARIABLE_TYPE ((const struct type *)&of_variable)
#define ERROR_TYPE ((const struct type *)&of_error)

/* Two frames, each with one variable, a context. The outer one may be the server of net/http. */
static struct scene {
	struct context outer, inner; /* .value.type NULL: the frame has none */
	const char *error;	     /* the type of the error of both */
	bool ends, handles, client_gone, taken_over, is_dead, in_struct;
	uint64_t stayed; /* how long the goroutine was seen to stay; 0: it was not */
} scene;
static bool is_inner;

void runtimes_each_frame_of(struct runtimes *all, const struct goroutine *g,
			    enum variables_of variables, code_frame_fn *fn, void *arg)
{
	struct frame_variables *const some = (struct frame_variables *)arg;
	const struct code_frame serves = { .function =
						   "net/http.serverHandler.ServeHTTP" };
	const struct code_frame inner = { .function = "main.inner", .variables = some };
	const struct code_frame outer = {
		.function = scene.handles ? "net/http.(*conn).serve" : "main.work",
		.variables = some,
		.unwound = 1,
	};

	(void)all;
	(void)g;
	assert_int_equal(variables, VARIABLES_OF_ALL);
	is_inner = true;
	fn(arg, scene.handles ? &serves : &inner);
	is_inner = false;
	fn(arg, &outer);
}

void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg)
{
	const struct context *context = is_inner ? &scene.inner : &scene.outer;
	const struct variable variable = {
		.name = "ctx",
		.argument = true,
		.dead = scene.is_dead && !is_inner,
		.value = { .type = VARIABLE_TYPE },
	};

	(void)frame;
	if (arguments && context->value.type)
		fn(arg, NULL, &variable);
}

bool runtime_is_context(const struct type *type)
{
	(void)type;
	return is_inner || !(scene.in_struct || scene.handles);
}

bool runtime_context_in(struct runtime *rt, const struct value *v, struct value *ret)
{
	(void)rt;
	*ret = *v;
	return scene.in_struct;
}

void runtime_each_context(struct runtime *rt, const struct value *v, context_fn *fn,
			  void *arg)
{
	(void)rt;
	(void)v;
	fn(arg, is_inner ? &scene.inner : &scene.outer);
}

bool runtime_frame_ends(struct runtime *rt, const struct goroutine *g, uint32_t unwound,
			uint64_t entry)
{
	(void)rt;
	(void)g;
	(void)entry;
	assert_int_equal(unwound, 1);
	return scene.ends;
}

bool http_client_has_gone(const struct finder *f, struct runtime *rt,
			  const struct value *conn)
{
	(void)f;
	(void)rt;
	(void)conn;
	return scene.client_gone;
}

bool http_is_taken_over(struct runtime *rt, const struct value *conn)
{
	(void)rt;
	(void)conn;
	return scene.taken_over;
}

enum type_kind type_kind(const struct type *type)
{
	(void)type;
	return KIND_STRUCT;
}

const struct type *type_elem(const struct type *type)
{
	(void)type;
	return NULL;
}

const char *type_name(const struct type *type)
{
	if (type == ERROR_TYPE)
		return scene.error;
	return scene.handles ? "*net/http.conn" : "main.job";
}

void runtime_budget_unit(struct runtime *rt)
{
	(void)rt;
}

static struct context passed(uint64_t ago)
{
	return (struct context){
		.kind = CONTEXT_DEADLINE,
		.has_deadline = true,
		.deadline = { .monotonic_ns = NOW_NS - ago },
		.error.type = ERROR_TYPE,
		.value.type = VARIABLE_TYPE,
	};
}

static const struct context not_done = { .kind = CONTEXT_CANCEL,
					 .value.type = VARIABLE_TYPE };

/* One goroutine sleeps, since then. */
static void begin(struct scene made_up, uint64_t ago)
{
	process_begin();
	const uint32_t sleeper = process_add(GOROUTINE_WAITING, NULL);
	process.waits[sleeper] = (struct wait){ .kind = WAIT_TIMER };
	process.is_waiting[sleeper] = true;
	process_waits_since(sleeper, ago);
	scene = made_up;
}

static uint8_t wanted[1];
static uint64_t observed_ns;

static void look(struct finder *f)
{
	f->about.has_memory = true;
	f->about.stayed_ns = scene.stayed ? &scene.stayed : NULL;
	f->about.wanted = wanted;
	wanted[0] = 0;
	finding_context_done(f);
	observed_ns = f->findings->count ? f->findings->list[0]->observed_ns : 0;
}

static void finds(enum severity severity, const char *text)
{
	process_finds(look, severity, 1, text);
}

static void finds_nothing(void)
{
	finds(SEVERITY_INFO, NULL);
}

static void test_deadline(void **state)
{
	(void)state;
	begin((struct scene){ .error = EXPIRED, .outer = passed(LONG_AGO - JUST_NS) }, 1);
	finds_nothing();
	scene.outer = passed(LONG_AGO);
	finds(SEVERITY_WARNING, LATE);
	assert_int_equal(wanted[0], 0);
	/* Without a monotonic reading, by the other clock. */
	scene.outer.deadline = (struct time_value){ .seconds = 4991 };
	finds_nothing();
	scene.outer.deadline.seconds = 4990;
	finds(SEVERITY_WARNING, LATE);
	scene.outer.error.type = NULL;
	finds_nothing();
}

/* What it does as it ends, or works for now, is not late. */
static void test_of_another(void **state)
{
	(void)state;
	begin((struct scene){ .error = EXPIRED, .outer = passed(LONG_AGO) }, 1);
	scene.inner = not_done;
	finds(SEVERITY_WARNING, LATE);
	scene.inner.kind = CONTEXT_BACKGROUND;
	finds(SEVERITY_WARNING, LATE);
	scene.inner = passed(0);
	scene.inner.error.type = NULL;
	finds_nothing();
	scene.inner.value.type = NULL;
	finds(SEVERITY_WARNING, LATE);
	scene.ends = true;
	finds_nothing();
	scene.ends = false;
	scene.is_dead = true;
	finds_nothing();
}

/* Nothing says when it was cancelled: that it goes on since then is known if it was seen to stay. */
static void test_cancelled(void **state)
{
	(void)state;
	begin((struct scene){ .error = CANCELLED, .outer = passed(6 * LONG_AGO) },
	      LONG_AGO);
	finds_nothing();
	assert_int_equal(wanted[0], 1);
	scene.stayed = LOOKED_NS;
	finds(SEVERITY_INFO,
	      "1 goroutine goes on though its context was cancelled at least 2.0 s ago. "
	      "It sleeps, for at least 10 s.");
	assert_int_equal(observed_ns, LOOKED_NS);
	scene.inner = not_done;
	finds_nothing();
	scene.inner.value.type = NULL;
	process.waits[0].kind = WAIT_WAITGROUP;
	finds_nothing();
	scene.stayed = 0;
	finds_nothing();
	assert_int_equal(wanted[0], 0);
}

static void test_in_struct(void **state)
{
	(void)state;
	begin((struct scene){ .error = EXPIRED,
			      .outer = passed(LONG_AGO),
			      .in_struct = true },
	      1);
	finds(SEVERITY_INFO,
	      "1 goroutine goes on though the deadline of the context in its main.job "
	      "passed 10 s ago. It sleeps.");
	scene.error = CANCELLED;
	finds_nothing();
	scene.stayed = LOOKED_NS;
	finds(SEVERITY_INFO,
	      "1 goroutine goes on though the context in its main.job was cancelled at "
	      "least 2.0 s ago. It sleeps, for at least 2.0 s.");
}

static void test_client_gone(void **state)
{
	static const char *const gone = "1 goroutine handles an HTTP request whose "
					"client has gone. It sleeps, for "
					"at least 10 s.";

	(void)state;
	begin((struct scene){ .handles = true, .outer = not_done }, LONG_AGO);
	finds_nothing();
	scene.client_gone = true;
	finds(SEVERITY_INFO, gone);
	assert_int_equal(observed_ns, 0);
	process_waits_since(0, LONG_AGO - JUST_NS);
	finds_nothing();
	assert_int_equal(wanted[0], 1);
	scene.stayed = LONG_AGO;
	finds(SEVERITY_INFO, gone);
	assert_int_equal(observed_ns, LONG_AGO);
	scene.taken_over = true;
	finds_nothing();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deadline),    cmocka_unit_test(test_of_another),
		cmocka_unit_test(test_cancelled),   cmocka_unit_test(test_in_struct),
		cmocka_unit_test(test_client_gone),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
