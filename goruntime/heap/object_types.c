/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/heap/object_types.h"

#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/type_numbers.h"
#include "goruntime/heap/type_slots.h"
#include "goruntime/symtab/code.h"
#include "goruntime/types/globals.h"
#include "lib/base/table.h"

enum {
	NUMBERS = UINT16_MAX,
	INTERFACES_MAX = 1 << 20, /* different first words */
	NONE = NUMBERS + 1,
	ITAB_TYPE = 1, /* word of runtime.itab */
};

struct typed_global {
	uint64_t addr, size;
	const struct type *type;
	char *name;
};

struct object_types {
	struct type_numbers *of; /* objects; NULL: forgotten */
	struct object_type *list;
	size_t count, cap;
	struct table numbers, headers;
	struct table interfaces;      /* by their first words */
	struct typed_global *globals; /* sorted */
	size_t global_count, global_cap;
	bool has_class_24;
};

/* runtime/sizeclasses.go (1.15 to 1.27). That of 24 bytes is new in 1.16. */
static const uint16_t sizes[] = {
	8,     16,    24,    32,    48,	   64,	  80,	 96,	112,   128,
	144,   160,   176,   192,   208,   224,	  240,	 256,	288,   320,
	352,   384,   416,   448,   480,   512,	  576,	 640,	704,   768,
	896,   1024,  1152,  1280,  1408,  1536,  1792,	 2048,	2304,  2688,
	3072,  3200,  3456,  4096,  4864,  5120,  5376,	 6144,	6528,  6784,
	6912,  8192,  9472,  9728,  10240, 10880, 12288, 13568, 14336, 16384,
	18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
};

static uint64_t header_of(const struct span *s)
{
	return s->map == MAP_HEADER && !s->no_pointers ? WORD : 0;
}

/* Is an object of that size put into such a place, rather than into a smaller one? */
static bool fits(const struct heap *h, const struct span *s, uint64_t size)
{
	const uint64_t place = s->elem_size;
	const size_t i = LOWER_BOUND(n, ARRAY_SIZE(sizes), sizes[n] < place);

	size += header_of(s);
	if (size > place)
		return false;
	if (i == ARRAY_SIZE(sizes))
		return size > place - (1 << HEAP_PAGE_BITS);
	if (place == 32 && !h->types->has_class_24)
		return size > 16;
	return !i || size > sizes[i - 1];
}

const struct object_type *object_type(const struct heap *h, uint16_t number)
{
	return &h->types->list[number - 1];
}

static uint16_t number_of(struct object_types *o, const struct object_type *type)
{
	const uint64_t key = type->type ? (uint64_t)(uintptr_t)type->type : type->code;
	uint64_t number = table_get(&o->numbers, key, type->form);

	if (number)
		return (uint16_t)number;
	if (o->count == NUMBERS)
		return 0;
	GROW(o->list, o->count, o->cap);
	o->list[o->count] = *type;
	o->list[o->count].size = type->type ? type_size(type->type) : 0;
	o->list[o->count].pointers =
		type->type ? type_slots_pointers(type->type) : SLOTS_UNKNOWN;
	number = ++o->count;
	table_set(&o->numbers, key, type->form, number);
	return (uint16_t)number;
}

/* How much is to be believed, of two that differ; 0: nothing. */
static unsigned rank(const struct heap *h, const struct span *s,
		     const struct object_type *t)
{
	const uint64_t room = s->elem_size - header_of(s);

	if (t->form == FORM_BYTES)
		return s->no_pointers ? 2 : 0;
	/* The runtime's own view of channels and maps is that of values. */
	if (t->form != FORM_VALUE && t->form != FORM_ARRAY)
		return 4;
	if (!t->size || t->size > room ||
	    t->pointers == (s->no_pointers ? SLOTS_SOME : SLOTS_NONE))
		return 0;
	return t->form == FORM_ARRAY ? 2 : fits(h, s, t->size) ? 3 : 1;
}

static bool is_better(const struct heap *h, const struct span *s, uint16_t new,
		      uint16_t old)
{
	const struct object_type *a = object_type(h, new),
				 *b = old ? object_type(h, old) : NULL;
	const unsigned x = rank(h, s, a), y = b ? rank(h, s, b) : 0;

	if (x != y)
		return x > y;
	return x && a->form == FORM_VALUE && b->form == FORM_VALUE && a->size > b->size;
}

/* Its header or its span says what it is, and has been read. */
static bool is_settled(const struct heap *h, const struct span *s, uint64_t object)
{
	return !s->no_pointers && bit_of(h->scanned, object) &&
	       (s->map == MAP_HEADER ||
		(s->map == MAP_SPAN_TYPE &&
		 table_get(&h->types->headers, s->large_type, s->elem_size)));
}

/* What refers to its beginning says that the object is one of these. */
static void believe(struct heap *h, uint64_t word, const struct object_type *type)
{
	struct span *s = span_at(h, word);
	const uint32_t i = s ? object_in(s, word) : NO_OBJECT;

	if (i == NO_OBJECT || word != s->start + i * s->elem_size + header_of(s) ||
	    is_settled(h, s, s->first + i))
		return;
	const uint16_t number = number_of(h->types, type);
	const uint16_t old = type_number(h, h->types->of, s, s->first + i);
	if (!number || number == old || !is_better(h, s, number, old) ||
	    !type_number_set(h, h->types->of, s, s->first + i, number))
		return;
	/* What it refers to can now be told. */
	if (bit_of(h->scanned, s->first + i))
		mark_again(h, s, i);
}

static bool is_in_types(const struct heap *h, uint64_t addr)
{
	for (size_t i = 0; i < modules_count(h->rt->modules); i++) {
		const struct module *m = modules_get(h->rt->modules, i);
		if (addr >= m->types && addr < m->etypes)
			return true;
	}
	return false;
}

static bool is_static(const struct heap *h, uint64_t addr)
{
	for (size_t i = 0; i < modules_count(h->rt->modules); i++) {
		const struct module *m = modules_get(h->rt->modules, i);
		const uint64_t end = m->ebss > m->enoptrbss ? m->ebss : m->enoptrbss;
		if (addr >= m->minpc && addr < end)
			return true;
	}
	return false;
}

/* What the second word of an interface refers to, by its first word: an itab or a type. The numbers are
 * those of types. */
static uint64_t read_interface(struct heap *h, uint64_t first)
{
	struct object_type target;
	uint64_t itab[2], at = first;
	struct err ignored;

	if (!heap_may_read(h, PAGE_BYTES) ||
	    !target_read(h->memory, first, itab, sizeof(itab), &ignored))
		return NONE;
	/* Itabs may be among the types. These begin with two sizes. */
	if (is_in_types(h, itab[0]) && is_in_types(h, itab[ITAB_TYPE]))
		at = itab[ITAB_TYPE];
	else if (!is_in_types(h, first))
		return NONE;
	const struct type *type = runtime_type_at(h->rt, at, &ignored);
	const uint16_t number = type && type_slots_interface(type, &target)
					? number_of(h->types, &target)
					: 0;
	return number ? number : NONE;
}

static bool in_interface(struct heap *h, uint64_t first, struct object_type *ret)
{
	struct table *t = &h->types->interfaces;

	if (first % WORD || !is_static(h, first))
		return false;
	uint64_t number = table_get(t, first, 0);
	if (!number) {
		if (t->count == INTERFACES_MAX)
			return false;
		number = read_interface(h, first);
		table_set(t, first, 0, number);
	}
	if (number == NONE)
		return false;
	*ret = *object_type(h, (uint16_t)number);
	return true;
}

static const struct typed_global *global_at(const struct heap *h, uint64_t at)
{
	const struct object_types *o = h->types;
	const size_t n = o ? o->global_count : 0;
	const size_t i = LOWER_BOUND(g, n, o->globals[g].addr + o->globals[g].size <= at);

	return i < n && at >= o->globals[i].addr ? &o->globals[i] : NULL;
}

uint64_t global_begin(const struct heap *h, uint64_t addr)
{
	const struct typed_global *g = global_at(h, addr);

	return g ? g->addr : addr;
}

char *heap_global_name(const struct heap *h, uint64_t addr)
{
	const struct typed_global *g = global_at(h, addr);

	return g ? xstrdup(g->name) : NULL;
}

static bool in_global(const struct heap *h, uint64_t at, struct object_type *ret)
{
	const struct typed_global *g = global_at(h, at);
	const struct object_type whole = { .type = g ? g->type : NULL };

	return g && type_slots_at(h, &whole, g->addr, at, ret);
}

static bool says_what(struct heap *h, uint64_t at, struct object_type *ret)
{
	if (!at)
		return false;
	if (h->object == NO_SCAN)
		return stack_type_at(h, at, ret) || in_global(h, at, ret) ||
		       in_interface(h, h->before, ret);
	const uint16_t number = type_number(h, h->types->of, h->object_span, h->object);
	return (number &&
		type_slots_at(h, object_type(h, number), h->object_addr, at, ret)) ||
	       in_interface(h, h->before, ret);
}

void object_types_closure(struct heap *h, uint64_t word)
{
	struct object_type closure = { .form = FORM_CLOSURE };
	struct err ignored;

	if (object_types_are_sought(h) && span_at(h, word) && heap_may_read(h, WORD) &&
	    target_read_uint(h->memory, word, WORD, &closure.code, &ignored))
		believe(h, word, &closure);
}

void object_types_pointer(struct heap *h, uint64_t word, uint64_t type)
{
	struct object_type pointee = { .form = FORM_VALUE };
	struct err ignored;

	if (!object_types_are_sought(h) || !is_in_types(h, type))
		return;
	const struct type *pointer = runtime_type_at(h->rt, type, &ignored);
	pointee.type =
		pointer && type_kind(pointer) == KIND_POINTER ? type_elem(pointer) : NULL;
	if (pointee.type)
		believe(h, word, &pointee);
}

static void take(struct heap *h, uint64_t at, uint64_t word)
{
	struct object_type target;

	if (!span_at(h, word))
		return;
	mark_pointer(h, at, word);
	if (!says_what(h, at, &target))
		return;
	if (target.form == FORM_CLOSURE)
		object_types_closure(h, word);
	else
		believe(h, word, &target);
}

bool object_types_are_sought(const struct heap *h)
{
	return h->take == take;
}

static uint16_t number_of_header(struct heap *h, uint64_t type, uint64_t room)
{
	struct object_types *o = h->types;
	uint64_t number = table_get(&o->headers, type, room);
	struct err ignored;

	if (number || !is_in_types(h, type))
		return (uint16_t)number;
	struct object_type t = { .type = runtime_type_at(h->rt, type, &ignored) };
	if (!t.type || !type_size(t.type))
		return 0;
	if (room / type_size(t.type) > 1)
		t.form = FORM_ARRAY;
	number = number_of(o, &t);
	if (number)
		table_set(&o->headers, type, room, number);
	return (uint16_t)number;
}

void object_types_header(struct heap *h, const struct span *s, uint64_t object,
			 uint64_t type)
{
	const uint16_t number =
		h->types && h->types->of
			? number_of_header(h, type, s->elem_size - header_of(s))
			: 0;

	if (number)
		(void)type_number_set(h, h->types->of, s, object, number);
}

static void add_global(void *arg, const char *name, const struct value *v)
{
	struct object_types *o = arg;

	if (!v->type || !v->addr || !type_size(v->type))
		return;
	GROW(o->globals, o->global_count, o->global_cap);
	o->globals[o->global_count++] =
		(struct typed_global){ v->addr, type_size(v->type), v->type,
				       xstrdup(name) };
}

static int by_addr(const void *a, const void *b)
{
	const struct typed_global *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

void heap_find_types(struct heap *h)
{
	struct object_types *o = xcalloc(1, sizeof(*o));
	struct err ignored;

	o->of = type_numbers_new(h);
	for (size_t i = 0; i < h->span_count; i++)
		o->has_class_24 |= h->spans[i].elem_size == 24;
	(void)!runtime_each_global(h->rt, "*", add_global, o, &ignored);
	if (o->global_count)
		qsort(o->globals, o->global_count, sizeof(*o->globals), by_addr);
	h->types = o;
	h->take = take;
}

void object_types_forget(struct heap *h)
{
	if (!h->types)
		return;
	type_numbers_free(h->types->of);
	h->types->of = NULL;
}

void object_types_close(struct heap *h)
{
	struct object_types *o = h->types;

	if (!o)
		return;
	for (size_t i = 0; i < o->global_count; i++)
		xfree(o->globals[i].name);
	type_numbers_free(o->of);
	xfree(o->list);
	xfree(o->globals);
	table_free(&o->numbers);
	table_free(&o->headers);
	table_free(&o->interfaces);
	xfree(o);
	h->types = NULL;
}

uint16_t object_type_of(const struct heap *h, const struct span *s, uint32_t i)
{
	const uint16_t number = type_number(h, h->types->of, s, s->first + i);

	return number && rank(h, s, object_type(h, number)) > 1 ? number : 0;
}

char *object_part_name(const struct heap *h, uint64_t addr, uint64_t at)
{
	const struct span *s = span_at(h, addr);
	const uint32_t i = s ? object_in(s, addr) : NO_OBJECT;
	const uint16_t number = i == NO_OBJECT ? 0 : object_type_of(h, s, i);
	const uint64_t begin = addr + (s ? header_of(s) : 0);

	return number && at >= begin ? type_slots_name(object_type(h, number), at - begin)
				     : NULL;
}

size_t heap_type_count(const struct heap *h)
{
	return h->types ? h->types->count : 0;
}

static char *name_of_closure(const struct heap *h, uint64_t pc)
{
	const struct code *code = code_with_calls(h->rt->code, pc, true);

	return code && code->call_count
		       ? xasprintf("func %s", code->calls[code->call_count - 1].name)
		       : xstrdup("func");
}

/* Only variables have a direction. */
static char *name_of_channel(const struct type *type)
{
	static const char *const directed[] = { "<-chan ", "chan<- " };
	const char *name = type_name(type);

	for (size_t i = 0; i < ARRAY_SIZE(directed); i++)
		if (strncmp(name, directed[i], strlen(directed[i])) == 0)
			return xasprintf("chan %s", name + strlen(directed[i]));
	return xstrdup(name);
}

char *heap_type_name(const struct heap *h, uint16_t number)
{
	static const char *const parts[] = {
		[FORM_VALUE] = "",
		[FORM_ARRAY] = "",
		[FORM_MAP] = "",
		[FORM_BYTES] = " (bytes)",
		[FORM_GROUPS] = " (entries)",
		[FORM_TABLES] = " (directory)",
		[FORM_TABLE] = " (table)",
	};
	const struct object_type *t = object_type(h, number);

	if (t->form == FORM_CLOSURE)
		return name_of_closure(h, t->code);
	if (t->form == FORM_CHANNEL)
		return name_of_channel(t->type);
	return xasprintf("%s%s%s", t->form == FORM_ARRAY ? "[]" : "", type_name(t->type),
			 parts[t->form]);
}
