/* SPDX-License-Identifier: Apache-2.0 */
/* print_signal.h - what threads and the fault both have: a signal, and registers. Private to
 * printers. */
#ifndef GOSNAP_PRINT_SIGNAL_H
#define GOSNAP_PRINT_SIGNAL_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"
#include "redaction/redaction.h"

/* The member "signal". */
void print_signal(struct sink *out, struct redaction *r, const struct fault_signal *s);
/* Members of an open object. */
void print_registers(struct sink *out, struct redaction *r, const struct arch *arch,
		     const struct regs *regs);

#endif
