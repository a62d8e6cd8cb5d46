/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "printers/document/print_document.h"
#include "printers/values/naming.h"
#include "printers/values/value_printers.h"
#include "redaction/redaction.h"

enum {
	TYPES_MAX = 256,    /* visited for one type; with more it may lead anywhere */
	DEPTH_MORE = 2,	    /* deeper than is printed, for interfaces on the way */
	STEP_BYTES = 64,    /* of the document: no value is printed in less */
	BYTES_MAX = 4096,   /* of a secret */
	PIECE_MIN = 4,	    /* shorter ones occur anywhere */
	SEEN_MAX = 1 << 19, /* values, in 24 MB */
};

struct secret_scan {
	struct runtimes *runtimes;
	const struct images *images;
	struct redaction *redaction;
	const struct value_bounds *bounds; /* what is printed is learned */
	enum variables_of of;
	struct table visited; /* address and type, with a bit for secret */
	struct runtime *rt;
	unsigned steps;
	struct type_walk types; /* of one variable */
	bool leads;		/* a variable of this goroutine may lead to a secret */
};

struct search {
	struct redaction *redaction;
	const struct type *seen[TYPES_MAX];
	size_t count;
	struct type_walk walk;
};

static bool is_named(struct redaction *r, const char *name)
{
	return redaction_of_name(r, name, strlen(name)) != NULL;
}

static bool search(struct search *s, const struct type *type);

static bool search_fields(struct search *s, const struct type *type)
{
	if (naming_field(type) && type_field_count(type) > 1)
		return true;
	for (size_t i = 0; i < type_field_count(type); i++) {
		const struct type_field *f = type_field(type, i);
		if (is_named(s->redaction, f->name) || search(s, f->type))
			return true;
	}
	return false;
}

static bool may_be_text(const struct type *type)
{
	return type &&
	       (type_kind(type) == KIND_STRING || type_kind(type) == KIND_INTERFACE);
}

static bool may_name(const struct type *type)
{
	return may_be_text(type) || (type && type_kind(type) == KIND_STRUCT);
}

static bool search_by_kind(struct search *s, const struct type *type)
{
	switch (type_kind(type)) {
	case KIND_STRUCT:
		return search_fields(s, type);
	case KIND_MAP:
		return may_name(type_key(type)) || search(s, type_elem(type));
	case KIND_ARRAY:
	case KIND_SLICE:
		return may_be_text(type_elem(type)) || search(s, type_elem(type));
	case KIND_POINTER:
		return search(s, type_elem(type));
	default:
		return false;
	}
}

/* By names alone: what an interface holds is not known. */
static bool search(struct search *s, const struct type *type)
{
	if (!type)
		return false;
	if (type_found(type)->leads)
		return type_found(type)->leads == TYPE_LEADS;
	for (size_t i = 0; i < s->count; i++)
		if (s->seen[i] == type)
			return false;
	if (s->count == TYPES_MAX || !type_enter(&s->walk, type))
		return true;
	s->seen[s->count++] = type;
	bool found = search_by_kind(s, type);
	type_leave(&s->walk);
	return found;
}

/* Results for inner types found on the way are not kept: they hold for this one only, as
 * it may be part of a cycle. */
static bool leads(struct secret_scan *l, const struct type *type)
{
	struct type_found *found = type_found(type);
	struct search s = { .redaction = l->redaction };

	if (!found->leads)
		found->leads = search(&s, type) ? TYPE_LEADS : TYPE_LEADS_NOWHERE;
	return found->leads == TYPE_LEADS;
}

/* False: visited before. */
static bool is_new(struct secret_scan *l, const struct value *v, bool secret)
{
	if (!v->type)
		return false;
	if (l->visited.count >= SEEN_MAX) /* some will be walked again */
		table_free(&l->visited);
	return table_add(&l->visited, v->addr, (uintptr_t)v->type | secret);
}

/* What is in the program's file is not secret, such as header names and token kinds; nor
 * is a text that is itself the name of a secret. numbers: not text, but numbers of that
 * size. */
static void learn(struct secret_scan *l, uint64_t addr, uint64_t len, uint64_t numbers)
{
	char bytes[BYTES_MAX];
	size_t n = len < sizeof(bytes) ? (size_t)len : sizeof(bytes);
	struct err ignored;

	if (len < PIECE_MIN || images_at(l->images, addr) ||
	    !runtime_bytes(l->rt, addr, bytes, n, &ignored) ||
	    (numbers ? !redaction_is_key(bytes, n)
		     : redaction_is_name(l->redaction, bytes, n)))
		return;
	redaction_learn_for_all(l->redaction, addr, len, bytes, n);
	explicit_bzero(bytes, n);
}

struct walk {
	struct secret_scan *l;
	unsigned depth, pointers;
	bool secret;
	unsigned entries;
};

static void walk(const struct walk *from, const struct value *v, bool secret);

static struct naming naming_of(const struct walk *w)
{
	return (struct naming){ w->l->rt, w->l->redaction };
}

/* The name of a struct says less than that of a text: its fields have their own names. */
static void walk_fields(const struct walk *w, const struct value *v)
{
	if (!type_enter(&w->l->types, v->type))
		return;
	const struct type_field *key = naming_field(v->type);
	const struct naming naming = naming_of(w);
	bool pair = key && rule_of_key(&naming,
				       &(struct value){ key->type, v->addr + key->off });

	for (size_t i = 0; i < type_field_count(v->type); i++) {
		const struct type_field *f = type_field(v->type, i);
		const struct value field = { f->type, v->addr + f->off };
		walk(w, &field,
		     (pair && is_named_by(key, f)) || is_named(w->l->redaction, f->name));
	}
	type_leave(&w->l->types);
}

static void learn_rest(struct secret_scan *l, const struct value *v, size_t from)
{
	struct text_value s;
	struct err ignored;

	if (runtime_string(l->rt, v, &s, &ignored) && from < s.len)
		learn(l, s.addr + from, s.len - from, 0);
}

static void walk_row(const struct walk *w, const struct type *elem, uint64_t addr,
		     uint64_t n)
{
	const struct naming naming = naming_of(w);
	struct value element = { elem, addr };
	struct listed list = { .before = element };
	size_t from;

	for (uint64_t i = 0; elem && i < n && i < w->l->bounds->elements; i++) {
		element.addr = addr + i * type_size(elem);
		const char *rule = rule_of_element(&naming, &list, &element, i, n, &from);
		bool secret = w->secret || (rule && !list.arguments.doubtful);
		if (secret && !w->secret && from)
			learn_rest(w->l, &element, from);
		else
			walk(w, &element, secret);
	}
}

static bool is_number(const struct type *type)
{
	return type && type_kind(type) >= KIND_INT && type_kind(type) <= KIND_UINTPTR;
}

/* For numbers that are secret: all of them together are one secret. */
static bool walk_numbers(const struct walk *w, const struct type *elem, uint64_t addr,
			 uint64_t n)
{
	uint64_t size = is_number(elem) ? type_size(elem) : 0;

	if (!size)
		return false;
	if (w->secret && n <= UINT64_MAX / size)
		learn(w->l, addr, n * size, size > 1 ? size : 0);
	return true;
}

static void walk_slice(const struct walk *w, const struct value *v)
{
	struct slice_value s;
	struct err ignored;

	if (runtime_slice(w->l->rt, v, &s, &ignored) && s.addr &&
	    !walk_numbers(w, type_elem(v->type), s.addr, s.len))
		walk_row(w, type_elem(v->type), s.addr, s.len);
}

static void walk_array(const struct walk *w, const struct value *v)
{
	if (!walk_numbers(w, type_elem(v->type), v->addr, type_count(v->type)))
		walk_row(w, type_elem(v->type), v->addr, type_count(v->type));
}

/* Durations and times are not secret. */
static void walk_number(const struct walk *w, const struct value *v)
{
	static const char times[] = "time.";
	const uint64_t size = type_size(v->type);
	uint64_t number = 0;
	struct err ignored;

	if (!w->secret || size < 1 || size > WORD ||
	    strncmp(type_name(v->type), times, strlen(times)) == 0 ||
	    !runtime_bytes(w->l->rt, v->addr, &number, (size_t)size, &ignored))
		return;
	const unsigned unused = 8 * (unsigned)(WORD - size);
	if (type_kind(v->type) <= KIND_INT64)
		number = (uint64_t)((int64_t)(number << unused) >> unused);
	redaction_learn_number_for_all(w->l->redaction, number);
}

static void walk_string(const struct walk *w, const struct value *v)
{
	struct text_value s;
	struct err ignored;

	if (w->secret && runtime_string(w->l->rt, v, &s, &ignored))
		learn(w->l, s.addr, s.len, 0);
}

static void walk_struct(const struct walk *w, const struct value *v)
{
	struct text_value s;

	if (w->secret && runtime_slog_text(w->l->rt, v, &s))
		learn(w->l, s.addr, s.len, 0);
	else if (leads(w->l, v->type))
		walk_fields(w, v);
}

static bool walk_entry(void *arg, const struct value *key, const struct value *elem)
{
	struct walk *w = arg;
	const struct naming naming = naming_of(w);

	walk(w, elem, w->secret || rule_of_entry(&naming, key, elem->type));
	return ++w->entries < w->l->bounds->entries;
}

static void walk_map(const struct walk *w, const struct value *v)
{
	struct walk entries = *w;
	struct map_value map;
	struct err ignored;

	/* The map's printer reports what is wrong with it. */
	if (runtime_map(w->l->rt, v, &map, &ignored) && map.addr &&
	    is_new(w->l, &(struct value){ v->type, map.addr }, w->secret) &&
	    !runtime_map_each(w->l->rt, v, walk_entry, &entries, &ignored))
		return;
}

static void walk_behind(const struct walk *w, const struct value *v)
{
	struct walk inner = *w;
	struct value behind;

	inner.pointers += type_kind(v->type) == KIND_POINTER;
	if (inner.pointers <= w->l->bounds->pointers &&
	    runtime_behind(w->l->rt, v, &behind) && is_new(w->l, &behind, w->secret))
		walk(&inner, &behind, w->secret);
}

static void walk(const struct walk *from, const struct value *v, bool secret)
{
	struct walk w = *from;

	w.depth++;
	w.secret = secret;
	if (!v->type || w.depth > w.l->bounds->depth + DEPTH_MORE ||
	    !(secret || leads(w.l, v->type)) ||
	    w.l->steps++ >= w.l->bounds->bytes / STEP_BYTES)
		return;
	switch (type_kind(v->type)) {
	case KIND_STRING:
		walk_string(&w, v);
		break;
	case KIND_STRUCT:
		walk_struct(&w, v);
		break;
	case KIND_SLICE:
		walk_slice(&w, v);
		break;
	case KIND_ARRAY:
		walk_array(&w, v);
		break;
	case KIND_MAP:
		walk_map(&w, v);
		break;
	case KIND_POINTER:
	case KIND_INTERFACE:
		walk_behind(&w, v);
		break;
	default:
		if (is_number(v->type))
			walk_number(&w, v);
		break;
	}
}

static void look_at(void *arg, struct runtime *rt, const struct variable *v)
{
	struct secret_scan *l = arg;
	const struct walk begin = { .l = l };

	if (v->compiler || !v->value.type)
		return;
	bool secret = is_named(l->redaction, v->name);
	if (!secret && !leads(l, v->value.type))
		return;
	l->leads = true;
	l->rt = rt;
	l->steps = 0;
	l->types = (struct type_walk){ .of_value = true };
	if (!v->unreadable && !v->optimized_out)
		walk(&begin, &v->value, secret);
}

static void look_at_frame(void *arg, const struct code_frame *f)
{
	if (!f->variables)
		return;
	frame_each_variable(f->variables, true, look_at, arg);
	frame_each_variable(f->variables, false, look_at, arg);
}

struct secret_scan *secret_scan_new(const struct goroutine_printing *printing,
				    const struct images *images)
{
	struct secret_scan *l = xcalloc(1, sizeof(*l));

	*l = (struct secret_scan){ .runtimes = printing->runtimes,
				   .images = images,
				   .redaction = printing->redaction,
				   .bounds = printing->values,
				   .of = printing->values->hidden ? VARIABLES_OF_ALL
								  : VARIABLES_OF_SHOWN };
	return l;
}

void secret_scan_free(struct secret_scan *l)
{
	if (l)
		table_free(&l->visited);
	xfree(l);
}

bool secret_scan_goroutine(struct secret_scan *l, const struct goroutine *g)
{
	l->leads = false;
	runtimes_each_frame_of(l->runtimes, g, l->of, look_at_frame, l);
	return l->leads;
}
