/* SPDX-License-Identifier: Apache-2.0 */
/* heap_ways.h - what is live in a heap as a profile: its frames are the types on the shortest way from a root
 * to an object, the root outermost. */
#ifndef GOSNAP_HEAP_WAYS_H
#define GOSNAP_HEAP_WAYS_H

#include "lib/base/util.h"

struct capture;
struct heap_summary;
struct pprof;

/* Adds a sample for each of the ways that the summary has. */
void heap_ways_encode(const struct heap_summary *s, struct pprof *to);
/* Before the first. */
void heap_ways_begin(const struct capture *c, struct pprof *to);

#endif
