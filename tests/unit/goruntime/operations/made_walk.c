/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/goruntime/operations/made_walk.h"
#include "tests/unit/unit.h"

struct event_list events;

int end_walk(void **state)
{
	xfree(events.list);
	events = (struct event_list){ 0 };
	return close_stack(state);
}

struct walk_of whole(void)
{
	return (struct walk_of){
		.routine = &made[0].routine,
		.begin = made_entry(0),
		.cfa = CFA,
		.stack_low = STACK,
		.stack_valid = STACK,
	};
}

void walk_for(const struct walk_of *of, int64_t budget)
{
	struct walker *w = walker_new(&runtime, NULL);

	*walker_budget(w) = budget;
	events.count = 0;
	walk_code(w, of, &events);
	walker_free(w);
}

void walk_all(void)
{
	const struct walk_of of = whole();

	walk_for(&of, 10000);
}

void assert_event(size_t i, enum operation operation, uint64_t addr, uint64_t pc,
		  bool surely)
{
	assert_true(i < events.count);
	assert_int_equal(events.list[i].operation, operation);
	assert_int_equal(events.list[i].addr, addr);
	assert_int_equal(events.list[i].pc, pc);
	assert_int_equal(events.list[i].surely, surely);
}

void move(struct operand to, struct operand from)
{
	add(INSTRUCTION_MOVE, to, from);
}

void call(unsigned routine)
{
	add_jump(INSTRUCTION_CALL, made_entry(routine));
}
