/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/raw_stack.h"

#include <stdlib.h>

#include "printers/goroutine/frame.h"
#include "printers/goroutine/raw_parts.h"
#include "redaction/redaction.h"

struct raw_printing {
	struct sink *out;
	struct redaction *redaction;
	const struct raw_stack *stack;
	bool *of_calls; /* by word: a return address or a saved frame pointer */
};

static void note_word(const struct raw_printing *p, uint64_t addr)
{
	const uint64_t i = (addr - p->stack->low) / WORD;

	if (addr && i < p->stack->count)
		p->of_calls[i] = true;
}

static void note_calls(const struct raw_printing *p)
{
	for (size_t i = 0; i < p->stack->frame_count; i++) {
		note_word(p, p->stack->frames[i].return_address);
		note_word(p, p->stack->frames[i].frame_pointer);
	}
}

/* What nobody has judged may be anything: only addresses and small numbers are left, of
 * which neither texts nor keys consist. The addresses that hold the frames together are known, in
 * whichever place they are. */
static bool is_withheld(const struct raw_printing *p, size_t i)
{
	const uint64_t word = p->stack->words[i];
	const bool address = raw_stack_is_address(p->stack, word);

	if (redaction_mode(p->redaction) == REDACT_NOTHING ||
	    (p->of_calls[i] && (address || !word)))
		return false;
	return !(address || redaction_is_plain_number(word)) ||
	       redaction_at(p->redaction, p->stack->low + i * WORD, WORD) ||
	       redaction_of_dead_word(p->redaction, word);
}

static void print_words(const struct raw_printing *p)
{
	struct sink *out = p->out;

	sink_named_begin(out, "words", SINK_ARRAY);
	for (size_t i = 0; i < p->stack->count; i++) {
		if (p->stack->unreadable[i])
			sink_null(out);
		else if (is_withheld(p, i))
			sink_string(out, "redacted");
		else
			sink_address(out, p->stack->words[i]);
	}
	sink_end(out);
}

static void print_registers(const struct raw_printing *p)
{
	const struct arch *arch = p->stack->arch;

	sink_named_begin(p->out, "registers", SINK_OBJECT);
	for (unsigned i = 0; i < arch->reg_count; i++)
		if (reg_known(&p->stack->regs, i))
			sink_named_address(p->out, arch->reg_names[i],
					   p->stack->regs.value[i]);
	sink_end(p->out);
}

static void print_bounds(const struct raw_printing *p)
{
	struct sink *out = p->out;

	sink_named_begin(out, "frames", SINK_ARRAY);
	for (size_t i = 0; i < p->stack->frame_count; i++) {
		const struct raw_bounds *b = &p->stack->frames[i];
		sink_begin(out, SINK_OBJECT);
		sink_named_uint(out, "frame", b->frame);
		sink_named_string(out, "function", b->function);
		sink_named_address(out, "low", b->low);
		sink_named_address(out, "high", b->high);
		if (b->return_address)
			sink_named_address(out, "return_address_at", b->return_address);
		if (b->frame_pointer)
			sink_named_address(out, "frame_pointer_at", b->frame_pointer);
		sink_end(out);
	}
	sink_end(out);
}

static void print_place(void *arg, const struct raw_place *place)
{
	static const char *const kinds[RAW_PLACE_KINDS] = {
		[RAW_VARIABLE] = "variable", [RAW_POINTER] = "pointer",
		[RAW_ARGUMENT] = "argument", [RAW_DEFER] = "defer",
		[RAW_CLOSURE] = "closure",
	};
	const struct raw_printing *p = arg;
	struct sink *out = p->out;

	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "frame", place->frame);
	sink_named_string(out, "kind", kinds[place->kind]);
	sink_named_string(out, "name", place->name);
	if (place->type)
		sink_named_string(out, "type", type_name(place->type));
	sink_named_address(out, "address", place->addr);
	sink_named_uint(out, "size_bytes", place->size);
	if (place->argument)
		sink_named_bool(out, "argument", true);
	if (place->result)
		sink_named_bool(out, "result", true);
	if (place->compiler)
		sink_named_bool(out, "compiler", true);
	if (place->dead)
		sink_named_bool(out, "dead", true);
	if (place->may_be_unset)
		sink_named_bool(out, "may_be_unset", true);
	print_raw_parts(out, place);
	sink_end(out);
}

static void print_places(struct raw_printing *p)
{
	sink_named_begin(p->out, "places", SINK_ARRAY);
	raw_stack_each_place(p->stack, print_place, p);
	sink_end(p->out);
}

static int compare_words(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_code_of(struct sink *out, uint64_t word, const struct raw_code *code)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_address(out, "address", word);
	print_location(out, &code->frame);
	sink_named_string(out, "inlined", code->inlined);
	if (code->frame.entry)
		sink_named_uint(out, "offset", word - code->frame.entry);
	if (code->is_return)
		sink_named_bool(out, "return_address", true);
	sink_end(out);
}

/* Each once, by address. */
static void print_code(const struct raw_printing *p)
{
	const struct raw_stack *s = p->stack;
	AUTO(xfree) uint64_t *words = xcalloc(s->count, sizeof(*words));
	struct raw_code code;
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		if (!s->unreadable[i] && !is_withheld(p, i))
			words[n++] = s->words[i];
	qsort(words, n, sizeof(*words), compare_words);
	sink_named_begin(p->out, "code", SINK_ARRAY);
	for (size_t i = 0; i < n; i++)
		if ((i == 0 || words[i] != words[i - 1]) &&
		    raw_stack_code(s, words[i], &code))
			print_code_of(p->out, words[i], &code);
	sink_end(p->out);
}

static void print_all(struct raw_printing *p)
{
	AUTO(xfree) bool *of_calls = xcalloc(p->stack->count, sizeof(*of_calls));
	struct sink *out = p->out;

	p->of_calls = of_calls;
	note_calls(p);
	sink_named_address(out, "address", p->stack->low);
	print_words(p);
	if (p->stack->left_out)
		sink_named_uint(out, "omitted_bytes", p->stack->left_out);
	print_registers(p);
	print_bounds(p);
	print_places(p);
	print_code(p);
}

void print_raw_stack(struct sink *out, const struct goroutine_printing *printing,
		     const struct goroutine *g)
{
	const struct raw_stacks *wanted = &printing->raw_stacks;

	if (!wanted->wanted || (wanted->of && wanted->of != g->id))
		return;
	AUTO(raw_stack_free)
	struct raw_stack *stack =
		wanted->omitted_by
			? NULL
			: raw_stack_new(printing->runtimes, printing->runtime, g);
	struct raw_printing p = { out, printing->redaction, stack, NULL };
	if (!stack && !wanted->omitted_by)
		return;
	sink_named_begin(out, "raw_stack", SINK_OBJECT);
	sink_named_string(out, "omitted_by", wanted->omitted_by);
	if (stack)
		print_all(&p);
	sink_end(out);
}
