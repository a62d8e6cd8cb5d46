/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/document/value_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Variable names may contain dots, as package paths do: take the longest that exists. */
static const char *find_variable(struct runtime *rt, const char *path, struct value *ret,
				 struct err *err)
{
	AUTO(xfree) char *name = xstrdup(path);
	struct err first;
	size_t len = strcspn(path, "[");

	name[len] = '\0';
	if (runtime_global(rt, name, ret, &first))
		return path + len;
	*err = first;
	for (char *dot; (dot = strrchr(name, '.'));) {
		*dot = '\0';
		if (runtime_global(rt, name, ret, &first))
			return path + (dot - name);
	}
	return NULL;
}

static void add_step(struct value_path *path, struct value_step step)
{
	GROW(path->steps, path->count, path->cap);
	path->steps[path->count++] = step;
}

static bool follow_pointers(struct runtime *rt, struct value *v, struct value_path *path,
			    struct err *err)
{
	enum { POINTERS_MAX = 8 };

	for (int i = 0; i < POINTERS_MAX && type_kind(v->type) == KIND_POINTER; i++) {
		const struct type *elem = type_elem(v->type);
		uint64_t to;
		if (!runtime_bytes(rt, v->addr, &to, sizeof(to), err))
			return false;
		if (!to)
			return err_set(err, ERR_NOT_FOUND, "%s in the path is nil",
				       type_name(v->type));
		if (!elem)
			break;
		add_step(path, (struct value_step){ .of = *v });
		*v = (struct value){ elem, to };
	}
	return true;
}

static bool take_field(struct value *v, const char *name, size_t len,
		       struct value_path *path, struct err *err)
{
	for (size_t i = 0; i < type_field_count(v->type); i++) {
		const struct type_field *f = type_field(v->type, i);
		if (strlen(f->name) != len || strncmp(f->name, name, len) != 0 ||
		    !f->type)
			continue;
		add_step(path, (struct value_step){ .of = *v, .index = i });
		*v = (struct value){ f->type, v->addr + f->off };
		return true;
	}
	return err_set(err, ERR_NOT_FOUND, "%s has no field %.*s", type_name(v->type),
		       (int)len, name);
}

static bool take_element(struct runtime *rt, struct value *v, uint64_t i,
			 struct value_path *path, struct err *err)
{
	const struct type *elem = type_elem(v->type);
	struct slice_value s = { .addr = v->addr, .len = type_count(v->type) };
	enum type_kind kind = type_kind(v->type);

	if ((kind != KIND_SLICE && kind != KIND_ARRAY) || !elem)
		return err_set(err, ERR_NOT_FOUND, "%s cannot be indexed",
			       type_name(v->type));
	if (kind == KIND_SLICE && !runtime_slice(rt, v, &s, err))
		return false;
	if (i >= s.len)
		return err_set(err, ERR_NOT_FOUND,
			       "no element %" PRIu64 ": the length is %" PRIu64, i,
			       s.len);
	add_step(path, (struct value_step){
			       .of = *v, .first = s.addr, .count = s.len, .index = i });
	*v = (struct value){ elem, s.addr + i * type_size(elem) };
	return true;
}

/* One ".field" or "[3]". */
static const char *take_step(struct runtime *rt, const char *at, struct value *v,
			     struct value_path *path, struct err *err)
{
	char *end;

	if (!follow_pointers(rt, v, path, err))
		return NULL;
	if (*at == '.') {
		size_t len = strcspn(at + 1, ".[");
		return take_field(v, at + 1, len, path, err) ? at + 1 + len : NULL;
	}
	unsigned long long i = strtoull(at + 1, &end, 10);
	if (*at != '[' || end == at + 1 || *end != ']') {
		err_set(err, ERR_USAGE, "\"%.80s\" is neither .field nor [number]", at);
		return NULL;
	}
	return take_element(rt, v, i, path, err) ? end + 1 : NULL;
}

bool value_by_path(struct runtime *rt, const char *path, struct value *ret,
		   struct value_path *ret_path, struct err *err)
{
	struct value v;
	const char *at = find_variable(rt, path, &v, err);

	if (at)
		ret_path->name_len = (size_t)(at - path);
	while (at && *at)
		at = take_step(rt, at, &v, ret_path, err);
	if (at)
		*ret = v;
	return at != NULL;
}
