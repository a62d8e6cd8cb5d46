/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unwind/unwind.h"

#include <libunwind-ptrace.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/ptrace/target_live.h"
#include "lib/target/target_extents.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/lib/target_faulty.h"
#include "tests/unit/unit.h"

enum { FRAMES_MAX = 1000, DEPTH = 20, RBX = 3 };

static void on_signal(int sig)
{
	(void)sig;
	subject_ready();
	for (;;)
		pause();
}

__attribute__((noinline)) static int recurse(int n)
{
	volatile char room[100];

	room[0] = (char)n;
	if (n == 0)
		raise(SIGUSR1);
	else
		recurse(n - 1);
	return room[0];
}

static int compare(const void *a, const void *b)
{
	(void)a, (void)b;
	volatile int r = recurse(DEPTH); /* no tail call */
	return r;
}

static void *waits(void *arg)
{
	struct subject_shared *shared = arg;

	shared->other = 1;
	for (;;)
		pause();
	return arg;
}

static void *asks_the_time(void *arg)
{
	struct subject_shared *shared = arg;
	struct timespec ts;

	for (;; shared->counter++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
	return arg;
}

/* qsort -> compare -> recurse ... -> raise, signal frame on its own stack, handler, pause */
static void signal_in_callback(struct subject_shared *shared)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	pthread_t thread;
	int two[2] = { 1, 2 };

	pthread_create(&thread, NULL, waits, shared);
	pthread_create(&thread, NULL, asks_the_time, shared);
	/* A thread that is just beginning has no call frame information. */
	subject_runs(&shared->counter, 10);
	while (!shared->other)
		sched_yield();
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	qsort(two, 2, sizeof(int), compare);
}

struct stack {
	struct regs regs[FRAMES_MAX];
	bool at_instruction[FRAMES_MAX];
	size_t n;
	enum unwind_result end;
	struct err why;
};

static void walk(struct unwind *u, struct target *t, const struct regs *start,
		 struct stack *ret)
{
	struct regs regs = *start;
	bool at_instruction = true;

	target_budget_unit(t);
	memset(ret, 0, sizeof(*ret));
	do {
		ret->regs[ret->n] = regs;
		ret->at_instruction[ret->n++] = at_instruction;
		ret->end = unwind_step(u, &regs, &at_instruction, &ret->why);
	} while (ret->end == UNWIND_CALLER && ret->n < FRAMES_MAX);
}

static const char *name_of(const struct images *images, const struct stack *s, size_t i)
{
	uint64_t pc = s->regs[i].value[arch_amd64.pc] - !s->at_instruction[i], entry;
	const struct image *img = images_at(images, pc);
	const char *name;

	return img && image_function_at(img, pc, &name, &entry) ? name : "?";
}

struct subject {
	pid_t pid;
	struct subject_shared *shared;
	struct target *live;
	struct images *images;
	const struct target_thread *threads;
	size_t n;
};

static int setup(void **state)
{
	static struct subject s;
	struct err err;

	s.pid = subject_start(signal_in_callback, &s.shared);
	s.live = target_live_open(s.pid, &err);
	if (!s.live || !target_live_stop(s.live, &err))
		fail_msg("%s", err.text);
	s.images = images_open(s.live);
	s.threads = target_threads(s.live, &s.n);
	assert_int_equal(s.n, 3);
	*state = &s;
	return 0;
}

static int teardown(void **state)
{
	struct subject *s = *state;

	images_close(s->images);
	target_close(s->live);
	subject_end(s->pid, s->shared);
	return 0;
}

static void test_names(void **state)
{
	struct subject *s = *state;
	AUTO(unwind_free) struct unwind *u = unwind_new(s->live, s->images);
	struct stack stack;
	size_t i = 0, recursions = 0;

	walk(u, s->live, &s->threads[0].regs, &stack);
	if (stack.end != UNWIND_END)
		fail_msg("%s", stack.why.text);
	while (i < stack.n && strcmp(name_of(s->images, &stack, i), "on_signal"))
		i++;
	assert_true(i + 2 < stack.n);
	/* After the handler the trampoline, after that what was interrupted. */
	assert_false(stack.at_instruction[i] || stack.at_instruction[i + 1]);
	assert_true(stack.at_instruction[i + 2]);
	assert_int_equal(stack.regs[i + 2].valid & 0x1ffff, 0x1ffff);
	while (i < stack.n && strcmp(name_of(s->images, &stack, i), "recurse"))
		i++;
	for (; i < stack.n && !strcmp(name_of(s->images, &stack, i), "recurse"); i++)
		recursions++;
	assert_int_equal(recursions, DEPTH + 1);
	assert_string_equal(name_of(s->images, &stack, i), "compare");
	while (i < stack.n && strcmp(name_of(s->images, &stack, i), "signal_in_callback"))
		i++;
	assert_true(i < stack.n);
	assert_string_equal(name_of(s->images, &stack, stack.n - 1), "_start");
	/* What a call may change is not known above it. */
	assert_false(reg_known(&stack.regs[stack.n - 1], 0));
	assert_true(reg_known(&stack.regs[stack.n - 1], (unsigned)arch_amd64.tls));
}

/* libunwind's own way through ptrace is the check. */
static void compare_with_upt(struct subject *s, struct unwind *u, pid_t tid,
			     const struct regs *regs)
{
	struct stack stack;
	unw_addr_space_t space = unw_create_addr_space(&_UPT_accessors, 0);
	void *upt = _UPT_create(tid);
	unw_cursor_t cursor;
	size_t i = 0;

	walk(u, s->live, regs, &stack);
	assert_int_equal(stack.end, UNWIND_END);
	assert_int_equal(unw_init_remote(&cursor, space, upt), 0);
	do {
		static const unsigned check[] = { RBX, 6, 12, 13, 14, 15 };
		unw_word_t pc, sp, value;
		assert_true(i < stack.n);
		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		unw_get_reg(&cursor, UNW_REG_SP, &sp);
		assert_int_equal(pc, stack.regs[i].value[arch_amd64.pc]);
		assert_int_equal(sp, stack.regs[i].value[arch_amd64.sp]);
		for (size_t k = 0; k < ARRAY_SIZE(check); k++) {
			bool known = unw_get_reg(&cursor, (int)check[k], &value) == 0;
			assert_int_equal(known, reg_known(&stack.regs[i], check[k]));
			if (known)
				assert_int_equal(value, stack.regs[i].value[check[k]]);
		}
		i++;
	} while (unw_step(&cursor) > 0);
	assert_int_equal(i, stack.n);
	_UPT_destroy(upt);
	unw_destroy_addr_space(space);
}

static void test_as_libunwind_does(void **state)
{
	struct subject *s = *state;
	AUTO(unwind_free) struct unwind *u = unwind_new(s->live, s->images);

	for (size_t i = 0; i < s->n; i++) {
		uint64_t pc = s->threads[i].regs.value[arch_amd64.pc];
		/* It does not find the vDSO's information and guesses. */
		if (strcmp(image_path(images_at(s->images, pc)), "[vdso]"))
			compare_with_upt(s, u, s->threads[i].tid, &s->threads[i].regs);
	}
}

static void test_vdso(void **state)
{
	struct subject *s = *state;
	AUTO(unwind_free) struct unwind *u = unwind_new(s->live, s->images);
	struct stack stack;
	size_t found = 0;

	walk(u, s->live, &s->threads[2].regs, &stack);
	if (stack.end != UNWIND_END)
		fail_msg("%s", stack.why.text);
	for (size_t i = 0; i < stack.n; i++)
		found += !strcmp(name_of(s->images, &stack, i), "asks_the_time");
	assert_int_equal(found, 1);
}

/* From a copy of the stacks, with the process out of reach. */
static void test_copy(void **state)
{
	struct subject *s = *state;
	AUTO(target_close) struct target *copy = target_extents_new(s->live);
	AUTO(unwind_free) struct unwind *u = unwind_new(s->live, s->images);
	AUTO(unwind_free) struct unwind *from_copy = unwind_new(copy, s->images);
	struct stack want, got;

	for (size_t i = 0; i < s->n; i++) {
		walk(u, s->live, &s->threads[i].regs, &want);
		for (size_t k = 0; k < want.n; k++) {
			struct extent_range r = {
				want.regs[k].value[arch_amd64.sp] - 1024, 4096
			};
			target_extents_add(copy, &r, 1, NULL);
		}
	}
	target_extents_seal(copy);
	for (size_t i = 0; i < s->n; i++) {
		walk(u, s->live, &s->threads[i].regs, &want);
		walk(from_copy, copy, &s->threads[i].regs, &got);
		if (got.end != UNWIND_END)
			fail_msg("%s", got.why.text);
		assert_memory_equal(&got, &want, offsetof(struct stack, end));
	}
}

static void test_lost(void **state)
{
	struct subject *s = *state;
	AUTO(unwind_free) struct unwind *u = unwind_new(s->live, s->images);
	const struct regs good = s->threads[0].regs;
	struct stack stack;
	struct regs regs = good;

	regs.value[arch_amd64.pc] = 0x10;
	walk(u, s->live, &regs, &stack);
	assert_int_equal(stack.end, UNWIND_LOST);
	assert_int_equal(stack.n, 1);
	assert_string_equal(stack.why.text, "0x10 is not in any program or library");
	regs.value[arch_amd64.pc] = 0x6867666564636261;
	walk(u, s->live, &regs, &stack);
	assert_string_equal(stack.why.text, "invalid return address");
	regs = good;
	regs.value[arch_amd64.sp] = 0x1000;
	regs.value[arch_amd64.fp] = 0x1000;
	walk(u, s->live, &regs, &stack);
	assert_int_equal(stack.end, UNWIND_LOST);
	assert_non_null(strstr(stack.why.text, "no readable memory at 0x"));
	regs = good;
	regs.valid &= ~(UINT64_C(1) << arch_amd64.sp);
	walk(u, s->live, &regs, &stack);
	assert_int_equal(stack.end, UNWIND_LOST);
	/* Data is no code: libunwind would follow RBP here. */
	regs = good;
	regs.value[arch_amd64.pc] = (uintptr_t)&setup + 0x100000000;
	walk(u, s->live, &regs, &stack);
	assert_int_equal(stack.end, UNWIND_LOST);
	assert_int_equal(stack.n, 1);
}

/* Every read that fails ends the stack there, and says so; what came before is right. */
static void test_faults(void **state)
{
	struct subject *s = *state;
	AUTO(target_close) struct target *faulty = target_faulty_new(s->live);
	struct stack want, got;
	uint64_t reads = 1;

	AUTO(unwind_free) struct unwind *u = unwind_new(s->live, s->images);
	walk(u, s->live, &s->threads[0].regs, &want);
	for (uint64_t k = 0; k <= reads; k++) {
		AUTO(unwind_free) struct unwind *v = unwind_new(faulty, s->images);
		target_faulty_set(faulty, k, false);
		walk(v, faulty, &s->threads[0].regs, &got);
		if (k == 0)
			reads = target_faulty_reads(faulty);
		assert_true(got.n <= want.n);
		for (size_t i = 0; i < got.n; i++)
			assert_int_equal(got.regs[i].value[arch_amd64.pc],
					 want.regs[i].value[arch_amd64.pc]);
		/* A register that could not be read is missed some frames later. */
		if (got.end == UNWIND_LOST && !strstr(got.why.text, "was made to fail") &&
		    !strstr(got.why.text, "needs a register with an unknown value"))
			fail_msg("%s", got.why.text);
		if (got.end == UNWIND_END)
			assert_int_equal(got.n, want.n);
	}
	assert_true(reads > DEPTH);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_as_libunwind_does),
		cmocka_unit_test(test_vdso),  cmocka_unit_test(test_copy),
		cmocka_unit_test(test_lost),  cmocka_unit_test(test_faults),
	};

	return unit_run(argc, argv, tests, setup, teardown);
}
