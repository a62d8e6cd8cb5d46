/* SPDX-License-Identifier: Apache-2.0 */
/* made_stack.h - a runtime whose only memory is one stack, for the tests that follow made-up code. It answers what is
 * requested of modules: a constant of 8 bytes at address 0x900, and nothing elsewhere. */
#ifndef TESTS_UNIT_GORUNTIME_OPERATIONS_MADE_STACK_H
#define TESTS_UNIT_GORUNTIME_OPERATIONS_MADE_STACK_H

#include "goruntime/runtime/runtime_priv.h"
#include "tests/unit/goruntime/operations/made_code.h"

#define STACK UINT64_C(0x7000000)	/* the address of words[0] */
#define CFA (STACK + 0x100)		/* of function 0 */
#define FRAME (CFA - WORD - MADE_FRAME) /* the stack pointer of function 0 */

extern uint64_t words[0x200 / WORD];
extern struct runtime runtime;

/* For cmocka: before and after each test. */
int open_stack(void **state);
int close_stack(void **state);

#endif
