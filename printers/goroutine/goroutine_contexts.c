/* SPDX-License-Identifier: Apache-2.0 */
/* What the contexts in a goroutine's frames say about it: the trace it works for, and
 * that its work is no longer wanted. */
#include "printers/goroutine/goroutine_contexts.h"

#include <string.h>

#include "printers/known/known.h"

struct looking {
	struct printing *p;
	struct contexts_found *found;
	bool ended, can_end, has_deadline;
	struct value error;
	struct time_value deadline;
	bool has_span, within; /* within: this chain has the span found before */
	struct trace_span span;
	uint64_t span_at;
};

/* Of two spans in a frame, the one started within the other, whose context derives from
 * the other's. */
static bool is_innermost(const struct looking *l)
{
	return l->has_span && (!l->found->has_span || l->within);
}

static void look_for_span(struct looking *l, const struct context *c)
{
	if (l->has_span) {
		l->within |= c->value.addr == l->found->span_at;
		return;
	}
	l->has_span = context_span(l->p->rt, c, &l->span);
	l->span_at = c->value.addr;
}

static bool look_at(void *arg, const struct context *c)
{
	struct looking *l = arg;

	if (!l->found->span_settled)
		look_for_span(l, c);
	/* Contexts derived from it do not end with its parents. */
	if (c->kind == CONTEXT_WITHOUT_CANCEL)
		l->can_end = l->has_deadline = true;
	if (!l->can_end && (c->kind == CONTEXT_CANCEL || c->kind == CONTEXT_DEADLINE ||
			    c->kind == CONTEXT_AFTER_FUNC)) {
		l->can_end = true;
		l->error = c->error;
		l->ended = c->error.type != NULL;
	}
	if (!l->has_deadline && c->has_deadline) {
		l->has_deadline = true;
		l->deadline = c->deadline;
	}
	return !(l->found->span_settled || is_innermost(l)) || !l->can_end ||
	       (l->ended && !l->has_deadline);
}

static bool says(const struct known_words *text, const char *words)
{
	return text->len == strlen(words) && memcmp(text->bytes, words, text->len) == 0;
}

/* A context does not record when it was cancelled. */
static void note_end(struct looking *l)
{
	struct contexts_found *found = l->found;
	struct known_words why = { .len = 0 };
	int64_t left;
	bool late = l->has_deadline &&
		    snapshot_time_until(l->p->moment, &l->deadline, &left) && left < 0;

	known_text_of(l->p, &l->error, &why);
	bool expired = says(&why, CONTEXT_DEADLINE_WORDS);
	late = late && expired;
	if (found->done && (!late || -(uint64_t)left <= found->done_ns))
		return;
	found->done = true;
	found->done_ns = late ? -(uint64_t)left : 0;
	found->why = expired				? CONTEXT_DEADLINE_WORDS
		     : says(&why, CONTEXT_CANCEL_WORDS) ? CONTEXT_CANCEL_WORDS
							: NULL;
}

void contexts_look(struct contexts_found *found, struct printing *p,
		   const struct value *v)
{
	struct looking l = { .p = p, .found = found };
	struct value context, first;

	if (!v->type || !runtime_context_in(p->rt, v, &context) ||
	    !runtime_behind(p->rt, &context, &first))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(found->looked_at); i++)
		if (found->looked_at[i] == first.addr)
			return;
	found->looked_at[found->next++ % ARRAY_SIZE(found->looked_at)] = first.addr;
	runtime_each_context(p->rt, &context, look_at, &l);
	if (is_innermost(&l)) {
		found->has_span = true;
		found->span = l.span;
		found->span_at = l.span_at;
	}
	if (l.ended)
		note_end(&l);
}

void contexts_next_frame(struct contexts_found *found)
{
	found->span_settled = found->has_span;
}

static void print_span(struct sink *out, const struct trace_span *span)
{
	sink_named_begin(out, "trace", SINK_OBJECT);
	sink_name(out, "trace_id");
	sink_hex(out, span->trace_id, sizeof(span->trace_id));
	sink_name(out, "span_id");
	sink_hex(out, span->span_id, sizeof(span->span_id));
	if (span->has_sampled)
		sink_named_bool(out, "sampled", span->sampled);
	sink_end(out);
}

void contexts_print(struct sink *out, const struct contexts_found *found)
{
	if (found->has_span)
		print_span(out, &found->span);
	if (!found->done)
		return;
	sink_named_string(out, "context_error", found->why);
	if (found->done_ns)
		sink_named_uint(out, "context_done_for_ns", found->done_ns);
}
