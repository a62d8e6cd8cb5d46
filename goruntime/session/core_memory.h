/* SPDX-License-Identifier: Apache-2.0 */
/* core_memory.h - the memory by which a debugger finds goroutines, threads and their stacks in a
 * core: what a core file needs of Go, whatever else is in it. What was tried: without any one of
 * these, Delve or gdb loses goroutines or frames. Reads nothing but the chain of Ms. */
#ifndef GOSNAP_CORE_MEMORY_H
#define GOSNAP_CORE_MEMORY_H

#include "goruntime/session/runtimes.h"
#include "lib/target/memory_set.h"

/* After runtimes_capture(). Adds to own what is the runtime's own: allgs, each g, the Ms with their
 * g0 and gsignal. Adds to stacks those in use (of goroutines that run: all of it), and what is on the
 * threads' own. */
void runtimes_core_memory(const struct runtimes *all, struct memory_set *own,
			  struct memory_set *stacks);

#endif
