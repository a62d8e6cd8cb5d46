/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that contexts carry: go.opentelemetry.io/otel/trace/context.go and trace.go,
 * sdk/trace/span.go, unchanged from 1.0 on; dd-trace-go ddtrace/tracer/span.go and
 * spancontext.go, v1 and v2. A program may vendor them: its own path is then in front of
 * the package's. */
#include <string.h>

#include "goruntime/runtime/lookup.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/stdlib/stdlib_values.h"
#include "goruntime/types/type.h"
#include "goruntime/values/values.h"

enum { SAMPLED = 1 };

static bool has_ending(const char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	return len >= n && strcmp(name + len - n, ending) == 0;
}

/* An array of bytes, or a number, most significant byte first. */
static bool read_id(struct runtime *rt, const struct value *span, const char *paths,
		    uint8_t *ret, size_t size)
{
	struct value field;
	struct err ignored;
	uint64_t number;

	if (!runtime_field(rt, span, paths, &field))
		return false;
	if (type_kind(field.type) == KIND_ARRAY)
		return type_size(field.type) == size &&
		       runtime_bytes(rt, field.addr, ret, size, &ignored);
	if (type_size(field.type) != sizeof(number) ||
	    !runtime_bytes(rt, field.addr, &number, sizeof(number), &ignored))
		return false;
	number = __builtin_bswap64(number);
	memset(ret, 0, size);
	memcpy(ret + size - sizeof(number), &number, sizeof(number));
	return true;
}

static bool read_opentelemetry(struct runtime *rt, const struct value *span,
			       struct trace_span *ret)
{
	uint64_t flags;

	if (!read_id(rt, span, "spanContext.traceID|sc.traceID", ret->trace_id,
		     sizeof(ret->trace_id)) ||
	    !read_id(rt, span, "spanContext.spanID|sc.spanID", ret->span_id,
		     sizeof(ret->span_id)))
		return false;
	ret->has_sampled =
		runtime_number(rt, span, "spanContext.traceFlags|sc.traceFlags", &flags);
	ret->sampled = flags & SAMPLED;
	return true;
}

static bool read_datadog(struct runtime *rt, const struct value *span,
			 struct trace_span *ret)
{
	struct value priority;
	struct err ignored;
	double kept;

	if (!read_id(rt, span, "context.traceID|traceID|TraceID", ret->trace_id,
		     sizeof(ret->trace_id)) ||
	    !read_id(rt, span, "context.spanID|spanID|SpanID", ret->span_id,
		     sizeof(ret->span_id)))
		return false;
	if (runtime_field(rt, span, "context.trace.priority", &priority) &&
	    runtime_behind(rt, &priority, &priority) &&
	    type_kind(priority.type) == KIND_FLOAT64 &&
	    runtime_bytes(rt, priority.addr, &kept, sizeof(kept), &ignored)) {
		ret->has_sampled = true;
		ret->sampled = kept > 0;
	}
	return true;
}

static bool is_valid(const struct trace_span *span)
{
	static const struct trace_span none;

	return memcmp(span->trace_id, none.trace_id, sizeof(none.trace_id)) != 0 &&
	       memcmp(span->span_id, none.span_id, sizeof(none.span_id)) != 0;
}

bool context_span(struct runtime *rt, const struct context *c, struct trace_span *ret)
{
	struct interface_value key;
	struct value span;
	struct err ignored;
	bool found = false;

	*ret = (struct trace_span){ .sampled = false };
	if (!c->key.type || !runtime_interface(rt, &c->key, &key, &ignored) ||
	    !runtime_behind(rt, &c->element, &span))
		return false;
	const char *name = type_name(span.type);
	if (has_ending(key.name, "/otel/trace.traceContextKeyType"))
		found = read_opentelemetry(rt, &span, ret);
	else if (has_ending(name, "/ddtrace/tracer.span") ||
		 has_ending(name, "/ddtrace/tracer.Span"))
		found = read_datadog(rt, &span, ret);
	return found && is_valid(ret);
}
