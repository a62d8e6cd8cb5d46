/* SPDX-License-Identifier: Apache-2.0 */
/* print_signal.h - the member "signal" of a thread and of the fault. Private to printers. */
#ifndef GOSNAP_PRINT_SIGNAL_H
#define GOSNAP_PRINT_SIGNAL_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"
#include "redaction/redaction.h"

void print_signal(struct sink *out, struct redaction *r, const struct fault_signal *s);

#endif
