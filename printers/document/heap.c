/* SPDX-License-Identifier: Apache-2.0 */
/* What is in the heap of a runtime. */
#include "goruntime/goruntime.h"
#include "printers/document/print_document.h"

enum { HEAP_ROOTS = 1000 };

static void print_amount(struct sink *out, const char *name, const struct heap_amount *a)
{
	sink_named_begin(out, name, SINK_OBJECT);
	sink_named_uint(out, "objects", a->objects);
	sink_named_uint(out, "bytes", a->bytes);
	sink_end(out);
}

static void print_root_words(struct sink *out, const struct heap_root *r)
{
	if (r->kind == HEAP_ROOT_GOROUTINE)
		sink_named_uint(out, "goroutine", r->id);
	else if (r->kind == HEAP_ROOT_GLOBAL)
		sink_named_address(out, "variable", r->id);
	if (r->name)
		sink_named_string(out, "name", r->name);
}

static void print_root(struct sink *out, const struct heap_root *r)
{
	sink_begin(out, SINK_OBJECT);
	print_root_words(out, r);
	print_amount(out, "alone", &r->alone);
	sink_end(out);
}

/* From the root to the object that refers to the last one. */
static void print_path(struct sink *out, const struct heap_path *p)
{
	sink_named_begin(out, "root", SINK_OBJECT);
	print_root_words(out, &p->root);
	sink_end(out);
	if (p->omitted)
		sink_named_uint(out, "omitted", p->omitted);
	sink_named_begin(out, "path", SINK_ARRAY);
	for (size_t i = p->count; i-- > 1;) {
		sink_begin(out, SINK_OBJECT);
		sink_named_address(out, "address", p->steps[i].addr);
		if (p->steps[i].type)
			sink_named_string(out, "type", p->steps[i].type);
		if (p->steps[i].part)
			sink_named_string(out, "part", p->steps[i].part);
		sink_end(out);
	}
	sink_end(out);
}

static void print_place(struct sink *out, const struct heap_big *o)
{
	sink_named_address(out, "address", o->addr);
	sink_named_uint(out, "bytes", o->size);
	if (o->type)
		sink_named_string(out, "type", o->type);
}

static void print_types(struct sink *out, const struct heap_summary *s)
{
	sink_named_begin(out, "types", SINK_ARRAY);
	for (size_t i = 0; i < s->type_count; i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "type", s->types[i].name);
		print_amount(out, "live", &s->types[i].live);
		print_amount(out, "garbage", &s->types[i].garbage);
		if (s->retained)
			print_amount(out, "retained", &s->types[i].retained);
		sink_end(out);
	}
	sink_end(out);
	sink_named_begin(out, "untyped", SINK_OBJECT);
	print_amount(out, "live", &s->untyped_live);
	print_amount(out, "garbage", &s->untyped_garbage);
	sink_end(out);
	sink_named_begin(out, "biggest", SINK_ARRAY);
	for (size_t i = 0; i < s->biggest_count; i++) {
		sink_begin(out, SINK_OBJECT);
		print_place(out, &s->biggest[i]);
		if (s->paths && s->paths[i].known)
			print_path(out, &s->paths[i]);
		sink_end(out);
	}
	sink_end(out);
}

static void print_roots(struct sink *out, const struct heap_summary *s)
{
	sink_named_begin(out, "retained", SINK_ARRAY);
	for (size_t i = 0; i < s->root_count && i < HEAP_ROOTS; i++)
		if (s->roots[i].alone.objects)
			print_root(out, &s->roots[i]);
	sink_end(out);
	print_amount(out, "shared", &s->shared);
}

static void print_keepers(struct sink *out, const struct heap_summary *s)
{
	sink_named_begin(out, "keepers", SINK_ARRAY);
	for (size_t i = 0; i < s->keeper_count; i++) {
		const struct heap_keeper *k = &s->keepers[i];
		sink_begin(out, SINK_OBJECT);
		print_place(out, &k->object);
		print_amount(out, "retained", &k->retained);
		if (k->dominator)
			sink_named_address(out, "dominator", k->dominator);
		sink_end(out);
	}
	sink_end(out);
}

void print_heap_summary(struct sink *out, const struct heap_summary *s)
{
	sink_begin(out, SINK_OBJECT);
	print_amount(out, "live", &s->live);
	print_amount(out, "garbage", &s->garbage);
	sink_named_uint(out, "free_bytes", s->free);
	sink_named_uint(out, "unreadable_bytes", s->unreadable);
	sink_named_begin(out, "classes", SINK_ARRAY);
	for (size_t i = 0; i < s->class_count; i++) {
		const struct heap_class *c = &s->classes[i];
		sink_begin(out, SINK_OBJECT);
		sink_named_uint(out, c->size ? "size" : "larger_than",
				c->size ? c->size : HEAP_SMALL);
		sink_named_bool(out, "pointers", !c->no_pointers);
		print_amount(out, "live", &c->live);
		print_amount(out, "garbage", &c->garbage);
		sink_end(out);
	}
	sink_end(out);
	print_types(out, s);
	print_roots(out, s);
	if (s->retained)
		print_keepers(out, s);
	if (s->not_retained)
		sink_named_string(out, "keepers_omitted", s->not_retained);
	sink_end(out);
}
