/* SPDX-License-Identifier: Apache-2.0 */
/* The signal that ended a process: its sender or address, and which of those on a stack it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/fault/fault_priv.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, PCLNTAB_TOPFRAME }, { "main.use", 0x40, 0 },
	{ "runtime.sigtramp", 0x40, 0 },	   { "runtime.raise", 0x20, 0 },
	{ "runtime.raiseproc", 0x20, 0 },	   { "runtime.sigpanic", 0x40, 0 },
	{ "runtime.sigpanic0", 0x40, 0 },	   { "runtime.text", 0, 0 },
};

static void test_texts(void **state)
{
	(void)state;
	assert_string_equal(fault_signal_text(1), "SIGHUP: terminal line hangup");
	assert_string_equal(fault_signal_text(11), "SIGSEGV: segmentation violation");
	assert_string_equal(fault_signal_text(31), "SIGSYS: bad system call");
	assert_null(fault_signal_text(0));
	assert_null(fault_signal_text(-1));
	assert_null(fault_signal_text(32));
	assert_null(fault_signal_text(INT32_MAX));
}

static void test_deadly(void **state)
{
	/* signal(7): core */
	static const int deadly[] = { 3, 4, 5, 6, 7, 8, 11, 24, 25, 31 };
	(void)state;
	for (int number = -1, at = 0; number < 66; number++) {
		const bool is = at < (int)ARRAY_SIZE(deadly) && deadly[at] == number;
		at += is;
		assert_int_equal(fault_signal_is_deadly(number), is);
	}
}

static void test_taken(void **state)
{
	static const struct {
		int number, code;
		bool has_address, has_sender;
	} list[] = {
		{ SIGSEGV, SEGV_MAPERR, true, false },
		{ SIGSEGV, SI_KERNEL, false, false },
		{ SIGSEGV, SI_USER, false, true },
		{ SIGSEGV, SI_TKILL, false, true },
		{ SIGBUS, BUS_ADRERR, true, false },
		{ SIGFPE, FPE_INTDIV, true, false },
		{ SIGILL, ILL_ILLOPN, true, false },
		{ SIGTRAP, TRAP_BRKPT, true, false },
		{ SIGABRT, SI_QUEUE, false, true },
		{ SIGABRT, SI_MESGQ, false, true },
		{ SIGQUIT, SI_TIMER, false, false },
		{ SIGSYS, 1, false, false },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		siginfo_t info = { .si_signo = list[i].number, .si_code = list[i].code };
		struct fault_signal signal;
		info.si_pid = 12;
		info.si_uid = 34;
		fault_take_signal(&info, &signal);
		assert_int_equal(signal.number, list[i].number);
		assert_int_equal(signal.code, list[i].code);
		assert_int_equal(signal.has_address, list[i].has_address);
		assert_int_equal(signal.address, (uintptr_t)info.si_addr);
		assert_int_equal(signal.has_sender, list[i].has_sender);
		assert_int_equal(signal.sender, list[i].has_sender ? 12 : 0);
		assert_int_equal(signal.sender_user, list[i].has_sender ? 34 : 0);
	}
}

/* A signal's context that came at pc, and what the kernel knew of it. */
static void put_context(struct pseudo *p, uint64_t addr, uint64_t pc, uint64_t sp,
			int number)
{
	const struct arch *arch = target_arch(p->target);

	pseudo_put(p, addr + 160, sp);
	pseudo_put(p, addr + 168, pc);
	pseudo_put(p, addr + arch->siginfo, (uint64_t)number);
	pseudo_put(p, addr + arch->siginfo + 8, SEGV_MAPERR);
}

enum { CONTEXTS = PSEUDO_SIGNAL + 0x100, CONTEXT = 0x1000, COUNT = 3 };

/* Walks over three frames that the kernel pushed. */
static struct fault_walk *walk_over(struct pseudo *p)
{
	struct fault_walk *ret = xcalloc(1, sizeof(*ret));
	const uint8_t sp = (uint8_t)target_arch(p->target)->sp;

	ret->count = COUNT;
	for (uint32_t i = 0; i < COUNT; i++) {
		ret->frames[i] =
			(struct raw_frame){ pseudo_pc(p, "runtime.sigtramp", 0x20),
					    FRAME_SIGNAL, NO_ARGP };
		ret->registers[i].value[sp] = CONTEXTS + i * CONTEXT - 0x40 - 8;
	}
	return ret;
}

/* Neither the runtime's own signal nor one that ends nothing. */
static void test_found(void **state)
{
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(24, funcs, ARRAY_SIZE(funcs));
	AUTO(xfree) struct fault_walk *walk = walk_over(p);
	const uint64_t pc = pseudo_pc(p, "main.use", 0x40);
	struct fault_signal signal;
	struct regs regs;
	put_context(p, CONTEXTS, pseudo_pc(p, "runtime.raise", 0x10), 1, SIGABRT);
	put_context(p, CONTEXTS + CONTEXT, pc, 2, SIGURG);
	put_context(p, CONTEXTS + 2 * CONTEXT, pc, 3, SIGSEGV);
	assert_true(fault_find_signal(p->all, walk, &signal, &regs));
	assert_int_equal(signal.number, SIGSEGV);
	assert_true(signal.has_pc);
	assert_int_equal(signal.pc, pc);
	assert_int_equal(regs.value[target_arch(p->target)->sp], 3);
	put_context(p, CONTEXTS, pseudo_pc(p, "runtime.raiseproc", 0x10), 1, SIGABRT);
	walk->frames[2].flags = 0;
	assert_false(fault_find_signal(p->all, walk, &signal, &regs));
	put_context(p, CONTEXTS, pc, 1, SIGABRT);
	assert_true(fault_find_signal(p->all, walk, &signal, &regs));
	assert_int_equal(signal.number, SIGABRT);
	/* Skips a stack that cannot be read. */
	walk->registers[0].value[target_arch(p->target)->sp] = 8;
	assert_false(fault_find_signal(p->all, walk, &signal, &regs));
}

static struct regs interrupted(struct pseudo *p, uint64_t pc)
{
	struct fault fault = { .has_signal = true, .signal = { .pc = pc } };

	fault_find_interrupted(p->all, p->machine, &fault);
	return fault.registers;
}

/* preparePanic: the context looks like a call of sigpanic. */
static void test_interrupted(void **state)
{
	static const char *const names[] = { "runtime.sigpanic", "runtime.sigpanic0" };
	(void)state;
	AUTO(pseudo_free) struct pseudo *p = pseudo_new(24, funcs, ARRAY_SIZE(funcs));
	const struct arch *arch = target_arch(p->target);
	const uint64_t pc = pseudo_pc(p, "main.use", 0x40), sp = PSEUDO_STACK + 0x80;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const uint64_t entry = pseudo_pc(p, names[i], 0);
		put_context(p, CONTEXTS, entry, sp, SIGSEGV);
		pseudo_put(p, sp, pc);
		struct regs regs = interrupted(p, pc);
		assert_int_equal(regs.value[arch->pc], pc);
		assert_int_equal(regs.value[arch->sp], sp + 8);
		/* A call to no function pushed nothing. */
		regs = interrupted(p, 0x10);
		assert_int_equal(regs.value[arch->pc], 0x10);
		assert_int_equal(regs.value[arch->sp], sp);
		/* Another one's, or another place in it. */
		pseudo_put(p, sp, pc + 8);
		assert_int_equal(interrupted(p, pc).valid, 0);
		pseudo_put(p, sp, pc);
		put_context(p, CONTEXTS, entry + 4, sp, SIGSEGV);
		assert_int_equal(interrupted(p, pc).valid, 0);
	}
	put_context(p, CONTEXTS, pc, sp, SIGSEGV);
	assert_int_equal(interrupted(p, pc).valid, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),	    cmocka_unit_test(test_deadly),
		cmocka_unit_test(test_taken),	    cmocka_unit_test(test_found),
		cmocka_unit_test(test_interrupted),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
