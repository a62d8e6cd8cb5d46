/* SPDX-License-Identifier: Apache-2.0 */
#include "value_sense.h"

#include "value.h"

enum { PARTS_MAX = 64, BOOL_MAX = 1 };

static bool is_there(struct runtime *rt, uint64_t addr, uint64_t len)
{
	struct err ignored;
	uint8_t byte;

	return len == 0 ||
	       (len - 1 <= UINT64_MAX - addr &&
		runtime_bytes(rt, addr, &byte, sizeof(byte), &ignored) &&
		runtime_bytes(rt, addr + len - 1, &byte, sizeof(byte), &ignored));
}

static bool bool_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	struct err ignored;
	uint8_t byte;

	(void)pointers;
	return runtime_bytes(rt, v->addr, &byte, sizeof(byte), &ignored) &&
	       byte <= BOOL_MAX;
}

static bool pointer_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	struct err ignored;
	struct value to = { type_elem(v->type), 0 };

	if (!value_words(rt, v->addr, &to.addr, 1, &ignored))
		return false;
	if (!to.addr || !to.type)
		return true;
	return is_there(rt, to.addr, type_size(to.type)) &&
	       (pointers == 0 || value_makes_sense(rt, &to, pointers - 1));
}

static bool string_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	struct text_value text;
	struct err ignored;

	(void)pointers;
	return runtime_string(rt, v, &text, &ignored) &&
	       is_there(rt, text.addr, text.len);
}

static bool slice_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	const struct type *elem = type_elem(v->type);
	const uint64_t size = elem ? type_size(elem) : 0;
	struct slice_value slice;
	struct err ignored;

	(void)pointers;
	return runtime_slice(rt, v, &slice, &ignored) && slice.len <= slice.cap &&
	       (!size || (slice.cap <= UINT64_MAX / size &&
			  is_there(rt, slice.addr, slice.cap * size)));
}

static bool one_is_enough(void *arg, const struct value *key, const struct value *elem)
{
	(void)arg;
	(void)key;
	(void)elem;
	return false;
}

static bool map_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	struct map_value map;
	struct err ignored;

	(void)pointers;
	return runtime_map(rt, v, &map, &ignored) &&
	       runtime_map_each(rt, v, one_is_enough, NULL, &ignored);
}

static bool channel_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	struct channel_value channel;
	struct err ignored;

	(void)pointers;
	return runtime_channel(rt, v, &channel, &ignored);
}

static bool interface_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	struct interface_value inside;
	struct err ignored;

	(void)pointers;
	return runtime_interface(rt, v, &inside, &ignored);
}

static bool func_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	struct func_value func;
	struct err ignored;

	(void)pointers;
	return runtime_func(rt, v, &func, &ignored);
}

static bool struct_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	const size_t n = type_field_count(v->type);

	for (size_t i = 0; i < n && i < PARTS_MAX; i++) {
		const struct type_field *f = type_field(v->type, i);
		const struct value field = { f->type, v->addr + f->off };
		if (f->type && !value_makes_sense(rt, &field, pointers))
			return false;
	}
	return true;
}

static bool array_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	const uint64_t n = type_count(v->type);
	struct value elem = { type_elem(v->type), v->addr };

	for (uint64_t i = 0; elem.type && i < n && i < PARTS_MAX; i++) {
		if (!value_makes_sense(rt, &elem, pointers))
			return false;
		elem.addr += type_size(elem.type);
	}
	return true;
}

bool value_makes_sense(struct runtime *rt, const struct value *v, int pointers)
{
	static bool (*const by_kind[])(struct runtime *, const struct value *, int) = {
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

	if ((size_t)kind < ARRAY_SIZE(by_kind) && by_kind[kind])
		return by_kind[kind](rt, v, pointers);
	return is_there(rt, v->addr, type_size(v->type));
}
