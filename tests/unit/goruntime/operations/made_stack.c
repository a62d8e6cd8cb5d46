/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/goruntime/operations/made_stack.h"

#include <string.h>

#include "tests/unit/lib/target_bytes.h"

uint64_t words[0x200 / WORD];
struct runtime runtime;

struct bytes modules_bytes(struct modules *m, uint64_t addr)
{
	static const uint64_t constant = 0x77;

	(void)m;
	return addr == 0x900 ? bytes_over(&constant, sizeof(constant))
			     : (struct bytes){ .bad = true };
}

int open_stack(void **state)
{
	const struct target_bytes_part part = { .addr = STACK,
						.bytes = words,
						.len = sizeof(words) };

	(void)state;
	made_begin();
	memset(words, 0, sizeof(words));
	runtime = (struct runtime){ .target = target_bytes_new(&part, 1) };
	for (size_t i = 0; i < LAYOUT_SLOTS; i++)
		runtime.layout.slot[i].off = -1;
	runtime.layout.slot[L_funcdata_arg_info].off = 0;
	return 0;
}

int close_stack(void **state)
{
	(void)state;
	target_close(runtime.target);
	return 0;
}
