/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a lock in one element of an array, a slice or a map for which many goroutines
 * wait, while none waits for a lock in another element: data that was divided so that no
 * goroutine has to wait is used in one place. The container is looked for in variables of
 * packages, and of one goroutine that waits. The state may last for an instant only, so
 * it is information. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "src/findings/program/program.h"

enum {
	MANY = 10,	  /* goroutines */
	LOCKS_MAX = 16,	  /* that are looked for */
	ELEMENTS_MIN = 4, /* of a container */
	ELEMENTS_MAX = 4096,
	DEPTH_MAX = 4, /* from a variable to the container */
	STEPS_MAX = 1 << 14,
	NAME_MAX_BYTES = 160,
};

struct container {
	char name[NAME_MAX_BYTES]; /* "": not found */
	uint64_t index, count;
	size_t distinct; /* of the elements, without those that are nil */
	bool has_index;	 /* a map has none */
	bool others;	 /* a goroutine waits for a lock in another element */
};

struct search {
	const struct finder *f;
	struct runtime *rt;
	const struct wait_object *lock;
	unsigned steps;
	uint64_t *bases; /* of the elements of a container */
	size_t base_count, base_cap;
	struct container found;
};

/* Does a goroutine wait for a lock in this memory? */
static bool is_waited_for(const struct search *s, uint64_t base, uint64_t size)
{
	const struct wait_graph *w = s->f->about.waits;
	size_t i = LOWER_BOUND(k, w->object_count, w->objects[k].addr < base);

	for (; i < w->object_count && w->objects[i].addr - base < size; i++)
		if (is_lock_kind(w->objects[i].kind))
			return true;
	return false;
}

/* Finds the memory of an element, or the memory that it points to. */
static bool memory_of(struct search *s, const struct value *elem, uint64_t *base,
		      uint64_t *size)
{
	const struct type *to =
		type_kind(elem->type) == KIND_POINTER ? type_elem(elem->type) : NULL;
	struct err ignored;

	*base = elem->addr;
	*size = type_size(to ? to : elem->type);
	return ++s->steps < STEPS_MAX && *size &&
	       (!to || (runtime_bytes(s->rt, elem->addr, base, sizeof(*base), &ignored) &&
			*base));
}

/* Notes whether the element has the lock (*here), or another lock that goroutines wait
 * for (c->others). */
static bool note_element(struct search *s, const struct value *elem, struct container *c,
			 bool *here)
{
	uint64_t base, size;

	if (!memory_of(s, elem, &base, &size))
		return s->steps < STEPS_MAX;
	GROW(s->bases, s->base_count, s->base_cap);
	s->bases[s->base_count++] = base;
	if (s->lock->addr - base < size) {
		c->index = *here ? c->index : c->count;
		*here = true;
	} else {
		c->others |= is_waited_for(s, base, size);
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Counts an element once, even if several pointers lead to it. */
static size_t count_distinct(struct search *s)
{
	size_t ret = 0;

	if (s->base_count)
		qsort(s->bases, s->base_count, sizeof(*s->bases), by_address);
	for (size_t i = 0; i < s->base_count; i++)
		ret += i == 0 || s->bases[i] != s->bases[i - 1];
	return ret;
}

static void keep(struct search *s, const struct container *c, bool here, const char *name)
{
	const size_t distinct = here ? count_distinct(s) : 0;

	if (distinct < ELEMENTS_MIN || s->steps >= STEPS_MAX)
		return;
	s->found = *c;
	s->found.distinct = distinct;
	snprintf(s->found.name, sizeof(s->found.name), "%s", name);
}

static void look_at_elements(struct search *s, struct value elem, uint64_t count,
			     const char *name)
{
	struct container c = { .has_index = true };
	bool here = false;

	if (!elem.type || count > ELEMENTS_MAX)
		return;
	s->base_count = 0;
	for (; c.count < count && note_element(s, &elem, &c, &here); c.count++)
		elem.addr += type_size(elem.type);
	keep(s, &c, here, name);
}

struct map_search {
	struct search *s;
	struct container c;
	bool here;
};

static bool note_entry(void *arg, const struct value *key, const struct value *elem)
{
	struct map_search *m = arg;

	(void)key;
	return note_element(m->s, elem, &m->c, &m->here) && ++m->c.count <= ELEMENTS_MAX;
}

static void look_at_map(struct search *s, const struct value *v, const char *name)
{
	struct map_search m = { .s = s };
	struct map_value map;
	struct err ignored;

	s->base_count = 0;
	if (runtime_map(s->rt, v, &map, &ignored) && map.len <= ELEMENTS_MAX &&
	    runtime_map_each(s->rt, v->type, &map, note_entry, &m, &ignored))
		keep(s, &m.c, m.here, name);
}

static void look_in(struct search *s, const struct value *v, const char *name,
		    unsigned depth);

static void look_in_fields(struct search *s, const struct value *v, const char *name,
			   unsigned depth)
{
	char path[NAME_MAX_BYTES];

	for (size_t i = 0; i < type_field_count(v->type) && !*s->found.name; i++) {
		const struct type_field *field = type_field(v->type, i);
		const struct value of = { field->type, v->addr + field->off };
		const int len = snprintf(path, sizeof(path), "%s.%s", name, field->name);
		if (field->type && len < (int)sizeof(path))
			look_in(s, &of, path, depth - 1);
	}
}

static void look_in(struct search *s, const struct value *v, const char *name,
		    unsigned depth)
{
	struct slice_value slice;
	struct value behind;
	struct err ignored;

	if (!depth || ++s->steps >= STEPS_MAX)
		return;
	switch (type_kind(v->type)) {
	case KIND_ARRAY:
		look_at_elements(s, (struct value){ type_elem(v->type), v->addr },
				 type_count(v->type), name);
		break;
	case KIND_SLICE:
		if (runtime_slice(s->rt, v, &slice, &ignored))
			look_at_elements(s,
					 (struct value){ type_elem(v->type), slice.addr },
					 slice.len, name);
		break;
	case KIND_MAP:
		look_at_map(s, v, name);
		break;
	case KIND_STRUCT:
		look_in_fields(s, v, name, depth);
		break;
	case KIND_POINTER:
		if (runtime_behind(s->rt, v, &behind))
			look_in(s, &behind, name, depth - 1);
		break;
	default:
		break;
	}
}

static void look_in_global(void *arg, const char *name, const struct value *v)
{
	struct search *s = arg;

	if (!*s->found.name && v->type)
		look_in(s, v, name, DEPTH_MAX);
}

/* Without debugging information a variable has no name that its programmer would know, so
 * its type is named. */
static void look_in_variable(void *arg, struct runtime *rt, const struct variable *v)
{
	struct search *s = arg;
	char name[NAME_MAX_BYTES];

	if (*s->found.name || !v->name || v->unreadable || v->dead || !v->value.type ||
	    rt != s->rt)
		return;
	if (strchr(v->name, '+'))
		snprintf(name, sizeof(name), "(%s)", type_name(v->value.type));
	else
		snprintf(name, sizeof(name), "%s", v->name);
	look_in(s, &v->value, name, DEPTH_MAX);
}

static void look_in_frame(void *arg, const struct code_frame *frame)
{
	if (!frame->variables)
		return;
	frame_each_variable(frame->variables, true, look_in_variable, arg);
	frame_each_variable(frame->variables, false, look_in_variable, arg);
}

static void find_container(struct search *s, uint32_t waiter)
{
	struct err ignored;

	runtime_budget_unit(s->rt);
	if (!runtime_each_global(s->rt, "", look_in_global, s, &ignored) ||
	    !*s->found.name) {
		s->steps = 0;
		runtimes_each_frame_of(s->f->about.all,
				       finder_goroutine(s->f, waiter).goroutine,
				       VARIABLES_OF_ALL, look_in_frame, s);
	}
}

static void tell(struct finder *f, const struct search *s, uint32_t waiter)
{
	const struct wait_object *o = s->lock;
	struct finding *finding = finding_add(
		f, "hot_shard", SEVERITY_INFO, o->waiter_count,
		"See what all of them use that one for: a better key, or more locks, "
		"would spread them.");
	struct text *text = &finding->text;

	text_add_counted(text, o->waiter_count, "goroutine");
	text_add(text, " wait for ");
	say_object(text, o);
	say_where(f, text, waiter);
	if (s->found.has_index)
		text_add(text, ", which is in %s[%" PRIu64 "]", s->found.name,
			 s->found.index);
	else
		text_add(text, ", which is in an element of the map %s", s->found.name);
	text_add(text, "; nobody waits for those of the other ");
	text_add_counted(text, s->found.distinct - 1, "element");
	text_add(text, ".");
	show_waiters(f, finding, o);
}

void finding_hot_shard(struct finder *f)
{
	const struct wait_graph *w = f->about.waits;
	size_t locks = 0;

	for (size_t i = 0; i < w->object_count && f->about.has_memory; i++) {
		const struct wait_object *o = &w->objects[i];
		struct search s = { .f = f,
				    .rt = runtimes_get(f->about.all, o->runtime),
				    .lock = o };
		if (!is_lock_kind(o->kind) || o->waiter_count < MANY)
			continue;
		if (locks++ == LOCKS_MAX)
			return;
		const uint32_t waiter = w->waiters[o->first_waiter].goroutine;
		find_container(&s, waiter);
		if (*s.found.name && !s.found.others)
			tell(f, &s, waiter);
		xfree(s.bases);
	}
}
