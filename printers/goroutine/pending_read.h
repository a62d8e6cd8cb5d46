/* SPDX-License-Identifier: Apache-2.0 */
/* pending_read.h - the argument of a Read that has not returned holds what was there before. Keeps
 * nothing: what it finds, redaction knows. */
#ifndef GOSNAP_PENDING_READ_H
#define GOSNAP_PENDING_READ_H

#include "printers/values/value_printers.h"

struct code_frame;
/* Notes it, if the frame is that of an io.Reader's Read, and has variables. Without debugging
 * information, only that of a file descriptor. */
void note_pending_read(struct printing *p, const struct code_frame *f);

#endif
