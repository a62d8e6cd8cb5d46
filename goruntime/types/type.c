/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/types/type_priv.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/guard.h"
#include "lib/base/limit.h"
#include "lib/base/table.h"

enum { CHAIN_MAX = 64, DEPTH_MAX = 32, NAME_BYTES = 256 };

/* References that are neither offsets nor addresses. */
#define COMPOSED (UINT64_C(1) << 63)

/* DW_ATE_*: DWARF 5, 7.8. */
enum {
	ATE_BOOLEAN = 2,
	ATE_FLOAT = 4,
	ATE_SIGNED = 5,
	ATE_SIGNED_CHAR = 6,
	ATE_UNSIGNED = 7,
	ATE_UNSIGNED_CHAR = 8,
};

struct types {
	struct runtime *rt;
	struct dwarf *dwarf; /* NULL: types are from descriptors */
	uint64_t descriptors;
	struct table by_ref; /* struct type *, owned */
	void **kept;	     /* names and notes, owned here */
	size_t kept_count, kept_cap;
	uint64_t composed; /* number of types composed here */
	uint64_t walked;   /* counts up to LIMIT_TYPE_WALKS */
	int depth;	   /* of nested calls that make names */
};

struct types *types_new(struct runtime *rt, struct dwarf *d, uint64_t descriptors)
{
	struct types *types = xcalloc(1, sizeof(*types));

	types->rt = rt;
	types->dwarf = d;
	types->descriptors = descriptors;
	return types;
}

static struct type *found(uint64_t value)
{
	return (struct type *)(uintptr_t)value;
}

void types_free(struct types *types)
{
	size_t at = 0;

	if (!types)
		return;
	for (struct type *type; (type = found(table_next(&types->by_ref, &at)));
	     xfree(type))
		xfree(type->fields);
	for (size_t i = 0; i < types->kept_count; i++)
		xfree(types->kept[i]);
	xfree(types->kept);
	table_free(&types->by_ref);
	xfree(types);
}

static enum type_kind base_kind(const struct dwarf_type *d)
{
	static const enum type_kind is_signed[] = {
		[1] = KIND_INT8, [2] = KIND_INT16, [4] = KIND_INT32, [8] = KIND_INT64
	};
	static const enum type_kind is_unsigned[] = {
		[1] = KIND_UINT8, [2] = KIND_UINT16, [4] = KIND_UINT32, [8] = KIND_UINT64
	};
	size_t size = d->size < ARRAY_SIZE(is_signed) ? (size_t)d->size : 0;

	switch (d->encoding) {
	case ATE_BOOLEAN:
		return KIND_BOOL;
	case ATE_FLOAT:
		return size == 4 ? KIND_FLOAT32 : size == 8 ? KIND_FLOAT64 : KIND_UNKNOWN;
	case ATE_SIGNED:
	case ATE_SIGNED_CHAR:
		return is_signed[size];
	case ATE_UNSIGNED:
	case ATE_UNSIGNED_CHAR:
		return is_unsigned[size];
	}
	return KIND_UNKNOWN;
}

static enum type_kind kind_by_tag(const struct dwarf_type *d)
{
	switch (d->tag) {
	case DWARF_TYPE_BASE:
		return base_kind(d);
	case DWARF_TYPE_STRUCT:
		return KIND_STRUCT;
	case DWARF_TYPE_UNION:
		return KIND_UNION;
	case DWARF_TYPE_ARRAY:
		return KIND_ARRAY;
	case DWARF_TYPE_POINTER:
		return KIND_POINTER;
	case DWARF_TYPE_ENUM:
		return KIND_ENUM;
	case DWARF_TYPE_UNSPECIFIED:
		return d->go ? KIND_UNSAFE_POINTER : KIND_VOID;
	default:
		return KIND_UNKNOWN;
	}
}

static enum type_kind kind_of(const struct dwarf_type *d)
{
	/* Its go_kind is a pointer, but nothing says to what. */
	if (d->go && d->tag == DWARF_TYPE_POINTER && !d->of)
		return KIND_UNSAFE_POINTER;
	if (d->go_kind && d->go_kind <= KIND_UNSAFE_POINTER)
		return (enum type_kind)d->go_kind;
	return kind_by_tag(d);
}

/* The same in every release, for 64 bits. 0: depends on the type. */
static uint64_t size_of_kind(enum type_kind kind)
{
	static const uint8_t sizes[TYPE_KINDS] = {
		[KIND_BOOL] = 1,	[KIND_INT] = 8,	    [KIND_INT8] = 1,
		[KIND_INT16] = 2,	[KIND_INT32] = 4,   [KIND_INT64] = 8,
		[KIND_UINT] = 8,	[KIND_UINT8] = 1,   [KIND_UINT16] = 2,
		[KIND_UINT32] = 4,	[KIND_UINT64] = 8,  [KIND_UINTPTR] = 8,
		[KIND_FLOAT32] = 4,	[KIND_FLOAT64] = 8, [KIND_COMPLEX64] = 8,
		[KIND_COMPLEX128] = 16, [KIND_CHAN] = 8,    [KIND_FUNC] = 8,
		[KIND_INTERFACE] = 16,	[KIND_MAP] = 8,	    [KIND_POINTER] = 8,
		[KIND_SLICE] = 24,	[KIND_STRING] = 16, [KIND_UNSAFE_POINTER] = 8,
	};

	return sizes[kind];
}

/* For gdb's sake a func is described as one byte, so anything but a number gets the size
 * of its kind. */
static uint64_t size_of(enum type_kind kind, const struct dwarf_type *d)
{
	const bool is_number = kind >= KIND_BOOL && kind <= KIND_COMPLEX128;
	const uint64_t size = size_of_kind(kind);

	return size && !is_number ? size : d->has_size ? d->size : 0;
}

bool type_is_sound(enum type_kind kind, uint64_t size)
{
	return !size_of_kind(kind) || size == size_of_kind(kind);
}

static void *keep(struct types *types, void *memory)
{
	GROW(types->kept, types->kept_count, types->kept_cap);
	types->kept[types->kept_count++] = memory;
	return memory;
}

const char *types_keep_name(struct types *types, char *name)
{
	return keep(types, name);
}

/* Names for what Go does not name: C's pointers, arrays, structs. */
static const char *make_name(struct types *types, const struct type *type)
{
	struct err ignored;
	const struct type *of = NULL;

	if (type->elem_ref && ++types->depth <= DEPTH_MAX)
		of = types_at(types, type->elem_ref, &ignored);
	types->depth -= type->elem_ref != 0;
	const char *name = of ? of->name : type->elem_ref ? "..." : "void";
	/* A type that leads to itself has no name yet. */
	if (!name || strlen(name) > NAME_BYTES)
		name = "...";
	switch ((int)type->kind) {
	case KIND_POINTER:
		return types_keep_name(types, xasprintf("*%s", name));
	case KIND_ARRAY:
		return types_keep_name(
			types,
			xasprintf("[%llu]%s", (unsigned long long)type->count, name));
	case KIND_STRUCT:
		return "struct";
	case KIND_UNION:
		return "union";
	case KIND_ENUM:
		return "enum";
	case KIND_VOID:
		return "void";
	}
	return "?";
}

/* Follows typedefs and qualifiers to the type itself. The outermost name is kept. */
static bool resolve(struct types *types, uint64_t ref, struct dwarf_type *ret,
		    const char **ret_name, uint64_t *ret_descriptor, struct err *err)
{
	*ret_name = NULL;
	*ret_descriptor = 0;
	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!dwarf_type_read(types->dwarf, ref, ret, err))
			return false;
		if (!*ret_name)
			*ret_name = ret->name;
		if (!*ret_descriptor)
			*ret_descriptor = ret->go_runtime_type;
		bool named = ret->tag == DWARF_TYPE_TYPEDEF ||
			     ret->tag == DWARF_TYPE_QUALIFIER;
		if (!named || ret->go_kind)
			return true;
		if (!ret->of) {
			ret->tag = DWARF_TYPE_UNSPECIFIED;
			ret->go = false;
			return true;
		}
		ref = ret->of;
	}
	return err_set(err, ERR_BAD_DATA, "its type names form a cycle");
}

static void fill(struct type *type, const struct dwarf_type *d)
{
	type->kind = kind_of(d);
	type->size = size_of(type->kind, d);
	if (!type_is_sound(type->kind, type->size))
		type->kind = KIND_UNKNOWN;
	type->c = !d->go;
	type->elem_ref = d->go_elem ? d->go_elem : d->of;
	type->key_ref = d->go_key;
	type->fields_ref = d->ref;
	type->header_ref = d->tag == DWARF_TYPE_TYPEDEF ? d->of : 0;
	if (type->kind != KIND_ARRAY)
		return;
	/* Only the first dimension counts here: C only. */
	type->count = d->dimension_count ? d->dimensions[0] : 0;
	if (type->count > INT64_MAX)
		type->count = 0;
}

static bool tell(struct types *types, struct type *type, struct err *err)
{
	struct dwarf_type d;
	uint64_t descriptor;

	if (!types->dwarf)
		return type_describe(types->rt, type, type->ref, err);
	if (!resolve(types, type->ref, &d, &type->name, &descriptor, err))
		return false;
	fill(type, &d);
	if (descriptor && types->descriptors)
		type->descriptor = types->descriptors + descriptor;
	return true;
}

static struct type *add(struct types *types, uint64_t ref, struct err *err)
{
	if (types->by_ref.count >= LIMIT_TYPES) {
		err_set(err, ERR_LIMIT, "more than %d types", LIMIT_TYPES);
		return NULL;
	}
	AUTO(xfree) struct type *type = xcalloc(1, sizeof(*type));
	type->types = types;
	type->ref = ref;
	if (!tell(types, type, err))
		return NULL;
	struct type *added = TAKE(type);
	table_set(&types->by_ref, ref, 0, (uintptr_t)added);
	/* A type may contain itself: it is in the table by now. */
	if (!added->name)
		added->name = make_name(types, added);
	return added;
}

/* What it leads to is filled in when first needed; nothing else in a type changes. */
static struct type *own(const struct type *type)
{
	return (struct type *)(uintptr_t)type;
}

const struct type *types_compose(enum type_kind kind, uint64_t count,
				 const struct type *elem)
{
	struct types *types = elem->types;

	if (kind == KIND_POINTER && elem->pointer)
		return elem->pointer;
	struct type *type = xcalloc(1, sizeof(*type));
	*type = (struct type){ .types = types,
			       .kind = kind,
			       .count = count,
			       .ref = COMPOSED | types->composed++,
			       .elem = elem };
	type->size = kind == KIND_ARRAY ? count * elem->size
					: size_of(kind, &(struct dwarf_type){ .ref = 0 });
	type->name = types_keep_name(
		types, kind == KIND_POINTER ? xasprintf("*%s", elem->name)
		       : kind == KIND_SLICE
			       ? xasprintf("[]%s", elem->name)
			       : xasprintf("[%" PRIu64 "]%s", count, elem->name));
	table_set(&types->by_ref, type->ref, 0, (uintptr_t)type);
	if (kind == KIND_POINTER)
		own(elem)->pointer = type;
	return type;
}

const struct type *types_at(struct types *types, uint64_t ref, struct err *err)
{
	struct type *type = found(table_get(&types->by_ref, ref, 0));

	return type ? type : add(types, ref, err);
}

const struct type *types_named(struct types *types, const char *name, struct err *err)
{
	uint64_t ref;

	if (dwarf_named_type(types->dwarf, name, &ref))
		return types_at(types, ref, err);
	err_set(err, ERR_NOT_FOUND, "no type named %s", name);
	return NULL;
}

const struct type *types_of_descriptor(struct types *types, uint64_t descriptor,
				       struct err *err)
{
	uint64_t ref;

	if (types->descriptors && descriptor > types->descriptors &&
	    dwarf_type_with(types->dwarf, descriptor - types->descriptors, &ref))
		return types_at(types, ref, err);
	err_set(err, ERR_NOT_FOUND,
		"no debug information for the type whose descriptor is at 0x%" PRIx64,
		descriptor);
	return NULL;
}

/* By its reference in the same debugging information, or by its descriptor. */
static const struct type *find(const struct type *type, uint64_t ref, uint64_t descriptor,
			       const struct type **known)
{
	struct err ignored;

	if (!*known && ref)
		*known = types_at(type->types, ref, &ignored);
	else if (!*known && descriptor)
		*known = runtime_type_at(type->types->rt, descriptor, &ignored);
	return *known;
}

enum type_kind type_kind(const struct type *type)
{
	return type->kind;
}

struct type_found *type_found(const struct type *type)
{
	return &own(type)->found;
}

void *type_keep(const struct type *type, void *memory)
{
	/* Types of slots.c are static. */
	return type->types ? keep(type->types, memory) : memory;
}

const char *type_name(const struct type *type)
{
	return type->name;
}

uint64_t type_size(const struct type *type)
{
	return type->size;
}

uint64_t type_count(const struct type *type)
{
	return type->count;
}

const struct type *type_elem(const struct type *type)
{
	return find(type, type->elem_ref, type->elem_at, &own(type)->elem);
}

const struct type *type_key(const struct type *type)
{
	return find(type, type->key_ref, type->key_at, &own(type)->key);
}

const struct type *type_header(const struct type *type)
{
	const struct type *at = find(type, type->header_ref, 0, &own(type)->header);

	return at && at->kind == KIND_POINTER ? type_elem(at) : at;
}

const struct type *type_group(const struct type *type)
{
	return find(type, 0, type->group_at, &own(type)->group);
}

bool type_is_described(const struct type *type)
{
	return type->types && !type->types->dwarf;
}

bool type_has_methods(const struct type *type)
{
	const struct type *header = type_header(type);

	return type->fields_n || (header && strcmp(header->name, "runtime.iface") == 0);
}

static bool add_field(void *arg, const struct dwarf_field *field)
{
	struct type *type = arg;
	struct err ignored;

	if (type->field_count >= LIMIT_FIELDS)
		return false;
	GROW(type->fields, type->field_count, type->field_cap);
	type->fields[type->field_count++] = (struct type_field){
		.name = field->name ? field->name : "_",
		.type = types_at(type->types, field->of, &ignored),
		.off = field->off,
		.embedded = field->embedded,
	};
	return true;
}

size_t type_field_count(const struct type *type)
{
	struct type *t = own(type);

	if (t->has_fields || (t->kind != KIND_STRUCT && t->kind != KIND_UNION))
		return t->field_count;
	t->has_fields = true;
	if (t->types->dwarf)
		dwarf_type_each_field(t->types->dwarf, t->fields_ref, add_field, t);
	else
		type_describe_fields(t->types->rt, t);
	return t->field_count;
}

const struct type_field *type_field(const struct type *type, size_t i)
{
	return i < type_field_count(type) ? &type->fields[i] : NULL;
}

const struct type_field *type_field_named(const struct type *type, const char *name)
{
	for (size_t i = 0; i < type_field_count(type); i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return &type->fields[i];
	return NULL;
}

bool type_enter(struct type_walk *w, const struct type *type)
{
	const unsigned steps = 1 + (unsigned)type_field_count(type);
	/* Types of slots.c have no struct types. */
	uint64_t none = 0,
		 *walked = type->types && !w->of_value ? &type->types->walked : &none;

	if (!recursion_enter(&w->depth, LIMIT_TYPE_DEPTH)) {
		w->over = true;
		return false;
	}
	if (!budget_spend(&w->steps, steps, LIMIT_TYPE_STEPS) ||
	    !budget_spend(walked, steps, LIMIT_TYPE_WALKS)) {
		recursion_leave(&w->depth);
		w->over = true;
		return false;
	}
	return true;
}

void type_leave(struct type_walk *w)
{
	recursion_leave(&w->depth);
}

struct enumerators {
	enumerator_fn *fn;
	void *arg;
	int left;
};

static bool give_enumerator(void *arg, const struct dwarf_enumerator *e)
{
	struct enumerators *all = arg;

	return all->left-- > 0 && (!e->name || all->fn(all->arg, e->name, e->value));
}

void type_each_enumerator(const struct type *type, enumerator_fn *fn, void *arg)
{
	struct enumerators all = { fn, arg, LIMIT_FIELDS };

	if (type->kind == KIND_ENUM && type->types->dwarf)
		dwarf_type_each_enumerator(type->types->dwarf, type->fields_ref,
					   give_enumerator, &all);
}

static bool is_negative(void *arg, const char *name, int64_t value)
{
	bool *found = arg;

	(void)name;
	*found = value < 0;
	return !*found;
}

bool type_is_signed_enum(const struct type *type)
{
	bool found = false;

	type_each_enumerator(type, is_negative, &found);
	return found;
}
