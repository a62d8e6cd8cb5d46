/* SPDX-License-Identifier: Apache-2.0 */
/* collector.h - what the findings about the garbage collector share. Private to src/findings. */
#ifndef GOSNAP_COLLECTOR_H
#define GOSNAP_COLLECTOR_H

#include "src/findings/state/state.h"

/* Objects fill all that the memory limit leaves for the heap, and it is collected again and
 * again, without use. */
bool collector_is_at_limit(const struct finder *f, const struct gc_state *gc);
/* The last collections took less than a second each, with all between them, until now. */
bool collector_goes_on(const struct finder *f, const struct gc_state *gc);
/* Has it used more than half of the processors lately? Up to 1.18 not known. */
bool collector_is_busy(const struct gc_state *gc);
/* Does it take more time than the program: gc_overload? */
bool collector_is_overloaded(const struct finder *f, const struct runtime_state *s);
/* "; the last 16 collections ended within 1.2 s" */
void say_collections(struct text *text, const struct gc_state *gc);
/* ". 20 MiB of objects remain after each" */
void say_remains(struct text *text, const struct gc_state *gc);

#endif
