/* SPDX-License-Identifier: Apache-2.0 */
/* map.h - one iteration over a map of either implementation (map_classic.c, map_swiss.c),
 * told apart by the fields of the header. Private to goruntime. */
#ifndef GOSNAP_MAP_H
#define GOSNAP_MAP_H

#include "goruntime/values/value.h"
#include "goruntime/values/values.h"

/* Buckets (runtime/map.go bmap, up to 1.23). */
enum {
	BUCKET_SLOTS = 8,
	BUCKET_EVACUATED_FIRST = 2, /* the first tophash: its entries have moved */
	BUCKET_EVACUATED_LAST = 4,
	BUCKET_LIVE_FIRST = 5, /* from here on, a tophash of an entry */
	BUCKETS_SAME_SIZE = 8, /* in flags: there are as many old buckets as new ones */
};

struct map_walk {
	struct runtime *rt;
	const struct type *header; /* map<K,V> or hash<K,V>; NULL: none described */
	const struct type *group;  /* group or bucket type from the descriptor; or NULL */
	uint64_t addr;
	uint64_t len; /* entries, as the header says */
	const struct type *key, *elem;
	map_entry_fn *fn;
	void *arg;
	bool over;	    /* fn returned false */
	uint64_t looked_at; /* groups, buckets and tables visited */
};

/* False: err says why there are no more entries. */
MUST_CHECK bool map_classic_each(struct map_walk *w, struct err *err);
MUST_CHECK bool map_swiss_each(struct map_walk *w, struct err *err);

/* Is it a group of a swiss map? Otherwise it is a bucket. */
bool map_is_group(const struct type *type);

/* Keys and elements larger than 128 bytes are stored elsewhere, with a pointer in their
 * place (runtime/map.go maxKeySize, internal/abi/map_swiss.go SwissMapMaxKeyBytes). */
bool map_is_indirect(const struct type *type);
/* slots: of all buckets or tables. False, ERR_BAD_DATA: there are more entries, as where a map was
 * freed, and its memory is used for other things. */
MUST_CHECK bool map_fits(const struct map_walk *w, uint64_t slots, struct err *err);
/* Counts a group, bucket or table. False, ERR_LIMIT: a damaged map may be endless. */
MUST_CHECK bool map_count(struct map_walk *w, struct err *err);
/* Passes an entry to fn. key_at, elem_at: where key and element are, or pointers to
 * them. */
MUST_CHECK bool map_entry(struct map_walk *w, uint64_t key_at, uint64_t elem_at,
			  struct err *err);

#endif
