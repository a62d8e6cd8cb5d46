/* SPDX-License-Identifier: Apache-2.0 */
/* profile_records.h - what the runtime counts for its profiles: allocations, blocking, contended
 * mutexes, each with the stack it happened in (runtime/mprof.go). The main header of goruntime/profiles.
 * Knows where the counts are and which of them the runtime publishes, not how a profile is written. */
#ifndef GOSNAP_PROFILE_RECORDS_H
#define GOSNAP_PROFILE_RECORDS_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct runtime;

/* The runtime's numbers. */
enum profile_list { PROFILE_MEMORY = 1, PROFILE_BLOCKING, PROFILE_MUTEXES };

struct profile_record {
	size_t first_pc; /* in pcs, innermost first */
	uint32_t pc_count;
	uint64_t object_bytes; /* of memory: of each object */
	union {
		struct {
			uint64_t allocs, frees;
		} memory; /* of objects */
		struct {
			int64_t count, cycles;
		} waits;
	};
};

/* All zero: empty. */
struct profile_records {
	struct profile_record *list; /* in the runtime's order: the newest stack first */
	size_t count, cap;
	uint64_t *pcs; /* return addresses, or behind the marks of inlined calls */
	size_t pc_count, pc_cap;
	const char *damage; /* why there are no more of them; NULL: there are none */
};

/* Reads all at once: memory must not be sealed yet. What is readable is in *ret in any case. False:
 * the list is not found or not understood. */
MUST_CHECK bool runtime_profile_records(struct runtime *rt, enum profile_list which,
					struct profile_records *ret, struct err *err);
void profile_records_done(struct profile_records *records);

/* Does the runtime write its size with each record of memory, even of no object? */
bool runtime_labels_empty_records(const struct runtime *rt);
/* Is it the program that multiplies counts of contended mutexes by their rate, when it writes a
 * profile? Then they are as they were sampled. */
bool runtime_scales_mutexes_late(const struct runtime *rt);

/* How much is recorded: MemProfileRate, blockprofilerate, mutexprofilerate. False: not known. */
MUST_CHECK bool runtime_profile_rate(struct runtime *rt, enum profile_list which,
				     uint64_t *ret);
/* Has the program no function that would turn it on? */
bool runtime_never_records_blocking(const struct runtime *rt);
/* Cycles of the clock that waits are counted in; 0: the program has not asked for it yet. */
uint64_t runtime_ticks_per_second(struct runtime *rt);

#endif
