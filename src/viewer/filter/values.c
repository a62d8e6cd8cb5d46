/* SPDX-License-Identifier: Apache-2.0 */
/* Values of variables, as the document has them, and what they refer to, by a path such as
 * req.URL.Path. Documents are untrusted: references may go round in circles. */
#include <stdlib.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/filter/facts.h"
#include "src/viewer/filter/subject.h"
#include "src/viewer/terminal/text.h"

enum {
	REFERENCES =
		8, /* from a value to what it means: pointers to pointers, interfaces */
	EMBEDDED = 8, /* structs in structs, as deep */
	NESTING = 64, /* of values in values, where one is looked for */
	LEVEL = 32,   /* such structs at the same depth */
};

static bool is_there(const struct reader_node *value)
{
	return value && !node_get(value, "unreadable") && !node_get(value, "redacted") &&
	       !node_get(value, "optimized_out");
}

static bool has_content(const struct reader_node *value)
{
	return node_get(value, "fields") || node_get(value, "elements") ||
	       node_get(value, "entries");
}

/* What is looked for. */
struct search {
	uint64_t to;
	const char *type;
	const struct reader_node *found;
	int depth;
};

static void look_into(void *arg, const char *key, const struct reader_node *node);

static void look_at(struct search *search, const struct reader_node *node)
{
	const struct reader_node *target = node_get(node, "target");
	const bool is_it =
		node_address(node_get(node, "to"), 0) == search->to &&
		strcmp(text_of(node_get(node, "type"), ""), search->type) == 0 &&
		!node_get(node, "seen");

	if (is_it && (target || has_content(node)))
		search->found = target ? target : node;
	if (search->found || search->depth == NESTING)
		return;
	search->depth++;
	node_each(node, look_into, search);
	for (size_t i = 0; i < node_count(node); i++)
		look_at(search, node_at(node, i));
	search->depth--;
}

static void look_into(void *arg, const char *key, const struct reader_node *node)
{
	(void)key;
	look_at(arg, node);
}

/* With --inline, only the first reference to an object has it. Each is looked for once, and not more than
 * can be held. */
static const struct reader_node *seen(struct subject *s, const struct reader_node *value)
{
	struct search search = { .to = node_address(node_get(value, "seen"), 0),
				 .type = text_of(node_get(value, "type"), "") };

	if (!search.to || subject_held(s, "seen", search.to, &search.found) ||
	    s->held_count == SUBJECT_HELD)
		return search.found;
	look_at(&search, subject_member(s, "frames"));
	return subject_hold(s, "seen", search.to, node_hold(search.found));
}

/* What a value refers to, if that is in the document. */
static const struct reader_node *referred(struct subject *s,
					  const struct reader_node *value)
{
	const struct reader_node *inner = node_get(value, "dynamic_value");
	const int64_t object = node_int(node_get(value, "object"), -1);

	if (!inner)
		inner = node_get(value, "target");
	if (!inner && object >= 0)
		inner = subject_object(s, (uint64_t)object);
	return inner ? inner : seen(s, value);
}

/* Follows references to what has fields, elements or entries; NULL: nothing has. */
static const struct reader_node *content(struct subject *s,
					 const struct reader_node *value)
{
	for (int i = 0; i < REFERENCES && is_there(value); i++) {
		if (has_content(value))
			return value;
		value = referred(s, value);
	}
	return NULL;
}

static bool is_called(const struct reader_node *field, const char *name)
{
	/* A printing rule may have renamed it. */
	return strcmp(text_of(node_get(field, "name"), ""), name) == 0 ||
	       strcmp(text_of(node_get(field, "renamed_from"), ""), name) == 0;
}

struct level {
	const struct reader_node *structs[LEVEL];
	size_t count;
};

static void embed(struct subject *s, const struct reader_node *field, struct level *next)
{
	const struct reader_node *inner =
		node_bool(node_get(field, "embedded"), false) ? content(s, field) : NULL;

	if (inner && next->count < LEVEL)
		next->structs[next->count++] = inner;
}

/* As in Go: the least deeply embedded one, if there is only one at that depth. *ret_found: how many. */
static const struct reader_node *field_at_level(struct subject *s,
						const struct level *level,
						const char *name, struct level *next,
						size_t *ret_found)
{
	const struct reader_node *found = NULL;

	*ret_found = 0;
	for (size_t i = 0; i < level->count; i++) {
		const struct reader_node *fields = node_get(level->structs[i], "fields");
		for (size_t k = 0; k < node_count(fields); k++) {
			const struct reader_node *field = node_at(fields, k);
			if (is_called(field, name)) {
				found = field;
				++*ret_found;
			} else {
				embed(s, field, next);
			}
		}
	}
	return found;
}

static const struct reader_node *
field_of(struct subject *s, const struct reader_node *value, const char *name)
{
	struct level level = { { content(s, value) }, 1 };

	for (int depth = 0; level.structs[0] && depth < EMBEDDED; depth++) {
		struct level next = { .count = 0 };
		size_t found;
		const struct reader_node *field =
			field_at_level(s, &level, name, &next, &found);
		if (found > 0)
			return found == 1 ? field : NULL;
		level = next;
	}
	return NULL;
}

static bool number_of(const struct reader_node *value, long double *ret)
{
	const char *kind = node_string(node_get(value, "kind"),
				       node_string(node_get(value, "type"), ""));
	const struct reader_node *node = node_get(value, "value");
	const bool numeric = strncmp(kind, "int", 3) == 0 ||
			     strncmp(kind, "uint", 4) == 0 ||
			     strncmp(kind, "float", 5) == 0;
	char *end;

	if (!node || !numeric || strncmp(kind, "interface", 9) == 0)
		return false;
	AUTO(xfree) char *words = node_words(node);
	*ret = strtold(words, &end);
	return end != words && !*end;
}

static bool key_is(const struct reader_node *key, const struct step *step)
{
	long double number;

	/* A key of type any. */
	if (node_get(key, "dynamic_value"))
		key = node_get(key, "dynamic_value");
	if (step->kind == STEP_KEY)
		return strcmp(node_string(node_get(key, "value"),
					  text_of(node_get(key, "text"), "")),
			      step->name) == 0;
	return number_of(key, &number) && number == step->index;
}

static const struct reader_node *entry_of(const struct reader_node *entries,
					  const struct step *step)
{
	for (size_t i = 0; i < node_count(entries); i++)
		if (key_is(node_get(node_at(entries, i), "key"), step))
			return node_get(node_at(entries, i), "value");
	return NULL;
}

static const struct reader_node *
element_of(struct subject *s, const struct reader_node *value, const struct step *step)
{
	const struct reader_node *of = content(s, value);
	const struct reader_node *entries = node_get(of, "entries");

	if (entries)
		return entry_of(entries, step);
	if (step->kind != STEP_INDEX || step->index < 0 || step->index > UINT32_MAX)
		return NULL;
	return node_at(node_get(of, "elements"), (size_t)step->index);
}

static const struct reader_node *
follow(struct subject *s, const struct reader_node *value, const struct path *path)
{
	for (size_t i = 1; i < path->count && is_there(value); i++)
		value = path->steps[i].kind == STEP_NAME
				? field_of(s, value, path->steps[i].name)
				: element_of(s, value, &path->steps[i]);
	return is_there(value) ? value : NULL;
}

struct telling {
	struct fact list[FACTS_MAX];
	size_t count;
};

static void add(struct telling *t, struct fact fact)
{
	if (t->count < FACTS_MAX)
		t->list[t->count++] = fact;
}

static void add_text(struct telling *t, const struct reader_node *node)
{
	const char *text = text_of(node, NULL);

	if (text)
		add(t, (struct fact){ .kind = FACT_TEXT, .text = text });
}

static void add_scalar(struct telling *t, const struct reader_node *value)
{
	const struct reader_node *scalar = node_get(value, "value");
	struct fact fact = { .kind = FACT_NUMBER };

	if (number_of(value, &fact.number))
		add(t, fact);
	else if (fact_of_node(scalar, FIELD_BOOL, &fact))
		add(t, fact);
	else
		add_text(t, scalar);
	add_text(t, node_get(value, "text"));
	add_text(t, node_get(value, "function"));
	if (fact_of_node(node_get(value, "to"), FIELD_ADDRESS, &fact))
		add(t, fact);
}

static bool tell_all(struct subject *s, const struct reader_node *value, facts_fn *fn,
		     void *arg)
{
	struct telling t = { .count = 0 };

	add(&t, (struct fact){ .kind = FACT_PRESENT,
			       .truth = node_bool(node_get(value, "nil"), false) });
	for (int i = 0; i < REFERENCES && is_there(value); i++) {
		add_scalar(&t, value);
		value = referred(s, value);
	}
	return fn(arg, t.list, t.count);
}

static bool tell_length(struct subject *s, const struct reader_node *value, facts_fn *fn,
			void *arg)
{
	struct fact fact;

	for (int i = 0; i < REFERENCES && is_there(value); i++) {
		if (fact_of_node(node_get(value, "len"), FIELD_NUMBER, &fact))
			return fn(arg, &fact, 1);
		/* A nil slice has none. */
		if (node_bool(node_get(value, "nil"), false)) {
			fact = (struct fact){ .kind = FACT_NUMBER };
			return fn(arg, &fact, 1);
		}
		value = referred(s, value);
	}
	return false;
}

static bool list_each(struct subject *s, const struct reader_node *variables,
		      const struct path *path, facts_fn *fn, void *arg)
{
	for (size_t i = 0; i < node_count(variables); i++) {
		const struct reader_node *variable = node_at(variables, i);
		if (!is_called(variable, path->steps[0].name))
			continue;
		const struct reader_node *value = follow(s, variable, path);
		if (value && (path->length ? tell_length : tell_all)(s, value, fn, arg))
			return true;
	}
	return false;
}

bool values_each(struct subject *s, const struct path *path, facts_fn *fn, void *arg)
{
	const struct reader_node *frames = subject_values(s, path->steps[0].name);
	const bool one = s->frame != SUBJECT_NO_FRAME;

	for (size_t i = one ? s->frame : 0; i < node_count(frames); i++) {
		const struct reader_node *frame = node_at(frames, i);
		if (list_each(s, node_get(frame, "arguments"), path, fn, arg) ||
		    list_each(s, node_get(frame, "locals"), path, fn, arg))
			return true;
		if (one)
			break;
	}
	return false;
}
