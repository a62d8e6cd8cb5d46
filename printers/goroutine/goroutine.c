/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/extras_printers.h"
#include "printers/goroutine/frame.h"
#include "printers/goroutine/frame_words.h"
#include "printers/goroutine/print_goroutine.h"
#include "printers/goroutine/raw_stack.h"
#include "printers/goroutine/waiting.h"
#include "printers/values/objects.h"

static bool waits(const struct goroutine *g)
{
	return g->status == GOROUTINE_WAITING || g->status == GOROUTINE_LEAKED;
}

static bool is_dead(const struct goroutine *g)
{
	return g->status == GOROUTINE_DEAD || g->status == GOROUTINE_DEAD_EXTRA;
}

static void print_status(struct sink *out, const struct goroutine_printing *p,
			 const struct goroutine *g)
{
	const char *name = runtime_status_name(g->status);

	if (name) {
		sink_named_string(out, "status", name);
	} else {
		AUTO(xfree) char *number = xasprintf("unknown (%u)", g->status);
		sink_named_string(out, "status", number);
	}
	if (g->runnable_since && g->runnable_since <= p->moment.now_ns)
		sink_named_uint(out, "runnable_ns", p->moment.now_ns - g->runnable_since);
	/* The runtime leaves stale values in the fields below. */
	if (!waits(g) || runtime_wait_is_over(p->runtime, g))
		return;
	sink_named_string(out, "wait_reason",
			  runtime_wait_reason(p->runtime, g->wait_reason));
	if (g->waiting_since && g->waiting_since <= p->moment.now_ns)
		sink_named_uint(out, "waiting_ns", p->moment.now_ns - g->waiting_since);
	print_waiting_for(out, p, g);
}

static void print_origin(struct sink *out, const struct goroutine_printing *p,
			 const struct goroutine *g)
{
	struct code_frame f;

	/* The first goroutine's creator is assembly without a line; the runtime does not
	 * print it either. */
	if (g->id != 1 && runtime_call_before(p->runtime, g->created_pc, &f)) {
		sink_named_begin(out, "created_by", SINK_OBJECT);
		print_location(out, &f);
		sink_named_address(out, "pc", g->created_pc);
		if (g->parent)
			sink_named_uint(out, "goroutine", g->parent);
		sink_end(out);
	}
	if (runtime_code_at(p->runtime, g->start_pc, &f)) {
		sink_named_begin(out, "entry", SINK_OBJECT);
		print_code_location(out, &f);
		sink_end(out);
	}
}

static void print_stack(struct sink *out, const struct goroutine *g)
{
	if (is_dead(g) || g->stack_low >= g->stack_high)
		return;
	sink_named_begin(out, "stack", SINK_OBJECT);
	sink_named_address(out, "low", g->stack_low);
	sink_named_address(out, "high", g->stack_high);
	sink_named_uint(out, "size_bytes", g->stack_high - g->stack_low);
	if (g->sp >= g->stack_low && g->sp <= g->stack_high)
		sink_named_uint(out, "used_bytes", g->stack_high - g->sp);
	sink_end(out);
}

/* Member argument_words is begun at the first frame that has some. */
struct words_printing {
	struct sink *out;
	struct redaction *redaction;
	size_t nulls; /* frames before it */
	bool begun;
};

static void print_item(void *arg, const struct argument_words *words)
{
	struct words_printing *p = arg;

	if (!p->begun && !has_argument_words(words)) {
		p->nulls++;
		return;
	}
	if (!p->begun) {
		sink_named_begin(p->out, "argument_words", SINK_ARRAY);
		p->begun = true;
		while (p->nulls-- > 0)
			sink_null(p->out);
	}
	print_argument_words(p->out, p->redaction, words);
}

static void print_all_words(struct sink *out, const struct goroutine_printing *printing,
			    const struct goroutine *g)
{
	struct words_printing p = { .out = out, .redaction = printing->redaction };

	runtimes_each_argument_words(printing->runtimes, g, print_item, &p);
	if (p.begun)
		sink_end(out);
}

static void print_members_of(struct sink *out, struct goroutine_printing *p,
			     const struct goroutine *g, uint64_t group)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "id", g->id);
	print_whose(out, p->runtimes, p->runtime);
	sink_named_address(out, "address", g->addr);
	print_status(out, p, g);
	sink_named_bool(out, "system", g->system);
	if (g->thread >= 0)
		sink_named_int(out, "thread", p->threads[g->thread].tid);
	if (g->locked_machine)
		sink_named_bool(out, "locked", true);
	print_labels(out, p, g);
	print_origin(out, p, g);
	print_stack(out, g);
	sink_named_uint(out, "group", group);
	if ((p->full_frames || p->values) && g->stack != NO_STACK) {
		sink_name(out, "frames");
		print_frames_of(out, p, g);
	} else if (g->stack != NO_STACK) {
		print_all_words(out, p, g);
	}
	print_raw_stack(out, p, g);
	print_unwind(out, p->runtimes, (enum stack_state)g->state, g->reason);
	print_panics(out, p, g);
	print_defers(out, p->runtime, g);
	print_bubble(out, p->runtime, g);
	print_ancestors(out, p->runtime, g);
	sink_named_string(out, "values_omitted_by", p->values_omitted_by);
	if (g->changed)
		sink_named_string(out, "unreliable_reason",
				  "it may have changed while it was read");
	else if (g->same_id)
		sink_named_string(out, "unreliable_reason",
				  "another goroutine has the same ID");
	sink_end(out);
}

void print_goroutine(struct sink *out, struct goroutine_printing *p,
		     const struct goroutine *g, uint64_t group)
{
	struct source source = { .objects = p->objects,
				 .redaction = p->redaction,
				 .memory = p->values ? p->memory : NULL,
				 .a = g->addr,
				 .b = g->id };

	source_begin(&source);
	print_members_of(out, p, g, group);
	source_end(&source);
}
