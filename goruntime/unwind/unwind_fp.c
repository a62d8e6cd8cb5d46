/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/unwind/unwind_fp.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"

enum {
	WORD = 8,
	/* In a goroutine record: distance in words from FRAME_POINTER_BELOW bytes below
	 * the stack pointer, or one of these. During calls of duffzero and duffcopy the
	 * frame pointer is below the stack pointer, where they saved the previous one
	 * (cmd/internal/obj/x86/obj6.go, 1.15). The innermost frame is usually one of the
	 * runtime's own, far smaller than half a megabyte. */
	NEAR = UINT16_MAX - 3,
	OUTSIDE, /* a value that is not a valid place on the stack */
	ZERO,
	UNKNOWN,
};

void goroutine_set_frame_pointer(struct goroutine *g, bool known, uint64_t value)
{
	uint64_t low = g->sp - FRAME_POINTER_BELOW, distance = value - low;

	if (!known)
		g->frame_pointer = UNKNOWN;
	else if (value == 0)
		g->frame_pointer = ZERO;
	else if (value >= g->stack_high || value < low || distance % WORD != 0)
		g->frame_pointer = OUTSIDE;
	else
		g->frame_pointer =
			distance / WORD < NEAR ? (uint16_t)(distance / WORD) : UNKNOWN;
}

bool goroutine_frame_pointer(const struct goroutine *g, uint64_t *ret)
{
	if (g->frame_pointer == UNKNOWN)
		return false;
	*ret = g->frame_pointer == ZERO ? 0
	       : g->frame_pointer == OUTSIDE
		       ? g->stack_high
		       : g->sp - FRAME_POINTER_BELOW + (uint64_t)g->frame_pointer * WORD;
	return true;
}

bool frame_pointer_follow(struct stack_reader *w, uint64_t frame_pointer,
			  struct frame_link *ret)
{
	struct err ignored;
	const uint8_t *bytes =
		frame_pointer % WORD == 0
			? stack_reader_bytes(w, frame_pointer, FRAME_POINTER_TO_CFA,
					     &ignored)
			: NULL;

	if (!bytes)
		return false;
	memcpy(&ret->frame_pointer, bytes, WORD);
	memcpy(&ret->pc, bytes + WORD, WORD);
	return true;
}
