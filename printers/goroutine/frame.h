/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - parts of frames that other nouns print too. Private to printers. */
#ifndef GOSNAP_FRAME_H
#define GOSNAP_FRAME_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"

struct goroutine_printing;

/* Members function, file and line of the object that is open. */
void print_location(struct sink *out, const struct code_frame *f);
/* print_frames() of a goroutine's own stack, with its words and, where they are wanted, its
 * variables; unless frames are wanted in full, without what those of its group say. Behind
 * them, members of the goroutine that its contexts tell. Counts what it printed. */
void print_frames_of(struct sink *out, struct goroutine_printing *printing,
		     const struct goroutine *g);
/* ... of a thread's stack: of C functions the variables, where they are wanted. */
void print_frames_of_thread(struct sink *out, struct goroutine_printing *printing,
			    struct runtimes *all, size_t thread);
/* Member unwound: the proof that ends every stack. Nothing where there is no stack. */
void print_unwound(struct sink *out, const struct runtimes *all, enum stack_state state,
		   uint32_t reason);

/* goroutine.c: without a look back at what was printed before something was learned. */
void print_goroutine_once(struct sink *out, struct goroutine_printing *p,
			  const struct goroutine *g, uint64_t group);

#endif
