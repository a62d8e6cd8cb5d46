/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/utf8.h"
#include "printers/values/value_printers.h"

static void print_text(struct printing *p, const char *bytes, size_t len, uint64_t whole)
{
	if (len < whole)
		len = utf8_cut(bytes, len);
	if (utf8_valid(bytes, len)) {
		sink_name(p->out, "value");
		sink_text(p->out, bytes, len);
	} else {
		sink_named_string(p->out, "encoding", "hex");
		sink_name(p->out, "value");
		sink_hex(p->out, bytes, len);
	}
	if (len < whole)
		print_omitted(p, whole - len, LIMITED_BY_STRING_BYTES);
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
	size_t shown = s.len < p->bounds->string ? (size_t)s.len : p->bounds->string;
	size_t len =
		s.len - shown < SECRETS_BEHIND ? (size_t)s.len : shown + SECRETS_BEHIND;
	AUTO(xfree) char *bytes = xcalloc(len + 1, 1);
	if (!runtime_bytes(p->rt, s.addr, bytes, len, &err)) {
		sink_named_uint(p->out, "len", s.len);
		print_failure(p, &err);
		return;
	}
	const struct shown_text text = { s.addr, bytes, len, shown, s.len };
	if (print_masked(p, "value", &text))
		return;
	sink_named_uint(p->out, "len", s.len);
	print_text(p, bytes, shown, s.len);
}
