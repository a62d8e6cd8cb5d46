/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/extras_printers.h"
#include "printers/goroutine/frame.h"

static void print_deferred(struct sink *out, struct runtime *rt, const struct deferred *d)
{
	struct code_frame f;

	sink_begin(out, SINK_OBJECT);
	if (d->function && runtime_code_at(rt, d->function, &f))
		print_code_location(out, &f);
	if (d->pc && runtime_call_before(rt, d->pc, &f)) {
		sink_named_begin(out, "deferred_by", SINK_OBJECT);
		print_code_location(out, &f);
		sink_end(out);
	}
	if (d->frame >= 0)
		sink_named_int(out, "frame", d->frame);
	sink_named_address(out, "sp", d->sp);
	if (d->open_coded)
		sink_named_bool(out, "open_coded", true);
	if (d->unreadable)
		sink_named_string(out, "unreadable", runtime_reason(rt, d->unreadable));
	sink_end(out);
}

void print_defers(struct sink *out, struct runtime *rt, const struct goroutine *g)
{
	const struct defer_list *defers = runtime_defers(rt, g);

	if (!defers)
		return;
	sink_named_begin(out, "defers", SINK_ARRAY);
	for (size_t i = 0; i < defers->count; i++)
		print_deferred(out, rt, &defers->list[i]);
	print_rest(out, rt, defers->unreadable, 0);
	sink_end(out);
}
