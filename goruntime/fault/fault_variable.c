/* SPDX-License-Identifier: Apache-2.0 */
/* A nil pointer, a nil map, a slice that is too short: by the instruction or call that failed.
 * From its operand the search goes back to the moves and loads that it may have come from, until
 * debugging information names what is in a register or in memory there. If anything but a move may
 * have written the register, or the names differ, it gives up. */
#include "goruntime/fault/fault_variable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/goroutines/extras.h"
#include "goruntime/types/globals.h"
#include "goruntime/variables/variables_priv.h"
#include "lib/base/search.h"
#include "lib/instructions/instructions.h"

enum {
	CODE_MAX = 1 << 18, /* bytes of a function */
	STEPS = 6,	    /* moves and loads */
	ORIGINS_MAX = 8,
	LOOKUPS_MAX = 64,
	BACK = 64, /* instructions before a call that store its arguments */
	NAME_MAX_BYTES = 200,
	NESTED_MAX = 16,
};

/* What is in a register or a place in memory. */
struct named {
	char text[NAME_MAX_BYTES];
	const struct type *type;
	uint64_t
		part; /* of a slice, string or interface: the number of the word; 0: all */
	bool is_target; /* text names what it points to, on the heap */
};

/* From instruction `from`, which branches or jumps, to instruction `to`. */
struct edge {
	uint32_t from, to;
};

struct search {
	struct runtime *rt;
	const struct arch *arch;
	struct instruction *list; /* of the function */
	size_t count;
	struct edge *edges; /* sorted by `to` */
	size_t edge_count;
	unsigned lookups; /* of registers, so far */
	uint8_t *busy;	  /* for each instruction: what it moves is being looked for */
	bool ambiguous;	  /* several variables may be what was looked for */
};

static void search_done(struct search *s)
{
	xfree(s->list);
	xfree(s->edges);
	xfree(s->busy);
}

/* The instruction at pc, or that ends there. */
static bool find_instruction(const struct search *s, uint64_t pc, bool at_end,
			     size_t *ret)
{
	size_t i = LOWER_BOUND(k, s->count, s->list[k].pc < pc);

	if (at_end) {
		*ret = i - 1;
		return i > 0 && s->list[i - 1].pc + s->list[i - 1].len == pc;
	}
	*ret = i;
	return i < s->count && s->list[i].pc == pc;
}

static int by_target(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return (x->to > y->to) - (x->to < y->to);
}

static bool has_call(const struct search *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].kind == INSTRUCTION_CALL)
			return true;
	return false;
}

/* Back to its entry a function that calls goes only after its stack has grown, with all as it was.
 * A loop can be there in one that does not. */
static void find_edges(struct search *s)
{
	const bool grows = has_call(s);
	size_t cap = 0, to;

	for (size_t i = 0; i < s->count; i++) {
		const struct instruction *from = &s->list[i];
		if (from->kind == INSTRUCTION_CALL || !from->target ||
		    !find_instruction(s, from->target, false, &to) || (to == 0 && grows))
			continue;
		GROW(s->edges, s->edge_count, cap);
		s->edges[s->edge_count++] = (struct edge){ (uint32_t)i, (uint32_t)to };
	}
	if (s->edge_count)
		qsort(s->edges, s->edge_count, sizeof(*s->edges), by_target);
}

static bool read_function(struct search *s, uint64_t pc)
{
	const struct code *c = code_with_calls(s->rt->code, pc, true);
	uint64_t end;
	struct err ignored;

	if (!c || c->call_count == 0 ||
	    modules_function(s->rt->modules, code_own_call(c)->name, &end) != c->entry ||
	    end <= c->entry || end - c->entry > CODE_MAX)
		return false;
	size_t len = (size_t)(end - c->entry);
	AUTO(xfree) uint8_t *code = xmalloc(len);
	if (!modules_code(s->rt->modules, c->entry, code, len))
		return false;
	s->list = instructions_decode(s->arch, code, len, c->entry, &s->count, &ignored);
	if (!s->list || s->count == 0)
		return false;
	s->busy = xcalloc(s->count, 1);
	find_edges(s);
	return true;
}

static void append(struct named *n, const char *text)
{
	size_t len = strlen(n->text);
	snprintf(n->text + len, sizeof(n->text) - len, "%s", text);
}

/* The field, or the element of an array, that is off bytes into what n names. */
static bool enter_fields(struct named *n, uint64_t off)
{
	for (int depth = 0; depth < NESTED_MAX && n->type; depth++) {
		const struct type *t = n->type;
		const struct type_field *found = NULL;
		char index[24];
		switch ((int)type_kind(t)) {
		case KIND_STRUCT:
			for (size_t i = 0; i < type_field_count(t); i++) {
				const struct type_field *f = type_field(t, i);
				if (f->type && off >= f->off &&
				    off - f->off < type_size(f->type))
					found = f;
			}
			if (!found)
				return false;
			append(n, ".");
			append(n, found->name);
			n->type = found->type;
			off -= found->off;
			break;
		case KIND_ARRAY:
			if (!type_elem(t) || type_size(type_elem(t)) == 0)
				return false;
			snprintf(index, sizeof(index), "[%" PRIu64 "]",
				 off / type_size(type_elem(t)));
			append(n, index);
			off %= type_size(type_elem(t));
			n->type = type_elem(t);
			break;
		default:
			n->part = off / WORD;
			return off < type_size(t) && off % WORD == 0;
		}
	}
	return false;
}

static bool begin_name(const struct pc_variable *v, uint64_t off, struct named *ret)
{
	const char *name = v->v.name;

	if (!name || !v->reported || v->v.compiler || !v->v.value.type || !name[0] ||
	    name[0] == '~' || name[0] == '.')
		return false;
	*ret = (struct named){ .type = v->v.value.type, .is_target = name[0] == '&' };
	append(ret, name + ret->is_target);
	return ret->is_target ? off == 0 : enter_fields(ret, off);
}

/* Is the piece, whole bytes long, in the register, or does it have the place in memory? */
static bool holds(const struct dwarf_piece *piece, uint64_t size, int reg,
		  int64_t cfa_off, uint64_t *ret_inside)
{
	*ret_inside = 0;
	if (reg >= 0)
		return piece->where == DWARF_PIECE_REGISTER && piece->at == reg;
	if (piece->where != DWARF_PIECE_CFA || cfa_off < piece->at)
		return false;
	*ret_inside = (uint64_t)(cfa_off - piece->at);
	return *ret_inside < size;
}

/* A variable that debugging information has in this register (reg -1: at CFA + cfa_off) just
 * before the instruction at pc. Of a swap it has both there. */
static bool name_by_debug(struct search *s, uint64_t pc, int reg, int64_t cfa_off,
			  struct named *ret)
{
	struct frame_variables frame = {
		.rt = s->rt,
		.code = code_with_calls(s->rt->code, pc, true),
	};
	struct named one;
	uint64_t inside;
	bool found = false;

	if (!frame.code)
		return false;
	code_variables(s->rt, frame.code);
	for (; !found && frame.call < frame.code->call_count; frame.call++) {
		const struct dwarf_scope *scope = pc_variables_scope(&frame);
		const struct pc_variable *list =
			scope ? pc_variables_of(&frame, scope) : NULL;
		for (size_t i = 0; list && i < scope->variable_count; i++) {
			uint64_t before = 0;
			for (size_t k = 0; k < list[i].at.piece_count; k++) {
				const struct dwarf_piece *piece = &list[i].at.pieces[k];
				uint64_t size = piece->size;
				if (size == UINT64_MAX)
					size = type_size(list[i].v.value.type);
				if (holds(piece, size, reg, cfa_off, &inside) &&
				    begin_name(&list[i], before + inside, &one)) {
					s->ambiguous |= found;
					*ret = one;
					found = true;
				}
				before += size;
			}
		}
	}
	return found && !s->ambiguous;
}

struct global_search {
	uint64_t addr;
	struct named *ret;
	bool found;
};

static void look_at_global(void *arg, const char *name, const struct value *v)
{
	struct global_search *g = arg;

	if (g->found || !v->type || g->addr < v->addr ||
	    g->addr - v->addr >= type_size(v->type))
		return;
	*g->ret = (struct named){ .type = v->type };
	append(g->ret, name);
	g->found = enter_fields(g->ret, g->addr - v->addr);
}

static bool name_global(const struct search *s, uint64_t addr, struct named *ret)
{
	struct global_search g = { .addr = addr, .ret = ret };
	struct err ignored;

	return runtime_each_global(s->rt, "*", look_at_global, &g, &ignored) && g.found;
}

static bool name_register(struct search *s, size_t at, int reg, int steps,
			  struct named *ret);

/* What is in memory there, just before instruction at. */
static bool name_memory(struct search *s, size_t at, const struct operand *op, int steps,
			struct named *ret)
{
	const uint64_t pc = s->list[at].pc;
	const struct code *c = code_at(s->rt->code, pc, true);

	if (op->index >= 0 || op->reg < 0)
		return false;
	if ((unsigned)op->reg == s->arch->pc)
		return name_global(s, (uint64_t)op->number, ret);
	if ((unsigned)op->reg == s->arch->sp)
		return c && c->frame_size >= 0 &&
		       name_by_debug(s, pc, -1, op->number - (c->frame_size + WORD), ret);
	if (op->number < 0 || !name_register(s, at, op->reg, steps, ret) || ret->part ||
	    type_kind(ret->type) != KIND_POINTER || !type_elem(ret->type))
		return false;
	ret->type = type_elem(ret->type);
	if (!ret->is_target && type_kind(ret->type) != KIND_STRUCT) {
		struct named pointer = *ret;
		snprintf(ret->text, sizeof(ret->text), "*%.*s", NAME_MAX_BYTES - 2,
			 pointer.text);
	}
	ret->is_target = false;
	return enter_fields(ret, (uint64_t)op->number);
}

/* The instructions that may have written the register last. */
struct origins {
	size_t list[ORIGINS_MAX], count;
	bool entry; /* or none: it has been as it is since the function's entry */
	bool unknown;
};

static void add_origin(struct origins *o, size_t i)
{
	if (o->count == ORIGINS_MAX)
		o->unknown = true;
	else
		o->list[o->count++] = i;
}

/* Instructions that may be the ones before another. */
struct walk_back {
	uint32_t *list;
	size_t count;
	uint8_t *seen; /* for each instruction */
};

static void go_to(struct walk_back *w, size_t i)
{
	if (w->seen[i])
		return;
	w->seen[i] = 1;
	w->list[w->count++] = (uint32_t)i;
}

/* False: `at` is the entry. */
static bool go_before(const struct search *s, struct walk_back *w, size_t at)
{
	size_t first = LOWER_BOUND(k, s->edge_count, s->edges[k].to < at);

	for (size_t k = first; k < s->edge_count && s->edges[k].to == at; k++)
		go_to(w, s->edges[k].from);
	if (at > 0 && s->list[at - 1].kind != INSTRUCTION_JUMP &&
	    s->list[at - 1].kind != INSTRUCTION_RETURN)
		go_to(w, at - 1);
	return at > 0;
}

static void find_origins(const struct search *s, size_t at, int reg, struct origins *ret)
{
	AUTO(xfree) uint32_t *list = xcalloc(s->count, sizeof(*list));
	AUTO(xfree) uint8_t *seen = xcalloc(s->count, 1);
	struct walk_back w = { .list = list, .seen = seen };

	ret->entry = !go_before(s, &w, at);
	while (w.count > 0 && !ret->unknown) {
		size_t i = w.list[--w.count];
		if (s->list[i].written >> reg & 1)
			add_origin(ret, i);
		else if (!go_before(s, &w, i))
			ret->entry = true;
	}
}

/* What instruction i moves into the register. */
static bool name_moved(struct search *s, size_t i, int steps, struct named *ret)
{
	const struct operand *from = &s->list[i].operand[1];

	if (s->list[i].kind != INSTRUCTION_MOVE)
		return false;
	s->busy[i] = 1;
	bool found = from->kind == OPERAND_REGISTER
			     ? name_register(s, i, from->reg, steps, ret)
		     : from->kind == OPERAND_MEMORY ? name_memory(s, i, from, steps, ret)
						    : false;
	s->busy[i] = 0;
	return found;
}

/* Both may be in the register. In a loop, a variable becomes a field of what it points to. */
static bool unite(struct named *a, const struct named *b)
{
	size_t a_len = strlen(a->text), b_len = strlen(b->text);

	if (a_len == b_len && strcmp(a->text, b->text) == 0 && a->part == b->part)
		return true;
	if (a_len > b_len && strncmp(a->text, b->text, b_len) == 0 &&
	    a->text[b_len] == '.') {
		*a = *b;
		return true;
	}
	return b_len > a_len && strncmp(a->text, b->text, a_len) == 0 &&
	       b->text[a_len] == '.';
}

/* After instruction i, which writes the register, or by what it moves there. */
static bool is_called(struct search *s, size_t i, int reg, int steps, const char *name)
{
	struct named n;

	return (i + 1 < s->count && name_by_debug(s, s->list[i + 1].pc, reg, 0, &n) &&
		strcmp(n.text, name) == 0) ||
	       (name_moved(s, i, steps, &n) && strcmp(n.text, name) == 0);
}

/* A variable whose last use begins a loop is said to be in the register in each round, although
 * the round before wrote something else there. */
static bool is_only_of_first_round(struct search *s, size_t at, int reg, int steps,
				   const struct origins *o, const struct named *found)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->list[i] >= at && !s->busy[o->list[i]] &&
		    !is_called(s, o->list[i], reg, steps, found->text))
			return true;
	return false;
}

/* What is in the register just before instruction at. */
static bool name_register(struct search *s, size_t at, int reg, int steps,
			  struct named *ret)
{
	struct origins o = { .count = 0 };
	struct named other;
	bool found = false;

	if (steps == 0 || (unsigned)reg == s->arch->sp || ++s->lookups > LOOKUPS_MAX)
		return false;
	find_origins(s, at, reg, &o);
	if (name_by_debug(s, s->list[at].pc, reg, 0, ret))
		return !is_only_of_first_round(s, at, reg, steps - 1, &o, ret);
	if (o.unknown)
		return false;
	if (o.entry) {
		found = name_by_debug(s, s->list[0].pc, reg, 0, ret);
		if (!found)
			return false;
	}
	for (size_t i = 0; i < o.count; i++) {
		if (s->busy[o.list[i]])
			continue;
		if (!name_moved(s, o.list[i], steps - 1, found ? &other : ret) ||
		    (found && !unite(ret, &other)))
			return false;
		found = true;
	}
	return found;
}

/* The pointer by which the instruction at pc used an address near zero. */
static bool name_pointer(struct search *s, const struct fault_signal *signal,
			 struct named *ret)
{
	size_t at;

	if (!read_function(s, signal->pc) || !find_instruction(s, signal->pc, false, &at))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(s->list[at].operand); i++) {
		const struct operand *op = &s->list[at].operand[i];
		if (op->kind == OPERAND_MEMORY && op->reg >= 0 && op->index < 0 &&
		    (uint64_t)op->number == signal->address)
			return name_register(s, at, op->reg, STEPS, ret) &&
			       ret->part == 0 && !ret->is_target;
	}
	return false;
}

/* The argument of the call that returns to pc. Before registers passed it, which releases without
 * argument info do not, it was stored above the stack pointer. */
static bool name_argument(struct search *s, uint64_t pc, unsigned number,
			  struct named *ret)
{
	size_t call;

	if (!read_function(s, pc - 1) || !find_instruction(s, pc, true, &call))
		return false;
	if (layout_has(&s->rt->layout, L_funcdata_arg_info))
		return name_register(s, call, s->arch->go_arguments[number], STEPS,
				     ret) &&
		       ret->part == 0;
	for (size_t i = call, n = 0; n < BACK && i > 0; i--, n++) {
		const struct instruction *store = &s->list[i - 1];
		const struct operand *to = &store->operand[0];
		if (store->kind >= INSTRUCTION_BRANCH)
			return false;
		if (store->kind == INSTRUCTION_MOVE && to->kind == OPERAND_MEMORY &&
		    (unsigned)to->reg == s->arch->sp && to->index < 0 &&
		    to->number == (int64_t)(number * WORD))
			return store->operand[1].kind == OPERAND_REGISTER &&
			       name_register(s, i - 1, store->operand[1].reg, STEPS,
					     ret) &&
			       ret->part == 0;
	}
	return false;
}

/* Does the operand hold the length or capacity of something? */
static bool name_length(struct search *s, size_t at, const struct operand *op,
			struct named *ret)
{
	bool found = op->kind == OPERAND_REGISTER
			     ? name_register(s, at, op->reg, STEPS, ret)
		     : op->kind == OPERAND_MEMORY ? name_memory(s, at, op, STEPS, ret)
						  : false;

	return found && ret->part > 0 &&
	       (type_kind(ret->type) == KIND_SLICE ||
		type_kind(ret->type) == KIND_STRING);
}

/* The comparison of an index with a length that decides whether instruction i leads to a panic: it
 * branches there, or jumps there when the branch before it was not taken. *ret_length: the operand
 * that is the length, which a bad index is not below. */
static bool find_comparison(const struct search *s, size_t i, size_t *ret,
			    size_t *ret_length)
{
	bool taken = s->list[i].kind == INSTRUCTION_BRANCH;
	size_t branch = taken ? i : i - 1;

	if ((!taken && i == 0) || branch == 0 ||
	    s->list[branch].kind != INSTRUCTION_BRANCH ||
	    s->list[branch].when == BRANCH_OTHERWISE ||
	    s->list[branch - 1].kind != INSTRUCTION_COMPARE)
		return false;
	*ret = branch - 1;
	*ret_length = (s->list[branch].when == BRANCH_ABOVE) == taken ? 1 : 0;
	return true;
}

/* The call that returns to pc panics; one branch led to it, after a comparison with a length. */
static bool name_indexed(struct search *s, uint64_t pc, struct named *ret)
{
	size_t call, begin, from = 0, branches = 0, compared, length;

	if (!read_function(s, pc - 1) || !find_instruction(s, pc, true, &call))
		return false;
	for (begin = call; begin > 0 && s->list[begin - 1].kind < INSTRUCTION_BRANCH;)
		begin--;
	for (size_t i = 0; i < s->edge_count; i++) {
		if (s->edges[i].to < begin || s->edges[i].to > call)
			continue;
		from = s->edges[i].from;
		branches++;
	}
	return branches == 1 && find_comparison(s, from, &compared, &length) &&
	       name_length(s, compared, &s->list[compared].operand[length], ret);
}

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The functions that panic, by the beginnings of their names, and which argument is to blame. */
static const struct {
	const char *name;
	int argument; /* -1: what was indexed */
} helpers[] = {
	{ "runtime.mapassign", 1 }, /* map.go, and internal/runtime/maps */
	{ "runtime.closechan", 0 }, /* chan.go */
	{ "runtime.chansend1", 0 },
	{ "runtime.goPanic", -1 }, /* panic.go: panicIndex jumps to goPanicIndex */
	{ "runtime.panicIndex", -1 },
	{ "runtime.panicSlice", -1 },
	{ "runtime.panicBounds", -1 }, /* panic.go, 1.26 */
};

/* Of s[i:j] with i > j, neither is the length of anything: boundsErrorFmts and boundsNegErrorFmts in
 * runtime/error.go. */
static bool compares_with_length(const struct fault *fault)
{
	static const char *const words[] = { " with length ", " with capacity ",
					     "index out of range [-" };
	const struct panic_list *panics =
		runtime_panics(fault->runtime, fault->goroutine);
	const struct go_text *said = panics && fault->panic < panics->count
					     ? &panics->list[fault->panic].printed
					     : NULL;

	for (size_t i = 0; said && said->bytes && i < ARRAY_SIZE(words); i++)
		if (memmem(said->bytes, said->len, words[i], strlen(words[i])))
			return true;
	return false;
}

static bool name_operand(struct search *s, const struct fault *fault, struct named *ret)
{
	struct stack stack = runtimes_stack(s->rt->shared, fault->goroutine->stack);
	const struct code *called = NULL;
	uint32_t reports = fault->reports;
	struct runtime *rt;

	if (fault->by_signal)
		return fault->has_signal && fault->signal.has_pc &&
		       fault->signal.has_address && name_pointer(s, &fault->signal, ret);
	for (uint32_t i = 0; i < stack.count && i < FAULT_FRAMES; i++) {
		const struct code *c =
			code_of_frame(s->rt->shared, &stack.frames[i], &rt);
		if (!c || c->call_count == 0 || rt != s->rt)
			return false;
		const char *name = code_own_call(c)->name;
		for (size_t k = 0; called && k < ARRAY_SIZE(helpers); k++) {
			if (begins(name, "runtime.") ||
			    !begins(code_own_call(called)->name, helpers[k].name))
				continue;
			uint64_t pc = stack.frames[i].pc;
			return helpers[k].argument < 0
				       ? compares_with_length(fault) &&
						 name_indexed(s, pc, ret)
				       : name_argument(s, pc,
						       (unsigned)helpers[k].argument,
						       ret);
		}
		if (called && !begins(name, "runtime."))
			return false;
		if (called || (c->special == SPECIAL_gopanic && --reports == 0))
			called = c;
	}
	return false;
}

char *fault_variable(struct runtime *rt, const struct fault *fault)
{
	struct search s = { .rt = rt, .arch = target_arch(rt->target) };
	struct named named;

	if (!fault->goroutine || fault->kind != FAULT_PANIC)
		return NULL;
	target_budget_unit(rt->target);
	bool found = name_operand(&s, fault, &named);
	search_done(&s);
	return found && !s.ambiguous ? xstrdup(named.text) : NULL;
}
