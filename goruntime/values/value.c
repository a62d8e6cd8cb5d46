/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes strings, slices, interfaces and functions. Their words are the same in every
 * release: runtime/string.go, slice.go, runtime2.go (Go 1.15 to 1.27). */
#include "goruntime/values/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/type_name.h"
#include "goruntime/values/values.h"

enum { ITAB_TYPE = 8 };

/* In the kernel's half: no program has memory there. */
#define PIECES UINT64_C(0xffff900000000000)
enum { PIECES_MAX = 4096, ALIGNMENT = 16 };

struct value_pieces {
	size_t len; /* where the next bytes go */
	size_t end; /* of what is reserved */
	uint8_t bytes[PIECES_MAX];
	bool there[PIECES_MAX];
};

/* Returns its offset, aligned for any type. */
static size_t reserve(struct value_pieces *to, uint64_t size)
{
	const size_t from = to->end, left = PIECES_MAX - from;
	const size_t n =
		size < left ? (size_t)size + (-(size_t)size & (ALIGNMENT - 1)) : left;

	to->end += n < left ? n : left;
	memset(to->there + from, false, to->end - from);
	return from;
}

struct value_pieces *value_pieces_begin(struct runtime *rt, struct value *ret)
{
	if (!rt->pieces)
		rt->pieces = xcalloc(1, sizeof(*rt->pieces));
	rt->pieces->len = rt->pieces->end = 0;
	ret->addr = PIECES + reserve(rt->pieces, type_size(ret->type));
	return rt->pieces;
}

size_t value_pieces_begin_target(struct value_pieces *to, uint64_t size, uint64_t *ret)
{
	const size_t before = to->len;

	to->len = reserve(to, size);
	*ret = PIECES + to->len;
	return before;
}

void value_pieces_end_target(struct value_pieces *to, size_t before)
{
	to->len = before;
}

void value_pieces_free(struct value_pieces *pieces)
{
	xfree(pieces);
}

static size_t room(const struct value_pieces *to, uint64_t size)
{
	return size < PIECES_MAX - to->len ? (size_t)size : PIECES_MAX - to->len;
}

void value_add_hole(struct value_pieces *to, uint64_t size)
{
	size_t n = room(to, size);

	memset(to->there + to->len, false, n);
	to->len += n;
}

void value_add_bytes(struct value_pieces *to, const void *bytes, uint64_t size)
{
	size_t n = room(to, size < WORD ? size : WORD);

	memcpy(to->bytes + to->len, bytes, n);
	memset(to->there + to->len, true, n);
	to->len += n;
	value_add_hole(to, size - n);
}

bool value_add_memory(struct runtime *rt, struct value_pieces *to, uint64_t addr,
		      uint64_t size, struct err *err)
{
	size_t n = room(to, size);

	if (!target_read(rt->target, addr, to->bytes + to->len, n, err))
		return false;
	memset(to->there + to->len, true, n);
	to->len += n;
	return true;
}

bool value_has_address(const struct value *v)
{
	return v->addr && (v->addr < PIECES || v->addr >= PIECES + PIECES_MAX);
}

static bool read_pieces(const struct value_pieces *p, uint64_t from, void *ret,
			size_t len, struct err *err)
{
	if (!p || from > p->end || len > p->end - from)
		return err_set(err, ERR_FAULT, "its location does not cover all of it");
	for (size_t i = 0; i < len; i++)
		if (!p->there[from + i])
			return err_set(err, ERR_FAULT, "partly optimized out");
	memcpy(ret, p->bytes + from, len);
	return true;
}

bool runtime_bytes(struct runtime *rt, uint64_t addr, void *ret, size_t len,
		   struct err *err)
{
	const struct value of_pieces = { .addr = addr };

	if (addr && !value_has_address(&of_pieces))
		return read_pieces(rt->pieces, addr - PIECES, ret, len, err);
	return target_read(rt->target, addr, ret, len, err);
}

const struct target *runtime_memory(const struct runtime *rt)
{
	return rt->target;
}

void runtime_budget_unit(struct runtime *rt)
{
	target_budget_unit(rt->target);
}

bool runtime_in_file(const struct runtime *rt, uint64_t addr)
{
	return images_at(rt->images, addr) != NULL;
}

bool runtime_is_mapped(const struct runtime *rt, uint64_t addr)
{
	return target_mapping_at(rt->target, addr) != NULL;
}

bool runtime_is_readable(const struct runtime *rt, uint64_t addr, uint64_t last)
{
	const struct target_mapping *m = target_mapping_at(rt->target, addr);

	while (m && m->readable && last >= m->end)
		m = target_mapping_at(rt->target, m->end);
	return m && m->readable;
}

bool value_words(struct runtime *rt, uint64_t addr, uint64_t *ret, size_t n,
		 struct err *err)
{
	return runtime_bytes(rt, addr, ret, n * WORD, err);
}

bool value_number(struct runtime *rt, const struct type *type, uint64_t addr,
		  const char *field, uint64_t *ret, struct err *err)
{
	const struct type_field *f = type_field_named(type, field);
	uint64_t size = f && f->type ? type_size(f->type) : 0;

	if (size < 1 || size > sizeof(*ret))
		return err_set(err, ERR_UNSUPPORTED, "%s has no field %s",
			       type_name(type), field);
	return target_read_uint(rt->target, addr + f->off, size, ret, err);
}

bool value_by_layout(struct runtime *rt, enum layout_slot field, uint64_t addr,
		     uint64_t *ret, struct err *err)
{
	struct slot slot = rt->layout.slot[field];

	if (slot.off < 0)
		return err_set(err, ERR_UNSUPPORTED, "this Go version has no %s",
			       layout_slot_info(field)->words);
	return target_read_uint(rt->target, addr + (uint64_t)slot.off, slot.size, ret,
				err);
}

bool runtime_string(struct runtime *rt, const struct value *v, struct text_value *ret,
		    struct err *err)
{
	uint64_t words[2];

	if (!value_words(rt, v->addr, words, 2, err))
		return false;
	*ret = (struct text_value){ words[0], words[1] };
	return (int64_t)words[1] >= 0 ||
	       err_set(err, ERR_BAD_DATA, "invalid string: %" PRId64 " bytes",
		       (int64_t)words[1]);
}

/* The cap of most slices is not needed, so the compiler often keeps no location for
 * it. */
static bool is_capless(struct runtime *rt, const struct value *v, const uint64_t *words)
{
	struct err ignored;
	uint64_t cap;

	return !value_has_address(v) && (int64_t)words[1] >= 0 &&
	       !value_words(rt, v->addr + 2 * WORD, &cap, 1, &ignored);
}

bool runtime_slice(struct runtime *rt, const struct value *v, struct slice_value *ret,
		   struct err *err)
{
	uint64_t words[3];

	if (!value_words(rt, v->addr, words, 2, err))
		return false;
	*ret = (struct slice_value){ .addr = words[0], .len = words[1], .cap = words[1] };
	ret->capless = is_capless(rt, v, words);
	if (ret->capless)
		return true;
	if (!value_words(rt, v->addr, words, 3, err))
		return false;
	ret->cap = words[2];
	return ((int64_t)words[2] >= 0 && words[1] <= words[2]) ||
	       err_set(err, ERR_BAD_DATA,
		       "invalid slice: length %" PRId64 ", capacity %" PRId64,
		       (int64_t)words[1], (int64_t)words[2]);
}

static bool is_direct(struct runtime *rt, uint64_t descriptor, struct err *err, bool *ret)
{
	const struct layout *l = &rt->layout;
	uint8_t bytes[TYPE_HEAD_BYTES];

	if (!layout_has(l, L_type_kind) || !layout_has(l, L_type_tflag))
		return err_set(err, ERR_UNSUPPORTED,
			       "unknown type layout in this Go version");
	if (!target_read(rt->target, descriptor, bytes, sizeof(bytes), err))
		return false;
	*ret = (layout_get(l, L_type_kind, bytes, sizeof(bytes)) & TYPE_DIRECT) ||
	       (layout_get(l, L_type_tflag, bytes, sizeof(bytes)) & TYPE_DIRECT);
	return true;
}

static void name_only(struct runtime *rt, struct interface_value *ret)
{
	struct go_type type;
	struct err why;

	if (!type_read(rt, ret->descriptor, &type, &why))
		return;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)type.name_len, type.name);
}

static bool read_inside(struct runtime *rt, const struct value *v, uint64_t data,
			struct interface_value *ret, struct err *err)
{
	bool direct = false;
	struct err why;

	if (!is_direct(rt, ret->descriptor, err, &direct))
		return false;
	ret->inside.type = runtime_type_at(rt, ret->descriptor, &why);
	ret->inside.addr = direct ? v->addr + WORD : data;
	if (ret->inside.type) {
		snprintf(ret->name, sizeof(ret->name), "%s", type_name(ret->inside.type));
		return true;
	}
	ret->unknown = runtime_reason(rt, reason_add(rt, "%s", why.text));
	name_only(rt, ret);
	return true;
}

/* Of a variable that is not set, or no more, it may be anything, such as a secret. */
static bool is_no_type(struct runtime *rt, uint64_t descriptor)
{
	return target_is_recorded(rt->target) && !type_is_at(rt, descriptor);
}

bool runtime_interface(struct runtime *rt, const struct value *v,
		       struct interface_value *ret, struct err *err)
{
	uint64_t words[2];

	*ret = (struct interface_value){ 0 };
	if (!value_words(rt, v->addr, words, 2, err))
		return false;
	if (!words[0])
		return true;
	const bool has_itab = type_has_methods(v->type);
	ret->descriptor = words[0];
	if (has_itab &&
	    !target_search(rt->target, words[0] + ITAB_TYPE, &ret->descriptor, WORD, err))
		return false;
	if (!ret->descriptor)
		return err_set(err, ERR_BAD_DATA, "the itab at 0x%" PRIx64 " has no type",
			       words[0]);
	if (!is_no_type(rt, ret->descriptor)) {
		if (has_itab)
			target_found(rt->target, words[0] + ITAB_TYPE, WORD);
		return read_inside(rt, v, words[1], ret, err);
	}
	const bool before = target_set_searching(rt->target, true);
	const bool done = read_inside(rt, v, words[1], ret, err);
	target_set_searching(rt->target, before);
	return done;
}

bool runtime_func(struct runtime *rt, const struct value *v, struct func_value *ret,
		  struct err *err)
{
	uint64_t closure;

	*ret = (struct func_value){ 0 };
	return value_words(rt, v->addr, &closure, 1, err) &&
	       runtime_func_at(rt, closure, ret, err);
}

bool runtime_func_at(struct runtime *rt, uint64_t closure, struct func_value *ret,
		     struct err *err)
{
	*ret = (struct func_value){ 0, closure };
	return !closure || value_words(rt, closure, &ret->entry, 1, err);
}
