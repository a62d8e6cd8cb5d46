/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - parts of frames that other printers need too. Private to printers. */
#ifndef GOSNAP_FRAME_H
#define GOSNAP_FRAME_H

#include "printers/goroutine/print_goroutine.h"

/* Members function, file and line of the open object. Without a function, object_file and
 * object_address. */
void print_location(struct sink *out, const struct code_frame *f);
/* Like print_frames(), for a goroutine's own stack with argument words and, if requested,
 * variables. Leaves out what its group already says, unless full frames are requested.
 * Then prints members of the goroutine found in its contexts. Counts what it printed. */
void print_frames_of(struct sink *out, struct goroutine_printing *printing,
		     const struct goroutine *g);
/* The same for a thread's stack, with variables of C functions if requested. */
void print_frames_of_thread(struct sink *out, struct goroutine_printing *printing,
			    struct runtimes *all, size_t thread);
/* Member unwind: why the stack ends where it does. Prints nothing if there is no
 * stack. */
void print_unwind(struct sink *out, const struct runtimes *all, enum stack_state state,
		  uint32_t reason);

#endif
