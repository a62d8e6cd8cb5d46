/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/unwind/unwind_fp.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"

void goroutine_set_frame_pointer(struct goroutine *g, bool known, uint64_t value)
{
	uint64_t low = g->sp - FRAME_POINTER_BELOW, words = (value - low) / WORD;

	g->frame_pointer = FRAME_POINTER_UNKNOWN;
	if (!known)
		return;
	if (value == 0) {
		g->frame_pointer = FRAME_POINTER_ZERO;
	} else if (value >= g->stack_high || value < low || (value - low) % WORD != 0) {
		g->frame_pointer = FRAME_POINTER_OUTSIDE;
	} else if (words <= UINT16_MAX) {
		/* The innermost frame is usually one of the runtime's own, far smaller
		 * than half a megabyte. */
		g->frame_pointer = FRAME_POINTER_NEAR;
		g->frame_pointer_words = (uint16_t)words;
	}
}

bool goroutine_frame_pointer(const struct goroutine *g, uint64_t *ret)
{
	switch (g->frame_pointer) {
	case FRAME_POINTER_NEAR:
		*ret = g->sp - FRAME_POINTER_BELOW +
		       (uint64_t)g->frame_pointer_words * WORD;
		return true;
	case FRAME_POINTER_ZERO:
		*ret = 0;
		return true;
	case FRAME_POINTER_OUTSIDE:
		*ret = g->stack_high;
		return true;
	default:
		return false;
	}
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
