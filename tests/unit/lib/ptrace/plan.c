/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/plan.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

#define MB (UINT64_C(1) << 20)
#define GB (UINT64_C(1) << 30)
#define MS (UINT64_C(1000) * 1000)

/* A server of 10,000 goroutines, with root's rights, where nothing stands against a copy. */
static struct conditions harmless(void)
{
	return (struct conditions){
		.kernel = { .release = "6.18.0",
			    .close_range = true,
			    .process_vm_readv = true,
			    .pagemap = true,
			    .pagemap_scan = true },
		.ours = { .ptrace = true, .admin = true, .realtime = true },
		.machine = { .memory_available = 8 * GB,
			     .commit_limit = 12 * GB,
			     .committed = GB,
			     .tasks = 300,
			     .tasks_max = 32768,
			     .page_ns = 33 },
		.pid = 42,
		.exists = true,
		.name = "server",
		.elf_class = ELFCLASS64,
		.threads = 8,
		.mappings = 60,
		.anonymous = 60 * MB,
		.page_tables = 300 * 1024,
		.committed = 200 * MB,
	};
}

struct verdict {
	const char *what;
	void (*change)(struct conditions *c, struct plan_demand *d);
	enum capture_way way; /* CAPTURE_AUTO: refused */
	/* Stands in why a copy is not possible; NULL: it is. */
	const char *copy;
	const char *remedy; /* and what would help; NULL: nothing is said */
	const char *says;   /* stands in why this way, or in the refusal */
};

#define CASE(name, body)                                                                 \
	static void name(struct conditions *c, struct plan_demand *d)                    \
	{                                                                                \
		(void)c;                                                                 \
		(void)d;                                                                 \
		body;                                                                    \
	}
CASE(nothing, )
CASE(one_goroutine, d->goroutines = 1; d->stack_bytes = 8192; c->anonymous = 2 * MB)
CASE(huge_heap, c->anonymous = 4 * GB; c->machine.page_ns = 0)
CASE(huge_heap_values, c->anonymous = 4 * GB; d->values = d->values_anyway = true)
CASE(huge_pages, c->anonymous = c->huge = 4 * GB)
CASE(many_goroutines, d->goroutines = 1000000; d->stack_bytes = GB; c->anonymous = 4 * GB)
CASE(is_traced, c->tracer = 77; strcpy(c->tracer_name, "dlv"))
CASE(traced_live, c->tracer = 77; d->wanted = CAPTURE_LIVE)
CASE(traced_stop, c->tracer = 77; d->wanted = CAPTURE_STOP)
CASE(is_stopped, c->group_stopped = true)
CASE(promise_stopped, c->group_stopped = true; d->max_pause_ns = 1000)
CASE(is_frozen1, c->cgroup.frozen = CGROUP_FROZEN_V1)
CASE(is_frozen2, c->cgroup.frozen = CGROUP_FROZEN_V2)
CASE(is_small, c->elf_class = ELFCLASS32)
CASE(filter, c->seccomp = 2)
CASE(filter_strict, c->seccomp = 1)
CASE(own_filter, c->ours.seccomp = true)
CASE(is_locked, c->locked = 50 * MB)
CASE(key_locked, c->locked = 64 * 1024)
CASE(pids_full,
     c->cgroup.pids = ((struct cgroup_limit){ true, 19, 20, "/kubepods/pod1" }))
CASE(pids_margin, c->cgroup.pids = ((struct cgroup_limit){ true, 67, 100, "/pod" }))
CASE(pids_enough, c->cgroup.pids = ((struct cgroup_limit){ true, 66, 100, "/pod" }))
CASE(pids_tenth, c->cgroup.pids = ((struct cgroup_limit){ true, 899, 1000, "/pod" }))
CASE(pids_many, c->cgroup.pids = ((struct cgroup_limit){ true, 29742, 30000, "/pod" }))
CASE(nproc_full, c->processes = ((struct cgroup_limit){ true, 64, 64, "" }))
CASE(nproc_margin, c->processes = ((struct cgroup_limit){ true, 98, 100, "" }))
CASE(machine_full, c->machine.tasks = 32767)
CASE(machine_margin, c->machine.tasks = 32768 - 257)
CASE(overcommit, c->machine.overcommit = 2; c->machine.committed = 11 * GB + 900 * MB)
CASE(overcommit_fits, c->machine.overcommit = 2)
CASE(group_full,
     c->cgroup.memory = ((struct cgroup_limit){ true, 240 * MB, 256 * MB, "/pod" }))
CASE(group_enough,
     c->cgroup.memory = ((struct cgroup_limit){ true, 226 * MB, 256 * MB, "/pod" }))
CASE(group_kills,
     c->cgroup.memory = ((struct cgroup_limit){ true, 226 * MB, 256 * MB, "/pod" });
     c->cgroup.oom_group = true)
CASE(memory_full, c->machine.memory_available = 10 * MB)
CASE(memory_unknown, c->machine.memory_available = 0)
CASE(in_vfork, c->vfork = true)
CASE(no_thread, d->no_copy = "no thread of it can be borrowed")
CASE(old_kernel, c->kernel.close_range = false)
CASE(promise_copy, d->max_pause_ns = 5 * MS)
CASE(promise_stop, d->max_pause_ns = 14 * MS; c->seccomp = 2; c->ours.admin = false)
CASE(promise_neither, d->max_pause_ns = MS / 2)
CASE(promise_stop_only, d->max_pause_ns = 20 * MS; c->anonymous = 4 * GB)
CASE(promise_copy_asked, d->max_pause_ns = MS / 2; d->wanted = CAPTURE_COPY)
CASE(promise_stop_asked, d->max_pause_ns = 5 * MS; d->wanted = CAPTURE_STOP)
CASE(gather_few, c->anonymous = 4 * GB; d->goroutines = 200; d->stack_bytes = MB;
     d->values = d->can_gather = true)
CASE(gather_counted, c->anonymous = 4 * GB; d->goroutines = 200; d->stack_bytes = MB;
     d->values = d->can_gather = true; d->value_pages = 100 * 1000)
CASE(gather_counted_little, c->anonymous = 4 * GB; d->goroutines = 200;
     d->stack_bytes = MB; d->values = d->can_gather = true; d->value_pages = 10)
CASE(gather_small_heap, d->values = d->can_gather = true)
CASE(gather_filter, c->seccomp = 2; d->values = d->can_gather = true)
CASE(gather_promise, d->max_pause_ns = 20 * MS; c->seccomp = 2;
     d->values = d->values_anyway = d->can_gather = true)
CASE(gather_promise_broken, d->max_pause_ns = 10 * MS; c->seccomp = 2;
     d->values = d->can_gather = true)
CASE(gather_no_values, c->seccomp = 2; d->can_gather = true)
CASE(gather_asked, d->wanted = CAPTURE_GATHER; d->can_gather = true)
CASE(gather_cannot, d->wanted = CAPTURE_GATHER; d->values = true)
CASE(stop_asked, d->wanted = CAPTURE_STOP)
CASE(copy_asked, d->wanted = CAPTURE_COPY; c->anonymous = 4 * GB)
CASE(live_asked, d->wanted = CAPTURE_LIVE; d->max_pause_ns = 1)
CASE(copy_refused, d->wanted = CAPTURE_COPY; c->locked = GB)
CASE(copy_filtered, d->wanted = CAPTURE_COPY; c->seccomp = 2; c->ours.admin = false)
CASE(absurd, c->anonymous = c->swapped = c->mappings = c->threads = UINT64_MAX / 2;
     d->goroutines = d->stack_bytes = UINT64_MAX / 2; d->max_pause_ns = 1000 * MS)

/* The rows of the table of fallbacks, and those around them. */
static const struct verdict verdicts[] = {
	{ "nothing against it", nothing, CAPTURE_COPY, NULL, NULL,
	  "a copy takes about 1.1 ms, reading it while stopped 18 ms" },
	{ "one goroutine", one_goroutine, CAPTURE_COPY, NULL, NULL, "a copy takes" },
	{ "a huge heap", huge_heap, CAPTURE_STOP, NULL, NULL,
	  "reading it while stopped takes about 18 ms, a copy 105 ms" },
	{ "a huge heap, with values", huge_heap_values, CAPTURE_COPY, NULL, NULL,
	  "a copy takes about 35 ms" },
	{ "a heap of huge pages", huge_pages, CAPTURE_COPY, NULL, NULL,
	  "a copy takes about 3.6 ms" },
	{ "a million goroutines", many_goroutines, CAPTURE_COPY, NULL, NULL,
	  "a copy takes about 35 ms, reading it while stopped 1.8 s" },
	{ "traced", is_traced, CAPTURE_AUTO, "traced by process 77 (dlv)",
	  "quit or detach that tracer first", "read it while it runs (--capture=live)" },
	{ "traced, read as it runs", traced_live, CAPTURE_LIVE,
	  "process 77 (in another PID namespace)", "quit or detach", "requested" },
	{ "traced, to be stopped", traced_stop, CAPTURE_AUTO, "already traced", "quit or",
	  "read it while it runs (--capture=live)" },
	{ "stopped by job control", is_stopped, CAPTURE_STOP,
	  "already stopped by a signal", NULL, "no copy: it is already stopped" },
	{ "frozen, cgroup v1", is_frozen1, CAPTURE_STOP, "is frozen", NULL, "no copy" },
	{ "frozen, cgroup v2", is_frozen2, CAPTURE_STOP, "is frozen", NULL, "no copy" },
	{ "32-bit", is_small, CAPTURE_STOP, "32-bit program", NULL, "no copy" },
	{ "seccomp", filter, CAPTURE_STOP, "which might kill it", NULL,
	  "no copy: it has a seccomp filter" },
	{ "seccomp, strict", filter_strict, CAPTURE_STOP, "which might kill it", NULL,
	  "no copy: it has a seccomp filter" },
	{ "seccomp on us alone", own_filter, CAPTURE_COPY, NULL, NULL, "a copy" },
	{ "mlockall", is_locked, CAPTURE_STOP, "keeps 50 MB locked (mlock)", NULL,
	  "no copy" },
	{ "a locked key", key_locked, CAPTURE_COPY, NULL, NULL, "a copy" },
	{ "pids.max", pids_full, CAPTURE_STOP,
	  "pids.max of its cgroup /kubepods/pod1 is 20 with 19 in use",
	  "raise that limit to 53", "no copy" },
	{ "pids.max, the last ones", pids_margin, CAPTURE_STOP,
	  "is 100 with 67 in use: a copy needs two, and 32 are reserved for the process "
	  "itself",
	  "raise that limit to 101", "no copy: pids.max" },
	{ "pids.max, just enough", pids_enough, CAPTURE_COPY, NULL, NULL, "a copy" },
	{ "pids.max, a tenth of it", pids_tenth, CAPTURE_STOP,
	  "is 1000 with 899 in use: a copy needs two, and 100 are reserved",
	  "raise that limit to 1001", "no copy" },
	{ "pids.max, large", pids_many, CAPTURE_COPY, NULL, NULL, "a copy" },
	{ "RLIMIT_NPROC", nproc_full, CAPTURE_STOP,
	  "limited to 64 tasks (RLIMIT_NPROC) and has 64", "prlimit --nproc=98 --pid 42",
	  "no copy" },
	{ "RLIMIT_NPROC, the last ones", nproc_margin, CAPTURE_STOP,
	  "limited to 100 tasks (RLIMIT_NPROC) and has 98: a copy needs two, and 32 are",
	  "prlimit --nproc=132 --pid 42", "no copy: its user is limited to 100 tasks" },
	{ "threads-max", machine_full, CAPTURE_STOP, "32767 tasks of at most 32768",
	  "kernel.threads-max", "no copy" },
	{ "threads-max, the last ones", machine_margin, CAPTURE_STOP,
	  "32511 tasks of at most 32768: a copy needs two, and 256 are reserved for "
	  "others",
	  "kernel.threads-max", "no copy" },
	{ "overcommit_memory 2", overcommit, CAPTURE_STOP,
	  "vm.overcommit_memory is 2, and its 200 MB", "set vm.overcommit_memory to 0",
	  "no copy" },
	{ "overcommit_memory 2, enough", overcommit_fits, CAPTURE_COPY, NULL, NULL,
	  "a copy" },
	{ "memory limit", group_full, CAPTURE_STOP,
	  "cgroup /pod has 16 MB of memory left, but a copy may need 24",
	  "raise its memory limit by 8 MB", "no copy" },
	{ "memory limit, enough", group_enough, CAPTURE_COPY, NULL, NULL, "a copy" },
	{ "memory.oom.group", group_kills, CAPTURE_STOP,
	  "30 MB of memory left, but a copy may need 48", "by 18 MB", "no copy" },
	{ "no memory", memory_full, CAPTURE_STOP,
	  "this machine has 10 MB of memory left, but a copy may need 24", NULL,
	  "no copy" },
	{ "memory not known", memory_unknown, CAPTURE_COPY, NULL, NULL, "a copy" },
	{ "vfork", in_vfork, CAPTURE_STOP, "another program (vfork)", "try again",
	  "no copy" },
	{ "no thread to borrow", no_thread, CAPTURE_STOP,
	  "no thread of it can be borrowed", NULL, "no copy: no thread" },
	{ "no close_range", old_kernel, CAPTURE_COPY, NULL, NULL, "a copy" },
	{ "promise: a copy keeps it", promise_copy, CAPTURE_COPY, NULL, NULL,
	  "not read while stopped: it would stop the process for about 18 ms, longer "
	  "than the 5.0 ms allowed" },
	{ "promise: to a process that is stopped", promise_stopped, CAPTURE_STOP,
	  "already stopped by a signal", NULL, "no copy: it is already stopped" },
	{ "promise: a copy would, but may not", promise_stop, CAPTURE_LIVE,
	  "a seccomp filter", NULL,
	  "no other method fits in --max-pause: it would stop the process for about 18 "
	  "ms" },
	{ "promise: neither keeps it", promise_neither, CAPTURE_LIVE,
	  "for about 1.1 ms, longer than the 0.5 ms allowed", "raise --max-pause",
	  "no other method fits in --max-pause" },
	{ "promise: a copy breaks it", promise_stop_only, CAPTURE_STOP,
	  "for about 35 ms, longer than the 20 ms", "raise --max-pause",
	  "no copy: it would stop" },
	{ "promise: a copy is asked for", promise_copy_asked, CAPTURE_AUTO,
	  "for about 1.1 ms, longer than the 0.5 ms", "raise --max-pause",
	  "--capture=copy is not possible for process 42 (server): it would stop the "
	  "process for about 1.1 ms, longer than the 0.5 ms allowed: raise "
	  "--max-pause, or use --capture=auto" },
	{ "promise: a stop is asked for", promise_stop_asked, CAPTURE_AUTO, NULL, NULL,
	  "--capture=stop is not possible" },
	{ "gather beside a huge heap", gather_few, CAPTURE_GATHER, NULL, NULL,
	  "reading it while stopped takes about 3.1 ms, a copy 35 ms" },
	{ "gather, counted: much to read", gather_counted, CAPTURE_COPY, NULL, NULL,
	  "a copy takes about 35 ms, reading it while stopped 52 ms" },
	{ "gather, counted: little to read", gather_counted_little, CAPTURE_GATHER, NULL,
	  NULL, "reading it while stopped takes about 2.9 ms" },
	{ "gather beside a small heap", gather_small_heap, CAPTURE_COPY, NULL, NULL,
	  "a copy takes about 1.1 ms, reading it while stopped 35 ms" },
	{ "gather, seccomp", gather_filter, CAPTURE_GATHER, "a seccomp filter", NULL,
	  "no copy: it has a seccomp filter" },
	{ "gather, promise: it keeps it", gather_promise, CAPTURE_GATHER,
	  "a seccomp filter", NULL, "no copy" },
	{ "gather, promise: the stacks break it", gather_promise_broken, CAPTURE_LIVE,
	  "a seccomp filter", NULL, "no other method fits in --max-pause" },
	{ "gather: no values are wanted", gather_no_values, CAPTURE_STOP,
	  "a seccomp filter", NULL, "no copy" },
	{ "gather is asked for", gather_asked, CAPTURE_GATHER, NULL, NULL, "requested" },
	{ "gather is asked for, of one value", gather_cannot, CAPTURE_GATHER, NULL, NULL,
	  "requested" },
	{ "a stop is asked for", stop_asked, CAPTURE_STOP, NULL, NULL, "requested" },
	{ "a copy is asked for", copy_asked, CAPTURE_COPY, NULL, NULL, "requested" },
	{ "live is asked for", live_asked, CAPTURE_LIVE, "longer than the 0.0 ms",
	  "raise --max-pause", "requested" },
	{ "a copy is asked for, locked", copy_refused, CAPTURE_AUTO, "1024 MB locked",
	  NULL, "its writes fault: use --capture=auto" },
	{ "a copy is asked for, seccomp", copy_filtered, CAPTURE_AUTO, "seccomp filter",
	  NULL, ": use --capture=auto" },
	{ "absurd numbers", absurd, CAPTURE_LIVE, "8192 MB of memory left", NULL,
	  "no other method fits in --max-pause" },
};

static bool contains(const char *text, const char *part)
{
	return part ? strstr(text, part) != NULL : !*text;
}

static void check(const struct verdict *v)
{
	struct conditions c = harmless();
	struct plan_demand d = { .goroutines = 10000, .stack_bytes = 6 * MB };
	struct err err = { .text = "" };
	struct plan plan;

	v->change(&c, &d);
	bool ok = plan_make(&c, &d, &plan, &err);
	const struct plan_way *copy = &plan.of[CAPTURE_COPY];
	if (ok != (v->way != CAPTURE_AUTO) || (ok && plan.way != v->way))
		fail_msg("%s: %s %s: %s", v->what,
			 ok ? "taken:" : "refused:", ok ? capture_way_name(plan.way) : "",
			 ok ? plan.why : err.text);
	if (copy->possible != !v->copy || (v->copy && !contains(copy->why, v->copy)) ||
	    !contains(copy->remedy, v->remedy))
		fail_msg("%s: copy %d: %s: %s", v->what, copy->possible, copy->why,
			 copy->remedy);
	if (!contains(ok ? plan.why : err.text, v->says))
		fail_msg("%s: says: %s", v->what, ok ? plan.why : err.text);
	if (!ok && err.code != ERR_CANNOT)
		fail_msg("%s: code %d", v->what, err.code);
	if (ok && (!plan.of[plan.way].possible ||
		   plan.estimate_ns != plan.of[plan.way].estimate_ns))
		fail_msg("%s: estimates", v->what);
}

static void test_verdicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++)
		check(&verdicts[i]);
}

/* What the tracer has to know beside the way. */
static void test_flags(void **state)
{
	struct conditions c = harmless();
	struct plan_demand d = { .goroutines = 1 };
	struct plan plan;
	struct err err;
	(void)state;

	assert_true(plan_make(&c, &d, &plan, &err));
	assert_false(plan.stands_still);
	assert_int_equal(plan.of[CAPTURE_LIVE].estimate_ns, 0);
	c.vfork = true;
	assert_true(plan_make(&c, &d, &plan, &err));
	assert_true(plan.of[CAPTURE_COPY].passing);
	c.locked = GB; /* and something that lasts */
	assert_true(plan_make(&c, &d, &plan, &err));
	assert_false(plan.of[CAPTURE_COPY].passing);
	c.group_stopped = true;
	assert_true(plan_make(&c, &d, &plan, &err));
	assert_true(plan.stands_still);
	assert_string_equal(plan.of[CAPTURE_LIVE].why, "");
}

static void collect(void *arg, const char *what, const struct plan_way *obstacle)
{
	char *words = arg;

	assert_true(*obstacle->why);
	strcat(strcat(words, what), " ");
}

/* All of them, and of nothing none. */
static void test_obstacles(void **state)
{
	struct conditions c = harmless();
	char words[200] = "";
	(void)state;

	plan_each_obstacle(&c, collect, words);
	assert_string_equal(words, "");
	c.locked = GB;
	c.seccomp = 2;
	c.ours.admin = false;
	c.machine.memory_available = MB;
	plan_each_obstacle(&c, collect, words);
	assert_string_equal(words, "seccomp mlock machine_memory ");
}

/* The measured rows of which the model is made, in ms: within a factor of two. */
static void test_model(void **state)
{
	static const struct {
		const char *what;
		uint64_t goroutines, stacks, anonymous, huge, threads, mappings;
		double copy, stop;
	} rows[] = {
		{ "1 goroutine", 1, 8192, 2 * MB, 0, 5, 40, 0.54, 1.2 },
		{ "1,000", 1000, MB / 2, 7 * MB, 0, 5, 50, 0.63, 3.2 },
		{ "10,000", 10000, 5 * MB, 46 * MB, 0, 5, 60, 1.2, 18.8 },
		{ "100,000", 100000, 48 * MB, 442 * MB, 0, 5, 60, 5.9, 153 },
		{ "1,000,000", 1000000, 484 * MB, 4346 * MB, 0, 5, 60, 32.7, 2459 },
		{ "1 GB", 10000, 5 * MB, GB, 0, 5, 60, 16.7, 17 },
		{ "1 GB, huge", 10000, 5 * MB, GB, GB, 5, 60, 2.1, 17.1 },
		{ "4 GB", 10000, 5 * MB, 4 * GB, 0, 5, 100, 53, 17.2 },
		{ "4 GB, huge", 10000, 5 * MB, 4 * GB, 4 * GB, 5, 60, 4.5, 18.8 },
		{ "1,000 threads", 1000, MB / 2, 30 * MB, 0, 1005, 60, 12.3, 31.5 },
		{ "5,000 mappings", 1000, MB / 2, 30 * MB, 0, 5, 5050, 6.3, 5.9 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct conditions c = harmless();
		struct plan_demand d = { .goroutines = rows[i].goroutines,
					 .stack_bytes = rows[i].stacks };
		struct plan plan;
		struct err err;
		c.anonymous = rows[i].anonymous;
		c.huge = rows[i].huge;
		c.threads = rows[i].threads;
		c.mappings = rows[i].mappings;
		assert_true(plan_make(&c, &d, &plan, &err));
		double copy = (double)plan.of[CAPTURE_COPY].estimate_ns / 1e6;
		double stop = (double)plan.of[CAPTURE_STOP].estimate_ns / 1e6;
		if (copy < rows[i].copy / 2 || copy > rows[i].copy * 2 ||
		    stop < rows[i].stop / 2 || stop > rows[i].stop * 2)
			fail_msg("%s: %.2f and %.2f ms, measured %.2f and %.2f",
				 rows[i].what, copy, stop, rows[i].copy, rows[i].stop);
	}
}

/* The larger the limit that is promised, the more time there is. */
static void test_time_for_values(void **state)
{
	uint64_t before = 0;
	(void)state;

	for (uint64_t max = 10 * MS; max < 100000 * MS; max *= 3) {
		const uint64_t time = plan_values_ns(max);
		assert_true(time > before && time < max);
		before = time;
	}
	assert_int_equal(plan_values_ns(0), 50 * MS); /* as gosnap.1 promises */
	assert_int_equal(plan_values_ns(100 * MS), 50 * MS);
}

static void test_words(void **state)
{
	static const char words[] = CAPTURE_WORDS;
	const char *at = words;
	(void)state;

	for (int i = 0; i < CAPTURE_WAYS; i++) {
		const char *name = capture_way_name((enum capture_way)i);
		assert_int_equal(strncmp(at, name, strlen(name)), 0);
		at += strlen(name) + 1;
	}
	assert_int_equal(at - words, sizeof(words));

	static const struct {
		uint64_t ns;
		const char *words;
	} times[] = { { 0, "0.0 ms" },	       { 412000, "0.4 ms" },
		      { 9940000, "9.9 ms" },   { 34000000, "34 ms" },
		      { 999000000, "999 ms" }, { 1234000000, "1.2 s" } };
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		char text[16];
		plan_duration(times[i].ns, text, sizeof(text));
		assert_string_equal(text, times[i].words);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),  cmocka_unit_test(test_flags),
		cmocka_unit_test(test_obstacles), cmocka_unit_test(test_model),
		cmocka_unit_test(test_words),	  cmocka_unit_test(test_time_for_values),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
