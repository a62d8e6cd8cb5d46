/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/frame.h"
#include "printers/goroutine/frame_words.h"
#include "printers/goroutine/goroutine_contexts.h"
#include "printers/goroutine/pending_read.h"
#include "printers/goroutine/print_goroutine.h"
#include "printers/known/known.h"
#include "printers/values/value_printers.h"

struct frame_printing {
	struct sink *out;
	size_t count;
	struct redaction *redaction;
	struct printing *values; /* NULL: not requested */
	struct contexts_found contexts;
	bool brief; /* without what the frames of its group say */
	bool named; /* but this frame's function has been named */
};

void print_location(struct sink *out, const struct code_frame *f)
{
	sink_named_string(out, "function", f->function);
	sink_named_string(out, "file", f->file);
	if (f->line)
		sink_named_uint(out, "line", f->line);
	if (f->function)
		return;
	sink_named_string(out, "object_file", f->object_file);
	if (f->object_address)
		sink_named_address(out, "object_address", f->object_address);
}

void print_code_location(struct sink *out, const struct code_frame *f)
{
	print_location(out, f);
	if (!f->function)
		sink_named_address(out, "pc", f->pc);
}

struct variable_list {
	struct frame_printing *printing;
	const struct code_frame *frame;
	const char *name;
	bool begun;    /* this list */
	bool left_out; /* a variable of the frame was left out */
};

/* A frame with variables names its function, even if the rest is left to its group. */
static void begin_list(struct variable_list *list)
{
	struct frame_printing *p = list->printing;

	if (p->brief && !p->named) {
		sink_named_string(p->out, "function", list->frame->function);
		if (list->frame->hidden)
			sink_named_bool(p->out, "hidden", true);
	}
	p->named = true;
	sink_named_begin(p->out, list->name, SINK_ARRAY);
	list->begun = true;
}

static void end_list(struct variable_list *list)
{
	if (list->begun)
		sink_end(list->printing->out);
	list->begun = false;
}

static void print_in_list(void *arg, struct runtime *rt, const struct variable *v)
{
	struct variable_list *list = arg;

	if (v->compiler && !list->printing->values->bounds->compiler)
		return;
	list->printing->values->rt = rt;
	if (!v->name) {
		end_list(list);
		print_reason(list->printing->values, "locals_unreadable", v->unreadable);
		return;
	}
	if (!v->unreadable && !v->optimized_out)
		contexts_look(&list->printing->contexts, list->printing->values,
			      &v->value);
	if (!goroutine_has_room(list->printing->values)) {
		list->left_out = true;
		return;
	}
	if (!list->begun)
		begin_list(list);
	print_variable(list->printing->values, rt, v);
}

static void print_list(struct variable_list *list, const char *name, bool arguments)
{
	list->name = name;
	list->begun = false;
	frame_each_variable(list->frame->variables, arguments, print_in_list, list);
	end_list(list);
}

static void print_variables(struct frame_printing *p, const struct code_frame *f)
{
	struct variable_list list = { .printing = p, .frame = f };

	sink_named_string(p->out, "values_unreadable", f->why_none);
	if (!f->variables)
		return;
	contexts_next_frame(&p->contexts);
	note_pending_read(p->values, f);
	p->named = false;
	print_list(&list, "arguments", true);
	print_list(&list, "locals", false);
	if (list.left_out)
		sink_named_string(p->out, "values_omitted_by", "output_bytes");
}

static void print_place(struct sink *out, const struct code_frame *f)
{
	print_location(out, f);
	sink_named_address(out, "pc", f->pc);
	if (f->entry && !f->inlined) {
		sink_named_address(out, "entry", f->entry);
		sink_named_uint(out, "offset", f->pc - f->entry);
	}
	if (f->function)
		sink_named_string(out, "object_file", f->object_file);
	sink_named_string(out, "language", f->c ? "c" : "go");
	if (f->inlined)
		sink_named_bool(out, "inlined", true);
	if (f->hidden)
		sink_named_bool(out, "hidden", true);
	sink_named_string(out, "kind", f->kind);
	if (f->by_frame_pointer)
		sink_named_string(out, "found_by", "frame pointer");
	if (f->range_parent)
		sink_named_uint(out, "range_parent", f->range_parent);
	if (f->repeated_times) {
		sink_named_begin(out, "repeated", SINK_OBJECT);
		sink_named_uint(out, "frames", f->repeated_frames);
		sink_named_uint(out, "times", f->repeated_times);
		sink_end(out);
	}
}

static void print_frame(void *arg, const struct code_frame *f)
{
	struct frame_printing *p = arg;
	struct sink *out = p->out;

	p->count++;
	sink_begin(out, SINK_OBJECT);
	if (!p->brief)
		print_place(out, f);
	if (p->values)
		print_variables(p, f);
	if (has_argument_words(&f->argument_words)) {
		sink_name(out, "argument_words");
		print_argument_words(out, p->redaction, &f->argument_words);
	}
	sink_end(out);
}

/* printing: NULL: no variables requested. */
static enum variables_of variables_of(const struct goroutine_printing *printing)
{
	const struct value_bounds *bounds = printing ? printing->values : NULL;

	return !bounds		? VARIABLES_OF_NONE
	       : bounds->hidden ? VARIABLES_OF_ALL
				: VARIABLES_OF_SHOWN;
}

void print_frames_of(struct sink *out, struct goroutine_printing *printing,
		     const struct goroutine *g)
{
	const struct value_bounds *bounds = printing->values;
	struct snapshot_time moment = printing->moment;
	struct printing values = { .variables = 0 };
	struct frame_printing p = { .out = out,
				    .redaction = printing->redaction,
				    .brief = !printing->full_frames && bounds,
				    .values = bounds ? &values : NULL };
	struct bubble bubble;

	/* A bubble has its own clock. */
	if (runtime_bubble(printing->runtime, g, &bubble))
		moment.now_ns = moment.realtime_ns = 0;
	if (bounds)
		printing_begin(&values, out, bounds, &moment, &known_texts,
			       printing->redaction);
	values.objects = printing->objects;
	sink_begin(out, SINK_ARRAY);
	runtimes_each_frame_of(printing->runtimes, g, variables_of(printing), print_frame,
			       &p);
	sink_end(out);
	contexts_print(out, &p.contexts);
	if (bounds)
		printing_end(&values);
	printing->variables += values.variables;
	printing->redacted += values.redacted_count;
	printing->has_leads |= values.has_leads || values.redacted_count;
}

void print_frames_of_thread(struct sink *out, struct goroutine_printing *printing,
			    struct runtimes *all, size_t thread)
{
	struct printing values = { .variables = 0 };
	struct frame_printing p = { .out = out };

	if (printing) {
		p.redaction = printing->redaction;
		p.values = &values;
		printing_begin(&values, out, printing->values, &printing->moment,
			       &known_texts, printing->redaction);
		values.objects = printing->objects;
	}
	sink_begin(out, SINK_ARRAY);
	runtimes_each_frame_of_thread(all, thread, variables_of(printing), print_frame,
				      &p);
	sink_end(out);
	if (!printing)
		return;
	printing_end(&values);
	printing->variables += values.variables;
	printing->redacted += values.redacted_count;
}

size_t print_frames(struct sink *out, struct runtimes *all, uint32_t stack)
{
	struct frame_printing p = { .out = out };

	sink_begin(out, SINK_ARRAY);
	runtimes_each_frame(all, stack, print_frame, &p);
	sink_end(out);
	return p.count;
}

void print_unwind(struct sink *out, const struct runtimes *all, enum stack_state state,
		  uint32_t reason)
{
	static const char *const names[] = {
		[STACK_COMPLETE] = "complete",
		[STACK_TRUNCATED] = "truncated",
		[STACK_LOST] = "lost",
	};

	if (state == STACK_NONE)
		return;
	sink_named_begin(out, "unwind", SINK_OBJECT);
	sink_named_string(out, "status", names[state]);
	if (state != STACK_COMPLETE)
		sink_named_string(out, "reason", runtimes_reason(all, reason));
	sink_end(out);
}

void print_whose(struct sink *out, const struct runtimes *all, const struct runtime *rt)
{
	if (rt && rt != runtimes_get(all, 0))
		sink_named_string(out, "runtime", runtime_image(rt, 0).path);
}
