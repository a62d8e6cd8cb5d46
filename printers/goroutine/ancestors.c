/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/extras_printers.h"
#include "printers/goroutine/frame.h"

static void print_calls(struct sink *out, struct runtime *rt, const struct ancestor *a)
{
	struct code_frame f;

	sink_named_begin(out, "frames", SINK_ARRAY);
	for (uint32_t i = 0; i < a->pc_count; i++) {
		sink_begin(out, SINK_OBJECT);
		if (runtime_recorded_call(rt, a->pcs[i], &f))
			print_location(out, &f);
		sink_named_address(out, "pc", a->pcs[i]);
		sink_end(out);
	}
	sink_end(out);
}

static void print_ancestor(struct sink *out, struct runtime *rt, const struct ancestor *a)
{
	struct code_frame f;

	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "goroutine", a->id);
	print_calls(out, rt, a);
	if (a->truncated)
		sink_named_bool(out, "truncated", true);
	if (a->id != 1 && runtime_call_before(rt, a->created_pc, &f)) {
		sink_named_begin(out, "created_by", SINK_OBJECT);
		print_code_location(out, &f);
		sink_end(out);
	}
	if (a->unreadable)
		sink_named_string(out, "unreadable", runtime_reason(rt, a->unreadable));
	sink_end(out);
}

void print_ancestors(struct sink *out, struct runtime *rt, const struct goroutine *g)
{
	const struct ancestor_list *ancestors = runtime_ancestors(rt, g);

	if (!ancestors)
		return;
	sink_named_begin(out, "ancestors", SINK_ARRAY);
	for (size_t i = 0; i < ancestors->count; i++)
		print_ancestor(out, rt, &ancestors->list[i]);
	print_rest(out, rt, ancestors->unreadable, ancestors->omitted);
	sink_end(out);
}
