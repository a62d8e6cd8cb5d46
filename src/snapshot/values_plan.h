/* SPDX-License-Identifier: Apache-2.0 */
/* values_plan.h - decides which goroutines get values if space does not suffice for all;
 * numbers only. Small groups come first, and large groups get equal shares: no goroutine
 * has values while another group with no more members has fewer goroutines with values
 * than would fit. The size of a goroutine is predicted from others of its group. */
#ifndef GOSNAP_VALUES_PLAN_H
#define GOSNAP_VALUES_PLAN_H

#include "lib/base/util.h"

struct values_plan;

/* budget: bytes of the document for all goroutines. */
struct values_plan *values_plan_new(size_t groups, uint64_t budget);
void values_plan_free(struct values_plan *plan);
DEFINE_AUTO(struct values_plan, values_plan_free)
/* Call before anything else. */
void values_plan_set_count(struct values_plan *plan, size_t group, uint32_t count);

/* Records the size of a goroutine, actual or hypothetical, for predictions. */
void values_plan_measured(struct values_plan *plan, size_t group, bool values,
			  uint64_t bytes);
/* Recomputes the plan from all sizes so far. */
void values_plan_make(struct values_plan *plan);

/* Does the next goroutine of the group get values? urgent: ahead of all others.
 * *ret_bytes is its predicted size, which is then reserved. */
bool values_plan_next(struct values_plan *plan, size_t group, bool urgent,
		      uint64_t *ret_bytes);
/* Reserves more bytes in case predicted sizes are too low. Returns how many. */
uint64_t values_plan_set_aside(struct values_plan *plan, uint64_t estimated);
/* Reserves space for a goroutine of the group that will be urgent. */
void values_plan_keep(struct values_plan *plan, size_t group);
/* Replaces the predicted and set-aside bytes by those that were actually written. */
void values_plan_written(struct values_plan *plan, uint64_t estimated, uint64_t set_aside,
			 uint64_t bytes);
/* How much may be written now beyond what is predicted and set aside, with space left for
 * the stacks of all others. */
uint64_t values_plan_spare(const struct values_plan *plan);

#endif
