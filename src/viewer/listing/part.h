/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - some goroutines of a document, as a document: with their groups and threads, who waits with
 * them, the findings that name them or none, and the objects that they refer to. */
#ifndef GOSNAP_PART_H
#define GOSNAP_PART_H

#include <stddef.h>
#include <stdint.h>

struct model;
struct sink;

/* rows: of the model, in its order. */
void part_write(struct model *m, const uint32_t *rows, size_t count, struct sink *out);

#endif
