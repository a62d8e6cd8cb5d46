/* SPDX-License-Identifier: Apache-2.0 */
/* stdlib_values.h - the meaning of values of types in the standard library,
 * OpenTelemetry and Datadog. A type that is not as expected has no meaning and does
 * no harm. Fields are found by name, never by release. Makes no text: knows what a
 * value means, not how people write it. */
#ifndef GOSNAP_STDLIB_VALUES_H
#define GOSNAP_STDLIB_VALUES_H

#include "goruntime/values/values.h"

struct time_value {	 /* a time.Time */
	int64_t seconds; /* since 1970 */
	uint32_t ns;
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC; 0: without a monotonic reading */
};
bool runtime_time(struct runtime *rt, const struct value *v, struct time_value *ret);

/* The text of a slog.Value; False: not one, or of another kind. */
bool runtime_slog_text(struct runtime *rt, const struct value *v, struct text_value *ret);

/* The entries of a sync.Map, like runtime_map_each(). */
MUST_CHECK bool runtime_sync_map_each(struct runtime *rt, const struct value *v,
				      map_entry_fn *fn, void *arg, struct err *err);
/* The number of entries, at most `most`; counted once for each map. False: there are
 * more, which cannot be read. */
MUST_CHECK bool runtime_sync_map_count(struct runtime *rt, const struct value *v,
				       uint64_t most, uint64_t *ret, struct err *err);

enum context_kind {
	CONTEXT_OTHER, /* of a type outside package context */
	CONTEXT_EMPTY, /* one of the next two */
	CONTEXT_BACKGROUND,
	CONTEXT_TODO,
	CONTEXT_CANCEL,
	CONTEXT_DEADLINE,
	CONTEXT_VALUE,
	CONTEXT_WITHOUT_CANCEL,
	CONTEXT_AFTER_FUNC,
	CONTEXT_STOP,
	CONTEXT_KINDS
};

/* One context of a chain. A value with type NULL is absent. */
struct context {
	enum context_kind kind;
	struct value value;	   /* the context itself, not a pointer to it */
	struct value error, cause; /* if it has ended */
	bool has_deadline;
	struct time_value deadline;
	struct value key, element; /* if it carries a value */
};
bool runtime_is_context(const struct type *type); /* context.Context */
/* Calls fn for a context, then for its parent, and so on, until fn returns false. */
typedef bool context_fn(void *arg, const struct context *c);
void runtime_each_context(struct runtime *rt, const struct value *v, context_fn *fn,
			  void *arg);
/* The context that v is, or the first one in the struct that v is or points to; else the
 * context of its first *http.Request. */
bool runtime_context_in(struct runtime *rt, const struct value *v, struct value *ret);

/* Of OpenTelemetry or Datadog, big-endian as they print it. */
struct trace_span {
	uint8_t trace_id[16], span_id[8];
	bool has_sampled, sampled;
};
/* False: c carries none. */
bool context_span(struct runtime *rt, const struct context *c, struct trace_span *ret);

#endif
