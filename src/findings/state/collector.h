/* SPDX-License-Identifier: Apache-2.0 */
/* collector.h - functions that the findings about the garbage collector share. Private to
 * src/findings. */
#ifndef GOSNAP_COLLECTOR_H
#define GOSNAP_COLLECTOR_H

#include "src/findings/state/state.h"

/* Do objects fill all that the memory limit leaves for the heap, so that it is collected
 * again and again to no use? */
bool collector_is_at_limit(const struct finder *f, const struct gc_state *gc);
/* Have collections followed each other until now, in less than a second each, including
 * the time between them? */
bool collector_goes_on(const struct finder *f, const struct gc_state *gc);
/* Has the collector used more than half of the processors lately? Not known up to Go
 * 1.18. */
bool collector_is_busy(const struct gc_state *gc);
/* Does the collector take more time than the program? See gc_overload.c. */
bool collector_is_overloaded(const struct finder *f, const struct runtime_state *s);
/* Adds "; the last 16 collections ended within 1.2 s". */
void say_collections(struct text *text, const struct gc_state *gc);
/* Adds ". 20 MiB of objects remain after each". */
void say_remains(struct text *text, const struct gc_state *gc);

#endif
