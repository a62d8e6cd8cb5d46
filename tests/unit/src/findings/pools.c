/* SPDX-License-Identifier: Apache-2.0 */
/* Goroutines that wait for a pool: when it is told, and who has what they wait for. The pools themselves are
 * made up, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/findings/program/pool.h"
#include "src/findings/program/pools.h"
#include "tests/unit/src/findings/process.h"
#include "tests/unit/unit.h"

#define NOTHING(look) process_finds(look, 0, 0, NULL)
#define CONN "database/sql.(*DB).conn"
#define POOL UINT64_C(0x9000)
#define VARIABLE UINT64_C(0x100)
#define CONNECTION UINT64_C(0x77) /* and the numbers behind it */
#define CONNECTIONS 10

/* What the only variable of each frame is, and what the pool says. */
static const char *variable_type;
static bool is_exhausted, has_variables;
static uint64_t most, pool_of[GOROUTINES_MAX], word_of[GOROUTINES_MAX];
static uint32_t looked_at;

static bool exhausted(struct runtime *rt, const struct value *pool, uint64_t *ret)
{
	(void)rt;
	(void)pool;
	*ret = most;
	return is_exhausted;
}

static enum pool_end end;

static uint64_t one_of(struct runtime *rt, const struct value *pool, uint64_t word,
		       enum pool_end *ret)
{
	(void)rt;
	*ret = end;
	return pool->addr == POOL && word >= CONNECTION && word < CONNECTION + CONNECTIONS
		       ? word
		       : 0;
}

static void say_part(struct text *text, struct runtime *rt, const struct value *pool)
{
	(void)rt;
	(void)pool;
	text_add(text, " for a host");
}

const struct pool_kind sql_pool = {
	.function = CONN,
	.type = "*database/sql.DB",
	.name = "sql.DB",
	.is_exhausted = exhausted,
	.one_of = one_of,
};

const struct pool_kind http_pool = {
	.function = "net/http.(*Transport).getConn",
	.type = "*net/http.Transport",
	.name = "http.Transport",
	.is_exhausted = exhausted,
	.say_part = say_part,
};

void runtimes_each_frame_of(struct runtimes *all, const struct goroutine *g,
			    enum variables_of variables, code_frame_fn *fn, void *arg)
{
	struct code_frame frame = { .function = process.in[g->stack] };

	(void)all;
	(void)variables;
	looked_at = g->stack;
	frame.variables = has_variables ? (struct frame_variables *)&frame : NULL;
	fn(arg, &frame);
}

void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg)
{
	const struct variable variable = {
		.name = "db",
		.value = { .type = (const struct type *)variable_type, .addr = VARIABLE },
	};

	(void)frame;
	if (arguments)
		fn(arg, runtimes_get(NULL, 0), &variable);
}

const char *type_name(const struct type *type)
{
	return (const char *)type;
}

uint64_t type_size(const struct type *type)
{
	(void)type;
	return sizeof(uint64_t);
}

bool runtime_bytes(struct runtime *rt, uint64_t addr, void *buf, size_t len,
		   struct err *err)
{
	(void)rt;
	(void)err;
	memset(buf, 0, len);
	if (addr == VARIABLE)
		memcpy(buf, &word_of[looked_at], sizeof(word_of[looked_at]));
	return true;
}

bool runtime_behind(struct runtime *rt, const struct value *pointer, struct value *ret)
{
	(void)rt;
	*ret = (struct value){ .type = pointer->type, .addr = pool_of[looked_at] };
	return true;
}

void runtime_budget_unit(struct runtime *rt)
{
	(void)rt;
}

/* So many wait for the pool, the first ones for long. */
static void begin(size_t waiters, size_t for_long, const char *in)
{
	process_begin();
	variable_type = strcmp(in, CONN) == 0 ? sql_pool.type : http_pool.type;
	is_exhausted = has_variables = true;
	most = 2;
	process_collected(60 * SECOND_NS);
	for (size_t i = 0; i < waiters; i++) {
		const uint32_t one = process_add(GOROUTINE_WAITING, in);
		process.is_waiting[one] = true;
		process.waits[one] =
			(struct wait){ .kind = WAIT_SELECT, .case_count = 2 };
		if (i < for_long)
			process.goroutines[one].waiting_since = NOW_NS - LONG_AGO - i;
		pool_of[one] = POOL;
		word_of[one] = 0;
	}
}

static void test_lasts(void **state)
{
	const char *told = "4 goroutines wait for a connection in " CONN
			   ", for at least 10 s: sql.DB 0x9000 has all 2 in "
			   "use that it may have. No goroutine has one in its variables: "
			   "most likely some were not closed.";

	(void)state;
	begin(4, 2, CONN);
	process_finds(finding_pool_exhausted, SEVERITY_WARNING, 4, told);
	process_shows(finding_pool_exhausted, 4, 100, POOL);
	process.waits[0].kind = WAIT_CHANNEL;
	process_finds(finding_pool_exhausted, SEVERITY_WARNING, 4, told);
	process.waits[0].kind = WAIT_MUTEX;
	NOTHING(finding_pool_exhausted);
	process.waits[0].kind = WAIT_SELECT;
	is_exhausted = false;
	NOTHING(finding_pool_exhausted);
	is_exhausted = true;
	has_variables = false;
	NOTHING(finding_pool_exhausted);
	has_variables = true;
	variable_type = "*main.pool";
	NOTHING(finding_pool_exhausted);
	begin(5, 2, CONN);
	NOTHING(finding_pool_exhausted);
	begin(4, 4, "main.get");
	NOTHING(finding_pool_exhausted);
	begin(1, 1, CONN);
	process_finds(finding_pool_exhausted, SEVERITY_WARNING, 1,
		      "1 goroutine waits for a connection in " CONN
		      ", for at least 10 s: sql.DB 0x9000 has all 2 in use "
		      "that it may have. No goroutine has one in its variables: most "
		      "likely some were not closed.");
}

static void test_very_many(void **state)
{
	(void)state;
	begin(100, 0, CONN);
	most = 10;
	process_finds(finding_pool_exhausted, SEVERITY_INFO, 100,
		      "100 goroutines wait for a connection in " CONN
		      ": sql.DB 0x9000 has all 10 in use that it may have. "
		      "No goroutine has one in its variables: most likely some were not "
		      "closed.");
	most = 11;
	NOTHING(finding_pool_exhausted);
	begin(99, 0, CONN);
	NOTHING(finding_pool_exhausted);
}

static bool is_partial(size_t waiters)
{
	struct findings findings;

	begin(waiters, 0, CONN);
	struct finder f = process_finder(&findings);
	finding_pool_exhausted(&f);
	const bool ret = findings.is_partial;
	process_end(&f);
	return ret;
}

/* That not all were looked at is noted: nothing found would mean nothing. */
static void test_more_than_are_looked_at(void **state)
{
	(void)state;
	assert_false(is_partial(POOLS_LOOK_MAX - 1));
	assert_true(is_partial(POOLS_LOOK_MAX + 1));
}

static void test_two_pools(void **state)
{
	struct findings findings;

	(void)state;
	begin(6, 6, CONN);
	pool_of[4] = pool_of[5] = POOL + 8;
	struct finder f = process_finder(&findings);
	finding_pool_exhausted(&f);
	assert_int_equal(findings.count, 2);
	assert_int_equal(findings.list[0]->affected, 4);
	assert_int_equal(findings.list[1]->affected, 2);
	assert_int_equal(findings.list[1]->goroutines[0], 104);
	process_end(&f);
}

static void test_holders(void **state)
{
	const char *begins = "1 goroutine waits for a connection in " CONN
			     ", for at least 10 s: sql.DB 0x9000 has all 2 in "
			     "use that it may have.";
	const char *ends = " Goroutine 104 has one and waits in main.last. Goroutine 105 "
			   "has one and waits in main.last. "
			   "Goroutine 101 has one and waits in main.use. Goroutine 102 "
			   "has one and waits in main.use.";
	static const char use[] = "main.use", last[] = "main.last";
	char all[600];

	(void)state;
	begin(1, 1, CONN);
	const char *const in[] = { "main.a", "main.use", "main.b", "main.use", "main.c" };
	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		word_of[process_add(GOROUTINE_WAITING, in[i])] = 0;
	word_of[2] = CONNECTION;
	snprintf(all, sizeof(all), "%s Goroutine 102 has one and waits in main.use.",
		 begins);
	process_finds(finding_pool_exhausted, SEVERITY_WARNING, 1, all);
	process.goroutines[2].system = true;
	snprintf(all, sizeof(all),
		 "%s No goroutine has one in its variables: most likely some were not "
		 "closed.",
		 begins);
	process_finds(finding_pool_exhausted, SEVERITY_WARNING, 1, all);
	process.goroutines[2].system = false;
	process.in[2] = "database/sql.(*Tx).awaitDone";
	process_finds(finding_pool_exhausted, SEVERITY_WARNING, 1, all);
	/* At most four are told, the rarest stacks first. */
	for (uint32_t i = 1; i < 6; i++) {
		process.in[i] = i < 4 ? use : last;
		word_of[i] = CONNECTION;
	}
	snprintf(all, sizeof(all), "%s%s", begins, ends);
	process_finds(finding_pool_exhausted, SEVERITY_WARNING, 1, all);
}

/* Two goroutines have the two connections and wait for a mutex; the one that has it waits for a connection.
 * Returns that one's number. */
static uint32_t begin_ring(void)
{
	begin(3, 0, CONN);
	for (size_t i = 0; i < 3; i++)
		process.waits[i].case_count = 1;
	struct wait_object *o = process_object(WAIT_MUTEX, 0x5000);
	for (uint64_t i = 0; i < 2; i++) {
		const uint32_t holder = process_add(GOROUTINE_WAITING, "main.use");
		word_of[holder] = CONNECTION + i;
		process_waits_for(holder, o);
	}
	process_holder(1, o, "main.lock");
	return 1;
}

#define RING(how, more)                                                                  \
	"Goroutines that have connections and goroutines that wait for one wait for "    \
	"each other" how ": sql.DB 0x9000 has all 2 in use that it may have, and 3 "     \
	"goroutines wait for one. Goroutine 103 has one and waits for mutex 0x5000 in "  \
	"main.use" more ". Goroutine 101 waits for a connection in " CONN "."

static void test_ring(void **state)
{
	const char *locked =
		RING(", a deadlock", ", which goroutine 101 locked in main.lock");
	const char *seems =
		RING(", it seems", ", which goroutine 101 locked in main.lock");

	(void)state;
	begin_ring();
	process_finds(finding_pool_cycle, SEVERITY_CRITICAL, 5, locked);
	process_shows(finding_pool_cycle, 3, 103, POOL);
	/* Neither the lock nor the pool is told again. */
	struct findings findings;
	struct finder f = process_finder(&findings);
	finding_pool_cycle(&f);
	finding_pool_exhausted(&f);
	assert_int_equal(findings.count, 1);
	assert_int_equal(f.told[1], 1);
	process_end(&f);
	/* A context may end; the holder is not certain. */
	process.waits[1].case_count = 2;
	process_finds(finding_pool_cycle, SEVERITY_WARNING, 5, seems);
	begin_ring();
	process.partners[0].certainty = CERTAINTY_PROBABLE;
	process_finds(finding_pool_cycle, SEVERITY_WARNING, 5, seems);
	begin_ring();
	end = POOL_END_MAY;
	process_finds(finding_pool_cycle, SEVERITY_WARNING, 5, seems);
	end = POOL_END_UNKNOWN;
}

static void test_no_ring(void **state)
{
	(void)state;
	/* There is another connection, of which nobody knows. */
	begin_ring();
	most = 3;
	NOTHING(finding_pool_cycle);
	most = 1;
	NOTHING(finding_pool_cycle);
	/* Two have the same one. */
	begin_ring();
	word_of[4] = word_of[3];
	NOTHING(finding_pool_cycle);
	/* One of them goes on. */
	begin_ring();
	word_of[4] = 0;
	word_of[process_add(GOROUTINE_RUNNING, "main.run")] = CONNECTION + 1;
	NOTHING(finding_pool_cycle);
	/* The lock's holder waits for another pool. */
	begin_ring();
	pool_of[1] = POOL + 8;
	NOTHING(finding_pool_cycle);
	begin_ring();
	is_exhausted = false;
	NOTHING(finding_pool_cycle);
}

static void test_http(void **state)
{
	struct findings findings;

	(void)state;
	begin(2, 1, http_pool.function);
	struct finder f = process_finder(&findings);
	f.about.hosts_told = true;
	finding_pool_exhausted(&f);
	f.about.hosts_told = false;
	finding_pool_exhausted(&f);
	f.about.has_memory = false;
	finding_pool_exhausted(&f);
	assert_int_equal(findings.count, 2);
	assert_string_equal(
		text_words(&findings.list[0]->text),
		"2 goroutines wait for a connection in net/http.(*Transport).getConn, "
		"for at least 10 s: "
		"http.Transport 0x9000 has all 2 in use that it may have for a host.");
	assert_string_equal(text_words(&findings.list[1]->text),
			    "2 goroutines wait for a connection in "
			    "net/http.(*Transport).getConn, for at least 10 s: "
			    "http.Transport 0x9000 has all 2 in use that it may have.");
	process_end(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lasts),
		cmocka_unit_test(test_very_many),
		cmocka_unit_test(test_more_than_are_looked_at),
		cmocka_unit_test(test_two_pools),
		cmocka_unit_test(test_holders),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_no_ring),
		cmocka_unit_test(test_http),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
