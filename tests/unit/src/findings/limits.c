/* SPDX-License-Identifier: Apache-2.0 */
/* What is told once it has lasted ten seconds: just before that, and then. A process cannot be looked at so
 * exactly, so what findings ask is answered here, by one goroutine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "lib/procfs/sockets.h"
#include "src/findings/fingerprints.h"
#include "src/findings/holder.h"
#include "src/findings/state/state.h"
#include "tests/unit/unit.h"

#define NOW_NS (1000 * SECOND_NS)
#define REAL_NS (5000 * SECOND_NS)
#define JUST_NS (SECOND_NS / 1000)

/* What the process is said to be. */
static struct process {
	struct goroutine goroutine;
	struct runtime_state state;
	bool waits_for_lock, has_coroutines;
} process;

static struct partner holder;

struct goroutine_of runtimes_goroutine(const struct runtimes *all, size_t i)
{
	(void)all;
	(void)i;
	return (struct goroutine_of){ .goroutine = &process.goroutine };
}

size_t runtimes_goroutine_count(const struct runtimes *all)
{
	(void)all;
	return 1;
}

size_t runtimes_count(const struct runtimes *all)
{
	(void)all;
	return 1;
}

struct runtime *runtimes_get(const struct runtimes *all, size_t i)
{
	(void)all;
	(void)i;
	return NULL;
}

uint64_t runtimes_lock_wait_since(struct runtimes *all, struct runtime *rt,
				  const struct goroutine *g)
{
	(void)all;
	(void)rt;
	(void)g;
	return 0;
}

bool runtime_has_coroutines(const struct runtime *rt)
{
	(void)rt;
	return process.has_coroutines;
}

const struct runtime_state *runtime_state(const struct runtime *rt)
{
	(void)rt;
	return &process.state;
}

const struct partner *chain_next(const struct wait_graph *waits, uint32_t goroutine)
{
	(void)waits;
	(void)goroutine;
	return process.waits_for_lock ? &holder : NULL;
}

struct finding *holder_finding(struct finder *f, const char *kind, uint32_t one,
			       const char *advice)
{
	(void)one;
	return finding_add(f, kind, SEVERITY_WARNING, 1, advice);
}

const struct wait_object *holder_lock(const struct finder *f, uint32_t one,
				      const struct partner **ret_as)
{
	(void)one;
	*ret_as = &holder;
	return f->about.waits ? f->about.waits->objects : NULL;
}

/* The rest is what sentences are made of: nothing is known. */
void runtimes_each_frame(struct runtimes *all, uint32_t stack, code_frame_fn *fn,
			 void *arg)
{
	(void)all;
	(void)stack;
	(void)fn;
	(void)arg;
}

const struct thread_state *runtimes_thread(const struct runtimes *all, size_t i)
{
	(void)all;
	(void)i;
	return NULL;
}

bool runtime_call_before(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	(void)rt;
	(void)pc;
	(void)ret;
	return false;
}

bool runtime_code_at(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	return runtime_call_before(rt, pc, ret);
}

bool runtime_wait(struct runtime *rt, const struct goroutine *g, struct wait *ret)
{
	(void)rt;
	(void)g;
	(void)ret;
	return false;
}

const struct wait_object *wait_graph_of(const struct wait_graph *w, uint32_t goroutine)
{
	(void)w;
	(void)goroutine;
	return NULL;
}

void stack_text_of(struct stack_text *ret, struct runtimes *all, uint32_t stack)
{
	(void)all;
	(void)stack;
	*ret = (struct stack_text){ .most = 1 };
}

static const struct findings_about about = {
	.now_ns = NOW_NS,
	.now_realtime_ns = REAL_NS,
	.has_memory = true,
};

static void collected(uint64_t ago)
{
	process.state.gc.phase = (struct state_number){ 0, true };
	process.state.gc.ended = (struct state_number){ REAL_NS - ago, true };
}

static uint64_t age(void)
{
	struct finder f = { .about = about };

	struct wait_times *times = wait_times_new(&f.about);
	f.about.times = times;
	const uint64_t ret = finder_age(&f, 0);
	assert_int_equal(finder_waits_long(&f, 0), ret >= 10 * SECOND_NS);
	wait_times_free(times);
	return ret;
}

static void waits_since(uint64_t ago)
{
	process = (struct process){
		.goroutine = { .status = GOROUTINE_WAITING,
			       .waiting_since = NOW_NS - ago },
	};
}

/* What the runtime noted is from before the collection before the last one. */
static void test_age(void **state)
{
	(void)state;
	waits_since(60 * SECOND_NS);
	collected(3 * SECOND_NS);
	assert_int_equal(age(), 3 * SECOND_NS);
	collected(100 * SECOND_NS);
	assert_int_equal(age(), 60 * SECOND_NS);
	collected(10 * SECOND_NS - JUST_NS);
	assert_int_equal(age(), 10 * SECOND_NS - JUST_NS);
	collected(10 * SECOND_NS);
	assert_int_equal(age(), 10 * SECOND_NS);
	process.has_coroutines = true;
	assert_int_equal(age(), 0);
	process.has_coroutines = false;
	process.goroutine.status = GOROUTINE_LEAKED;
	assert_int_equal(age(), 10 * SECOND_NS);
	process.goroutine.status = GOROUTINE_RUNNABLE;
	assert_int_equal(age(), 0);
}

/* The age counts from the second collection that ended after waiting_since. */
static void test_age_by_collections(void **state)
{
	struct gc_state *gc = &process.state.gc;

	(void)state;
	waits_since(60 * SECOND_NS);
	for (size_t i = 0; i <= 6; i++)
		gc->pauses[gc->pause_count++] = (struct gc_pause){
			JUST_NS,
			REAL_NS - i * 10 * SECOND_NS,
		};
	process.goroutine.waiting_since -= JUST_NS / 2;
	assert_int_equal(age(), 50 * SECOND_NS);
	/* The next one has not ended when the snapshot is taken. */
	process.goroutine.waiting_since = NOW_NS - JUST_NS / 2;
	assert_int_equal(age(), 0);
	gc->pauses[0].ended = REAL_NS + 1;
	process.goroutine.waiting_since = NOW_NS - 10 * SECOND_NS - JUST_NS / 2;
	assert_int_equal(age(), 0);
}

static void test_age_unknown(void **state)
{
	(void)state;
	waits_since(NOW_NS);
	collected(60 * SECOND_NS);
	assert_int_equal(age(), 0);
	process.goroutine.waiting_since = NOW_NS;
	assert_int_equal(age(), 0);
	process.goroutine.waiting_since = NOW_NS - 60 * SECOND_NS;
	process.state.gc.phase.value = 1;
	assert_int_equal(age(), 0);
	process.state.gc.phase.value = 0;
	process.state.gc.ended.value = 0;
	assert_int_equal(age(), 0);
	process.state.gc.ended.value = REAL_NS + 1;
	assert_int_equal(age(), 0);
}

/* How many it tells, of which there is one at most. */
static size_t told(void look(struct finder *), struct finder *f)
{
	struct findings findings = { 0 };

	f->findings = &findings;
	struct wait_times *times = wait_times_new(&f->about);
	f->about.times = times;
	look(f);
	wait_times_free(times);
	const size_t count = findings.count;
	findings_free(&findings);
	return count;
}

struct call {
	char state;
	uint64_t asleep, waits; /* how long ago that began; 0: not known */
	uint64_t behind;
	uint8_t status;
	size_t told;
};

static void test_stuck_call(void **state)
{
	static const struct call calls[] = {
		{ 'S', 10 * SECOND_NS, 0, 1, GOROUTINE_SYSCALL, 1 },
		{ 'S', 10 * SECOND_NS - JUST_NS, 0, 1, GOROUTINE_SYSCALL, 0 },
		{ 'S', 0, 10 * SECOND_NS, 1, GOROUTINE_SYSCALL, 1 },
		{ 'S', 0, 10 * SECOND_NS - JUST_NS, 1, GOROUTINE_SYSCALL, 0 },
		{ 'R', 10 * SECOND_NS, 0, 1, GOROUTINE_SYSCALL, 0 },
		{ 'S', 10 * SECOND_NS, 0, 0, GOROUTINE_SYSCALL, 0 },
		{ 'S', 10 * SECOND_NS, 0, 1, GOROUTINE_WAITING, 0 },
		{ 'D', 10 * SECOND_NS, 0, 0, GOROUTINE_SYSCALL, 1 },
		{ 'D', 10 * SECOND_NS - JUST_NS, 0, 0, GOROUTINE_SYSCALL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		const struct call *call = &calls[i];
		uint64_t behind = call->behind;
		uint8_t in_cycle = 0;
		const struct target_thread thread = {
			.state = call->state,
			.ran_ns = NOW_NS - call->asleep,
		};
		struct finder f = {
			.about = about,
			.chains = { .count = 1,
				    .behind = &behind,
				    .in_cycle = &in_cycle },
		};
		f.about.threads = &thread;
		f.about.thread_count = 1;
		process = (struct process){
			.goroutine = { .status = call->status,
				       .stack = NO_STACK,
				       .waiting_since = NOW_NS - call->waits },
			.waits_for_lock = true,
		};
		collected(call->waits);
		assert_int_equal(told(finding_stuck_call, &f), call->told);
	}
}

/* Two wait for what the first goroutine has, and both or one were seen to stay. */
static void test_stuck_call_again(void **state)
{
	static struct waiter waiters[] = { { .goroutine = 1 }, { .goroutine = 2 } };
	static struct wait_object lock = { .kind = WAIT_MUTEX, .waiter_count = 2 };
	static const struct wait_graph waits = {
		.objects = &lock,
		.object_count = 1,
		.waiters = waiters,
	};
	uint64_t behind = 2, stayed[] = { 0, 2 * SECOND_NS, 2 * SECOND_NS };
	uint8_t in_cycle = 0, wanted[3] = { 0 };
	struct finder f = {
		.about = about,
		.chains = { .count = 1, .behind = &behind, .in_cycle = &in_cycle },
	};

	(void)state;
	f.about.waits = &waits;
	f.about.stayed_ns = stayed;
	f.about.wanted = wanted;
	process = (struct process){
		.goroutine = { .status = GOROUTINE_SYSCALL, .stack = NO_STACK },
	};
	assert_int_equal(told(finding_stuck_call, &f), 1);
	stayed[2] = 0;
	assert_int_equal(told(finding_stuck_call, &f), 0);
	assert_memory_equal(wanted, ((uint8_t[]){ 1, 0, 1 }), 3);
	stayed[2] = 2 * SECOND_NS;
	holder.operation = OPERATION_READ_UNLOCK;
	assert_int_equal(told(finding_stuck_call, &f), 0);
	holder.operation = OPERATION_UNLOCK;
}

/* What it reads is known of the process's descriptors: here, those of the test. */
static void test_descriptor(void **state)
{
	struct findings findings = { 0 };
	struct finder f = { .findings = &findings, .about = about };
	char words[200];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	AUTO(sockets_free) struct sockets *sockets = sockets_read(getpid());
	const struct target_thread thread = {
		.state = 'D',
		.ran_ns = NOW_NS - 10 * SECOND_NS,
		.wchan = "pipe_read",
		.in_syscall = true,
		.syscall_args = { (uint64_t)ends[0] },
	};
	f.about.threads = &thread;
	f.about.thread_count = f.chains.count = 1;
	f.about.sockets = sockets;
	f.chains.behind = (uint64_t[]){ 0 };
	f.chains.in_cycle = (uint8_t[]){ 0 };
	process = (struct process){
		.goroutine = { .id = 7, .status = GOROUTINE_SYSCALL, .stack = NO_STACK },
	};
	struct wait_times *times = wait_times_new(&f.about);
	f.about.times = times;
	finding_stuck_call(&f);
	wait_times_free(times);
	assert_int_equal(findings.count, 1);
	snprintf(words, sizeof(words),
		 "Goroutine 7 hangs in the kernel: it is in the system call read of "
		 "descriptor %d (a pipe), and "
		 "nothing has been able to wake its thread (in pipe_read), for at least "
		 "10 s.",
		 ends[0]);
	assert_string_equal(text_words(&findings.list[0]->text), words);
	findings_free(&findings);
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_age_by_collections),
		cmocka_unit_test(test_age_unknown),
		cmocka_unit_test(test_stuck_call),
		cmocka_unit_test(test_stuck_call_again),
		cmocka_unit_test(test_descriptor),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
