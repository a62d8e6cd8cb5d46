/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - a hash table from two words to one. Keys may be hostile: nobody outside knows
 * which of them share a slot. */
#ifndef GOSNAP_TABLE_H
#define GOSNAP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {
	struct table_slot *slots; /* private; all zero: empty */
	size_t count, size;
};

/* 0: the key is not in the table. */
uint64_t table_get(const struct table *t, uint64_t a, uint64_t b);
/* Replaces what the key had. value: not 0. */
void table_set(struct table *t, uint64_t a, uint64_t b, uint64_t value);
/* For a set of keys. False: it was there already. */
bool table_add(struct table *t, uint64_t a, uint64_t b);
/* The values, in no order: starts with *at 0; returns 0 at the end. The table must not change
 * meanwhile. */
uint64_t table_next(const struct table *t, size_t *at);
/* Keeps the memory for reuse. */
void table_clear(struct table *t);
void table_free(struct table *t); /* leaves it empty */

/* Makes keys of more words, which may be hostile too. Differs from run to run. */
uint64_t table_hash(uint64_t a, uint64_t b);
uint64_t table_hash_bytes(const void *bytes, size_t len);

#endif
