/* SPDX-License-Identifier: Apache-2.0 */
/* raw_stack.h - a goroutine's stack word by word, with what is known of each. Private to
 * printers. */
#ifndef GOSNAP_PRINT_RAW_STACK_H
#define GOSNAP_PRINT_RAW_STACK_H

#include "printers/goroutine/print_goroutine.h"

/* Member raw_stack, if it was asked for. */
void print_raw_stack(struct sink *out, const struct goroutine_printing *p,
		     const struct goroutine *g);

#endif
