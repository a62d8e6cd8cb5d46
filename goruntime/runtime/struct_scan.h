/* SPDX-License-Identifier: Apache-2.0 */
/* struct_scan.h - reads many small structs of one kind while the process is stopped: in
 * address order, neighbours in one read. Keeps nothing: the callback gets each struct
 * once and reduces it to what it needs. Private to goruntime. */
#ifndef GOSNAP_STRUCT_SCAN_H
#define GOSNAP_STRUCT_SCAN_H

#include "lib/target/target.h"

struct struct_scan_item {
	uint64_t addr;
	uint64_t tag; /* for the caller */
};

/* bytes: borrowed until fn returns; NULL: unreadable. */
typedef void struct_scan_fn(void *arg, const struct struct_scan_item *item,
			    const uint8_t *bytes);

/* Sorts items by address and calls fn for each in that order. size is at most
 * LIMIT_STRUCT_BYTES; fn must not call struct_scan(). */
void struct_scan(struct target *t, struct struct_scan_item *items, size_t n, size_t size,
		 struct_scan_fn *fn, void *arg);

/* Sorts items by address and removes duplicates. Returns how many are left. */
size_t struct_scan_distinct(struct struct_scan_item *items, size_t n);

#endif
