/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/extras_printers.h"

void print_bubble(struct sink *out, struct runtime *rt, const struct goroutine *g)
{
	struct bubble b;

	if (!runtime_bubble(rt, g, &b))
		return;
	sink_named_begin(out, "bubble", SINK_OBJECT);
	if (b.has_id)
		sink_named_uint(out, "id", b.id);
	sink_named_address(out, "address", b.addr);
	if (b.has_now) {
		sink_name(out, "now");
		sink_time(out, b.now_ns);
	}
	if (b.root)
		sink_named_uint(out, "root", b.root);
	if (b.has_total)
		sink_named_uint(out, "total", b.total);
	if (b.has_running)
		sink_named_uint(out, "running", b.running);
	if (b.unreadable)
		sink_named_string(out, "unreadable", runtime_reason(rt, b.unreadable));
	sink_end(out);
}
