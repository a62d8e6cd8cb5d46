/* SPDX-License-Identifier: Apache-2.0 */
/* paths.h - the shortest ways from roots to objects. Four bytes of memory for each object of the heap. */
#ifndef GOSNAP_PATHS_H
#define GOSNAP_PATHS_H

#include "goruntime/retention/heap_summary.h"
#include "goruntime/retention/retained.h"

/* One path for each address, in *ret, for the caller to free with heap_paths_free(). Marks all roots again.
 * False: ERR_LIMIT; nothing is in *ret. */
MUST_CHECK bool heap_paths_find(struct heap *heap, const uint64_t *addrs, size_t n,
				struct heap_path **ret, struct err *err);
void heap_paths_free(struct heap_path *paths, size_t n);

/* The shortest ways to all objects, by the types on them. Likewise. */
MUST_CHECK bool heap_ways_find(struct heap *heap, struct heap_way **ret, size_t *ret_n,
			       struct err *err);
void heap_ways_free(struct heap_way *ways, size_t n);

#endif
