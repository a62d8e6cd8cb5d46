/* SPDX-License-Identifier: Apache-2.0 */
#include "go_text.h"

#include "limit.h"
#include "runtime_priv.h"

enum { UTF8_MAX = 4 }; /* bytes of a character */

size_t text_room(struct go_string s)
{
	return s.len < LIMIT_TEXT_BYTES ? (size_t)s.len : LIMIT_TEXT_BYTES;
}

size_t text_cut(const char *bytes, size_t len)
{
	size_t tail = 1;

	while (tail < len && tail < UTF8_MAX &&
	       ((uint8_t)bytes[len - tail] & 0xc0) == 0x80)
		tail++;
	uint8_t first = len ? (uint8_t)bytes[len - tail] : 0;
	size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	return whole > tail ? len - tail : len;
}

struct go_text text_read(struct runtime *rt, struct go_string s, char *buf)
{
	struct go_text ret = { .bytes = buf, .len = text_room(s) };
	struct err err;

	if (!target_read(rt->target, s.addr, buf, ret.len, &err))
		return (struct go_text){ .unreadable = reason_add(rt, "%s", err.text) };
	if (s.len > ret.len)
		ret.len = text_cut(buf, ret.len);
	ret.elided = s.len - ret.len;
	return ret;
}
