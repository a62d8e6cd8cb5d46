/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that were being handled, from the frames that the kernel pushed for their handlers. */
#include <string.h>

#include "goruntime/fault/fault_priv.h"

/* runtime.mpreinit: 32 KB. */
enum { SIGNAL_STACK_MAX = 256 << 10 };

/* A frame that a signal's handler returns to: where its ucontext is, as in unwind_thread.c. */
static uint64_t context_address(const struct runtimes *all, const struct raw_frame *frame,
				const struct regs *regs)
{
	struct runtime *ignored;
	const struct code *c = runtimes_code_at(
		all, frame->pc, frame->flags & FRAME_AT_INSTRUCTION, &ignored);
	uint64_t sp = regs->value[target_arch(all->target)->sp];

	return c && c->special == SPECIAL_sigtramp ? sp + (uint64_t)c->frame_size + WORD
						   : sp;
}

/* The runtime ends the process with a signal to itself: dieFromSignal. Where the functions are unknown,
 * only raise sends one to its own thread. */
bool fault_is_own_raise(const struct runtimes *all, const struct fault_signal *signal)
{
	struct runtime *ignored;
	const struct code *c = runtimes_code_at(all, signal->pc, true, &ignored);

	if (!c && runtimes_unnamed_at(all, signal->pc))
		return signal->code == SI_TKILL &&
		       signal->sender == target_pid(all->target);
	return c && (c->special == SPECIAL_raise || c->special == SPECIAL_raiseproc);
}

/* Does the processor report one? Not of a general protection fault, and of no signal that a process
 * sent. */
static bool has_address(const siginfo_t *info)
{
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (info->si_signo == numbers[i])
			return info->si_code > 0 && info->si_code != SI_KERNEL;
	return false;
}

/* A timer's id is in the sender's place. */
static bool has_sender(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_QUEUE ||
	       info->si_code == SI_TKILL || info->si_code == SI_MESGQ;
}

void fault_take_signal(const siginfo_t *info, struct fault_signal *ret)
{

	*ret = (struct fault_signal){
		.number = info->si_signo,
		.code = info->si_code,
		.has_address = has_address(info),
		.address = (uint64_t)(uintptr_t)info->si_addr,
	};
	if (has_sender(info)) {
		ret->has_sender = true;
		ret->sender = info->si_pid;
		ret->sender_user = info->si_uid;
	}
}

static bool read_signal(struct runtimes *all, uint64_t addr, siginfo_t *info,
			struct regs *regs)
{
	const struct arch *arch = target_arch(all->target);
	uint8_t context[1024];
	struct err ignored;

	if (arch->ucontext_size > sizeof(context) || !arch->siginfo ||
	    !target_read(all->target, addr, context, arch->ucontext_size, &ignored) ||
	    !target_read(all->target, addr + arch->siginfo, info, sizeof(*info),
			 &ignored))
		return false;
	*regs = (struct regs){ .valid = 0 };
	arch_regs_from(arch->ucontext, arch, context, arch->ucontext_size, regs);
	return reg_known(regs, arch->pc);
}

bool fault_find_signal(struct runtimes *all, const struct fault_walk *walk,
		       struct fault_signal *ret, struct regs *ret_regs)
{
	const struct arch *arch = target_arch(all->target);
	siginfo_t info;

	for (uint32_t i = 0; i < walk->count; i++) {
		if (!(walk->frames[i].flags & FRAME_SIGNAL))
			continue;
		uint64_t at = context_address(all, &walk->frames[i], &walk->registers[i]);
		if (!read_signal(all, at, &info, ret_regs))
			continue;
		struct fault_signal signal;
		fault_take_signal(&info, &signal);
		signal.has_pc = true;
		signal.pc = ret_regs->value[arch->pc];
		if (fault_is_own_raise(all, &signal) ||
		    !fault_signal_is_deadly(info.si_signo))
			continue;
		*ret = signal;
		return true;
	}
	return false;
}

/* preparePanic in runtime/signal_amd64.go: the handler of a nil dereference makes what it interrupted
 * look like a call of sigpanic, and returns. Of a call to no function there is no return address to
 * add. */
static bool is_before_sigpanic(struct runtimes *all, const struct fault_signal *signal,
			       struct regs *regs)
{
	const struct arch *arch = target_arch(all->target);
	struct runtime *ignored;
	struct err no_matter;
	uint64_t pushed;
	const struct code *c =
		runtimes_code_at(all, regs->value[arch->pc], true, &ignored);

	if (!c || (c->special != SPECIAL_sigpanic && c->special != SPECIAL_sigpanic0) ||
	    regs->value[arch->pc] != c->entry)
		return false;
	if (target_read_uint(all->target, regs->value[arch->sp], WORD, &pushed,
			     &no_matter) &&
	    pushed == signal->pc)
		regs->value[arch->sp] += arch->call_pushes;
	else if (runtimes_code_at(all, signal->pc, true, &ignored))
		return false;
	regs->value[arch->pc] = signal->pc;
	return true;
}

/* The context is on the stack for signals until the thread gets another one. */
void fault_find_interrupted(struct runtimes *all, const struct go_m *m,
			    struct fault *fault)
{
	const struct arch *arch = target_arch(all->target);
	const uint64_t low = m->signal_stack.low, size = m->signal_stack.high - low;
	struct err ignored;

	if (!fault->has_signal || !arch->call_pushes || m->signal_stack.high < low ||
	    size > SIGNAL_STACK_MAX)
		return;
	AUTO(xfree) uint8_t *bytes = xcalloc(size + 1, 1);
	if (!target_search(all->target, low, bytes, size, &ignored))
		return;
	for (uint64_t at = 0; at + arch->ucontext_size <= size; at += WORD) {
		struct regs regs = { .valid = 0 };
		arch_regs_from(arch->ucontext, arch, bytes + at, arch->ucontext_size,
			       &regs);
		if (!is_before_sigpanic(all, &fault->signal, &regs))
			continue;
		target_found(all->target, low + at, arch->ucontext_size);
		fault->registers = regs;
		return;
	}
}

bool fault_signal_is_deadly(int number)
{
	static const int numbers[] = { SIGQUIT, SIGILL, SIGABRT, SIGFPE,  SIGSEGV,
				       SIGBUS,	SIGSYS, SIGXCPU, SIGXFSZ, SIGTRAP };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (number == numbers[i])
			return true;
	return false;
}

/* runtime/sigtab_linux_generic.go (1.27); the same since 1.15. */
static const char *const texts[] = {
	[SIGHUP] = "SIGHUP: terminal line hangup",
	[SIGINT] = "SIGINT: interrupt",
	[SIGQUIT] = "SIGQUIT: quit",
	[SIGILL] = "SIGILL: illegal instruction",
	[SIGTRAP] = "SIGTRAP: trace trap",
	[SIGABRT] = "SIGABRT: abort",
	[SIGBUS] = "SIGBUS: bus error",
	[SIGFPE] = "SIGFPE: floating-point exception",
	[SIGKILL] = "SIGKILL: kill",
	[SIGUSR1] = "SIGUSR1: user-defined signal 1",
	[SIGSEGV] = "SIGSEGV: segmentation violation",
	[SIGUSR2] = "SIGUSR2: user-defined signal 2",
	[SIGPIPE] = "SIGPIPE: write to broken pipe",
	[SIGALRM] = "SIGALRM: alarm clock",
	[SIGTERM] = "SIGTERM: termination",
	[SIGSTKFLT] = "SIGSTKFLT: stack fault",
	[SIGCHLD] = "SIGCHLD: child status has changed",
	[SIGCONT] = "SIGCONT: continue",
	[SIGSTOP] = "SIGSTOP: stop, unblockable",
	[SIGTSTP] = "SIGTSTP: keyboard stop",
	[SIGTTIN] = "SIGTTIN: background read from tty",
	[SIGTTOU] = "SIGTTOU: background write to tty",
	[SIGURG] = "SIGURG: urgent condition on socket",
	[SIGXCPU] = "SIGXCPU: cpu limit exceeded",
	[SIGXFSZ] = "SIGXFSZ: file size limit exceeded",
	[SIGVTALRM] = "SIGVTALRM: virtual alarm clock",
	[SIGPROF] = "SIGPROF: profiling alarm clock",
	[SIGWINCH] = "SIGWINCH: window size change",
	[SIGIO] = "SIGIO: i/o now possible",
	[SIGPWR] = "SIGPWR: power failure restart",
	[SIGSYS] = "SIGSYS: bad system call",
};

const char *fault_signal_text(int number)
{
	return number > 0 && (size_t)number < ARRAY_SIZE(texts) ? texts[number] : NULL;
}
