/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/goruntime/pclntab_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNITS_BEFORE = 2, /* file slots of another compilation unit, to have an offset */
	PCDATA = 4,	  /* unsafe points, stack maps, these two */
	INLINE_INDEX = 2,
	ARG_LIVE_INDEX = 3,
	FUNCDATA = 7,
	ARG_INFO = 5,
	ARG_LIVE = 6,
};

struct buf {
	uint8_t *p;
	size_t len, cap;
};

static size_t put(struct buf *b, const void *p, size_t n)
{
	size_t at = b->len;

	if (b->len + n > b->cap) {
		b->cap = 2 * (b->len + n);
		b->p = realloc(b->p, b->cap);
		assert(b->p);
	}
	if (n)
		memcpy(b->p + at, p, n);
	b->len += n;
	return at;
}

static size_t put_u(struct buf *b, uint64_t v, size_t size)
{
	return put(b, &v, size);
}

static void set_u(struct buf *b, size_t at, uint64_t v, size_t size)
{
	assert(at + size <= b->len);
	memcpy(b->p + at, &v, size);
}

static size_t put_zeros(struct buf *b, size_t n)
{
	size_t at = b->len;

	while (n--)
		put_u(b, 0, 1);
	return at;
}

static void align(struct buf *b, size_t n)
{
	put_zeros(b, (n - b->len % n) % n);
}

static size_t put_string(struct buf *b, const char *s)
{
	return put(b, s, strlen(s) + 1);
}

static void put_uvarint(struct buf *b, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_u(b, (v & 0x7f) | 0x80, 1);
	put_u(b, v, 1);
}

/* 0 when there are none. */
static size_t put_values(struct buf *b, const struct table_value *values)
{
	size_t at = b->len;
	int32_t last = -1;
	uint32_t pc = 0;

	if (values[0].end == 0)
		return 0;
	for (size_t i = 0; i < TABLE_VALUES && values[i].end; i++) {
		int32_t delta = values[i].value - last;
		assert(delta != 0 || i == 0); /* the end of a list */
		put_uvarint(b,
			    delta >= 0 ? (uint32_t)delta * 2 : (uint32_t)-delta * 2 - 1);
		put_uvarint(b, values[i].end - pc);
		last = values[i].value;
		pc = values[i].end;
	}
	put_u(b, 0, 1);
	return at;
}

/* Pieces of a table, each with offsets of its own. In the oldest format they are one. */
struct writing {
	enum table_format format;
	struct buf names, units, files, values, funcs, data;
	size_t name_base;	     /* added to the offsets of names */
	size_t func_base, data_base; /* in the result */
};

static size_t put_tree(struct writing *w, const struct table_func *f)
{
	align(&w->data, 8);
	size_t at = w->data.len;

	for (size_t i = 0; i < TABLE_INLINED && f->tree[i].name; i++) {
		size_t name = w->name_base + put_string(&w->names, f->tree[i].name);
		if (w->format == TABLE_1_20) {
			put_u(&w->data, f->tree[i].id, 4);
			put_u(&w->data, name, 4);
			put_u(&w->data, f->tree[i].parent_pc, 4);
			put_u(&w->data, 1, 4); /* start line */
		} else {
			put_u(&w->data, (uint16_t)-1, 2); /* parent */
			put_u(&w->data, f->tree[i].id, 2);
			put_u(&w->data, 1, 4);	/* file */
			put_u(&w->data, 99, 4); /* line */
			put_u(&w->data, name, 4);
			put_u(&w->data, f->tree[i].parent_pc, 4);
		}
	}
	return at;
}

/* Where funcdata i is in data; -1: there is none. */
static int64_t put_funcdata(struct writing *w, const struct table_func *f, int i)
{
	static const int inline_tree[] = { 4, 3, 3, 3 };

	if (i == inline_tree[w->format] && f->tree[0].name)
		return (int64_t)put_tree(w, f);
	if (i == ARG_INFO && f->arg_info_size)
		return (int64_t)put(&w->data, f->arg_info, f->arg_info_size);
	if (i == ARG_LIVE && f->arg_live_size)
		return (int64_t)put(&w->data, f->arg_live, f->arg_live_size);
	return -1;
}

static size_t put_pcdata(struct writing *w, const struct table_func *f, int i)
{
	return i == INLINE_INDEX     ? put_values(&w->values, f->index)
	       : i == ARG_LIVE_INDEX ? put_values(&w->values, f->arg_live_index)
				     : 0;
}

/* _func. Where funcdata is an address it is left as 1 + the offset into data; ret_fixup:
 * where it begins. */
static size_t put_func(struct writing *w, const struct table_func *f, uint64_t entry,
		       size_t *ret_fixup)
{
	bool old = w->format < TABLE_1_18;
	struct buf *b = &w->funcs;

	align(b, 8);
	size_t at = put_u(b, entry, old ? 8 : 4);
	put_u(b, w->name_base + put_string(&w->names, f->name), 4);
	put_u(b, f->args ? (uint32_t)f->args : 0x80000000, 4);
	put_u(b, 0, 4); /* deferreturn */
	put_u(b, put_values(&w->values, f->sp), 4);
	put_u(b, put_values(&w->values, f->file), 4);
	put_u(b, put_values(&w->values, f->line), 4);
	put_u(b, PCDATA, 4);
	if (w->format != TABLE_1_2)
		put_u(b, UNITS_BEFORE, 4);
	if (w->format == TABLE_1_20)
		put_u(b, 7, 4); /* start line */
	put_u(b, f->id, 1);
	put_u(b, w->format == TABLE_1_2 ? 0xee : f->flags, 1);
	put_u(b, 0, 1);
	put_u(b, FUNCDATA, 1);
	for (int i = 0; i < PCDATA; i++)
		put_u(b, put_pcdata(w, f, i), 4);
	if (old)
		align(b, 8);
	*ret_fixup = b->len;
	for (int i = 0; i < FUNCDATA; i++) {
		int64_t off = put_funcdata(w, f, i);
		put_u(b, (uint64_t)(old ? off + 1 : off), old ? 8 : 4);
	}
	return at;
}

static void put_files(struct writing *w, const char *const *files, size_t n)
{
	put_string(&w->files, "");
	for (int i = 0; i < UNITS_BEFORE; i++)
		put_u(&w->units, 0x7777, 4);
	put_u(&w->units, UINT32_MAX, 4); /* number 0 */
	for (size_t i = 0; i < n; i++)
		put_u(&w->units, put_string(&w->files, files[i]), 4);
}

/* From 1.16 on: tables one behind the other, their offsets in the header. */
static struct buf join(struct writing *w, uint64_t text, const uint64_t *entries,
		       const size_t *funcs, size_t n)
{
	bool old = w->format < TABLE_1_18;
	struct buf out = { 0 }, functab = { 0 };
	size_t entry_size = old ? 16 : 8, functab_len = n * entry_size + 8;

	for (size_t i = 0; i <= n; i++) {
		put_u(&functab, old ? entries[i] : entries[i] - text, entry_size / 2);
		if (i < n)
			put_u(&functab, functab_len + funcs[i], entry_size / 2);
	}
	align(&functab, 8);
	assert(functab.len == functab_len);
	static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0,
					   0xfffffff1 };
	put_u(&out, magics[w->format], 4);
	put_u(&out, 0x08010000, 4);
	put_u(&out, n, 8);
	put_u(&out, 5, 8); /* files */
	if (!old)
		put_u(&out, 0xdead, 8); /* text start, not to be believed */
	size_t offsets = put_zeros(&out, 5 * 8);
	const struct buf *const pieces[] = { &w->names, &w->units, &w->files, &w->values,
					     &functab };
	for (size_t i = 0; i < 5; i++) {
		align(&out, 8);
		set_u(&out, offsets + i * 8, out.len, 8);
		put(&out, pieces[i]->p, pieces[i]->len);
	}
	w->func_base = put(&out, w->funcs.p, w->funcs.len);
	align(&out, 8);
	w->data_base = put(&out, w->data.p, w->data.len);
	free(functab.p);
	return out;
}

/* Up to 1.15: header, functab, offset of the file table; names right behind it, so that
 * their place is known from the start. */
static size_t oldest_name_base(size_t n)
{
	return (16 + n * 16 + 8 + 4 + 7) / 8 * 8;
}

static struct buf join_oldest(struct writing *w, const uint64_t *entries,
			      const size_t *funcs, size_t n)
{
	static const uint8_t value_fields[] = { 20, 24, 28, 40, 44, 48, 52 };
	struct buf out = { 0 };
	uint32_t v;

	put_u(&out, 0xfffffffb, 4);
	put_u(&out, 0x08010000, 4);
	put_u(&out, n, 8);
	size_t functab = put_zeros(&out, n * 16 + 8);
	size_t filetab_offset = put_zeros(&out, 4);
	align(&out, 8);
	assert(out.len == w->name_base);
	put(&out, w->names.p, w->names.len);
	align(&out, 8);
	w->func_base = put(&out, w->funcs.p, w->funcs.len);
	size_t value_base = put(&out, w->values.p, w->values.len);
	size_t file_base = put(&out, w->files.p, w->files.len);
	align(&out, 4);
	size_t file_count = w->units.len / 4 - UNITS_BEFORE;
	set_u(&out, filetab_offset, out.len, 4);
	put_u(&out, file_count, 4);
	for (size_t i = 1; i < file_count; i++) {
		memcpy(&v, w->units.p + (UNITS_BEFORE + i) * 4, 4);
		put_u(&out, file_base + v, 4);
	}
	for (size_t i = 0; i < n; i++) {
		size_t at = w->func_base + funcs[i];
		set_u(&out, functab + i * 16, entries[i], 8);
		set_u(&out, functab + i * 16 + 8, at, 8);
		for (size_t j = 0; j < sizeof(value_fields); j++) {
			memcpy(&v, out.p + at + value_fields[j], 4);
			if (v)
				set_u(&out, at + value_fields[j], v + value_base, 4);
		}
	}
	set_u(&out, functab + n * 16, entries[n], 8);
	align(&out, 8);
	w->data_base = put(&out, w->data.p, w->data.len);
	return out;
}

struct table table_write(enum table_format format, uint64_t addr, uint64_t text,
			 const struct table_func *funcs, size_t n,
			 const char *const *files, size_t file_count)
{
	struct writing w = { .format = format };
	uint64_t *entries = calloc(n + 1, sizeof(*entries)), pc = text;
	size_t *at = calloc(n, sizeof(*at)), *fixups = calloc(n, sizeof(*fixups));

	assert(entries && at && fixups);
	w.name_base = format == TABLE_1_2 ? oldest_name_base(n) : 0;
	put_string(&w.names, "");
	put_u(&w.values, 0, 1);
	put_files(&w, files, file_count);
	for (size_t i = 0; i < n; i++) {
		entries[i] = pc;
		at[i] = put_func(&w, &funcs[i], format < TABLE_1_18 ? pc : pc - text,
				 &fixups[i]);
		pc += funcs[i].size;
	}
	entries[n] = pc;
	struct buf out = format == TABLE_1_2 ? join_oldest(&w, entries, at, n)
					     : join(&w, text, entries, at, n);
	for (size_t i = 0; format < TABLE_1_18 && i < n * FUNCDATA; i++) {
		size_t word = w.func_base + fixups[i / FUNCDATA] + i % FUNCDATA * 8;
		uint64_t off;
		memcpy(&off, out.p + word, 8);
		if (off)
			set_u(&out, word, addr + w.data_base + off - 1, 8);
	}
	free(w.names.p);
	free(w.units.p);
	free(w.files.p);
	free(w.values.p);
	free(w.funcs.p);
	free(w.data.p);
	free(entries);
	free(at);
	free(fixups);
	return (struct table){
		.bytes = out.p, .len = out.len, .gofunc = w.data_base, .end_pc = pc
	};
}
