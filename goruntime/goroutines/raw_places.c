/* SPDX-License-Identifier: Apache-2.0 */
/* raw_places.c - where the variables, arguments and deferred calls of a goroutine lie on
 * its stack. */
#include "goruntime/goroutines/raw_stack.h"

#include "goruntime/goroutines/extras.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/symtab/arguments.h"
#include "goruntime/variables/variable_place.h"

enum { NAMES_MAX = 64 };

struct placing {
	const struct raw_stack *s;
	raw_place_fn *fn;
	void *arg;
	uint32_t frame;
	struct stack stack;
};

static void give(const struct placing *p, struct raw_place place)
{
	const uint64_t end = p->s->low + p->s->count * WORD;

	place.frame = p->frame;
	if (place.size && place.addr >= p->s->low && place.addr < end)
		p->fn(p->arg, &place);
}

/* A variable may be in pieces, of which some are in registers. */
static void give_pieces(const struct placing *p, struct frame_variables *frame,
			const struct pc_variable *resolved)
{
	const struct dwarf_variable *d = &resolved->at;
	const struct variable *v = &resolved->v;
	const uint64_t whole = v->value.type ? type_size(v->value.type) : WORD;
	uint64_t offset = 0, size, addr;
	struct err ignored;

	for (size_t i = 0; i < d->piece_count && offset < whole; i++, offset += size) {
		const struct dwarf_piece *piece = &d->pieces[i];
		if (v->value.type)
			offset += variable_padding(v->value.type, offset, piece->size);
		size = offset < whole ? whole - offset : 0;
		if (size > piece->size)
			size = piece->size;
		if (variable_piece_address(frame, piece, &addr, &ignored))
			give(p,
			     (struct raw_place){
				     .kind = v->name && v->name[0] == '&' ? RAW_POINTER
									  : RAW_VARIABLE,
				     .name = v->name,
				     .type = v->value.type,
				     .addr = addr,
				     .size = size,
				     .offset = offset,
				     .argument = v->argument,
				     .result = v->result,
				     .compiler = v->compiler,
				     .dead = resolved->dead,
				     .may_be_unset = resolved->may_be_unset,
			     });
	}
}

static void give_slot(void *arg, struct runtime *rt, const struct variable *v)
{
	(void)rt;
	if (v->name && !v->unreadable && v->value.type)
		give(arg, (struct raw_place){ .kind = RAW_VARIABLE,
					      .name = v->name,
					      .type = v->value.type,
					      .addr = v->value.addr,
					      .size = type_size(v->value.type),
					      .compiler = true,
					      .dead = v->dead,
					      .may_be_unset = v->may_be_unset });
}

static void give_variables(struct placing *p, struct frame_variables *frame)
{
	const struct dwarf_scope *scope = pc_variables_scope(frame);
	const struct pc_variable *resolved =
		scope && scope->variable_count ? pc_variables_of(frame, scope) : NULL;

	for (size_t i = 0; resolved && i < scope->variable_count; i++)
		if (resolved[i].reported)
			give_pieces(p, frame, &resolved[i]);
	if (!frame->code->variables->scopes)
		frame_each_variable(frame, false, give_slot, p);
}

struct names {
	const char *list[NAMES_MAX];
	const struct type *types[NAMES_MAX];
	size_t count;
};

static void add_name(void *arg, const char *name, const struct type *type)
{
	struct names *names = arg;

	if (names->count < NAMES_MAX) {
		names->list[names->count] = name;
		names->types[names->count] = type;
	}
	names->count++;
}

/* Before Go 1.17 words are not told apart, but then variables are where they are. */
static void give_arguments(const struct placing *p, const struct frame_variables *frame)
{
	const struct arguments *a = frame->code->arguments;
	struct names names = { .count = 0 };
	struct argument_place at;

	if (!a)
		return;
	if (frame->code->variables && frame->code->variables->scopes)
		words_each_argument(frame, add_name, &names);
	const bool named = names.count <= NAMES_MAX && arguments_count(a) == names.count;
	for (size_t i = 0; arguments_next(a, &i, &at);)
		give(p,
		     (struct raw_place){ .kind = RAW_ARGUMENT,
					 .name = named ? names.list[at.argument] : NULL,
					 .type = named ? names.types[at.argument] : NULL,
					 .addr = frame->cfa + at.offset,
					 .size = at.size,
					 .offset = at.offset_in_argument,
					 .argument = true,
					 .dead = at.doubtful });
}

static void give_frame(void *arg, const struct code_frame *f)
{
	struct placing *p = arg;

	if (f->variables && !f->c && f->variables->code && f->unwound < p->stack.count &&
	    !(p->stack.frames[f->unwound].flags & FRAME_SYSTEM_STACK)) {
		give_variables(p, f->variables);
		if (!f->inlined)
			give_arguments(p, f->variables);
	}
	p->frame++;
}

/* An open-coded one has no record, but a slot in the frame of its function. */
static void give_defers(struct placing *p)
{
	const struct raw_stack *s = p->s;
	const uint64_t size = (uint64_t)s->rt->layout.slot[L_defer_size].off;
	struct err ignored;
	const struct type *type = runtime_type_named(s->rt, "runtime._defer", &ignored);
	const struct defer_list *defers = runtime_defers(s->rt, s->g);

	for (size_t i = 0; defers && i < defers->count; i++) {
		const struct deferred *d = &defers->list[i];
		struct code_frame f = { .function = NULL };
		if (d->function)
			(void)!runtime_code_at(s->rt, d->function, &f);
		p->frame = d->frame < 0 ? 0 : (uint32_t)d->frame;
		give(p,
		     (struct raw_place){ .kind = d->open_coded ? RAW_CLOSURE : RAW_DEFER,
					 .name = f.function,
					 .type = d->open_coded ? NULL : type,
					 .addr = d->record,
					 .size = d->open_coded ? WORD : size });
	}
}

void raw_stack_each_place(const struct raw_stack *s, raw_place_fn *fn, void *arg)
{
	struct placing p = {
		.s = s, .fn = fn, .arg = arg, .stack = runtimes_stack(s->all, s->g->stack)
	};

	runtimes_each_frame_of(s->all, s->g, VARIABLES_OF_ALL, give_frame, &p);
	give_defers(&p);
}
