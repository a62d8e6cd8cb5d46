/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and slices. */
#include <string.h>

#include "lib/base/utf8.h"
#include "printers/values/buffer.h"

static bool is_bytes(const struct type *elem)
{
	return elem && type_kind(elem) == KIND_UINT8;
}

/* Readable text, as most bytes are that are text at all. */
static bool is_printable(const uint8_t *bytes, size_t len)
{
	if (!len || !utf8_valid(bytes, len))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((bytes[i] < ' ' && !memchr("\t\n\r", bytes[i], 3)) ||
		    bytes[i] == 0x7f)
			return false;
	return true;
}

size_t without_zeros(const void *bytes, size_t len)
{
	enum { FEW = 16 }; /* not worth a member of their own */
	const uint8_t *b = bytes;
	size_t used = len;

	while (used > 0 && b[used - 1] == 0)
		used--;
	return len - used < FEW ? len : used;
}

void print_zeros(struct printing *p, size_t n)
{
	if (n)
		sink_named_uint(p->out, "zeros", n);
}

/* A slice or a part of one. cap NULL: an array, or not known. */
struct row {
	const struct type *elem;
	uint64_t addr, size, n;
	const uint64_t *cap;
	bool is_slice;
};

static void print_size(struct printing *p, const struct row *row)
{
	if (row->is_slice)
		sink_named_address(p->out, "to", row->addr);
	sink_named_uint(p->out, "len", row->n);
	if (row->cap && is_length(p, *row->cap, row->addr, row->size))
		sink_named_uint(p->out, "cap", *row->cap);
}

void print_kept_size(struct printing *p, const struct value *v)
{
	uint64_t len, cap;
	struct err ignored;

	if (p->redacted || value_has_address(v) ||
	    !runtime_bytes(p->rt, v->addr + WORD, &len, WORD, &ignored) ||
	    (int64_t)len < 0)
		return;
	bool has_cap = type_kind(v->type) == KIND_SLICE &&
		       runtime_bytes(p->rt, v->addr + 2 * WORD, &cap, WORD, &ignored) &&
		       (int64_t)cap >= (int64_t)len;
	if (is_length(p, len, 0, 1))
		print_size(p, &(struct row){ .size = 1,
					     .n = len,
					     .cap = has_cap ? &cap : NULL });
}

/* What is read of n bytes, and how many of these may be seen. */
static size_t bytes_to_read(const struct printing *p, uint64_t n, size_t *ret_shown)
{
	*ret_shown = n < p->bounds->string ? (size_t)n : p->bounds->string;
	return n - *ret_shown < SECRETS_BEHIND ? (size_t)n : *ret_shown + SECRETS_BEHIND;
}

static void print_bytes(struct printing *p, const struct row *row)
{
	const struct buffer_use use = take_buffer_use(p, row->addr, row->n);
	const uint64_t addr = row->addr + use.begin, n = use.end - use.begin;
	size_t len, read = bytes_to_read(p, n, &len);
	AUTO(xfree) uint8_t *bytes = xcalloc(read + 1, 1);
	struct err err;

	search_unused(p, row->addr, &use, row->n);
	bool there = runtime_bytes(p->rt, addr, bytes, read, &err);
	const struct shown_text text = { addr,	(const char *)bytes, read, len, n, &use,
					 row->n };
	if (there && print_masked(p, "text", &text))
		return;
	print_size(p, row);
	if (!there) {
		print_failure(p, &err);
		return;
	}
	size_t used = without_zeros(bytes, len);
	sink_name(p->out, "bytes");
	sink_hex(p->out, bytes, used);
	size_t whole = used < n ? utf8_cut((const char *)bytes, used) : used;
	if (!p->has_text && is_printable(bytes, whole)) {
		sink_name(p->out, "text");
		sink_text(p->out, bytes, whole);
	}
	print_zeros(p, len - used);
	print_other_bytes(p, &use, len, row->n);
}

/* If a slice leads out of memory, the rest is not printed. */
static bool is_there(struct printing *p, uint64_t addr, uint64_t size, struct err *err)
{
	uint8_t last;

	return size == 0 || runtime_bytes(p->rt, addr + size - 1, &last, 1, err);
}

void print_elements(struct printing *p, const struct type *elem, uint64_t n,
		    value_printer *print, element_fn *at, const void *arg)
{
	struct value element = { elem, 0 };
	struct listed list = { .before = element };
	uint64_t i = 0, most = n < p->bounds->elements ? n : p->bounds->elements;
	bool there = true;
	struct err err;

	if (!elem) {
		print_unreadable(p, "unknown element type");
		return;
	}
	if (!may_descend(p, n))
		return;
	sink_named_begin(p->out, "elements", SINK_ARRAY);
	for (; i < most && has_room(p); i++) {
		element.addr = at(arg, i);
		there = is_there(p, element.addr, type_size(elem), &err);
		if (!there)
			break;
		const char *before = redact_element(p, &list, &element, i, n);
		print(p, &element);
		p->redacted = before;
		p->secret_from = 0;
	}
	sink_end(p->out);
	if (!there) {
		print_failure(p, &err);
		sink_named_uint(p->out, "omitted", n - i);
	} else if (i < n) {
		print_omitted(p, n - i,
			      i < most ? LIMITED_BY_OUTPUT_BYTES : LIMITED_BY_ELEMENTS);
	}
}

static uint64_t in_row(const void *arg, uint64_t i)
{
	const struct row *row = arg;

	return row->addr + i * row->size;
}

static void print_row(struct printing *p, const struct row *row)
{
	const char *beyond;

	if (!is_length(p, row->n, row->addr, row->size)) {
		print_nowhere(p);
	} else if (row->is_slice &&
		   (beyond = row_reaches_beyond(p, row->n, row->addr, row->size))) {
		print_size(p, row);
		print_unreadable(p, beyond);
	} else if (is_bytes(row->elem)) {
		print_bytes(p, row);
	} else if (!redact_row(p, row->elem, row->addr, row->n)) {
		print_size(p, row);
		print_elements(p, row->elem, row->n, print_element, in_row, row);
	}
}

static uint64_t size_of(const struct type *elem)
{
	return elem ? type_size(elem) : 0;
}

void print_array(struct printing *p, const struct value *v)
{
	const struct type *elem = type_elem(v->type);
	const char *beyond = reaches_beyond(p, v->addr, type_size(v->type));

	if (beyond) {
		print_unreadable(p, beyond);
		return;
	}
	print_row(p, &(struct row){ elem, v->addr, size_of(elem), type_count(v->type),
				    NULL, false });
}

void print_slice(struct printing *p, const struct value *v)
{
	struct slice_value s;
	struct err err;

	if (!runtime_slice(p->rt, v, &s, &err)) {
		print_kept_size(p, v);
		print_failure(p, &err);
		return;
	}
	const struct type *elem = type_elem(v->type);
	const struct row row = {
		elem, s.addr, size_of(elem), s.len, s.capless ? NULL : &s.cap, s.addr != 0
	};
	if (s.addr) {
		print_row(p, &row);
	} else if (is_length(p, s.len, 0, row.size)) {
		if (s.len || s.cap)
			print_size(p, &row);
		sink_named_bool(p->out, "nil", true);
	} else {
		print_nowhere(p);
	}
}
