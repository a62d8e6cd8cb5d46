/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as people read them: inlined calls expanded, C functions named, and frames
 * marked that the runtime's own traceback would leave out. */
#include <string.h>

#include "goruntime/frames/frames.h"
#include "goruntime/frames/frames_c.h"
#include "goruntime/frames/frames_priv.h"
#include "goruntime/frames/loop_bodies.h"
#include "goruntime/frames/words_priv.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/sched/threads.h"
#include "goruntime/symtab/module.h"
#include "goruntime/unwind/preempted.h"
#include "goruntime/unwind/unwind_go.h"
#include "goruntime/variables/variables_priv.h"
#include "lib/base/search.h"

static bool is_exported(const char *s, size_t len)
{
	return len > 0 && s[0] >= 'A' && s[0] <= 'Z';
}

/* runtime/traceback.go isExportedRuntime (1.27): F, or T.F and (*T).F with an exported
 * T. */
static bool is_exported_runtime(const char *name)
{
	const char *rest = name + strlen("runtime."), *dot = strrchr(rest, '.');
	const char *receiver = rest;
	size_t len = dot ? (size_t)(dot - rest) : 0;

	if (!dot)
		return is_exported(rest, strlen(rest));
	if (len >= 3 && receiver[0] == '(' && receiver[1] == '*' &&
	    receiver[len - 1] == ')') {
		receiver += 2;
		len -= 3;
	}
	return is_exported(dot + 1, strlen(dot + 1)) && is_exported(receiver, len);
}

/* runtime/traceback.go showfuncinfo (1.27), at the default GOTRACEBACK. */
static bool is_shown(const struct code_frame *f, enum special self, bool wrapper,
		     bool first, enum special callee)
{
	bool callee_panics = callee == SPECIAL_gopanic || callee == SPECIAL_sigpanic ||
			     callee == SPECIAL_panicwrap;

	if (wrapper && !callee_panics)
		return false;
	if (self == SPECIAL_run_finalizers || self == SPECIAL_run_cleanups)
		return true;
	if (self == SPECIAL_gopanic && !first)
		return true;
	return f->function && strchr(f->function, '.') &&
	       (strncmp(f->function, "runtime.", 8) != 0 ||
		is_exported_runtime(f->function));
}

/* Frames that the runtime's own tracebacks do not visit. */
enum { NOT_IN_TRACEBACKS = FRAME_SYSTEM_STACK | FRAME_SYSCALL };

/* A frame of a stack, and the code it belongs to. */
struct expanded_frame {
	struct code_frame frame;
	uint32_t raw, call;	 /* index in the stack; index in code->calls */
	struct runtime *runtime; /* these two: NULL for C */
	const struct code *code;
};

struct expansion {
	uint32_t stack;
	unsigned holders; /* its slot, and each walk: a callback may start another */
	struct expanded_frame *list;
	size_t count, cap;
	bool first; /* while being made: no frame shown yet */
	enum special callee;
};

/* Goroutines with the same stack share one expansion, as long as there is room. */
enum { EXPANSIONS = 1024, EXPANDED_FRAMES = 1 << 17 };

struct expansions {
	struct expansion *slots[EXPANSIONS]; /* by stack number; or NULL */
	size_t frames;			     /* total in slots */
};

static void expansion_release(struct expansion *e)
{
	if (!e || --e->holders)
		return;
	xfree(e->list);
	xfree(e);
}
DEFINE_AUTO(struct expansion, expansion_release)

static const char *object_file_of(const struct images *images, const struct image *img)
{
	if (!img || img == images_get(images, 0))
		return NULL;
	return image_path(img);
}

/* Where the function is not known, file and address lead to it. */
static void set_object(struct code_frame *f, const struct images *images,
		       const struct image *img)
{
	const bool alone = !f->function && img;

	f->object_file = alone ? image_path(img) : object_file_of(images, img);
	f->object_address = alone && image_has_bias(img) ? f->pc - image_bias(img) : 0;
}

static struct expanded_frame *add_frame(struct expansion *e, const struct code_frame *f,
					uint32_t raw)
{
	GROW(e->list, e->count, e->cap);
	e->list[e->count] = (struct expanded_frame){ .frame = *f, .raw = raw };
	e->list[e->count].frame.unwound = raw;
	return &e->list[e->count++];
}

static void add_c(struct expansion *e, struct runtimes *all, const struct raw_frame *raw,
		  uint32_t i)
{
	const bool at_instruction = raw->flags & FRAME_AT_INSTRUCTION;
	const uint64_t pc = at_instruction ? raw->pc : raw->pc - 1;
	const struct image *img = images_at(all->images, pc);
	struct code_frame f = { .pc = raw->pc, .c = true, .hidden = true };
	const char *names[C_INLINED_MAX];
	const uint32_t n = c_inlined_at(all, raw->pc, at_instruction, names);

	f.object_file = object_file_of(all->images, img);
	f.inlined = true;
	for (uint32_t call = 0; call < n; call++) {
		f.function = names[call];
		add_frame(e, &f, i)->call = call;
	}
	f.inlined = false;
	f.kind = raw->flags & FRAME_SIGNAL ? "signal" : NULL;
	if (!img || !image_function_at(img, pc, &f.function, &f.entry))
		f.function = NULL;
	set_object(&f, all->images, img);
	add_frame(e, &f, i)->call = n;
}

/* Go code whose function is not known. */
static struct code_frame unnamed_frame(const struct images *images, uint64_t pc)
{
	struct code_frame f = { .pc = pc };

	set_object(&f, images, images_at(images, pc));
	return f;
}

static void add_unnamed(struct expansion *e, struct runtimes *all,
			const struct raw_frame *raw, uint32_t i)
{
	struct code_frame f = unnamed_frame(all->images, raw->pc);

	f.by_frame_pointer = raw->flags & FRAME_BY_POINTER;
	if (raw->flags & FRAME_SIGNAL)
		f.kind = "signal";
	if (raw->flags & FRAME_SYSCALL)
		f.kind = "syscall";
	add_frame(e, &f, i);
}

static struct code_frame frame_of(const struct code *c, const struct pclntab_call *call,
				  const struct runtime *rt)
{
	return (struct code_frame){
		.function = call->named ? call->name : NULL,
		.file = call->file,
		.line = call->line,
		.inlined = call->inlined,
		.pc = c->pc,
		.entry = c->entry,
		.object_file = object_file_of(rt->images, c->module->image),
	};
}

static void add_go(struct expansion *e, const struct raw_frame *raw, uint32_t i,
		   struct runtime *rt, const struct code *c)
{
	struct slot wrapper_id = rt->layout.slot[L_id_wrapper];

	for (uint32_t call = 0; call < c->call_count; call++) {
		struct code_frame f = frame_of(c, &c->calls[call], rt);
		enum special self = special_of(f.function);
		bool wrapper = wrapper_id.off >= 0 && c->calls[call].id == wrapper_id.off;

		f.hidden = raw->flags & NOT_IN_TRACEBACKS ||
			   !is_shown(&f, self, wrapper, e->first, e->callee);
		f.kind = special_kind(self);
		if (!f.kind && wrapper)
			f.kind = "wrapper";
		f.by_frame_pointer = raw->flags & FRAME_BY_POINTER;
		if (raw->flags & FRAME_SYSTEM_STACK)
			f.kind = "cgo";
		if (raw->flags & FRAME_SYSCALL)
			f.kind = "syscall";
		struct expanded_frame *added = add_frame(e, &f, i);
		added->runtime = rt;
		added->code = c;
		added->call = call;
		if (raw->flags & NOT_IN_TRACEBACKS)
			continue;
		e->first = e->first && f.hidden;
		e->callee = self;
	}
}

static void join_loops(struct expansion *e)
{
	bool any = false;

	for (size_t i = 0; i < e->count && !any; i++)
		any = e->list[i].frame.function &&
		      is_loop_body(e->list[i].frame.function);
	if (!any)
		return;
	AUTO(xfree) const char **functions = xcalloc(e->count, sizeof(*functions));
	AUTO(xfree) uint32_t *range_parent = xcalloc(e->count, sizeof(*range_parent));
	for (size_t i = 0; i < e->count; i++)
		functions[i] = e->list[i].frame.function;
	loop_bodies_join(functions, e->count, range_parent);
	for (size_t i = 0; i < e->count; i++)
		e->list[i].frame.range_parent = range_parent[i];
}

static void mark_repeated(struct expansion *e, const struct stack_fold *fold)
{
	size_t first = LOWER_BOUND(i, e->count, e->list[i].raw < fold->first);
	size_t end = LOWER_BOUND(i, e->count, e->list[i].raw <= fold->last);

	if (end == first)
		return;
	e->list[end - 1].frame.repeated_frames = (uint32_t)(end - first);
	e->list[end - 1].frame.repeated_times = fold->times;
}

/* The caller is its first holder. */
static struct expansion *make(struct runtimes *all, uint32_t id)
{
	struct stack stack = runtimes_stack(all, id);
	struct expansion *e = xcalloc(1, sizeof(*e));

	*e = (struct expansion){ .stack = id, .holders = 1, .first = true };
	for (uint32_t i = 0; i < stack.count; i++) {
		const struct raw_frame *raw = &stack.frames[i];
		struct runtime *rt;
		const struct code *c = code_of_frame(all, raw, &rt);
		if (c)
			add_go(e, raw, i, rt, c);
		else if (runtimes_unnamed_at(all, raw->pc))
			add_unnamed(e, all, raw, i);
		else
			add_c(e, all, raw, i);
	}
	if (all->fold.times && all->fold.stack == id)
		mark_repeated(e, &all->fold);
	join_loops(e);
	return e;
}

static void empty_slot(struct expansions *x, struct expansion **slot)
{
	x->frames -= *slot ? (*slot)->count : 0;
	expansion_release(*slot);
	*slot = NULL;
}

void expansions_free(struct expansions *x)
{
	for (size_t i = 0; x && i < EXPANSIONS; i++)
		empty_slot(x, &x->slots[i]);
	xfree(x);
}

/* The caller must release it; until then it does not change, even if other stacks are
 * expanded. */
static struct expansion *expand(struct runtimes *all, uint32_t id)
{
	if (!all->expansions)
		all->expansions = xcalloc(1, sizeof(*all->expansions));
	struct expansions *x = all->expansions;
	struct expansion **slot = &x->slots[id % EXPANSIONS];
	if (!*slot || (*slot)->stack != id) {
		for (size_t i = 0; x->frames > EXPANDED_FRAMES && i < EXPANSIONS; i++)
			empty_slot(x, &x->slots[i]);
		empty_slot(x, slot);
		*slot = make(all, id);
		x->frames += (*slot)->count;
	}
	(*slot)->holders++;
	return *slot;
}

int32_t frame_number(struct runtimes *all, uint32_t stack, int32_t unwound)
{
	AUTO(expansion_release) struct expansion *e = expand(all, stack);
	/* What is inlined comes first. */
	size_t low = LOWER_BOUND(i, e->count, e->list[i].raw <= (uint32_t)unwound);

	return (int32_t)low - 1;
}

void runtimes_each_frame(struct runtimes *all, uint32_t stack, code_frame_fn *fn,
			 void *arg)
{
	AUTO(expansion_release) struct expansion *e = expand(all, stack);

	for (size_t i = 0; i < e->count; i++)
		fn(arg, &e->list[i].frame);
}

/* The innermost frame of a running thread has its registers. */
static void add_registers(struct frame_variables *frame, const struct goroutine *g,
			  const struct raw_frame *raw)
{
	const struct arch *arch = target_arch(frame->rt->target);
	size_t n;
	const struct target_thread *threads = target_threads(frame->rt->target, &n);

	if (!(raw->flags & FRAME_AT_INSTRUCTION) || g->thread < 0 ||
	    (size_t)g->thread >= n)
		return;
	const struct target_thread *th = &threads[g->thread];
	if (!th->stopped || th->regs.value[arch->pc] != raw->pc)
		return;
	frame->regs = &th->regs;
	frame->vectors = &th->vectors;
}

/* A goroutine that has not started, or yielded before making room for its frame, still
 * has the function value that was called: morestack puts it into the goroutine, and
 * runtime/asm_amd64.s gogo takes it from there. */
static uint64_t called_by(const struct goroutine *g, const struct frame_variables *frame)
{
	struct runtime *rt = frame->rt;
	uint64_t closure;
	struct err ignored;

	if (g->thread >= 0 || frame->code->frame_size != 0 ||
	    !layout_has(&rt->layout, L_g_sched_ctxt) ||
	    !layout_load(&rt->layout, rt->target, g->addr, L_g_sched_ctxt, &closure,
			 &ignored))
		return 0;
	return closure;
}

/* A preempted goroutine has saved registers too. Those of one that panicked on a signal
 * were on the signal stack, which the next signal overwrites. saver: the frame that the
 * function seems to have called. */
static void add_kept_registers(struct frame_variables *frame, const struct goroutine *g,
			       const struct raw_frame *saver, struct kept_registers *kept)
{
	struct runtime *rt;
	const struct code *c = code_of_frame(frame->rt->shared, saver, &rt);

	frame->signalled =
		c && (c->special == SPECIAL_sigpanic || c->special == SPECIAL_sigpanic0);
	if (!c || c->special != SPECIAL_async_preempt || saver->argp == NO_ARGP ||
	    !preempted_registers(rt, g, c, goroutine_argp(g, saver), kept))
		return;
	frame->regs = &kept->regs;
	if (kept->vectors.count)
		frame->vectors = &kept->vectors;
}

static bool is_wanted(enum variables_of wanted, const struct code_frame *f)
{
	return wanted == VARIABLES_OF_ALL ||
	       (wanted == VARIABLES_OF_SHOWN && (!f->hidden || f->c));
}

/* The frames on the thread's stack in between: one walk for each callback. */
struct callbacks {
	struct runtime *rt; /* NULL: no callback yet */
	size_t thread;
	uint64_t sp;	    /* of the next callback */
	struct c_frames *c; /* NULL: none yet */
	uint32_t first;	    /* index in the stack of the first frame in c */
};

static void callbacks_begin(struct callbacks *b, struct runtime *rt,
			    const struct goroutine *g)
{
	const struct go_m *m = runtime_machine_of(rt, g);

	b->rt = rt;
	b->thread = m ? (size_t)(m - rt->machines) : 0;
	b->sp = m && m->g0 ? m->g0_sched_sp : 0;
}

/* Passes a frame of the goroutine's own stack. */
static void callbacks_pass(struct callbacks *b, const struct goroutine *g,
			   const struct expanded_frame *e)
{
	struct regs regs;
	struct err ignored;

	if (!e->code || (e->code->special != SPECIAL_cgocallback &&
			 e->code->special != SPECIAL_cgocallback_gofunc))
		return;
	if (!b->rt)
		callbacks_begin(b, e->runtime, g);
	c_frames_free(b->c);
	b->c = NULL;
	b->first = e->raw + 1;
	if (unwind_callback(b->rt, e->code, &b->sp, &regs, &ignored))
		b->c = c_frames_below(b->rt->shared, b->thread, &regs);
}

static struct frame_variables *variables_between(struct callbacks *b,
						 const struct expanded_frame *e,
						 const struct raw_frame *raw,
						 const char **ret_why)
{
	*ret_why = "frame address unknown";
	if (!b->c)
		return NULL;
	return e->code ? system_frame_variables(b->c, e->raw - b->first, e->runtime,
						e->code, e->call, ret_why)
		       : c_frame_variables(b->c, e->raw - b->first, raw, &e->frame,
					   e->call, ret_why);
}

static void give(const struct expanded_frame *e, struct words_reader *words,
		 struct callbacks *callbacks, const struct raw_frame *raw,
		 enum variables_of wanted, code_frame_fn *fn, void *arg)
{
	struct frame_variables variables = { .rt = e->runtime,
					     .code = e->code,
					     .call = e->call };
	struct code_frame f = e->frame;
	struct kept_registers kept;

	if (e->code) {
		f.argument_words = words_of(words, raw, e->code, e->call);
		f.argument_words.of = &variables;
	}
	if (is_wanted(wanted, &f) && raw->flags & FRAME_SYSTEM_STACK) {
		f.variables = variables_between(callbacks, e, raw, &f.why_none);
	} else if (is_wanted(wanted, &f) && e->code) {
		variables.cfa = goroutine_argp(words->g, raw);
		if (e->raw == 0) {
			add_registers(&variables, words->g, raw);
			variables.closure = called_by(words->g, &variables);
		} else if (raw->flags & FRAME_AT_INSTRUCTION) {
			add_kept_registers(&variables, words->g, raw - 1, &kept);
		}
		if (variables_begin(&variables, &f.why_none))
			f.variables = &variables;
	}
	fn(arg, &f);
}

void runtimes_each_frame_of(struct runtimes *all, const struct goroutine *g,
			    enum variables_of variables, code_frame_fn *fn, void *arg)
{
	AUTO(expansion_release) struct expansion *e = expand(all, g->stack);
	struct stack stack = runtimes_stack(all, g->stack);
	struct callbacks callbacks = { .rt = NULL };
	struct words_reader words;

	words_begin(&words, all->target, g);
	for (size_t i = 0; i < e->count; i++) {
		const struct raw_frame *raw = &stack.frames[e->list[i].raw];
		if (variables != VARIABLES_OF_NONE && !(raw->flags & FRAME_SYSTEM_STACK))
			callbacks_pass(&callbacks, g, &e->list[i]);
		give(&e->list[i], &words, &callbacks, raw, variables, fn, arg);
	}
	c_frames_free(callbacks.c);
}

void runtimes_called_function(struct runtimes *all, const struct goroutine *g,
			      code_frame_fn *fn, void *arg)
{
	AUTO(expansion_release) struct expansion *e = expand(all, g->stack);
	struct stack stack = runtimes_stack(all, g->stack);
	struct callbacks none = { .rt = NULL };
	struct words_reader words;

	words_begin(&words, all->target, g);
	for (size_t i = 0; i < e->count && e->list[i].raw == 0; i++)
		if (!e->list[i].frame.inlined)
			give(&e->list[i], &words, &none, &stack.frames[0],
			     VARIABLES_OF_ALL, fn, arg);
}

void runtimes_each_frame_of_thread(struct runtimes *all, size_t thread,
				   enum variables_of variables, code_frame_fn *fn,
				   void *arg)
{
	const uint32_t id = all->threads[thread].stack;
	AUTO(expansion_release) struct expansion *e = expand(all, id);
	struct stack stack = runtimes_stack(all, id);
	AUTO(c_frames_free)
	struct c_frames *c =
		variables == VARIABLES_OF_NONE ? NULL : c_frames_new(all, thread);

	for (size_t i = 0; i < e->count; i++) {
		const struct expanded_frame *at = &e->list[i];
		struct code_frame f = at->frame;
		if (c && is_wanted(variables, &f))
			f.variables =
				f.c	   ? c_frame_variables(c, at->raw,
							       &stack.frames[at->raw], &f,
							       at->call, &f.why_none)
				: at->code ? system_frame_variables(c, at->raw,
								    at->runtime, at->code,
								    at->call, &f.why_none)
					   : NULL;
		fn(arg, &f);
	}
}

void runtimes_each_argument_words(struct runtimes *all, const struct goroutine *g,
				  argument_words_fn *fn, void *arg)
{
	AUTO(expansion_release) struct expansion *e = expand(all, g->stack);
	struct stack stack = runtimes_stack(all, g->stack);
	struct words_reader r;

	words_begin(&r, all->target, g);
	for (size_t i = 0; i < e->count; i++) {
		const struct expanded_frame *f = &e->list[i];
		struct argument_words w = { 0 };
		const struct frame_variables of = { .rt = f->runtime,
						    .code = f->code,
						    .call = f->call };
		if (f->code) {
			w = words_of(&r, &stack.frames[f->raw], f->code, f->call);
			w.of = &of;
		}
		fn(arg, &w);
	}
}

static bool is_unnamed(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	if (!rt->modules || !modules_is_unnamed(rt->modules, pc))
		return false;
	*ret = unnamed_frame(rt->images, pc);
	return true;
}

static bool outermost(struct runtime *rt, uint64_t pc, bool at_instruction,
		      struct code_frame *ret)
{
	const struct code *c =
		rt->code && pc ? code_with_calls(rt->code, pc, at_instruction) : NULL;

	if (!c || !c->call_count)
		return false;
	*ret = frame_of(c, &c->calls[c->call_count - 1], rt);
	return true;
}

bool runtime_code_at(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	return outermost(rt, pc, true, ret) || is_unnamed(rt, pc, ret);
}

bool runtime_recorded_call(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	const struct code *c =
		rt->code && pc ? code_with_calls(rt->code, pc, false) : NULL;

	if (!c || !c->call_count)
		return is_unnamed(rt, pc, ret);
	*ret = frame_of(c, &c->calls[0], rt);
	return true;
}

/* runtime/traceback.go printcreatedby1: the physical function, but the line of pc - 1,
 * which may be of a function inlined there. */
bool runtime_call_before(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	if (!outermost(rt, pc, false, ret))
		return is_unnamed(rt, pc, ret);
	const struct code *c = code_with_calls(rt->code, pc, false);
	ret->file = c->calls[0].file;
	ret->line = c->calls[0].line;
	return true;
}
