/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.h - a fault in one plain sentence. Private to printers. */
#ifndef GOSNAP_VERDICT_H
#define GOSNAP_VERDICT_H

#include "printers/document/print_document.h"

/* Allocated. Its texts of the process are not masked yet. */
char *verdict_of(const struct fault_printing *p);

#endif
