/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"
#include "value_printers.h"

struct frame_printing {
	struct sink *out;
	size_t count;
	struct printing *values; /* NULL: none are wanted */
};

void print_location(struct sink *out, const struct code_frame *f)
{
	sink_named_string(out, "function", f->function);
	sink_named_string(out, "file", f->file);
	if (f->line)
		sink_named_uint(out, "line", f->line);
}

bool has_words(const struct words *words)
{
	return words->text || words->unreadable;
}

void print_words(struct sink *out, const struct words *words)
{
	if (words->text) {
		sink_plain(out, words->text, words->len);
	} else if (words->unreadable) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "unreadable", words->unreadable);
		sink_end(out);
	} else {
		sink_null(out);
	}
}

struct variable_list {
	struct printing *values;
	const char *name;
	bool begun;
};

static void print_in_list(void *arg, struct runtime *rt, const struct variable *v)
{
	struct variable_list *list = arg;

	if (v->compiler && !list->values->bounds->compiler)
		return;
	if (!list->begun)
		sink_named_begin(list->values->out, list->name, SINK_ARRAY);
	list->begun = true;
	print_variable(list->values, rt, v);
}

static void print_list(struct printing *values, struct frame_variables *frame,
		       bool arguments)
{
	struct variable_list list = { .values = values,
				      .name = arguments ? "arguments" : "locals" };

	frame_each_variable(frame, arguments, print_in_list, &list);
	if (list.begun)
		sink_end(values->out);
}

static void print_variables(struct printing *values, const struct code_frame *f)
{
	if (!f->variables) {
		sink_named_string(values->out, "values_unreadable", f->why_none);
	} else if (!goroutine_has_room(values)) {
		sink_named_string(values->out, "values_unreadable",
				  "the goroutine has too many values");
	} else {
		print_list(values, f->variables, true);
		print_list(values, f->variables, false);
	}
}

static void print_frame(void *arg, const struct code_frame *f)
{
	struct frame_printing *p = arg;
	struct sink *out = p->out;

	p->count++;
	sink_begin(out, SINK_OBJECT);
	print_location(out, f);
	sink_named_address(out, "pc", f->pc);
	if (f->entry && !f->inlined) {
		sink_named_address(out, "entry", f->entry);
		sink_named_uint(out, "offset", f->pc - f->entry);
	}
	sink_named_string(out, "module", f->module);
	sink_named_string(out, "language", f->c ? "c" : "go");
	if (f->inlined)
		sink_named_bool(out, "inlined", true);
	if (f->hidden)
		sink_named_bool(out, "hidden", true);
	sink_named_string(out, "kind", f->kind);
	if (f->by_frame_pointer)
		sink_named_string(out, "found_by", "frame pointer");
	if (has_words(&f->words)) {
		sink_name(out, "words");
		print_words(out, &f->words);
	}
	if (p->values && !f->c)
		print_variables(p->values, f);
	sink_end(out);
}

size_t print_frames_of(struct sink *out, struct runtimes *all, const struct goroutine *g,
		       const struct value_bounds *bounds, uint64_t *count_variables)
{
	struct printing values;
	struct frame_printing p = { .out = out, .values = bounds ? &values : NULL };

	if (bounds)
		printing_begin(&values, out, bounds);
	sink_begin(out, SINK_ARRAY);
	runtimes_each_frame_of(all, g, bounds != NULL, print_frame, &p);
	sink_end(out);
	if (bounds) {
		*count_variables += values.variables;
		printing_end(&values);
	}
	return p.count;
}

size_t print_frames(struct sink *out, struct runtimes *all, struct stack stack)
{
	struct frame_printing p = { .out = out };

	sink_begin(out, SINK_ARRAY);
	runtimes_each_frame(all, stack, print_frame, &p);
	sink_end(out);
	return p.count;
}

void print_unwound(struct sink *out, const struct runtimes *all, enum stack_state state,
		   uint32_t reason)
{
	static const char *const names[] = {
		[STACK_COMPLETE] = "complete",
		[STACK_TRUNCATED] = "truncated",
		[STACK_LOST] = "lost",
	};

	if (state == STACK_NONE)
		return;
	sink_named_begin(out, "unwound", SINK_OBJECT);
	sink_named_string(out, "state", names[state]);
	if (state != STACK_COMPLETE)
		sink_named_string(out, "reason", runtimes_reason(all, reason));
	sink_end(out);
}
