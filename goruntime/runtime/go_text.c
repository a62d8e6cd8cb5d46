/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/go_text_priv.h"

#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"
#include "lib/base/utf8.h"

size_t text_room(struct go_string s)
{
	return s.len < LIMIT_TEXT_BYTES ? (size_t)s.len : LIMIT_TEXT_BYTES;
}

struct go_text text_read(struct runtime *rt, struct go_string s, char *buf)
{
	struct go_text ret = { .bytes = buf, .len = text_room(s) };
	struct err err;

	if (!target_read(rt->target, s.addr, buf, ret.len, &err))
		return (struct go_text){ .unreadable = reason_add(rt, "%s", err.text) };
	if (s.len > ret.len)
		ret.len = utf8_cut(buf, ret.len);
	ret.omitted = s.len - ret.len;
	return ret;
}
