/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_steps.h - what one runtime does in each of the three steps of runtimes.h.
 * Private to goruntime. */
#ifndef GOSNAP_RUNTIME_STEPS_H
#define GOSNAP_RUNTIME_STEPS_H

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/session/runtimes.h"

/* Never NULL. Takes ownership of build. */
struct runtime *runtime_open(struct runtimes *shared, const struct image *img,
			     struct build_info *build, const char *assume_go);
void runtime_close(struct runtime *rt);
bool runtime_has_module_in(const struct runtime *rt, const struct image *img);
/* Reads the g structs from source. runtime_read_machines() reads the M of each thread,
 * from the frozen target. */
void runtime_read(struct runtime *rt, struct target *source);
/* Reads the stacks of goroutine i and of up to a few thousand that follow it, before end,
 * in document or in memory order. Returns the first goroutine whose stack was not
 * read. */
size_t runtime_read_ahead(struct runtime *rt, size_t i, size_t end, bool in_document);
void runtime_read_machines(struct runtime *rt);
/* After the threads have been walked: unwinds what is on threads and captures all other
 * stacks. */
void runtime_capture(struct runtime *rt);
void runtime_decode(struct runtime *rt);
/* See runtimes_rewind() and runtimes_each_ran(). */
void runtime_rewind(struct runtime *rt, struct target *live);
bool runtime_each_ran(struct runtime *rt, const struct ran_goroutines *to);
/* earlier.c: before the goroutines are forgotten. */
void earlier_stacks_note(struct runtime *rt);

#endif
