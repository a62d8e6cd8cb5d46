/* SPDX-License-Identifier: Apache-2.0 */
/* export_parts.h - which parts of memory a core file has: few enough for debuggers, which take a
 * time that grows with the square of their number, and without what nobody asked for. */
#ifndef GOSNAP_EXPORT_PARTS_H
#define GOSNAP_EXPORT_PARTS_H

#include "lib/corefile/core_write.h"
#include "lib/target/memory_set.h"

enum {
	EXPORT_PARTS_MAX = 4000,
	EXPORT_GAP = WORD, /* bytes: smaller ones are never left out */
};

/* Covers the words of set that are in readable mappings of t. Larger gaps are in a part only if
 * there were too many parts otherwise: then the smallest ones are filled. The caller frees the
 * list. */
struct core_part *export_parts(struct memory_set *set, const struct target *t,
			       size_t *ret_n);

#endif
