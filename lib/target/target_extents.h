/* SPDX-License-Identifier: Apache-2.0 */
/* target_extents.h - what was copied out of a stopped process, as a target.
 * While it is open, a read that misses goes through to the live target and is kept, in
 * whole pages; bulk pieces (stacks, g structs) are added in large vectored reads. Once it
 * is sealed the process may run: what is not there says "not captured". */
#ifndef GOSNAP_TARGET_EXTENTS_H
#define GOSNAP_TARGET_EXTENTS_H

#include "lib/target/target.h"

/* Takes the mappings and threads of live over as copies; live stays the caller's and must
 * outlive the call to seal. */
struct target *target_extents_new(struct target *live);
/* The same in two steps: before live is stopped, with memory at hand for that many bytes, so
 * that the kernel need not find and clear it in the meantime; and when live stands. */
struct target *target_extents_prepare(struct target *live, uint64_t bytes);
void target_extents_begin(struct target *t);

struct extent_range {
	uint64_t addr;
	uint64_t len;
};

/* Copies ranges (overlaps allowed; they are put in order) with large vectored reads.
 * A range that cannot be read as a whole is kept as far as it can. Over
 * LIMIT_EXTENT_BYTES in all: what goes past it is left out, *ret_left_out bytes. */
void target_extents_add(struct target *t, struct extent_range *ranges, size_t n,
			uint64_t *ret_left_out);

/* For what is looked at piece by piece and need not be kept: whatever is read or added from
 * here on is dropped by the next call, or by target_extents_pass_end(). */
void target_extents_pass(struct target *t);
void target_extents_pass_end(struct target *t);

/* From here on nothing is read from the process. */
void target_extents_seal(struct target *t);

uint64_t target_extents_bytes(const struct target *t);

#endif
