/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - parts of frames that other nouns print too. Private to printers. */
#ifndef GOSNAP_FRAME_H
#define GOSNAP_FRAME_H

#include "goruntime.h"
#include "sink.h"

/* Members function, file and line of the object that is open. */
void print_location(struct sink *out, const struct code_frame *f);
/* Member unwound: the proof that ends every stack. Nothing where there is no stack. */
void print_unwound(struct sink *out, const struct runtimes *all, enum stack_state state,
		   uint32_t reason);

#endif
