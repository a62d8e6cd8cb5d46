/* SPDX-License-Identifier: Apache-2.0 */
/* core_memory.h - the memory that a core file of the captured process must have, whatever the
 * document needs. */
#ifndef GOSNAP_CAPTURE_CORE_MEMORY_H
#define GOSNAP_CAPTURE_CORE_MEMORY_H

#include "src/capture/capture.h"

/* Variables without a value in the executable are this large together: their pages may be left out. */
enum { CORE_DATA_LARGE = 1 << 20 };

/* These do nothing if options->core_file is not set. First, when c->live is open, then before
 * anything is read of what was captured: c->core.read grows with each read of source from now on,
 * and of c->frozen. */
void core_memory_record(struct capture *c, struct target *source);
/* Forgets what was read of goroutines' stacks so far, in another instant. */
void core_memory_forget_stacks(struct capture *c);
/* After runtimes_capture(). Adds to c->core.regions: what runtimes_core_memory() does, the variables
 * of programs and libraries, the first page of each, their list, arguments and environment. */
void core_memory_choose(struct capture *c, struct target *source);
/* That, and reads it: the process will run on before the core file is written. */
void core_memory_keep(struct capture *c, struct target *source);

#endif
