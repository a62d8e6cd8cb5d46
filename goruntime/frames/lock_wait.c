/* SPDX-License-Identifier: Apache-2.0 */
/* Since when a goroutine waits for a mutex. lockSlow() of sync.Mutex keeps the time in a variable, waitStartTime, from
 * which it sees that it starves. Where that is on its stack follows from the code behind the call in which it waits:
 *
 *	movq d(%rsp), %rcx
 *	subq %rcx, %rax        now - waitStartTime
 *	cmpq $1000000, %rax    starvationThresholdNs
 *
 * The code is the same in all releases from 1.15 to 1.27. Without optimization it is not, and the time is not known. */
#include <string.h>

#include "goruntime/frames/frames.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/symtab/module.h"

enum {
	CODE_BYTES = 256, /* behind the call; far from it with Go 1.15 */
	LOAD_BYTES = 5,
	DISTANCE = 4, /* in the load */
};

/* Notes which of the stack's frames is that of lockSlow(). */
static void note_lock_slow(void *arg, const struct code_frame *frame)
{
	uint32_t *ret = arg;

	if (frame->function && !frame->inlined &&
	    (strcmp(frame->function, "sync.(*Mutex).lockSlow") == 0 ||
	     strcmp(frame->function, "internal/sync.(*Mutex).lockSlow") == 0))
		*ret = frame->unwound;
}

/* The distance of the variable from the stack pointer. */
static bool find_variable(struct runtime *rt, uint64_t pc, uint64_t *ret)
{
	static const uint8_t load[] = { 0x48, 0x8b, 0x4c, 0x24 };
	static const uint8_t compare[] = { 0x48, 0x29, 0xc8, 0x48, 0x3d,
					   0x40, 0x42, 0x0f, 0x00 };
	uint8_t code[CODE_BYTES];

	if (!modules_code(rt->modules, pc, code, sizeof(code)))
		return false;
	for (size_t i = 0; i + LOAD_BYTES + sizeof(compare) <= sizeof(code); i++) {
		if (memcmp(code + i, load, sizeof(load)) != 0 ||
		    memcmp(code + i + LOAD_BYTES, compare, sizeof(compare)) != 0)
			continue;
		*ret = code[i + DISTANCE];
		return *ret < 0x80;
	}
	return false;
}

uint64_t runtimes_lock_wait_since(struct runtimes *all, struct runtime *rt,
				  const struct goroutine *g)
{
	uint32_t frame = 0; /* the innermost is one of the runtime's */
	uint64_t distance, ret;
	struct err ignored;

	if (g->stack == NO_STACK)
		return 0;
	const struct stack stack = runtimes_stack(all, g->stack);
	runtimes_each_frame(all, g->stack, note_lock_slow, &frame);
	if (frame == 0 || frame >= stack.count ||
	    !find_variable(rt, stack.frames[frame].pc, &distance))
		return 0;
	/* The stack pointer is where the arguments of what it calls would begin. */
	const uint64_t sp = goroutine_argp(g, &stack.frames[frame - 1]);
	if (sp < g->stack_low || sp >= g->stack_high ||
	    distance + WORD > g->stack_high - sp ||
	    !target_read_uint(all->target, sp + distance, WORD, &ret, &ignored))
		return 0;
	target_found(all->target, sp + distance, WORD);
	return ret;
}
