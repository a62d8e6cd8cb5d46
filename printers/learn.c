/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "redaction.h"
#include "value_printers.h"

enum {
	TYPES_MAX = 256, /* looked at for one; more may lead anywhere */
	DEPTH_MAX = 8,
	POINTERS_MAX = 3,
	ELEMENTS_MAX = 16, /* of each sequence */
	ENTRIES_MAX = 64,  /* of each map */
	STEPS_MAX = 256,   /* of a variable */
	BYTES_MAX = 4096,  /* of a secret */
	SECRET_MIN = 8,	   /* shorter ones are found by chance in others */
	SEEN_FIRST = 1 << 10,
	SEEN_MAX = 1 << 20,
};

/* What has been walked, by a hash that none other has: open addressing, a power of two. */
struct walked {
	uint64_t *slots;
	size_t count, size;
};

struct learning {
	struct runtimes *runtimes;
	const struct images *images;
	struct redaction *redaction;
	enum variables_of of;
	struct walked walked;
	struct runtime *rt;
	unsigned steps;
	struct type_walk types; /* of a variable */
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

static bool may_be_text(const struct type *type)
{
	return type &&
	       (type_kind(type) == KIND_STRING || type_kind(type) == KIND_INTERFACE);
}

/* Of a header, an attribute: the one is called what the other says. */
static const struct type_field *key_of_pair(const struct type *type)
{
	static const char *const names[][2] = { { "Key", "Value" },  { "key", "value" },
						{ "Name", "Value" }, { "name", "value" },
						{ "K", "V" },	     { "k", "v" } };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct type_field *f = type_field_named(type, names[i][0]);
		if (f && may_be_text(f->type) && type_field_named(type, names[i][1]))
			return f;
	}
	return NULL;
}

static bool search(struct search *s, const struct type *type);

static bool search_fields(struct search *s, const struct type *type)
{
	if (key_of_pair(type))
		return true;
	for (size_t i = 0; i < type_field_count(type); i++) {
		const struct type_field *f = type_field(type, i);
		if (is_named(s->redaction, f->name) || search(s, f->type))
			return true;
	}
	return false;
}

static bool search_by_kind(struct search *s, const struct type *type)
{
	switch (type_kind(type)) {
	case KIND_STRUCT:
		return search_fields(s, type);
	case KIND_MAP:
		return may_be_text(type_key(type)) || search(s, type_elem(type));
	case KIND_POINTER:
	case KIND_ARRAY:
	case KIND_SLICE:
		return search(s, type_elem(type));
	default:
		return false;
	}
}

/* By names alone; what an interface holds is not known. */
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

/* What is found of types inside on the way holds for this one only: it may be in a circle. */
static bool leads(struct learning *l, const struct type *type)
{
	struct type_found *found = type_found(type);
	struct search s = { .redaction = l->redaction };

	if (!found->leads)
		found->leads = search(&s, type) ? TYPE_LEADS : TYPE_LEADS_NOWHERE;
	return found->leads == TYPE_LEADS;
}

static bool add(struct walked *w, uint64_t hash)
{
	for (size_t i = (size_t)hash;; i++) {
		uint64_t *slot = &w->slots[i & (w->size - 1)];
		if (*slot == hash)
			return false;
		if (*slot)
			continue;
		*slot = hash;
		w->count++;
		return true;
	}
}

static void make_room(struct walked *w)
{
	struct walked old = *w;

	if (2 * w->count < w->size)
		return;
	w->size = w->size ? 2 * w->size : SEEN_FIRST;
	w->count = 0;
	if (w->size > SEEN_MAX) { /* some are walked again */
		w->size = SEEN_FIRST;
		old.size = 0;
	}
	w->slots = xcalloc(w->size, sizeof(*w->slots));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i])
			add(w, old.slots[i]);
	xfree(old.slots);
}

/* False: it was here before. */
static bool is_new(struct learning *l, const struct value *v, bool secret)
{
	uint64_t hash = (v->addr ^ (uint64_t)(uintptr_t)v->type << 20) *
			UINT64_C(0x9e3779b97f4a7c15);

	make_room(&l->walked);
	hash ^= hash >> 29;
	return add(&l->walked, (hash << 2 | (uint64_t)secret << 1) | 1);
}

/* What the program's file says is none, as names of headers and kinds of tokens; nor is what is
 * a name of one itself. */
static void learn(struct learning *l, uint64_t addr, uint64_t len)
{
	char bytes[BYTES_MAX];
	size_t n = len < sizeof(bytes) ? (size_t)len : sizeof(bytes);
	struct err ignored;

	if (len < SECRET_MIN || images_at(l->images, addr) ||
	    !runtime_bytes(l->rt, addr, bytes, n, &ignored) ||
	    redaction_is_name(l->redaction, bytes, n))
		return;
	redaction_learn_for_all(l->redaction, addr, len, bytes, n);
	explicit_bzero(bytes, n);
}

static bool names_secret(struct learning *l, const struct value *v)
{
	enum { KEY_MAX = 256 };
	char bytes[KEY_MAX];
	struct interface_value in;
	struct text_value s;
	struct err ignored;
	struct value key = *v;

	if (type_kind(key.type) == KIND_INTERFACE) {
		if (!runtime_interface(l->rt, v, &in, &ignored) || !in.inside.type)
			return false;
		key = in.inside;
	}
	return type_kind(key.type) == KIND_STRING &&
	       runtime_string(l->rt, &key, &s, &ignored) && s.len <= sizeof(bytes) &&
	       runtime_bytes(l->rt, s.addr, bytes, (size_t)s.len, &ignored) &&
	       redaction_of_name(l->redaction, bytes, (size_t)s.len);
}

struct walk {
	struct learning *l;
	unsigned depth, pointers;
	bool secret;
	unsigned entries;
};

static void walk(const struct walk *from, const struct value *v, bool secret);

/* The name of a struct says less than that of a text: what is inside has names of its own. */
static void walk_fields(const struct walk *w, const struct value *v)
{
	if (!type_enter(&w->l->types, v->type))
		return;
	const struct type_field *key = key_of_pair(v->type);
	bool pair = key &&
		    names_secret(w->l, &(struct value){ key->type, v->addr + key->off });

	for (size_t i = 0; i < type_field_count(v->type); i++) {
		const struct type_field *f = type_field(v->type, i);
		const struct value field = { f->type, v->addr + f->off };
		walk(w, &field, (pair && f != key) || is_named(w->l->redaction, f->name));
	}
	type_leave(&w->l->types);
}

static void walk_row(const struct walk *w, const struct type *elem, uint64_t addr,
		     uint64_t n)
{
	for (uint64_t i = 0; elem && i < n && i < ELEMENTS_MAX; i++)
		walk(w, &(struct value){ elem, addr + i * type_size(elem) }, w->secret);
}

static bool is_bytes(const struct type *elem)
{
	return elem && type_kind(elem) == KIND_UINT8;
}

static void walk_slice(const struct walk *w, const struct value *v)
{
	struct slice_value s;
	struct err ignored;

	if (!runtime_slice(w->l->rt, v, &s, &ignored) || !s.addr)
		return;
	if (!is_bytes(type_elem(v->type)))
		walk_row(w, type_elem(v->type), s.addr, s.len);
	else if (w->secret)
		learn(w->l, s.addr, s.len);
}

static void walk_array(const struct walk *w, const struct value *v)
{
	if (!is_bytes(type_elem(v->type)))
		walk_row(w, type_elem(v->type), v->addr, type_count(v->type));
	else if (w->secret)
		learn(w->l, v->addr, type_count(v->type));
}

static void walk_string(const struct walk *w, const struct value *v)
{
	struct text_value s;
	struct err ignored;

	if (w->secret && runtime_string(w->l->rt, v, &s, &ignored))
		learn(w->l, s.addr, s.len);
}

static bool walk_entry(void *arg, const struct value *key, const struct value *elem)
{
	struct walk *w = arg;

	walk(w, elem, w->secret || names_secret(w->l, key));
	return ++w->entries < ENTRIES_MAX;
}

static void walk_map(const struct walk *w, const struct value *v)
{
	struct walk entries = *w;
	struct map_value map;
	struct err ignored;

	/* What is wrong with a map says who prints it. */
	if (runtime_map(w->l->rt, v, &map, &ignored) && map.addr &&
	    is_new(w->l, &(struct value){ v->type, map.addr }, w->secret) &&
	    !runtime_map_each(w->l->rt, v, walk_entry, &entries, &ignored))
		return;
}

static void walk_behind(const struct walk *w, const struct value *v)
{
	struct walk inner = *w;
	struct value behind;

	inner.pointers++;
	if (inner.pointers <= POINTERS_MAX && runtime_behind(w->l->rt, v, &behind) &&
	    is_new(w->l, &behind, w->secret))
		walk(&inner, &behind, w->secret);
}

static void walk(const struct walk *from, const struct value *v, bool secret)
{
	struct walk w = *from;

	w.depth++;
	w.secret = secret;
	if (!v->type || w.depth > DEPTH_MAX || w.l->steps++ >= STEPS_MAX ||
	    !(secret || leads(w.l, v->type)))
		return;
	switch (type_kind(v->type)) {
	case KIND_STRING:
		walk_string(&w, v);
		break;
	case KIND_STRUCT:
		if (leads(w.l, v->type))
			walk_fields(&w, v);
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
		break;
	}
}

static void look_at(void *arg, struct runtime *rt, const struct variable *v)
{
	struct learning *l = arg;
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

struct learning *learning_new(const struct goroutine_printing *printing,
			      const struct images *images)
{
	struct learning *l = xcalloc(1, sizeof(*l));

	*l = (struct learning){ .runtimes = printing->runtimes,
				.images = images,
				.redaction = printing->redaction,
				.of = printing->values->hidden ? VARIABLES_OF_ALL
							       : VARIABLES_OF_SHOWN };
	return l;
}

void learning_free(struct learning *l)
{
	if (l)
		xfree(l->walked.slots);
	xfree(l);
}

bool learning_goroutine(struct learning *l, const struct goroutine *g)
{
	l->leads = false;
	runtimes_each_frame_of(l->runtimes, g, l->of, look_at_frame, l);
	return l->leads;
}
