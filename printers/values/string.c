/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/utf8.h"
#include "printers/values/buffer.h"

/* use: of n bytes. */
static void print_text(struct printing *p, const char *bytes, size_t len,
		       const struct buffer_use *use, uint64_t n)
{
	if (len < n)
		len = utf8_cut(bytes, len);
	if (utf8_valid(bytes, len)) {
		sink_name(p->out, "value");
		sink_text(p->out, bytes, len);
	} else {
		sink_named_string(p->out, "encoding", "hex");
		sink_name(p->out, "value");
		sink_hex(p->out, bytes, len);
	}
	print_other_bytes(p, use, len, n);
}

void print_string(struct printing *p, const struct value *v)
{
	struct text_value s;
	struct err err;

	if (!runtime_string(p->rt, v, &s, &err)) {
		print_kept_size(p, v);
		print_failure(p, &err);
		return;
	}
	if (!is_length(p, s.len, s.addr, 1)) {
		print_nowhere(p);
		return;
	}
	const char *beyond = row_reaches_beyond(p, s.len, s.addr, 1);
	if (beyond) {
		sink_named_uint(p->out, "len", s.len);
		print_unreadable(p, beyond);
		return;
	}
	const struct buffer_use use = take_buffer_use(p, s.addr, s.len);
	size_t shown = use.end < p->bounds->string ? (size_t)use.end : p->bounds->string;
	size_t len = use.end - shown < SECRETS_BEHIND ? (size_t)use.end
						      : shown + SECRETS_BEHIND;
	search_unused(p, s.addr, &use, s.len);
	AUTO(xfree) char *bytes = xcalloc(len + 1, 1);
	if (!runtime_bytes(p->rt, s.addr, bytes, len, &err)) {
		sink_named_uint(p->out, "len", s.len);
		print_failure(p, &err);
		return;
	}
	const struct shown_text text = {
		s.addr, bytes, len, shown, use.end, &use, s.len
	};
	if (print_masked(p, "value", &text))
		return;
	sink_named_uint(p->out, "len", s.len);
	print_text(p, bytes, shown, &use, s.len);
}
