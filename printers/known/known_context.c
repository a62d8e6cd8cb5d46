/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: what a chain of them means, and what it carries. */
#include <inttypes.h>
#include <string.h>

#include "printers/known/known.h"

struct meaning {
	struct value error, cause;
	bool can_end, has_deadline;
	struct time_value deadline;
	enum context_kind root;
	unsigned values;
	struct known_words keys;
	struct printing *p;
};

enum { KEYS_NAMED = 8 };

static const char *const kind_names[CONTEXT_KINDS] = {
	[CONTEXT_OTHER] = "other",	     [CONTEXT_EMPTY] = "empty",
	[CONTEXT_BACKGROUND] = "background", [CONTEXT_TODO] = "todo",
	[CONTEXT_CANCEL] = "cancel",	     [CONTEXT_DEADLINE] = "deadline",
	[CONTEXT_VALUE] = "value",	     [CONTEXT_WITHOUT_CANCEL] = "without cancel",
	[CONTEXT_AFTER_FUNC] = "after func", [CONTEXT_STOP] = "stop",
};

static void add_named_string(struct meaning *m, const struct interface_value *in)
{
	known_add(&m->keys, "%s(", in->name);
	known_quoted(m->p, &in->inside, &m->keys);
	known_add(&m->keys, ")");
}

static void add_key(struct meaning *m, const struct value *key)
{
	struct interface_value in;
	struct err ignored;

	if (!key->type || m->values++ >= KEYS_NAMED)
		return;
	known_add(&m->keys, m->values > 1 ? ", " : "%s", "");
	if (!runtime_interface(m->p->rt, key, &in, &ignored))
		known_add(&m->keys, "?");
	else if (!in.inside.type || type_kind(in.inside.type) != KIND_STRING)
		known_add(&m->keys, "%s", in.name);
	else if (strcmp(in.name, "string") == 0)
		known_quoted(m->p, &in.inside, &m->keys);
	else
		add_named_string(m, &in);
}

/* The first context that can end decides whether all derived from it have ended. Past one
 * made by WithoutCancel, only values matter. */
static bool add_meaning(void *arg, const struct context *c)
{
	struct meaning *m = arg;
	bool ends = c->kind == CONTEXT_CANCEL || c->kind == CONTEXT_DEADLINE ||
		    c->kind == CONTEXT_AFTER_FUNC;

	if (ends && !m->can_end && m->root != CONTEXT_WITHOUT_CANCEL) {
		m->can_end = true;
		m->error = c->error;
		m->cause = c->cause;
	}
	if (c->has_deadline && !m->has_deadline && m->root != CONTEXT_WITHOUT_CANCEL) {
		m->has_deadline = true;
		m->deadline = c->deadline;
	}
	add_key(m, &c->key);
	if (m->root != CONTEXT_WITHOUT_CANCEL)
		m->root = c->kind;
	return true;
}

static bool is_root(enum context_kind kind)
{
	return kind == CONTEXT_BACKGROUND || kind == CONTEXT_TODO ||
	       kind == CONTEXT_EMPTY || kind == CONTEXT_WITHOUT_CANCEL;
}

static void add_end(struct printing *p, const struct meaning *m, struct known_words *ret)
{
	struct known_words error = { .len = 0 }, cause = { .len = 0 };

	if (!m->can_end) {
		known_add(ret, "%s",
			  is_root(m->root) ? kind_names[m->root]
					   : "unknown root context");
		return;
	}
	if (!m->error.type) {
		known_add(ret, "not done");
		return;
	}
	if (!known_text_of(p, &m->error, &error))
		known_add(&error, "done");
	known_add_bytes(ret, error.bytes, error.len);
	if (!m->cause.type || !known_text_of(p, &m->cause, &cause) ||
	    known_same(&error, &cause))
		return;
	known_add(ret, " (");
	known_add_bytes(ret, cause.bytes, cause.len);
	known_add(ret, ")");
}

static void add_deadline(struct printing *p, const struct time_value *deadline,
			 struct known_words *ret)
{
	int64_t left;

	if (!snapshot_time_until(p->moment, deadline, &left)) {
		known_add(ret, ", deadline ");
		known_add_time(ret, deadline);
		return;
	}
	known_add(ret, left < 0 ? ", deadline %s" : ", deadline in %s", "");
	known_add_about(ret, left < 0 ? -(uint64_t)left : (uint64_t)left);
	known_add(ret, left < 0 ? " ago" : "%s", "");
}

bool text_of_context(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct meaning m = { .p = p, .root = CONTEXT_OTHER };

	runtime_each_context(p->rt, v, add_meaning, &m);
	add_end(p, &m, ret);
	if (m.has_deadline)
		add_deadline(p, &m.deadline, ret);
	if (m.values) {
		known_add(ret, ", values of ");
		known_add_bytes(ret, m.keys.bytes, m.keys.len);
	}
	if (m.values > KEYS_NAMED)
		known_add(ret, " and %u more", m.values - KEYS_NAMED);
	return true;
}

struct chain {
	struct printing *p;
	const struct type *interface;
	uint64_t n, omitted;
};

static void print_facts(struct printing *p, const struct context *c)
{
	int64_t left;

	if (c->has_deadline) {
		print_instant(p->out, "deadline", &c->deadline);
		if (snapshot_time_until(p->moment, &c->deadline, &left))
			sink_named_int(p->out, "deadline_in_ns", left);
	}
	if (c->error.type)
		print_named_value(p, "error", &c->error);
	if (c->cause.type)
		print_named_value(p, "cause", &c->cause);
	if (c->key.type)
		print_named_value(p, "key", &c->key);
	if (!c->element.type)
		return;
	const char *before = redact_entry(p, &c->key, &c->element);
	print_named_value(p, "value", &c->element);
	p->redacted = before;
}

static bool print_link(void *arg, const struct context *c)
{
	struct chain *chain = arg;
	struct printing *p = chain->p;

	if (chain->n == p->bounds->elements || !has_room(p)) {
		chain->omitted++;
		return true;
	}
	if (chain->n++ == 0)
		sink_named_begin(p->out, "contexts", SINK_ARRAY);
	else /* already shown if it is met again among the fields */
		note_seen(p, &(struct value){ chain->interface, c->value.addr });
	sink_begin(p->out, SINK_OBJECT);
	sink_named_string(p->out, "kind", kind_names[c->kind]);
	if (c->kind == CONTEXT_OTHER)
		sink_named_string(p->out, "type", type_name(c->value.type));
	print_facts(p, c);
	sink_end(p->out);
	return true;
}

void print_contexts(struct printing *p, const struct value *v)
{
	struct chain chain = { .p = p, .interface = v->type };
	struct value first;

	/* The parents of a context that is an object, or in one, are objects. */
	if (p->level > 0 || !runtime_behind(p->rt, v, &first) ||
	    p->depth > p->bounds->depth ||
	    was_seen(p, &(struct value){ v->type, first.addr }))
		return;
	runtime_each_context(p->rt, v, print_link, &chain);
	if (chain.n)
		sink_end(p->out);
	if (chain.omitted)
		sink_named_uint(p->out, "contexts_omitted", chain.omitted);
}
