/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/values/value_plausible.h"

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/value.h"

enum {
	PARTS_MAX = 64, /* of each struct and array */
	BOOL_MAX = 1,
};

struct sense {
	struct runtime *rt;
	int pointers; /* how many more to follow */
	struct type_walk *walk;
};

static bool makes_sense(const struct sense *from, const struct value *v, int pointers);

static bool is_there(struct runtime *rt, uint64_t addr, uint64_t len)
{
	struct err ignored;
	uint8_t byte;

	return len == 0 ||
	       (len - 1 <= UINT64_MAX - addr &&
		runtime_bytes(rt, addr, &byte, sizeof(byte), &ignored) &&
		runtime_bytes(rt, addr + len - 1, &byte, sizeof(byte), &ignored));
}

static bool bool_makes_sense(const struct sense *s, const struct value *v)
{
	struct err ignored;
	uint8_t byte;

	return runtime_bytes(s->rt, v->addr, &byte, sizeof(byte), &ignored) &&
	       byte <= BOOL_MAX;
}

static bool pointer_makes_sense(const struct sense *s, const struct value *v)
{
	struct err ignored;
	struct value to = { type_elem(v->type), 0 };

	if (!value_words(s->rt, v->addr, &to.addr, 1, &ignored))
		return false;
	if (!to.addr || !to.type)
		return true;
	return is_there(s->rt, to.addr, type_size(to.type)) &&
	       (s->pointers == 0 || makes_sense(s, &to, s->pointers - 1));
}

static bool string_makes_sense(const struct sense *s, const struct value *v)
{
	struct text_value text;
	struct err ignored;

	return runtime_string(s->rt, v, &text, &ignored) &&
	       is_there(s->rt, text.addr, text.len);
}

static bool slice_makes_sense(const struct sense *s, const struct value *v)
{
	const struct type *elem = type_elem(v->type);
	const uint64_t size = elem ? type_size(elem) : 0;
	struct slice_value slice;
	struct err ignored;

	return runtime_slice(s->rt, v, &slice, &ignored) && slice.len <= slice.cap &&
	       (!size || (slice.cap <= UINT64_MAX / size &&
			  is_there(s->rt, slice.addr, slice.cap * size)));
}

static bool one_is_enough(void *arg, const struct value *key, const struct value *elem)
{
	(void)arg;
	(void)key;
	(void)elem;
	return false;
}

static bool map_makes_sense(const struct sense *s, const struct value *v)
{
	struct map_value map;
	struct err ignored;

	return runtime_map(s->rt, v, &map, &ignored) &&
	       runtime_map_each(s->rt, v->type, &map, one_is_enough, NULL, &ignored);
}

static bool channel_makes_sense(const struct sense *s, const struct value *v)
{
	struct channel_value channel;
	struct err ignored;

	return runtime_channel(s->rt, v, &channel, &ignored);
}

static bool interface_makes_sense(const struct sense *s, const struct value *v)
{
	struct interface_value inside;
	struct err ignored;

	return runtime_interface(s->rt, v, &inside, &ignored);
}

static bool func_makes_sense(const struct sense *s, const struct value *v)
{
	struct func_value func;
	struct err ignored;

	return runtime_func(s->rt, v, &func, &ignored);
}

static bool struct_makes_sense(const struct sense *s, const struct value *v)
{
	const size_t n = type_field_count(v->type);

	for (size_t i = 0; i < n && i < PARTS_MAX; i++) {
		const struct type_field *f = type_field(v->type, i);
		const struct value field = { f->type, v->addr + f->off };
		if (f->type && !makes_sense(s, &field, s->pointers))
			return false;
	}
	return true;
}

static bool array_makes_sense(const struct sense *s, const struct value *v)
{
	const uint64_t n = type_count(v->type);
	struct value elem = { type_elem(v->type), v->addr };

	for (uint64_t i = 0; elem.type && i < n && i < PARTS_MAX; i++) {
		if (!makes_sense(s, &elem, s->pointers))
			return false;
		elem.addr += type_size(elem.type);
	}
	return true;
}

static bool makes_sense(const struct sense *from, const struct value *v, int pointers)
{
	static bool (*const by_kind[])(const struct sense *, const struct value *) = {
		[KIND_ARRAY] = array_makes_sense,
		[KIND_BOOL] = bool_makes_sense,
		[KIND_CHAN] = channel_makes_sense,
		[KIND_FUNC] = func_makes_sense,
		[KIND_INTERFACE] = interface_makes_sense,
		[KIND_MAP] = map_makes_sense,
		[KIND_POINTER] = pointer_makes_sense,
		[KIND_SLICE] = slice_makes_sense,
		[KIND_STRING] = string_makes_sense,
		[KIND_STRUCT] = struct_makes_sense,
	};
	const enum type_kind kind = type_kind(v->type);
	const struct sense s = { from->rt, pointers, from->walk };

	if (!type_enter(s.walk, v->type))
		return true; /* deeper values are not checked */
	bool ok = (size_t)kind < ARRAY_SIZE(by_kind) && by_kind[kind]
			  ? by_kind[kind](&s, v)
			  : is_there(s.rt, v->addr, type_size(v->type));
	type_leave(s.walk);
	return ok;
}

bool value_is_plausible(struct runtime *rt, const struct value *v, int pointers)
{
	struct type_walk walk = { .of_value = true };
	const struct sense begin = { rt, pointers, &walk };
	const bool before = target_set_searching(rt->target, true);
	const bool ok = makes_sense(&begin, v, pointers);

	target_set_searching(rt->target, before);
	return ok;
}
