/* SPDX-License-Identifier: Apache-2.0 */
/* words_priv.h - the argument words of a goroutine's frames, read from its captured
 * stack. Private to goruntime. */
#ifndef GOSNAP_WORDS_PRIV_H
#define GOSNAP_WORDS_PRIV_H

#include "goruntime/frames/words.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/runtime/stack_reader.h"
#include "goruntime/symtab/arguments.h"
#include "goruntime/symtab/code.h"

struct words_reader {
	const struct goroutine *g;
	struct stack_reader window;
	char text[ARGUMENTS_TEXT_MAX];
	struct err err;
};

void words_begin(struct words_reader *r, struct target *t, const struct goroutine *g);
/* The argument words of c->calls[call] in this frame, valid until the next call. Reading
 * frames in stack order is cheapest. */
struct argument_words words_of(struct words_reader *r, const struct raw_frame *frame,
			       const struct code *c, uint32_t call);

#endif
