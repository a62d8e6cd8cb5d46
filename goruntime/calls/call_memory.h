/* SPDX-License-Identifier: Apache-2.0 */
/* call_memory.h - a target with what a probe copied of a call, and what never changes of the file.
 * Private to goruntime/calls. */
#ifndef GOSNAP_CALL_MEMORY_H
#define GOSNAP_CALL_MEMORY_H

#include "goruntime/calls/calls.h"
#include "lib/elf/target_image.h"

struct runtime;

/* file: of img, target_image_new(). Both must outlive it. All of the file can be read, until
 * call_memory_set(). */
struct target *call_memory_new(struct target *file, const struct image *img);
/* Tables that are relocated are read now. */
void call_memory_opened(struct target *t, struct runtime *rt);
/* A word of the record that was set. */
uint64_t call_memory_word(struct target *t, size_t at);
void call_memory_set(struct target *t, const struct call_record *record);

#endif
