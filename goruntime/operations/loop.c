/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/operations/loop.h"

#include "goruntime/operations/machine_state.h"

enum {
	WAYS = 2,	  /* on from an instruction, at most */
	FAILS_AFTER = 32, /* instructions */
	NODES = 64,	  /* registers, then words of the frame */
	KEEPS_AFTER = 32, /* instructions */
	ARGUMENTS = 8, /* instructions before a call that make its arguments, at most */
	TURN_MAX = 64, /* instructions */
};

struct finding_loop {
	struct routines *all;
	const struct routine *r;
	loop_call_fn *may_call;
	void *arg;
};

static bool is_inside(const struct routine *r, uint64_t pc)
{
	return pc >= r->entry && pc < r->end;
}

/* Finds the instructions that may run after instruction i; r->count stands for one out of
 * the function. Returns how many there are. */
static size_t ways_on(const struct finding_loop *f, size_t i, size_t ret[WAYS])
{
	const struct instruction *in = &f->r->list[i];
	const size_t target = is_inside(f->r, in->target)
				      ? routine_index(f->r, in->target)
				      : f->r->count;

	switch (in->kind) {
	case INSTRUCTION_RETURN:
	case INSTRUCTION_JUMP:
		ret[0] = in->kind == INSTRUCTION_JUMP ? target : f->r->count;
		return 1;
	case INSTRUCTION_BRANCH:
		ret[0] = i + 1;
		ret[1] = target;
		return 2;
	case INSTRUCTION_CALL:
		ret[0] = i + 1;
		return call_returns(f->all, in) ? 1 : 0;
	default:
		ret[0] = i + 1;
		return 1;
	}
}

static bool may_be_in(const struct finding_loop *f, size_t i)
{
	const struct instruction *in = &f->r->list[i];

	return in->kind != INSTRUCTION_CALL || f->may_call(f->arg, in);
}

static void mark_reached(const struct finding_loop *f, size_t from, uint8_t *reached)
{
	AUTO(xfree) size_t *list = xcalloc(f->r->count + 1, sizeof(*list));
	size_t n = 0, on[WAYS];

	list[n++] = from;
	while (n > 0) {
		const size_t i = list[--n], ways = ways_on(f, i, on);
		for (size_t k = 0; k < ways; k++) {
			if (on[k] >= f->r->count || reached[on[k]] ||
			    !may_be_in(f, on[k]))
				continue;
			reached[on[k]] = 1;
			list[n++] = on[k];
		}
	}
}

/* Lists the ways between the instructions reached, by the instruction that they lead
 * to. */
static void note_ways(const struct finding_loop *f, struct loop *loop)
{
	size_t on[WAYS];

	loop->last_way_to = xcalloc(f->r->count + 1, sizeof(*loop->last_way_to));
	loop->way_before = xcalloc(WAYS * f->r->count + 1, sizeof(*loop->way_before));
	for (size_t i = 0; i < f->r->count; i++) {
		const size_t ways = loop->inside[i] ? ways_on(f, i, on) : 0;
		for (size_t k = 0; k < ways; k++) {
			const uint32_t way = (uint32_t)(WAYS * i + k);
			if (on[k] >= f->r->count)
				continue;
			loop->way_before[way] = loop->last_way_to[on[k]];
			loop->last_way_to[on[k]] = way + 1;
		}
	}
}

/* Keeps the instructions reached that lead to instruction `to`. */
static void keep_leading(struct loop *loop, size_t to)
{
	const size_t count = loop->routine->count;
	AUTO(xfree) uint8_t *leads = xcalloc(count + 1, 1);
	AUTO(xfree) size_t *list = xcalloc(count + 1, sizeof(*list));
	size_t n = 0;

	leads[to] = 1;
	list[n++] = to;
	while (n > 0) {
		uint32_t way = loop->last_way_to[list[--n]];
		for (; way; way = loop->way_before[way - 1]) {
			const size_t from = (way - 1) / WAYS;
			if (leads[from])
				continue;
			leads[from] = 1;
			list[n++] = from;
		}
	}
	for (size_t i = 0; i < count; i++)
		loop->inside[i] &= leads[i];
}

/* Is the call a failed check that the compiler has added? The program does not say that
 * the loop ends there. */
static bool is_check_that_fails(const struct finding_loop *f,
				const struct instruction *call)
{
	static const char *const names[] = {
		"runtime.panicIndex",  "runtime.panicSlice",  "runtime.panicBounds",
		"runtime.panicExtend", "runtime.panicdivide", "runtime.panicshift"
	};
	const struct routine *to = call->target ? routine_at(f->all, call->target) : NULL;

	for (size_t i = 0; to && i < ARRAY_SIZE(names); i++)
		if (routine_is_named(to, names[i]))
			return true;
	return false;
}

/* Does instruction i lead straight to a failed check? */
static bool fails(const struct finding_loop *f, size_t i)
{
	size_t on[WAYS];

	for (size_t n = 0; i < f->r->count && n < FAILS_AFTER; n++) {
		if (f->r->list[i].kind == INSTRUCTION_CALL)
			return is_check_that_fails(f, &f->r->list[i]);
		if (ways_on(f, i, on) != 1)
			return false;
		i = on[0];
	}
	return false;
}

static void note_way_out(const struct finding_loop *f, size_t i, struct loop *loop)
{
	size_t on[WAYS];
	const size_t ways = ways_on(f, i, on);

	for (size_t k = 0; k < ways; k++)
		loop->leaves |= on[k] >= f->r->count ||
				(!loop->inside[on[k]] && !fails(f, on[k]));
}

bool loop_find(struct routines *all, struct routine *r, size_t at, loop_call_fn *may_call,
	       void *arg, struct loop *ret)
{
	const struct finding_loop f = { all, r, may_call, arg };

	*ret = (struct loop){ .routine = r, .at = at };
	if (!routine_decode(all, r) || at >= r->count || !may_be_in(&f, at))
		return false;
	ret->inside = xcalloc(r->count + 1, 1);
	mark_reached(&f, at, ret->inside);
	if (!ret->inside[at])
		return false;
	note_ways(&f, ret);
	keep_leading(ret, at);
	for (size_t i = 0; i < r->count; i++) {
		if (ret->inside[i])
			note_way_out(&f, i, ret);
	}
	return true;
}

void loop_done(struct loop *loop)
{
	xfree(loop->inside);
	xfree(loop->last_way_to);
	xfree(loop->way_before);
}

/* For each register and word of the frame: the registers and words, as the iteration
 * before has left them, that its value depends on. */
struct dependences {
	const struct arch *arch;
	uint64_t sources[NODES]; /* bit n: node n */
	int64_t words[NODES];	 /* by node: from the stack pointer on */
	unsigned count;		 /* of nodes */
	bool any_other;		 /* something else changes, or there are too many */
};

static uint64_t bit(int reg)
{
	return reg >= 0 && reg < MACHINE_REGISTERS ? UINT64_C(1) << reg : 0;
}

static uint64_t word_bit(struct dependences *d, int64_t word)
{
	unsigned n = MACHINE_REGISTERS;

	while (n < d->count && d->words[n] != word)
		n++;
	if (n == NODES) {
		d->any_other = true;
		return 0;
	}
	if (n == d->count)
		d->words[d->count++] = word;
	return UINT64_C(1) << n;
}

static bool is_of_frame(const struct arch *arch, const struct operand *o)
{
	return o->kind == OPERAND_MEMORY && o->reg == (int)arch->sp && o->index < 0;
}

static uint64_t words_of(struct dependences *d, const struct operand *o)
{
	uint64_t ret = 0;

	for (int64_t at = o->number & ~(int64_t)(WORD - 1); at < o->number + o->bytes;
	     at += WORD)
		ret |= word_bit(d, at);
	return ret;
}

static uint64_t sources_of(struct dependences *d, const struct instruction *in)
{
	const struct operand *to = &in->operand[0], *from = &in->operand[1];

	if (to->kind == OPERAND_REGISTER && from->kind == OPERAND_REGISTER &&
	    to->reg == from->reg)
		return 0; /* it becomes 0 */
	if (is_of_frame(d->arch, from) && in->kind != INSTRUCTION_ADDRESS)
		return words_of(d, from);
	return (bit(from->reg) | bit(from->index)) &
	       ~(bit((int)d->arch->sp) | bit((int)d->arch->pc));
}

static bool only_reads(const struct instruction *in)
{
	return in->kind == INSTRUCTION_COMPARE || in->kind == INSTRUCTION_BRANCH ||
	       in->kind == INSTRUCTION_JUMP || in->kind == INSTRUCTION_CALL;
}

/* Returns the registers, or words of the frame, that an instruction writes. */
static uint64_t nodes_written(struct dependences *d, const struct instruction *in)
{
	const struct operand *to = &in->operand[0];
	uint64_t ret = 0;

	if (only_reads(in))
		return 0;
	if (to->kind == OPERAND_REGISTER && in->operand[1].kind != OPERAND_NONE)
		ret = bit(to->reg);
	else if (is_of_frame(d->arch, to))
		ret = words_of(d, to);
	else
		d->any_other |= to->kind != OPERAND_NONE || to->bytes;
	d->any_other |=
		in->modifies || (in->written & ~(to->kind == OPERAND_REGISTER ? ret : 0));
	return ret;
}

static void add_dependence(struct dependences *d, const struct instruction *in)
{
	const uint64_t to = nodes_written(d, in), from = to ? sources_of(d, in) : 0;

	for (unsigned n = 0; n < NODES; n++)
		if (to >> n & 1)
			d->sources[n] |= from;
}

/* Does a register or a word depend on itself, perhaps through others? */
static bool depends_on_itself(struct dependences *d)
{
	for (unsigned by = 0; by < NODES; by++)
		for (unsigned n = 0; n < NODES; n++)
			if (d->sources[n] >> by & 1)
				d->sources[n] |= d->sources[by];
	for (unsigned n = 0; n < NODES; n++)
		if (d->sources[n] >> n & 1)
			return true;
	return false;
}

bool loop_changes(const struct loop *loop, const struct arch *arch)
{
	struct dependences d = { .arch = arch, .count = MACHINE_REGISTERS };

	for (size_t i = 0; i < loop->routine->count && !d.any_other; i++)
		if (loop->inside[i])
			add_dependence(&d, &loop->routine->list[i]);
	return d.any_other || depends_on_itself(&d);
}

/* Does it write the register or the word of the frame? */
static bool writes(const struct arch *arch, const struct instruction *in,
		   const struct operand *of)
{
	const struct operand *to = &in->operand[0];

	if (of->kind == OPERAND_REGISTER)
		return in->written & bit(of->reg);
	return !only_reads(in) && is_of_frame(arch, to) &&
	       to->number < of->number + WORD && of->number < to->number + to->bytes;
}

/* Does an instruction take the address of the word, so that a function that is called may
 * write it? */
static bool takes_address(const struct arch *arch, const struct instruction *in,
			  const struct operand *of)
{
	return in->kind == INSTRUCTION_ADDRESS && is_of_frame(arch, &in->operand[1]) &&
	       in->operand[1].number == of->number;
}

static bool is_written(const struct loop *loop, const struct arch *arch,
		       const struct operand *word)
{
	for (size_t i = 0; i < loop->routine->count; i++) {
		const struct instruction *in = &loop->routine->list[i];
		if (loop->inside[i] &&
		    (writes(arch, in, word) || takes_address(arch, in, word)))
			return true;
	}
	return false;
}

/* Returns the only instruction of the loop that leads to instruction i; the count: there
 * are several, or none. */
static size_t before(const struct loop *loop, size_t i)
{
	size_t ret = loop->routine->count;

	for (uint32_t way = loop->last_way_to[i]; way; way = loop->way_before[way - 1]) {
		const size_t from = (way - 1) / WAYS;
		if (!loop->inside[from])
			continue;
		if (ret != loop->routine->count)
			return loop->routine->count;
		ret = from;
	}
	return ret;
}

bool loop_keeps(const struct loop *loop, const struct arch *arch, size_t at,
		struct operand of)
{
	for (unsigned n = 0; n < KEEPS_AFTER; n++) {
		if (of.kind == OPERAND_MEMORY && of.index < 0 && of.reg == (int)arch->pc)
			return true;
		if (is_of_frame(arch, &of) && !is_written(loop, arch, &of))
			return true;
		if (of.kind == OPERAND_MEMORY && of.index < 0 && !is_of_frame(arch, &of))
			of = (struct operand){ .kind = OPERAND_REGISTER, .reg = of.reg };
		if (of.kind != OPERAND_REGISTER && !is_of_frame(arch, &of))
			return false;
		at = before(loop, at);
		if (at == loop->routine->count)
			return false;
		const struct instruction *in = &loop->routine->list[at];
		if (in->kind == INSTRUCTION_CALL)
			return false;
		if (!writes(arch, in, &of))
			continue;
		if (in->kind != INSTRUCTION_MOVE || in->operand[0].kind != of.kind ||
		    in->operand[0].number != of.number)
			return false;
		of = in->operand[1];
	}
	return false;
}

/* An iteration, from where the call has returned. */
struct turn {
	const struct loop *loop;
	const struct arch *arch;
	struct operand received; /* a word of the frame that is zero */
	uint64_t zero;		 /* bit n: register n is zero */
	/* the instruction before compared known values; result */
	bool compared, equal;
};

/* Finds where the call puts the value that it receives: the last address of the frame
 * that is taken before it. */
static bool find_received(struct turn *t, size_t call)
{
	for (size_t i = call; i > 0 && call - i < ARGUMENTS; i--) {
		const struct instruction *in = &t->loop->routine->list[i - 1];
		if (in->kind == INSTRUCTION_CALL)
			return false;
		if (in->kind != INSTRUCTION_ADDRESS ||
		    !is_of_frame(t->arch, &in->operand[1]))
			continue;
		t->received = in->operand[1];
		return true;
	}
	return false;
}

static bool is_zero(const struct turn *t, const struct operand *o)
{
	if (o->kind == OPERAND_REGISTER)
		return t->zero & bit(o->reg);
	if (o->kind == OPERAND_NUMBER)
		return o->number == 0;
	return is_of_frame(t->arch, o) && o->number == t->received.number &&
	       o->bytes <= WORD;
}

static void compare(struct turn *t, const struct instruction *in)
{
	const struct operand *one = &in->operand[0], *other = &in->operand[1];
	const bool itself = one->kind == OPERAND_REGISTER &&
			    other->kind == OPERAND_REGISTER && one->reg == other->reg;

	t->compared = is_zero(t, one) && (itself || (!in->masks && is_zero(t, other)));
	t->equal = true;
}

/* Follows an instruction. False: it may change memory that others see, or the value
 * received. */
static bool run(struct turn *t, const struct instruction *in)
{
	const struct operand *to = &in->operand[0], *from = &in->operand[1];
	const bool moves = in->kind == INSTRUCTION_MOVE || in->kind == INSTRUCTION_EXTEND;
	const bool zero = moves && is_zero(t, from);

	t->compared = false;
	if (in->kind == INSTRUCTION_LOCKED_ADD || in->kind == INSTRUCTION_LOCKED_EXCHANGE)
		return false;
	if (to->kind == OPERAND_MEMORY && in->kind != INSTRUCTION_ADDRESS)
		return is_of_frame(t->arch, to) &&
		       (zero || !writes(t->arch, in, &t->received));
	/* Like rep stos, it may write to memory that is not among its operands. */
	if (in->kind == INSTRUCTION_OTHER && to->kind == OPERAND_NONE && in->written)
		return false;
	t->zero &= ~in->written;
	if (zero && to->kind == OPERAND_REGISTER)
		t->zero |= bit(to->reg);
	return true;
}

/* Returns the next instruction, or the count if it is not known. */
static size_t turn_on(struct turn *t, size_t i)
{
	const struct routine *r = t->loop->routine;
	const struct instruction *in = &r->list[i];
	const bool jumps =
		in->kind == INSTRUCTION_JUMP || (in->kind == INSTRUCTION_BRANCH &&
						 t->equal == (in->when == BRANCH_EQUAL));

	switch (in->kind) {
	case INSTRUCTION_CALL:
	case INSTRUCTION_RETURN:
		return r->count;
	case INSTRUCTION_BRANCH:
		if (!t->compared ||
		    (in->when != BRANCH_EQUAL && in->when != BRANCH_NOT_EQUAL))
			return r->count;
		/* fall through */
	case INSTRUCTION_JUMP:
		t->compared = false;
		if (jumps)
			return is_inside(r, in->target) ? routine_index(r, in->target)
							: r->count;
		return i + 1;
	case INSTRUCTION_COMPARE:
		compare(t, in);
		return i + 1;
	default:
		return run(t, in) ? i + 1 : r->count;
	}
}

bool loop_comes_back(const struct loop *loop, const struct arch *arch, size_t call,
		     bool second)
{
	const struct routine *r = loop->routine;
	struct turn t = { .loop = loop, .arch = arch };
	bool past = loop->at == call;
	size_t i = call + 1;

	if (!find_received(&t, call))
		return false;
	if (second)
		t.zero = bit(arch->go_arguments[0]);
	for (unsigned n = 0; n < TURN_MAX && i < r->count && loop->inside[i]; n++) {
		if (i == call)
			return past;
		past |= i == loop->at;
		i = turn_on(&t, i);
	}
	return false;
}
