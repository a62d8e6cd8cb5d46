/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/symtab/arguments.h"
#include "goruntime/types/type_priv.h"
#include "goruntime/variables/variable_place.h"
#include "lib/base/limit.h"

enum { INTEGER_REGISTERS = 9, DEPTH_MAX = 8, TYPES_MAX = 64 };

const struct dwarf_variable *dictionary_variable(const struct dwarf_scope *scope)
{
	for (size_t i = 0; i < scope->variable_count; i++)
		if (scope->variables[i].name &&
		    strcmp(scope->variables[i].name, ".dict") == 0)
			return &scope->variables[i];
	return NULL;
}

/* For an escaping x, the index in the dictionary would be that of the pointer to x. */
static bool has_index(const struct dwarf_variable *d)
{
	return d->has_dict_index && d->name && d->name[0] != '&';
}

static bool is_shape(const struct type *type)
{
	return strstr(type->name, "go.shape.");
}

bool dictionary_has(const struct dwarf_variable *d, const struct variable *v)
{
	return v->value.type && (has_index(d) || is_shape(v->value.type));
}

/* Does a function name one of its types twice, as F[go.shape.int,go.shape.int] does? Then
 * a shape does not identify a type. Up to Go 1.20 shapes are numbered: go.shape.int_0. */
static bool names_types_twice(const char *function)
{
	const char *types[TYPES_MAX];
	size_t n = 0;

	for (const char *at = function; (at = strstr(at, "go.shape.")); at++) {
		if (n == TYPES_MAX)
			return true; /* assume so: nobody writes that many */
		const size_t len = strcspn(at, ",])");
		for (size_t i = 0; i < n; i++)
			if (strncmp(types[i], at, len) == 0 &&
			    strchr(",])", types[i][len]))
				return true;
		types[n++] = at;
	}
	return false;
}

/* The dictionary index of the type with that shape. */
struct shape_place {
	uint64_t fields_ref, index;
	bool several; /* and other indexes */
};

struct shape_places {
	bool unclear; /* ambiguous by the function's name */
	size_t count;
	struct shape_place list[]; /* sorted by fields_ref */
};

static int by_shape(const void *a, const void *b)
{
	const struct shape_place *x = a, *y = b;

	return (x->fields_ref > y->fields_ref) - (x->fields_ref < y->fields_ref);
}

static void join_same(struct shape_places *p)
{
	size_t kept = 0;

	qsort(p->list, p->count, sizeof(p->list[0]), by_shape);
	for (size_t i = 0; i < p->count; i++) {
		struct shape_place *last = kept ? &p->list[kept - 1] : NULL;
		if (last && last->fields_ref == p->list[i].fields_ref)
			last->several |= last->index != p->list[i].index;
		else
			p->list[kept++] = p->list[i];
	}
	p->count = kept;
}

static const struct shape_places *places_of(struct code_variables *v)
{
	const struct dwarf_scopes *s = v->scopes;
	const char *function = s->list[s->count - 1].function;
	struct shape_places *p = v->shapes;
	struct err ignored;

	if (p)
		return p;
	p = v->shapes = xcalloc(1, sizeof(*p) + s->shape_count * sizeof(p->list[0]));
	p->unclear = !function || names_types_twice(function);
	for (size_t i = 0; i < s->shape_count; i++) {
		const struct type *t = types_at(v->types, s->shapes[i].type, &ignored);
		if (t)
			p->list[p->count++] =
				(struct shape_place){ .fields_ref = t->fields_ref,
						      .index = s->shapes[i].index };
	}
	join_same(p);
	return p;
}

/* An escaping variable is described only as a pointer, and a captured one by its shape;
 * neither has a dictionary index. It is found by the shape, if only one type has that
 * shape. */
static bool index_of_shape(struct code_variables *v, const struct type *shape,
			   uint64_t *ret, struct err *err)
{
	const struct shape_places *p = places_of(v);
	const struct shape_place wanted = { .fields_ref = shape->fields_ref },
				 *found = bsearch(&wanted, p->list, p->count,
						  sizeof(wanted), by_shape);

	if (p->unclear || (found && found->several))
		return err_set(err, ERR_NOT_FOUND,
			       "the function has several types of this shape");
	if (!found)
		return err_set(err, ERR_NOT_FOUND, "its dictionary index is unknown");
	*ret = found->index;
	return true;
}

static const struct type *read_type(struct runtime *rt, uint64_t addr, uint64_t index,
				    const struct type *shape, struct err *err)
{
	uint64_t descriptor;

	if (index >= LIMIT_FIELDS) {
		err_set(err, ERR_BAD_DATA, "its dictionary index is too large");
		return NULL;
	}
	if (!target_read(rt->target, addr + index * WORD, &descriptor, WORD, err))
		return NULL;
	const struct type *type = runtime_type_at(rt, descriptor, err);
	if (!type || (type->kind == shape->kind && type->size == shape->size))
		return type;
	err_set(err, ERR_BAD_DATA,
		"its dictionary says %.100s, which does not have this shape", type->name);
	return NULL;
}

/* The compiler emits all dictionaries, so they are in an image. */
static bool fits(struct runtime *rt, const struct code_variables *v, uint64_t addr)
{
	const struct dwarf_scopes *s = v->scopes;
	struct err ignored;

	if (!images_at(rt->images, addr))
		return false;

	for (size_t i = 0; i < s->shape_count; i++) {
		const struct type *shape =
			types_at(v->types, s->shapes[i].type, &ignored);
		if (!shape || !read_type(rt, addr, s->shapes[i].index, shape, &ignored))
			return false;
	}
	return s->shape_count > 0;
}

/* amd64: mov %rax, offset(%rsp). The spill slot that the caller reserved for the first
 * argument is written before any call, or never. Stores after pc do not count. */
static bool keeps_first_argument(struct runtime *rt, const struct code *c)
{
	enum { LOOKED_AT = 128, RETURN_ADDRESS = 8, STORE = 8 };
	static const uint8_t near[] = { 0x48, 0x89, 0x44, 0x24 };
	static const uint8_t far[] = { 0x48, 0x89, 0x84, 0x24 };
	const uint32_t offset = (uint32_t)c->frame_size + RETURN_ADDRESS;
	uint8_t text[LOOKED_AT];
	const uint64_t past = c->pc - c->entry;

	if (c->frame_size < 0 || !modules_code(rt->modules, c->entry, text, sizeof(text)))
		return false;
	for (size_t i = 0; i + STORE <= sizeof(text) && i < past; i++)
		if ((memcmp(text + i, far, 4) == 0 &&
		     memcmp(text + i + 4, &offset, 4) == 0) ||
		    (memcmp(text + i, near, 4) == 0 && offset < 0x80 &&
		     text[i + 4] == offset))
			return true;
	return false;
}

static unsigned registers_of(struct type_walk *w, const struct type *type);

static unsigned registers_of_fields(struct type_walk *w, const struct type *type)
{
	unsigned n = 0;

	for (size_t i = 0; i < type_field_count(type) && n <= INTEGER_REGISTERS; i++)
		n += registers_of(w, type->fields[i].type);
	return n;
}

static unsigned registers_by_kind(struct type_walk *w, const struct type *type)
{
	switch ((int)type->kind) {
	case KIND_FLOAT32:
	case KIND_FLOAT64:
	case KIND_COMPLEX64:
	case KIND_COMPLEX128:
		return 0;
	case KIND_STRING:
	case KIND_INTERFACE:
		return 2;
	case KIND_SLICE:
		return 3;
	case KIND_ARRAY:
		return type->count > 1	 ? INTEGER_REGISTERS + 1
		       : type->count < 1 ? 0
					 : registers_of(w, type_elem(type));
	case KIND_STRUCT:
		return registers_of_fields(w, type);
	default:
		return 1;
	}
}

/* How many integer registers a value takes as an argument: cmd/compile/abi-internal.md.
 * More than there are: it is passed in memory, or has too many parts. */
static unsigned registers_of(struct type_walk *w, const struct type *type)
{
	if (!type || w->depth == DEPTH_MAX || !type_enter(w, type))
		return INTEGER_REGISTERS + 1;
	const unsigned n = registers_by_kind(w, type);
	type_leave(w);
	return n;
}

/* Its first parameter except the dictionary: a method's receiver. */
static const struct dwarf_variable *first_parameter(const struct dwarf_scope *scope)
{
	const struct dwarf_variable *dictionary = dictionary_variable(scope);

	for (size_t i = 0; i < scope->variable_count; i++) {
		const struct dwarf_variable *d = &scope->variables[i];
		if (d->parameter && !d->result && d != dictionary)
			return d;
	}
	return NULL;
}

bool dictionary_passed(struct frame_variables *frame, const struct dwarf_scope *scope,
		       uint64_t *ret)
{
	/* rax, rbx, rcx, rdi, rsi, r8 to r11 */
	static const uint8_t registers[INTEGER_REGISTERS] = {
		0, 3, 2, 5, 4, 8, 9, 10, 11
	};
	const struct code *c = frame->code;
	const struct dwarf_variable *first = first_parameter(scope);
	struct pclntab_func func;
	struct type_walk walk = { 0 };
	struct err ignored;

	if (c->calls[frame->call].inlined || !c->at_instruction ||
	    !pclntab_find(&c->module->tab, c->entry, &func) ||
	    !arguments_in_registers(&frame->rt->layout, &c->module->tab, &func, c->pc))
		return false;
	const struct type *before =
		first ? types_at(frame->code->variables->types, first->type, &ignored)
		      : NULL;
	unsigned behind = first ? registers_of(&walk, before) : 0;
	const unsigned places[] = { 0, behind };
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (places[i] < INTEGER_REGISTERS &&
		    frame_register(frame, registers[places[i]], ret) &&
		    fits(frame->rt, frame->code->variables, *ret))
			return true;
	return false;
}

static bool is_there(struct frame_variables *frame, uint64_t offset, uint64_t *ret)
{
	struct err ignored;

	return target_read(frame->rt->target, frame->cfa + offset, ret, WORD, &ignored) &&
	       fits(frame->rt, frame->code->variables, *ret);
}

bool dictionary_find(struct frame_variables *frame, uint64_t *ret)
{
	const struct code *c = frame->code;
	uint64_t offset;

	if (c->calls[frame->call].inlined)
		return false;
	if (arguments_first_word(c->arguments, &offset) && is_there(frame, offset, ret))
		return true;
	return keeps_first_argument(frame->rt, c) && is_there(frame, 0, ret);
}

static const struct type *real_type(struct runtime *rt,
				    const struct dictionary *dictionary,
				    struct code_variables *variables,
				    const struct dwarf_variable *d,
				    const struct type *shape, struct err *err)
{
	uint64_t index = d->dict_index;

	if (!dictionary->addr) {
		err_set(err, ERR_NOT_FOUND, "%s", dictionary->why);
		return NULL;
	}
	if (!has_index(d) && !index_of_shape(variables, shape, &index, err))
		return NULL;
	return read_type(rt, dictionary->addr, index, shape, err);
}

void dictionary_settle(struct runtime *rt, const struct dictionary *dictionary,
		       struct code_variables *variables, const struct dwarf_variable *d,
		       struct variable *v, struct err *err)
{
	const struct type *shape = v->value.type;

	if (has_index(d) && d->shape)
		shape = types_at(variables->types, d->shape, err);
	if (!shape)
		return;
	/* Method wrappers belong to one instance, but have dictionary indexes too. */
	if (!is_shape(shape)) {
		v->value.type = shape;
		return;
	}
	const struct type *real = real_type(rt, dictionary, variables, d, shape, err);
	v->value.type = real ? real : shape;
	if (!real)
		v->type_unresolved = err->text;
}
