/* SPDX-License-Identifier: Apache-2.0 */
/* map.h - one iteration over a map, whichever of its two forms it has (map_classic.c,
 * map_swiss.c): the form is known by the fields of its header. Private to goruntime. */
#ifndef GOSNAP_MAP_H
#define GOSNAP_MAP_H

#include "goruntime/values/value.h"
#include "goruntime/values/values.h"

struct map_walk {
	struct runtime *rt;
	const struct type *header; /* map<K,V> or hash<K,V>; NULL: none is described */
	const struct type *group; /* what the descriptor has for it, or bucket; or NULL */
	uint64_t addr;
	const struct type *key, *elem;
	map_entry_fn *fn;
	void *arg;
	bool over;	    /* fn has seen enough */
	uint64_t looked_at; /* groups, buckets and tables */
};

/* Both: false, err says why there are no more entries. */
MUST_CHECK bool map_classic_each(struct map_walk *w, struct err *err);
MUST_CHECK bool map_swiss_each(struct map_walk *w, struct err *err);

/* Of swiss maps; else it is a bucket. */
bool map_is_group(const struct type *type);

/* Keys and elements of more than 128 bytes are kept elsewhere, with a pointer in their place
 * (runtime/map.go maxKeySize, internal/abi/map_swiss.go SwissMapMaxKeyBytes). */
bool map_is_indirect(const struct type *type);
/* Counts a group, bucket or table. False, ERR_LIMIT: a damaged map may have no end. */
MUST_CHECK bool map_count(struct map_walk *w, struct err *err);
/* Hands an entry over; at: where its key and element, or pointers to them, are. */
MUST_CHECK bool map_entry(struct map_walk *w, uint64_t key_at, uint64_t elem_at,
			  struct err *err);

#endif
