/* SPDX-License-Identifier: Apache-2.0 */
/* made_walk.h - follows a made-up function 0, for the tests of goruntime/operations/walk.h. */
#ifndef TESTS_UNIT_GORUNTIME_OPERATIONS_MADE_WALK_H
#define TESTS_UNIT_GORUNTIME_OPERATIONS_MADE_WALK_H

#include "goruntime/operations/walk.h"
#include "tests/unit/goruntime/operations/made_code.h"
#include "tests/unit/goruntime/operations/made_stack.h"

#define LOCK UINT64_C(0x5000)

/* What the last walk came across. */
extern struct event_list events;

/* For cmocka, after each test that open_stack() began. */
int end_walk(void **state);
/* Function 0, from its first instruction on. */
struct walk_of whole(void);
/* Follows at most so many instructions. */
void walk_for(const struct walk_of *of, int64_t budget);
void walk_all(void);
void assert_event(size_t i, enum operation operation, uint64_t addr, uint64_t pc,
		  bool surely);
/* Adds an instruction to function 0. */
void move(struct operand to, struct operand from);
void call(unsigned routine);

#endif
