/* SPDX-License-Identifier: Apache-2.0 */
/* Their unread content: bytes/buffer.go, strings/builder.go. */
#include "lib/base/utf8.h"
#include "printers/known/known.h"

static bool add_bytes(struct printing *p, const struct value *v, const char *path,
		      uint64_t from, struct known_words *ret)
{
	struct value bytes;
	struct slice_value s;
	struct err ignored;
	char buf[sizeof(ret->bytes)];

	if (!known_field(p, v, path, &bytes) || type_kind(bytes.type) != KIND_SLICE ||
	    !runtime_slice(p->rt, &bytes, &s, &ignored) || from > s.len)
		return false;
	size_t len = s.len - from < sizeof(buf) ? (size_t)(s.len - from) : sizeof(buf);
	if (!known_letters(p, s.addr + from, buf, len))
		return false;
	if (len < s.len - from)
		len = utf8_cut(buf, len);
	if (!utf8_valid(buf, len))
		return false;
	known_add_bytes(ret, buf, len);
	return true;
}

bool text_of_buffer(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t off;

	return known_number(p, v, "off", &off) && add_bytes(p, v, "buf", off, ret);
}

bool text_of_builder(struct printing *p, const struct value *v, struct known_words *ret)
{
	return add_bytes(p, v, "buf", 0, ret);
}
