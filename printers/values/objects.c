/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/objects.h"

#include <stdlib.h>
#include <string.h>

#include "printers/values/notes.h"

enum { OBJECTS_MAX = 1 << 21 };

struct object {
	struct value at;
	struct runtime *rt;
	const char *redacted; /* the rule of a secret that leads to it; NULL: none does */
	uint32_t referrers, bytes;
	uint8_t level; /* references from a frame to it */
	bool content;
	bool in_key, is_public; /* as in struct printing */
	bool visited;		/* by this walk */
	bool urgent;		/* an urgent goroutine refers to it */
	bool leads;		/* to memory that was missed */
	bool suspect;		/* a source that leads there leads to it */
};

struct objects {
	struct object *list;
	size_t count, cap;
	struct table numbers; /* address and type: number + 1 */
	bool closed, changed, missed_some;
	size_t written;
	struct source *source; /* what is being printed */
	uint32_t *again;       /* numbers of those that changed after they were visited */
	size_t again_count, again_cap;
	struct table suspects; /* sources that are no objects */
	struct table types;    /* by address: the first of its name */
	struct table
		secrets; /* address and type: the rule of a secret that leads there from
				* beyond the last level */
};

struct objects *objects_new(void)
{
	struct objects *o = xcalloc(1, sizeof(*o));

	o->written = OBJECTS_MAX;
	return o;
}

void objects_free(struct objects *o)
{
	if (!o)
		return;
	table_free(&o->numbers);
	table_free(&o->suspects);
	table_free(&o->types);
	table_free(&o->secrets);
	xfree(o->again);
	xfree(o->list);
	xfree(o);
}

size_t objects_count(const struct objects *o)
{
	return o->count < o->written ? o->count : o->written;
}

void objects_begin_walk(struct objects *o)
{
	o->changed = false;
	o->again_count = 0;
	for (size_t i = 0; i < o->count; i++) {
		o->list[i].visited = false;
		o->list[i].referrers = 0;
	}
}

bool objects_settled(const struct objects *o)
{
	return !o->changed;
}

bool objects_take_changed(struct objects *o, size_t *ret)
{
	if (o->again_count == 0)
		return false;
	*ret = o->again[--o->again_count];
	return true;
}

bool objects_are_visited(const struct objects *o)
{
	for (size_t i = 0; i < o->count; i++)
		if (!o->list[i].visited)
			return false;
	return true;
}

uint64_t objects_referrers(const struct objects *o, size_t i)
{
	return o->list[i].referrers;
}

void objects_measured(struct objects *o, size_t i, uint64_t bytes)
{
	o->list[i].bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

uint64_t objects_bytes(const struct objects *o, size_t i)
{
	return o->list[i].bytes;
}

void objects_limit(struct objects *o, size_t n)
{
	o->written = n;
}

/* Debugging information and descriptors describe the same types, each for itself. */
static const struct type *first_of_its_name(struct objects *o, const struct type *type)
{
	const uint64_t known = table_get(&o->types, (uintptr_t)type, 0);
	uint64_t hash = type_kind(type), first;

	if (known)
		return (const struct type *)(uintptr_t)known;
	for (const char *c = type_name(type); *c; c++)
		hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	first = table_get(&o->types, hash, 1);
	const struct type *same = (const struct type *)(uintptr_t)first;
	if (!first || type_size(same) != type_size(type) ||
	    strcmp(type_name(same), type_name(type)) != 0)
		same = type;
	if (!first)
		table_set(&o->types, hash, 1, (uintptr_t)type);
	table_set(&o->types, (uintptr_t)type, 0, (uintptr_t)same);
	return same;
}

void objects_mark_urgent(struct objects *o)
{
	for (size_t i = 0; i < o->count; i++)
		o->list[i].urgent |= o->list[i].visited;
}

/* Of objects that are equal in this, the one found first comes first. */
static int by_distance(const void *a, const void *b)
{
	const struct object *const *x = a, *const *y = b;

	if ((*x)->urgent != (*y)->urgent)
		return (*x)->urgent ? -1 : 1;
	if ((*x)->level != (*y)->level)
		return (*x)->level < (*y)->level ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

void objects_sort(struct objects *o)
{
	AUTO(xfree) struct object **order = xcalloc(o->count + 1, sizeof(*order));
	struct object *sorted = xcalloc(o->count + 1, sizeof(*sorted));

	for (size_t i = 0; i < o->count; i++)
		order[i] = &o->list[i];
	qsort(order, o->count, sizeof(*order), by_distance);
	for (size_t i = 0; i < o->count; i++) {
		sorted[i] = *order[i];
		const struct type *type = first_of_its_name(o, sorted[i].at.type);
		table_set(&o->numbers, sorted[i].at.addr,
			  (uintptr_t)type | sorted[i].content, i + 1);
	}
	xfree(o->list);
	o->list = sorted;
	o->cap = o->count + 1;
}

uint64_t objects_lost_references(const struct objects *o, size_t n)
{
	uint64_t ret = 0;

	for (size_t i = n; i < o->count; i++)
		ret += o->list[i].referrers;
	return ret;
}

uint64_t objects_promised(const struct objects *o)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < objects_count(o); i++)
		ret += o->list[i].bytes;
	return ret;
}

void objects_close(struct objects *o)
{
	o->closed = true;
	o->written = objects_count(o);
	o->missed_some = o->suspects.count > 0;
	for (size_t i = 0; i < o->count && !o->missed_some; i++)
		o->missed_some = o->list[i].leads;
}

bool objects_missed_some(const struct objects *o)
{
	return o->missed_some;
}

/* What was said of it to what it refers to has to be said anew. */
static void visit_again(struct objects *o, struct object *object)
{
	if (!object->visited)
		return;
	object->visited = false;
	o->changed = true;
	GROW(o->again, o->again_count, o->again_cap);
	o->again[o->again_count++] = (uint32_t)(object - o->list);
}

/* What everybody may know of a key makes no secret of what it refers to. */
static bool is_road_of_secret(struct printing *p, const struct value *to)
{
	return p->redacted && !p->is_public &&
	       !(p->in_key && notes_of(p, to->type)->is_public);
}

/* What is said of one road to an object applies to it, if any road says it. */
static void note_road(struct objects *o, struct object *object, struct printing *p)
{
	const unsigned level = p->level + 1;
	bool changed = level < object->level;

	if (changed)
		object->level = (uint8_t)level;
	if (!object->redacted && is_road_of_secret(p, &object->at)) {
		object->redacted = p->redacted;
		object->is_public = false;
		changed = true;
	} else if (!object->redacted && !object->is_public && p->is_public) {
		object->is_public = changed = true;
	}
	if (p->in_key && !p->is_public && !object->in_key)
		object->in_key = changed = true;
	if (changed)
		visit_again(o, object);
}

static uint64_t missed_so_far(const struct source *source)
{
	return source->memory ? target_missed(source->memory) : 0;
}

static void enter(struct source *source)
{
	source->missed = missed_so_far(source);
	source->objects->source = source;
	redaction_set_suspect(source->redaction, source->suspect);
}

static void leave(struct source *source)
{
	source->leads |= missed_so_far(source) != source->missed;
	source->objects->source = NULL;
	redaction_set_suspect(source->redaction, false);
}

void source_begin(struct source *source)
{
	if (!source->objects)
		return;
	source->suspect = table_get(&source->objects->suspects, source->a, source->b);
	enter(source);
}

void source_end(struct source *source)
{
	struct objects *o = source->objects;

	if (!o)
		return;
	leave(source);
	if (source->leads && !o->closed && table_add(&o->suspects, source->a, source->b))
		o->changed = true;
}

/* From an object that leads to missed memory to all that refer to it, and from a suspect to
 * all that it refers to. */
static void note_suspicion(struct objects *o, struct object *object)
{
	if (!o->source)
		return;
	o->source->leads |= object->leads;
	if (o->source->suspect && !object->suspect) {
		object->suspect = true;
		visit_again(o, object);
	}
}

static struct object *add_object(struct objects *o, struct printing *p,
				 const struct value *to, bool content)
{
	if (o->closed || o->count == OBJECTS_MAX)
		return NULL;
	GROW(o->list, o->count, o->cap);
	o->list[o->count] = (struct object){
		.at = *to,
		.rt = p->rt,
		.redacted = is_road_of_secret(p, to) ? p->redacted : NULL,
		.level = (uint8_t)(p->level + 1),
		.content = content,
		.in_key = p->in_key && !p->is_public,
		.is_public = p->is_public,
	};
	return &o->list[o->count++];
}

/* NULL: there is no room for it. */
static struct object *object_at(struct printing *p, const struct value *to, bool content)
{
	struct objects *o = p->objects;
	const uint64_t type = (uintptr_t)first_of_its_name(o, to->type) | content;
	uint64_t number = table_get(&o->numbers, to->addr, type);
	struct object *object;

	if (!number) {
		object = add_object(o, p, to, content);
		const uint64_t rule = table_get(&o->secrets, to->addr, type);
		if (object && rule && !object->redacted)
			object->redacted = (const char *)(uintptr_t)rule;
		if (object)
			table_set(&o->numbers, to->addr, type, o->count);
		return object;
	}
	object = &o->list[number - 1];
	if (!o->closed)
		note_road(o, object, p);
	return object;
}

/* It is no object by this reference, but it may be one by another. */
static void note_far_road(struct printing *p, const struct value *to, bool content)
{
	struct objects *o = p->objects;
	const uint64_t type = (uintptr_t)first_of_its_name(o, to->type) | content;
	const uint64_t number = table_get(&o->numbers, to->addr, type);

	if (!is_road_of_secret(p, to) || o->closed)
		return;
	if (!number) {
		table_set(&o->secrets, to->addr, type, (uintptr_t)p->redacted);
	} else if (!o->list[number - 1].redacted) {
		o->list[number - 1].redacted = p->redacted;
		o->list[number - 1].is_public = false;
		visit_again(o, &o->list[number - 1]);
	}
}

void print_reference(struct printing *p, const struct value *to, bool content)
{
	struct objects *o = p->objects;

	if (p->level >= p->bounds->levels) {
		note_far_road(p, to, content);
		print_limited(p, LIMITED_BY_LEVELS);
		return;
	}
	struct object *object = object_at(p, to, content);
	size_t number = object ? (size_t)(object - o->list) : o->written;
	if (number >= o->written) {
		print_limited(p, LIMITED_BY_DOCUMENT_BYTES);
		return;
	}
	if (!o->closed) {
		object->referrers++;
		note_suspicion(o, object);
	}
	sink_named_uint(p->out, "object", number);
}

static void print_content_of(struct printing *p, const struct object *object)
{
	const struct type *type = object->at.type;

	print_members(p->out, notes_of(p, type)->head);
	sink_named_address(p->out, "address", object->at.addr);
	p->depth++;
	if (type_kind(type) == KIND_MAP)
		print_map_at(p, &object->at);
	else if (type_kind(type) == KIND_CHAN)
		print_channel_at(p, &object->at);
	else
		print_func_at(p, &object->at);
	p->depth--;
}

static bool is_readable(struct printing *p, const struct object *object, struct err *err)
{
	uint8_t first;

	return (!object->content && type_size(object->at.type) == 0) ||
	       runtime_bytes(p->rt, object->at.addr, &first, sizeof(first), err);
}

/* Once: each part of a large one would only say so again. */
static void print_unreadable_object(struct printing *p, const struct object *object,
				    const struct err *err)
{
	print_members(p->out, notes_of(p, object->at.type)->head);
	sink_named_address(p->out, "address", object->at.addr);
	print_failure(p, err);
}

static void print_members_of(struct printing *p, const struct object *object)
{
	struct err err;

	sink_begin(p->out, SINK_OBJECT);
	if (!is_readable(p, object, &err))
		print_unreadable_object(p, object, &err);
	else if (object->content)
		print_content_of(p, object);
	else
		print_value_members(p, &object->at);
	if (object->referrers > 1)
		sink_named_uint(p->out, "referrers", object->referrers);
	sink_end(p->out);
}

void print_object_members(struct object_printing *how, size_t i)
{
	struct objects *o = how->objects;
	o->list[i].visited = true;
	const struct object object = o->list[i]; /* the list may move */
	struct source source = { .objects = o,
				 .redaction = how->redaction,
				 .memory = how->memory,
				 .suspect = object.suspect };
	struct printing p;

	printing_begin(&p, how->out, how->bounds, how->moment, how->known,
		       how->redaction);
	p.objects = o;
	p.rt = object.rt;
	p.level = object.level;
	p.redacted = object.redacted;
	p.in_key = object.in_key;
	p.is_public = object.is_public;
	runtime_budget_unit(object.rt);
	enter(&source);
	print_members_of(&p, &object);
	leave(&source);
	how->redacted += p.redacted_count;
	printing_end(&p);
	if (source.leads && !o->list[i].leads && !o->closed)
		o->list[i].leads = o->changed = true;
}
