/* SPDX-License-Identifier: Apache-2.0 */
/* call_plan.h - what a probe copies of a call. Private to goruntime/calls. */
#ifndef GOSNAP_CALL_PLAN_H
#define GOSNAP_CALL_PLAN_H

#include "goruntime/calls/call_results.h"

struct call_planner {
	struct call_plan *plan;
	size_t to;	/* the next free byte */
	unsigned parts; /* looked at */
};

/* Where the words of a value are in the record. */
struct call_place {
	const struct frame_variables *frame; /* NULL: at `at` */
	const struct pc_variable *variable;
	const struct call_result *result; /* or NULL */
	uint64_t at, size;
};
/* The word at off. False: it will not be in the record. */
bool call_place_at(const struct call_place *p, uint64_t off, uint64_t *ret);
/* What was added, as a place. False: there is no room, or nothing to copy. length_off 0: one element. */
bool call_plan_add(struct call_planner *p, const struct call_place *from,
		   uint64_t addr_off, uint64_t length_off, uint64_t size, uint64_t max,
		   struct call_place *ret);
/* The function, at its entry. False: there is no debugging information. */
bool call_plan_begin(struct runtime *rt, uint64_t entry, struct frame_variables *ret);
/* See calls_plan() and calls_plan_results(). */
void call_plan_make(struct runtime *rt, uint64_t entry, struct call_plan *ret);
void call_plan_make_results(struct runtime *rt, uint64_t entry, struct call_plan *ret);

#endif
