/* SPDX-License-Identifier: Apache-2.0 */
#include "src/analysis/print_waits.h"

#include "lib/base/limit.h"
#include "lib/document/sink.h"
#include "printers/printers.h"

enum { GOROUTINES_SHOWN = 100 /* of an object */ };

static uint64_t id_of(const struct wait_graph *w, uint32_t goroutine)
{
	return runtimes_goroutine(w->all, goroutine).goroutine->id;
}

static void print_place(struct sink *out, const struct wait_graph *w,
			const struct partner *p, const char *name, uint64_t pc)
{
	struct runtime *rt = runtimes_goroutine(w->all, p->goroutine).runtime;
	struct code_frame f;

	if (!pc || !runtime_code_at(rt, pc, &f))
		return;
	sink_named_begin(out, name, SINK_OBJECT);
	print_code_location(out, &f);
	sink_end(out);
}

static const char *operation_name(enum operation operation)
{
	switch (operation) {
	case OPERATION_UNLOCK:
		return "unlock";
	case OPERATION_READ_UNLOCK:
		return "read unlock";
	case OPERATION_DONE:
		return "done";
	case OPERATION_SIGNAL:
		return "signal";
	case OPERATION_SEND:
		return "send";
	case OPERATION_RECEIVE:
		return "receive";
	case OPERATION_CLOSE:
		return "close";
	default:
		return NULL;
	}
}

static void print_partner(struct sink *out, const struct wait_graph *w,
			  const struct partner *p)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "goroutine", id_of(w, p->goroutine));
	sink_named_string(out, "operation", operation_name(p->operation));
	if (p->certainty != CERTAINTY_UNKNOWN)
		sink_named_string(out, "holds",
				  p->certainty == CERTAINTY_CERTAIN ? "certain"
								    : "probable");
	if (p->passed)
		print_place(out, w, p, "locked_at", p->passed_pc);
	if (p->ahead || p->maybe) {
		sink_named_string(out, "ahead",
				  p->deferred ? "deferred"
				  : p->ahead  ? "always"
					      : "sometimes");
		print_place(out, w, p, "ahead_at", p->ahead_pc);
	}
	sink_end(out);
}

static void print_waiters(struct sink *out, const struct wait_graph *w,
			  const struct wait_object *o)
{
	const struct waiter *waiters = &w->waiters[o->first_waiter];
	uint32_t shown = 0;

	sink_named_uint(out, "waiters", o->goroutine_count);
	sink_named_begin(out, "goroutines", SINK_ARRAY);
	for (uint32_t i = 0; i < o->waiter_count && shown < GOROUTINES_SHOWN; i++) {
		if (i && waiters[i - 1].goroutine == waiters[i].goroutine)
			continue;
		sink_uint(out, id_of(w, waiters[i].goroutine));
		shown++;
	}
	sink_end(out);
}

static void print_wait_object(struct sink *out, const struct wait_graph *w,
			      const struct wait_object *o)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_address(out, "address", o->addr);
	print_whose(out, w->all, runtimes_get(w->all, o->runtime));
	sink_named_string(out, "kind", wait_kind_name(o->kind));
	print_waiters(out, w, o);
	if (o->partner_count) {
		sink_named_begin(out, "partners", SINK_ARRAY);
		for (uint32_t i = 0; i < o->partner_count && i < GOROUTINES_SHOWN; i++)
			print_partner(out, w, &w->partners[o->first_partner + i]);
		sink_end(out);
	}
	sink_end(out);
}

/* A channel with one waiter, of whose partners nothing is known, is in the goroutine. */
static bool says_something(const struct wait_object *o)
{
	return o->kind != WAIT_CHANNEL || o->partner_count || o->goroutine_count > 1;
}

void print_waits(struct sink *out, const struct wait_graph *w)
{
	uint64_t shown = 0;

	sink_begin(out, SINK_ARRAY);
	for (size_t i = 0; i < w->object_count && shown < LIMIT_WAIT_OBJECTS; i++)
		if (says_something(&w->objects[i])) {
			print_wait_object(out, w, &w->objects[i]);
			shown++;
		}
	sink_end(out);
}
