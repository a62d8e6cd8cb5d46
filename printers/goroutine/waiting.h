/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.h - what a goroutine waits for. Private to printers. */
#ifndef GOSNAP_PRINTERS_WAITING_H
#define GOSNAP_PRINTERS_WAITING_H

#include "printers/goroutine/print_goroutine.h"

/* Member waiting_for, if there is something to say. */
void print_waiting_for(struct sink *out, const struct goroutine_printing *p,
		       const struct goroutine *g);

#endif
