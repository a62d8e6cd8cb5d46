/* SPDX-License-Identifier: Apache-2.0 */
/* words_priv.h - the argument words of a goroutine's frames, from its stack as it was captured.
 * Private to goruntime. */
#ifndef GOSNAP_WORDS_PRIV_H
#define GOSNAP_WORDS_PRIV_H

#include "goruntime/frames/words.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/runtime/window.h"
#include "goruntime/symtab/arguments.h"
#include "goruntime/symtab/code.h"

struct words_reader {
	const struct goroutine *g;
	struct window window;
	char text[ARGUMENTS_TEXT_MAX];
	struct err err;
};

void words_begin(struct words_reader *r, struct target *t, const struct goroutine *g);
/* Of c->calls[call], at this frame. Frames in the order of the stack are cheapest. The text
 * is valid until the next call. */
struct words words_of(struct words_reader *r, const struct raw_frame *frame,
		      const struct code *c, uint32_t call);

#endif
