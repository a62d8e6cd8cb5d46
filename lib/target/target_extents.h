/* SPDX-License-Identifier: Apache-2.0 */
/* target_extents.h - memory copied from a stopped process, as a target.
 * While it is open, a read that misses goes to the live target and is kept, in whole
 * pages; bulk data (stacks, g structs) is added by large vectored reads. Once it is
 * sealed the process may run: reads that miss report "not captured". */
#ifndef GOSNAP_TARGET_EXTENTS_H
#define GOSNAP_TARGET_EXTENTS_H

#include "lib/target/target.h"

/* Copies live's mappings and threads. live stays the caller's and must outlive the call
 * to seal. */
struct target *target_extents_new(struct target *live);
/* The same in two steps: before live is stopped, with that much memory preallocated,
 * so that the kernel need not find and clear it during the stop; and when live is
 * stopped. */
struct target *target_extents_prepare(struct target *live, uint64_t bytes);
void target_extents_begin(struct target *t);

struct extent_range {
	uint64_t addr;
	uint64_t len;
};

/* Copies ranges (which may overlap, and get sorted) with large vectored reads. Keeps as
 * much of a range as is readable. *ret_left_out: bytes omitted beyond LIMIT_EXTENT_BYTES
 * in total. */
void target_extents_add(struct target *t, struct extent_range *ranges, size_t n,
			uint64_t *ret_left_out);

/* For data that is examined piece by piece and not kept: whatever is read or added from
 * now on is dropped by the next call. */
void target_extents_pass(struct target *t);
/* For data that will be examined again when t is sealed: passes drop nothing. */
void target_extents_keep_all(struct target *t);

/* To read the same memory again later, at once: records the pages that reads fetch from
 * now on, but not what is added. */
void target_extents_record(struct target *t);
/* Ends that: those pages, in the order in which they were fetched first. The caller frees
 * the list. */
struct extent_range *target_extents_recorded(struct target *t, size_t *ret_n);

/* From now on nothing is read from the process. */
void target_extents_seal(struct target *t);

uint64_t target_extents_bytes(const struct target *t);

#endif
