/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/raw_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum {
	PARTS_MAX = 64, /* of a variable */
	NAME_BYTES = 200,
};

/* One walk over a variable's type. */
struct parts {
	struct sink *out;
	const struct raw_place *place;
	struct type_walk walk;
	char name[NAME_BYTES]; /* ".limits[2].name" */
	size_t count;
};

struct inner {
	const char *name, *type;
	uint64_t off;
};

static void print_part(struct parts *p, const char *more, const char *type, uint64_t off)
{
	char name[NAME_BYTES + 16];

	if (off < p->place->offset || off >= p->place->offset + p->place->size ||
	    p->count == PARTS_MAX)
		return;
	if (p->count++ == 0)
		sink_named_begin(p->out, "parts", SINK_ARRAY);
	snprintf(name, sizeof(name), "%s%s", p->name, more);
	sink_begin(p->out, SINK_OBJECT);
	sink_named_uint(p->out, "offset", off - p->place->offset);
	sink_named_string(p->out, "name", name);
	sink_named_string(p->out, "type", type);
	sink_end(p->out);
}

static void print_words_of(struct parts *p, const struct type *type, uint64_t off)
{
	const struct type *elem = type_elem(type);
	char pointer[NAME_BYTES];

	snprintf(pointer, sizeof(pointer), "*%s", elem ? type_name(elem) : "uint8");
	switch (type_kind(type)) {
	case KIND_STRING:
	case KIND_SLICE:
		print_part(p, ".ptr", pointer, off);
		print_part(p, ".len", "int", off + WORD);
		if (type_kind(type) == KIND_SLICE)
			print_part(p, ".cap", "int", off + WORD + WORD);
		return;
	case KIND_INTERFACE:
		print_part(p, type_has_methods(type) ? ".itab" : ".type", "uintptr", off);
		print_part(p, ".data", "unsafe.Pointer", off + WORD);
		return;
	default:
		if (p->name[0])
			print_part(p, "", type_name(type), off);
	}
}

static void walk(struct parts *p, const struct type *type, uint64_t off);

static void walk_named(struct parts *p, const struct type *type, uint64_t off,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

static void walk_named(struct parts *p, const struct type *type, uint64_t off,
		       const char *format, ...)
{
	const size_t len = strlen(p->name);
	va_list args;

	va_start(args, format);
	vsnprintf(p->name + len, sizeof(p->name) - len, format, args);
	va_end(args);
	walk(p, type, off);
	p->name[len] = '\0';
}

static void walk_elements(struct parts *p, const struct type *type, uint64_t off)
{
	const struct type *elem = type_elem(type);
	const uint64_t size = elem ? type_size(elem) : 0;
	uint64_t i = size && p->place->offset > off ? (p->place->offset - off) / size : 0;

	for (; size && i < type_count(type) && p->count < PARTS_MAX && !p->walk.over &&
	       off + i * size < p->place->offset + p->place->size;
	     i++)
		walk_named(p, elem, off + i * size, "[%" PRIu64 "]", i);
}

static void walk(struct parts *p, const struct type *type, uint64_t off)
{
	const bool outside = off >= p->place->offset + p->place->size ||
			     off + (type ? type_size(type) : 0) <= p->place->offset;

	if (!type || outside || p->count == PARTS_MAX || !type_enter(&p->walk, type))
		return;
	if (type_kind(type) == KIND_ARRAY) {
		walk_elements(p, type, off);
	} else if (type_field_count(type)) {
		for (size_t i = 0; i < type_field_count(type); i++) {
			const struct type_field *f = type_field(type, i);
			walk_named(p, f->type, off + f->off, ".%s", f->name);
		}
	} else {
		print_words_of(p, type, off);
	}
	type_leave(&p->walk);
}

void print_raw_parts(struct sink *out, const struct raw_place *place)
{
	struct parts p = { .out = out, .place = place };

	if (place->type && place->kind != RAW_POINTER)
		walk(&p, place->type, 0);
	if (p.count)
		sink_end(out);
}
