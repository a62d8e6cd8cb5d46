/* SPDX-License-Identifier: Apache-2.0 */
/* stdlib_values.h - what values of the standard library's types mean, and of OpenTelemetry's and
 * Datadog's. Where a type is not as expected there is no meaning, and no harm. Fields are found by
 * name, never by release. */
#ifndef GOSNAP_STDLIB_VALUES_H
#define GOSNAP_STDLIB_VALUES_H

#include "goruntime/values/values.h"

struct time_value {	 /* a time.Time */
	int64_t seconds; /* since 1970 */
	uint32_t ns;
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC; 0: it has no such reading */
};
bool runtime_time(struct runtime *rt, const struct value *v, struct time_value *ret);

/* The text of a slog.Value; false: it is none, or of another kind. */
bool runtime_slog_text(struct runtime *rt, const struct value *v, struct text_value *ret);

/* The entries of a sync.Map, as runtime_map_each(). */
MUST_CHECK bool runtime_sync_map_each(struct runtime *rt, const struct value *v,
				      map_entry_fn *fn, void *arg, struct err *err);
/* How many they are, at most `most`; of one map it is found out once. False: there are more that
 * cannot be read. */
MUST_CHECK bool runtime_sync_map_count(struct runtime *rt, const struct value *v,
				       uint64_t most, uint64_t *ret, struct err *err);

enum context_kind {
	CONTEXT_OTHER, /* of a type that is not of package context */
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

/* One context of a chain. Values with type NULL: it has none. */
struct context {
	enum context_kind kind;
	struct value value;	   /* itself, not a pointer to it */
	struct value error, cause; /* of one that has ended */
	bool has_deadline;
	struct time_value deadline;
	struct value key, element; /* that it carries */
};
bool runtime_is_context(const struct type *type); /* context.Context */
/* Calls fn for a context, then for the one it was made from, and so on, until fn says false. */
typedef bool context_fn(void *arg, const struct context *c);
void runtime_each_context(struct runtime *rt, const struct value *v, context_fn *fn,
			  void *arg);
/* The context that a variable is, or that is in the struct that it is or points to: its first,
 * else that of its first *http.Request. */
bool runtime_context_in(struct runtime *rt, const struct value *v, struct value *ret);

/* Of OpenTelemetry or Datadog: big-endian, as they write them. */
struct trace_span {
	uint8_t trace_id[16], span_id[8];
	bool has_sampled, sampled;
};
/* False: c carries none. */
bool context_span(struct runtime *rt, const struct context *c, struct trace_span *ret);

#endif
