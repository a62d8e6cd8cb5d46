/* SPDX-License-Identifier: Apache-2.0 */
/* print_waits.h - the document's "waits". Knows its fields; finds nothing. */
#ifndef GOSNAP_PRINT_WAITS_H
#define GOSNAP_PRINT_WAITS_H

#include "src/analysis/wait_graph.h"

struct sink;

/* An array, which the caller has named. */
void print_waits(struct sink *out, const struct wait_graph *w);

#endif
