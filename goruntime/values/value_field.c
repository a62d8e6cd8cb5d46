/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/value.h"
#include "goruntime/values/values.h"

bool runtime_behind(struct runtime *rt, const struct value *v, struct value *ret)
{
	struct interface_value in;
	struct err ignored;
	uint64_t to;

	*ret = *v;
	if (type_kind(ret->type) == KIND_INTERFACE) {
		if (!runtime_interface(rt, v, &in, &ignored) || !in.inside.type)
			return false;
		*ret = in.inside;
	}
	if (type_kind(ret->type) != KIND_POINTER)
		return true;
	const struct type *elem = type_elem(ret->type);
	if (!elem || !value_words(rt, ret->addr, &to, 1, &ignored) || !to)
		return false;
	*ret = (struct value){ elem, to };
	return true;
}

static const struct type_field *field_named(const struct type *type, const char *name,
					    size_t len)
{
	for (size_t i = 0; i < type_field_count(type); i++) {
		const struct type_field *f = type_field(type, i);
		if (strncmp(f->name, name, len) == 0 && !f->name[len])
			return f;
	}
	return NULL;
}

static bool follow(struct runtime *rt, const struct value *v, const char *path,
		   size_t len, struct value *ret)
{
	struct value at = *v;

	for (const char *end = path + len; path < end;) {
		size_t n = strcspn(path, ".|");
		if (type_kind(at.type) == KIND_POINTER && !runtime_behind(rt, &at, &at))
			return false;
		const struct type_field *f = field_named(at.type, path, n);
		if (!f || !f->type)
			return false;
		at = (struct value){ f->type, at.addr + f->off };
		path += n + 1;
	}
	*ret = at;
	return true;
}

bool runtime_field(struct runtime *rt, const struct value *v, const char *paths,
		   struct value *ret)
{
	while (*paths) {
		size_t len = strcspn(paths, "|");
		if (follow(rt, v, paths, len, ret))
			return true;
		paths += len + (paths[len] == '|');
	}
	return false;
}

bool runtime_number(struct runtime *rt, const struct value *v, const char *paths,
		    uint64_t *ret)
{
	uint64_t number = 0; /* ret may be &v->addr */
	struct value field;
	struct err ignored;
	bool ok = runtime_field(rt, v, paths, &field) && type_size(field.type) >= 1 &&
		  type_size(field.type) <= sizeof(number) &&
		  runtime_bytes(rt, field.addr, &number, (size_t)type_size(field.type),
				&ignored);

	*ret = number;
	return ok;
}
