/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/types/type_name.h"

#include <inttypes.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/type_reflected.h"
#include "lib/base/bytes.h"

enum {
	EMBEDDED = 8,  /* in a name's flags */
	NAME_HEAD = 6, /* flags, and a length of up to 5 bytes */
};

/* Descriptors made by reflect are in no module; their names are numbers in a table. */
static const struct module *holder(const struct runtime *rt, uint64_t addr)
{
	for (size_t i = 0; i < modules_count(rt->modules); i++) {
		const struct module *m = modules_get(rt->modules, i);
		if (addr >= m->types && addr < m->etypes)
			return m;
	}
	return NULL;
}

/* A byte of flags, then the length: two bytes, high one first, up to Go 1.16; a varint
 * later. No name is empty, so a zero byte means two bytes. In programs of those releases
 * only names of unnamed structs have 256 bytes or more. */
static uint64_t name_length(const uint8_t *head, size_t *ret_head)
{
	if (head[1] == 0) {
		*ret_head = 3;
		return head[2];
	}
	struct bytes b = bytes_over(head + 1, NAME_HEAD - 1);
	uint64_t len = bytes_uvarint(&b);
	*ret_head = (size_t)(b.at - head);
	return b.bad ? 0 : len;
}

bool type_read_name(struct runtime *rt, uint64_t addr, struct go_type *ret,
		    bool *ret_embedded, struct err *err)
{
	uint8_t head[NAME_HEAD];
	size_t skip;

	if (!target_read(rt->target, addr, head, sizeof(head), err))
		return false;
	uint64_t len = name_length(head, &skip);
	if (len == 0)
		return err_set(err, ERR_BAD_DATA, "the name at 0x%" PRIx64 " is damaged",
			       addr);
	ret->name_len = len < sizeof(ret->name) ? (size_t)len : sizeof(ret->name);
	ret->omitted = len - ret->name_len;
	*ret_embedded = head[0] & EMBEDDED;
	return target_read(rt->target, addr + skip, ret->name, ret->name_len, err);
}

bool type_read(struct runtime *rt, uint64_t addr, struct go_type *ret, struct err *err)
{
	return type_read_inside(rt, addr, 0, ret, err);
}

bool type_is_at(struct runtime *rt, uint64_t addr)
{
	struct go_type type;
	struct err ignored;

	if (!addr || addr % WORD)
		return false;
	const bool before = target_set_searching(rt->target, true);
	const bool is_one = type_read(rt, addr, &type, &ignored) &&
			    type.kind > KIND_UNKNOWN && type.kind <= KIND_UNSAFE_POINTER;
	/* What was found counts as read, with all that is behind it. */
	target_set_searching(rt->target, false);
	const bool is_read = is_one && (!target_is_recorded(rt->target) ||
					type_read(rt, addr, &type, &ignored));
	target_set_searching(rt->target, before);
	return is_read;
}

bool type_read_inside(struct runtime *rt, uint64_t addr, int depth, struct go_type *ret,
		      struct err *err)
{
	const struct layout *l = &rt->layout;
	const struct module *m = holder(rt, addr);
	uint64_t head[TYPE_HEAD_BYTES / sizeof(uint64_t)];
	const uint8_t *bytes = (const uint8_t *)head;
	bool ignored;

	if (!layout_has(l, L_type_kind) || !layout_has(l, L_type_str))
		return err_set(err, ERR_UNSUPPORTED,
			       "unknown type layout in this Go version");
	if (!target_read(rt->target, addr, head, sizeof(head), err))
		return false;
	ret->kind = layout_get(l, L_type_kind, bytes, sizeof(head)) & TYPE_KIND_MASK;
	ret->flags = (uint8_t)layout_get(l, L_type_tflag, bytes, sizeof(head));
	if (!m)
		return type_name_reflected(rt, addr, head, depth, ret, err);
	ret->names = m->types;
	uint64_t name = layout_get(l, L_type_str, bytes, sizeof(head));
	if (name >= m->etypes - m->types)
		return err_set(err, ERR_BAD_DATA,
			       "the name of the type at 0x%" PRIx64
			       " is outside its module",
			       addr);
	if (!type_read_name(rt, m->types + name, ret, &ignored, err))
		return false;
	if (ret->flags & TYPE_EXTRA_STAR && ret->name[0] == '*')
		memmove(ret->name, ret->name + 1, --ret->name_len);
	return true;
}

bool type_is_named(const struct go_type *type, const char *name)
{
	return strlen(name) == type->name_len &&
	       memcmp(type->name, name, type->name_len) == 0;
}
