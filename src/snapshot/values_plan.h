/* SPDX-License-Identifier: Apache-2.0 */
/* values_plan.h - which goroutines get values when there is no room for those of all: numbers
 * only. Goroutines of small groups come first, and of large ones as many of each: no goroutine
 * of a group has values while another group, of no more members, has fewer with values than it
 * could. What a goroutine will take is foretold by what others of its group took. */
#ifndef GOSNAP_VALUES_PLAN_H
#define GOSNAP_VALUES_PLAN_H

#include "lib/base/util.h"

struct values_plan;

/* room: bytes that all goroutines may take. */
struct values_plan *values_plan_new(size_t groups, uint64_t room);
void values_plan_free(struct values_plan *plan);
DEFINE_AUTO(struct values_plan, values_plan_free)
/* Before anything else. */
void values_plan_set_count(struct values_plan *plan, size_t group, uint32_t count);

/* What a goroutine took, or would take: it is one more to judge others by. */
void values_plan_measured(struct values_plan *plan, size_t group, bool values,
			  uint64_t bytes);
/* Makes the plan anew by all that was measured. */
void values_plan_make(struct values_plan *plan);

/* The next of a group: does it get values? urgent: before all others. *ret_bytes is what it is
 * foretold to take, which nobody else gets. */
bool values_plan_next(struct values_plan *plan, size_t group, bool urgent,
		      uint64_t *ret_bytes);
/* Sets bytes aside, should those that some are foretold to take be too few. Returns how many. */
uint64_t values_plan_set_aside(struct values_plan *plan, uint64_t foretold);
/* Room for one of a group that will be urgent is kept from now on. */
void values_plan_keep(struct values_plan *plan, size_t group);
/* They have been written: bytes in place of those that were foretold and set aside. */
void values_plan_written(struct values_plan *plan, uint64_t foretold, uint64_t set_aside,
			 uint64_t bytes);
/* How much more than what is foretold and set aside may be written now, stacks of all others left room
 * for. */
uint64_t values_plan_spare(const struct values_plan *plan);

#endif
