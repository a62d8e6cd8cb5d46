/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as people read them: inlined calls expanded, C functions named, and those marked
 * that the runtime's own traceback would leave out. */
#include <string.h>

#include "runtime_priv.h"
#include "variables.h"
#include "words.h"

static bool is_exported(const char *s, size_t len)
{
	return len > 0 && s[0] >= 'A' && s[0] <= 'Z';
}

/* runtime/traceback.go isExportedRuntime (1.27): F, or T.F and (*T).F with an exported T. */
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

struct expansion {
	struct runtimes *all;
	code_frame_fn *fn;
	void *arg;
	bool first; /* none shown yet */
	enum special callee;
	struct words_reader *words; /* NULL: not asked for */
	bool variables;
};

static const char *module_of(const struct images *images, const struct image *img)
{
	if (!img || img == images_get(images, 0))
		return NULL;
	return image_path(img);
}

static void give_c(struct expansion *e, const struct raw_frame *raw)
{
	const struct images *images = e->all->images;
	uint64_t pc = raw->flags & FRAME_EXACT ? raw->pc : raw->pc - 1;
	const struct image *img = images_at(images, pc);
	struct code_frame f = { .pc = raw->pc, .c = true, .hidden = true };

	f.kind = raw->flags & FRAME_SIGNAL ? "signal" : NULL;
	f.module = module_of(images, img);
	if (!img || !image_function_at(img, pc, &f.function, &f.entry))
		f.function = NULL;
	e->fn(e->arg, &f);
}

static struct code_frame frame_of(const struct code *c, const struct pclntab_call *call,
				  const struct runtime *rt)
{
	return (struct code_frame){
		.function = call->name,
		.file = call->file,
		.line = call->line,
		.inlined = call->inlined,
		.pc = c->pc,
		.entry = c->entry,
		.module = module_of(rt->images, c->module->image),
	};
}

static void give_go(struct expansion *e, const struct raw_frame *raw, struct runtime *rt,
		    const struct code *c)
{
	struct slot wrapper_id = rt->layout.slot[L_id_wrapper];

	for (uint32_t i = 0; i < c->call_count; i++) {
		struct code_frame f = frame_of(c, &c->calls[i], rt);
		enum special self = special_of(f.function);
		bool wrapper = wrapper_id.off >= 0 && c->calls[i].id == wrapper_id.off;

		f.hidden = raw->flags & FRAME_SYSTEM_STACK ||
			   !is_shown(&f, self, wrapper, e->first, e->callee);
		f.kind = special_kind(self);
		if (!f.kind && wrapper)
			f.kind = "wrapper";
		f.by_frame_pointer = raw->flags & FRAME_BY_POINTER;
		struct frame_variables variables = { rt, c, i, 0 };
		if (e->words)
			f.words = words_of(e->words, raw, c, i);
		if (e->variables)
			variables.cfa = goroutine_argp(e->words->g, raw);
		if (e->variables && variables_begin(&variables, &f.why_none))
			f.variables = &variables;
		if (raw->flags & FRAME_SYSTEM_STACK)
			f.kind = "cgo";
		e->fn(e->arg, &f);
		if (raw->flags & FRAME_SYSTEM_STACK)
			continue; /* the runtime's own traceback does not pass here */
		e->first = e->first && f.hidden;
		e->callee = self;
	}
}

const struct code *code_of_frame(const struct runtimes *all,
				 const struct raw_frame *frame, struct runtime **ret)
{
	bool exact = frame->flags & FRAME_EXACT;
	const struct code *c = runtimes_code_at(all, frame->pc, exact, ret);

	if (c)
		c = code_with_calls((*ret)->code, frame->pc, exact);
	return c && !c->foreign ? c : NULL;
}

static void expand(struct expansion *e, struct stack stack)
{
	e->first = true;
	for (uint32_t i = 0; i < stack.count; i++) {
		const struct raw_frame *raw = &stack.frames[i];
		struct runtime *rt;
		const struct code *c = code_of_frame(e->all, raw, &rt);
		if (c)
			give_go(e, raw, rt, c);
		else
			give_c(e, raw);
	}
}

void runtimes_each_frame(struct runtimes *all, struct stack stack, code_frame_fn *fn,
			 void *arg)
{
	struct expansion e = { .all = all, .fn = fn, .arg = arg };

	expand(&e, stack);
}

void runtimes_each_frame_of(struct runtimes *all, const struct goroutine *g,
			    bool variables, code_frame_fn *fn, void *arg)
{
	struct words_reader words;
	struct expansion e = {
		.all = all, .fn = fn, .arg = arg, .words = &words, .variables = variables
	};

	words_begin(&words, all->target, g);
	expand(&e, runtimes_stack(all, g->stack));
}

static bool outermost(struct runtime *rt, uint64_t pc, bool exact, struct code_frame *ret)
{
	const struct code *c =
		rt->code && pc ? code_with_calls(rt->code, pc, exact) : NULL;

	if (!c || !c->call_count)
		return false;
	*ret = frame_of(c, &c->calls[c->call_count - 1], rt);
	return true;
}

bool runtime_code_at(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	return outermost(rt, pc, true, ret);
}

bool runtime_recorded_call(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	const struct code *c =
		rt->code && pc ? code_with_calls(rt->code, pc, false) : NULL;

	if (!c || !c->call_count)
		return false;
	*ret = frame_of(c, &c->calls[0], rt);
	return true;
}

/* runtime/traceback.go printcreatedby1: the physical function, and the line of pc - 1,
 * though that may be one of a function inlined there. */
bool runtime_call_before(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	if (!outermost(rt, pc, false, ret))
		return false;
	const struct code *c = code_with_calls(rt->code, pc, false);
	ret->file = c->calls[0].file;
	ret->line = c->calls[0].line;
	return true;
}
