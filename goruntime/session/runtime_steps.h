/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_steps.h - one runtime's part of the three steps of runtimes.h. Private to goruntime. */
#ifndef GOSNAP_RUNTIME_STEPS_H
#define GOSNAP_RUNTIME_STEPS_H

#include "goruntime/runtime/runtime_priv.h"

/* Never NULL; build becomes its own. */
struct runtime *runtime_open(struct runtimes *shared, const struct image *img,
			     struct build_info *build, const char *assume_go);
void runtime_close(struct runtime *rt);
bool runtime_has_module_in(const struct runtime *rt, const struct image *img);
/* The g structs, of the target as it stands; the M of each thread, of the frozen one. */
void runtime_read(struct runtime *rt, struct target *source);
/* Reads the stacks of goroutine i and of some thousand that follow, up to end, as they are
 * ordered in memory or in the document; returns the first that is not among them. */
size_t runtime_read_ahead(struct runtime *rt, size_t i, size_t end, bool in_document);
void runtime_read_machines(struct runtime *rt);
/* After the threads were walked: what stands on them, and the stacks of all others. */
void runtime_capture(struct runtime *rt);
void runtime_decode(struct runtime *rt);

#endif
