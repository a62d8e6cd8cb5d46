/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/goroutines/raw_stack.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/unwind/unwind_fp.h"

enum { PIECE_BYTES = 4096 };

static void read_piece(struct raw_stack *s, size_t first, size_t n)
{
	struct target *t = s->rt->target;
	const uint64_t addr = s->low + first * WORD;
	struct err ignored;

	if (target_read(t, addr, &s->words[first], n * WORD, &ignored))
		return;
	for (size_t i = 0; i < n; i++)
		s->unreadable[first + i] = !target_read(
			t, addr + i * WORD, &s->words[first + i], WORD, &ignored);
}

static void read_words(struct raw_stack *s)
{
	s->words = xcalloc(s->count, sizeof(*s->words));
	s->unreadable = xcalloc(s->count, sizeof(*s->unreadable));
	target_budget_unit(s->rt->target);
	for (size_t i = 0, n; i < s->count; i += n) {
		n = PIECE_BYTES / WORD;
		if (n > s->count - i)
			n = s->count - i;
		read_piece(s, i, n);
	}
}

static uint64_t end_of(const struct raw_stack *s)
{
	return s->low + s->count * WORD;
}

/* False: not among the words that are kept. */
static bool word_at(const struct raw_stack *s, uint64_t addr, uint64_t *ret)
{
	if (addr < s->low || addr >= end_of(s) || (addr - s->low) % WORD != 0)
		return false;
	*ret = s->words[(addr - s->low) / WORD];
	return !s->unreadable[(addr - s->low) / WORD];
}

/* A function with a frame saves the caller's frame pointer next to its return address, but
 * not one in assembly that does without, nor one that has just been called. One that C has
 * called saves that of C: then the frame before leads there. */
static uint64_t saved_frame_pointer(const struct raw_stack *s, const struct raw_bounds *b)
{
	const uint64_t at = b->high - FRAME_POINTER_TO_CFA;
	const struct raw_bounds *inner =
		s->frame_count ? &s->frames[s->frame_count - 1] : NULL;
	uint64_t value, led;

	if (b->high < b->low + FRAME_POINTER_TO_CFA || !word_at(s, at, &value))
		return 0;
	return value == 0 || (value >= b->high && value < s->g->stack_high) ||
			       (inner && inner->frame_pointer &&
				word_at(s, inner->frame_pointer, &led) && led == at)
		       ? at
		       : 0;
}

struct bounding {
	struct raw_stack *s;
	struct stack stack;
	uint32_t frame;
	uint64_t low; /* of the next frame */
};

/* Nobody has called the outermost function. On amd64 a call pushes the return address. Elsewhere (arch->call_pushes 0) the function
 * called saves it where its frame begins. */
static void add_bounds(struct bounding *b, const struct code_frame *f, uint64_t high,
		       bool is_called)
{
	struct raw_stack *s = b->s;
	const unsigned pushed = s->arch->call_pushes;
	struct raw_bounds bounds = {
		.frame = b->frame, .function = f->function, .low = b->low, .high = high
	};

	if (bounds.low >= end_of(s) || high <= bounds.low)
		return;
	if (is_called)
		bounds.return_address = pushed ? high - pushed : bounds.low;
	if (!f->c)
		bounds.frame_pointer = saved_frame_pointer(s, &bounds);
	GROW(s->frames, s->frame_count, s->frame_cap);
	s->frames[s->frame_count++] = bounds;
}

static void bound(void *arg, const struct code_frame *f)
{
	struct bounding *b = arg;
	const struct raw_frame *raw =
		f->unwound < b->stack.count ? &b->stack.frames[f->unwound] : NULL;
	const uint64_t high = raw ? goroutine_argp(b->s->g, raw) : 0;

	if (!f->inlined && high && !(raw->flags & FRAME_SYSTEM_STACK)) {
		add_bounds(b, f, high, f->unwound + 1 < b->stack.count);
		b->low = high;
	}
	b->frame++;
}

static void find_frames(struct raw_stack *s)
{
	struct bounding b = { .s = s,
			      .stack = runtimes_stack(s->all, s->g->stack),
			      .low = s->low };

	runtimes_each_frame(s->all, s->g->stack, bound, &b);
}

static void keep_register(struct raw_stack *s, unsigned n, uint64_t value)
{
	if (value >= s->g->stack_low && value <= s->g->stack_high)
		reg_set(&s->regs, n, value);
}

/* Those of the thread, if it is where unwinding began, else those that the scheduler
 * keeps. */
static void find_registers(struct raw_stack *s)
{
	const struct arch *arch = s->arch;
	const struct goroutine *g = s->g;
	uint64_t frame_pointer;
	size_t n;
	const struct target_thread *threads = target_threads(s->rt->target, &n);
	const struct regs *regs =
		g->thread >= 0 && (size_t)g->thread < n && threads[g->thread].stopped
			? &threads[g->thread].regs
			: NULL;

	if (regs && reg_known(regs, arch->sp) && regs->value[arch->sp] == g->sp) {
		for (unsigned i = 0; i < arch->dwarf_count; i++)
			if (reg_known(regs, i))
				keep_register(s, i, regs->value[i]);
		return;
	}
	keep_register(s, arch->sp, g->sp);
	if (goroutine_frame_pointer(g, &frame_pointer) && frame_pointer != g->stack_high)
		keep_register(s, arch->fp, frame_pointer);
}

struct raw_stack *raw_stack_new(struct runtimes *all, struct runtime *rt,
				const struct goroutine *g)
{
	const uint64_t used = g->stack_high - g->sp;

	if (!goroutine_has_stack(g) || g->stack == NO_STACK || g->sp < g->stack_low ||
	    g->sp >= g->stack_high || g->sp % WORD != 0)
		return NULL;
	struct raw_stack *s = xcalloc(1, sizeof(*s));
	const uint64_t kept = used < RAW_STACK_BYTES_MAX ? used : RAW_STACK_BYTES_MAX;
	*s = (struct raw_stack){ .all = all,
				 .rt = rt,
				 .g = g,
				 .arch = target_arch(rt->target),
				 .low = g->sp,
				 .count = kept / WORD,
				 .left_out = used - kept };
	read_words(s);
	find_frames(s);
	find_registers(s);
	return s;
}

void raw_stack_free(struct raw_stack *s)
{
	if (!s)
		return;
	xfree(s->words);
	xfree(s->unreadable);
	xfree(s->frames);
	xfree(s);
}

bool raw_stack_is_address(const struct raw_stack *s, uint64_t word)
{
	return target_mapping_at(s->rt->target, word) != NULL;
}

/* A goroutine begins as if goexit had called its function (runtime/proc.go, newproc1). */
static bool is_return(struct runtime *rt, uint64_t word)
{
	const struct code *c = code_at(rt->code, word, false);

	return (c && c->special == SPECIAL_goexit && word == c->entry + 1) ||
	       code_is_return(rt->code, word, rt->target);
}

static bool go_code(struct runtime *rt, uint64_t word, struct raw_code *ret)
{
	struct code_frame innermost;

	ret->is_return = is_return(rt, word);
	if (!(ret->is_return ? runtime_call_before(rt, word, &ret->frame)
			     : runtime_code_at(rt, word, &ret->frame)))
		return false;
	if (ret->is_return && runtime_recorded_call(rt, word, &innermost) &&
	    innermost.inlined)
		ret->inlined = innermost.function;
	return true;
}

static bool c_code(const struct raw_stack *s, uint64_t word, struct raw_code *ret)
{
	const struct target_mapping *m = target_mapping_at(s->rt->target, word);
	const struct image *img =
		m && m->executable ? images_at(s->all->images, word) : NULL;

	ret->frame = (struct code_frame){ .pc = word, .c = true };
	return img &&
	       image_function_at(img, word, &ret->frame.function, &ret->frame.entry);
}

bool raw_stack_code(const struct raw_stack *s, uint64_t word, struct raw_code *ret)
{
	struct runtime *rt;

	*ret = (struct raw_code){ .is_return = false };
	if (word < PIECE_BYTES)
		return false;
	return runtimes_code_at(s->all, word, true, &rt) ? go_code(rt, word, ret)
							 : c_code(s, word, ret);
}
