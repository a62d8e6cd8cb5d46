/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - for CAPTURE_GATHER: makes what the document will need from the process, and
 * throws it away, so that memory is read in the order of its worth. */
#ifndef GOSNAP_GATHER_H
#define GOSNAP_GATHER_H

#include "src/snapshot/graph.h"

/* From the running process: first goroutines that everyone looks for, then one of each group,
 * small groups first, then the others; then what they refer to, by the number of references. */
void gather_rehearse(struct graph *graph);
/* While the process is stopped: the same for goroutines that have run since. False: there was
 * not time for all. */
bool gather_changed(struct graph *graph);

#endif
