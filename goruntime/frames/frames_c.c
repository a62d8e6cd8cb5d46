/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/frames/frames_c.h"

#include <string.h>

#include "goruntime/frames/frames.h"
#include "goruntime/types/debug.h"
#include "goruntime/unwind/unwind_go.h"
#include "goruntime/variables/variables_priv.h"
#include "lib/dwarf/tls.h"

enum { FRAMES_MAX = 256 };

struct c_frames {
	struct runtimes *all;
	size_t thread;
	const struct vector_regs *vectors; /* of the innermost frame; NULL: not known */
	struct walk walk;
	struct regs registers[FRAMES_MAX]; /* of each frame, innermost first */
	struct raw_frame frames[FRAMES_MAX];
	size_t count;
	struct dwarf_stack stack;
	/* For the last frame requested. */
	struct pclntab_call calls[C_INLINED_MAX + 1];
	struct code code;
	struct frame_variables variables;
};

/* The Go module in the same file: that of a cgo program. */
static const struct module *module_around(struct runtimes *all, uint64_t pc,
					  struct runtime **ret)
{
	const struct image *img = images_at(all->images, pc);

	for (size_t i = 0; img && i < all->count; i++) {
		struct runtime *rt = all->list[i];
		for (size_t k = 0; rt->modules && k < modules_count(rt->modules); k++) {
			const struct module *m = modules_get(rt->modules, k);
			*ret = rt;
			if (m->image == img)
				return m;
		}
	}
	return NULL;
}

uint32_t c_inlined_at(struct runtimes *all, uint64_t pc, bool at_instruction,
		      const char *ret[C_INLINED_MAX])
{
	struct runtime *rt;
	const struct module *m = module_around(all, at_instruction ? pc : pc - 1, &rt);
	struct dwarf *d;
	struct types *types;
	struct err ignored;

	if (!m || !debug_of_module(rt, m, &d, &types, &ignored))
		return 0;
	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *s =
		dwarf_scopes_at(d, pc - image_bias(m->image), at_instruction, &ignored);
	if (!s || s->count - 1 > C_INLINED_MAX)
		return 0;
	for (size_t i = 0; i + 1 < s->count; i++)
		ret[i] = s->list[i].function;
	return (uint32_t)(s->count - 1);
}

/* A function called by C or Go restores the stack pointer to its CFA; 0: its caller is
 * not known. */
static uint64_t cfa_of(const struct c_frames *f, size_t i)
{
	const struct arch *arch = target_arch(f->all->target);

	return i + 1 < f->count ? f->registers[i + 1].value[arch->sp] : 0;
}

static bool frame_at(void *arg, size_t i, struct dwarf_frame *ret)
{
	const struct c_frames *f = arg;
	struct runtime *rt;
	struct types *types;
	struct err ignored;

	if (i >= f->count)
		return false;
	const bool at_instruction = f->frames[i].flags & FRAME_AT_INSTRUCTION;
	const uint64_t pc = f->frames[i].pc;
	const struct module *m = module_around(f->all, at_instruction ? pc : pc - 1, &rt);
	*ret = (struct dwarf_frame){ .pc = pc,
				     .at_instruction = at_instruction,
				     .cfa = cfa_of(f, i),
				     .regs = &f->registers[i] };
	if (m && debug_of_module(rt, m, &ret->dwarf, &types, &ignored))
		ret->bias = image_bias(m->image);
	else
		ret->dwarf = NULL;
	return true;
}

static bool tls_at(void *arg, size_t i, uint64_t *ret, struct err *err)
{
	const struct c_frames *f = arg;
	const struct arch *arch = target_arch(f->all->target);
	size_t n;
	const struct regs *regs = &target_threads(f->all->target, &n)[f->thread].regs;
	const bool at_instruction = f->frames[i].flags & FRAME_AT_INSTRUCTION;
	const struct image *img =
		images_at(f->all->images, f->frames[i].pc - (at_instruction ? 0 : 1));

	if (!img || arch->tls < 0 || !reg_known(regs, (unsigned)arch->tls))
		return false;
	return tls_block(f->all->target, f->all->images, img, regs->value[arch->tls], ret,
			 err);
}

static struct c_frames *walk(struct runtimes *all, size_t thread, const struct regs *regs,
			     bool at_instruction)
{
	struct c_frames *f = xcalloc(1, sizeof(*f));

	f->all = all;
	f->walk.registers = f->registers;
	f->walk.register_room = FRAMES_MAX;
	target_budget_unit(all->target);
	walk_thread(all, thread, regs, at_instruction, &f->walk);
	f->count = f->walk.count < FRAMES_MAX ? f->walk.count : FRAMES_MAX;
	memcpy(f->frames, f->walk.frames, f->count * sizeof(f->frames[0]));
	f->thread = thread;
	f->stack = (struct dwarf_stack){ all->target, frame_at, tls_at, f };
	return f;
}

struct c_frames *c_frames_new(struct runtimes *all, size_t thread)
{
	size_t n;
	const struct target_thread *threads = target_threads(all->target, &n);

	if (thread >= n || !target_thread_stands_still(&threads[thread]))
		return NULL;
	struct c_frames *f = walk(all, thread, &threads[thread].regs, true);
	f->vectors = &threads[thread].vectors;
	return f;
}

struct c_frames *c_frames_below(struct runtimes *all, size_t thread,
				const struct regs *regs)
{
	return walk(all, thread, regs, false);
}

void c_frames_free(struct c_frames *f)
{
	if (f)
		code_variables_free(&f->code);
	xfree(f);
}

static struct pclntab_call call_of(const char *name, bool inlined)
{
	return (struct pclntab_call){ .name = name ? name : "?",
				      .named = name != NULL,
				      .inlined = inlined };
}

/* Describes the code of a C function as if pclntab had it. */
static void set_code(struct c_frames *f, const struct module *m,
		     const struct raw_frame *raw, const char *function)
{
	const bool at_instruction = raw->flags & FRAME_AT_INSTRUCTION;
	const char *inlined[C_INLINED_MAX];
	const uint32_t n = c_inlined_at(f->all, raw->pc, at_instruction, inlined);

	code_variables_free(&f->code);
	for (uint32_t i = 0; i < n; i++)
		f->calls[i] = call_of(inlined[i], true);
	f->calls[n] = call_of(function, false);
	f->code = (struct code){ .pc = raw->pc,
				 .at_instruction = at_instruction,
				 .frame_size = -1,
				 .no_pcsp = true,
				 .module = m,
				 .call_count = n + 1,
				 .calls = f->calls };
}

struct frame_variables *c_frame_variables(struct c_frames *f, uint32_t i,
					  const struct raw_frame *raw,
					  const struct code_frame *frame, uint32_t call,
					  const char **ret_why)
{
	const struct arch *arch = target_arch(f->all->target);
	const bool at_instruction = raw->flags & FRAME_AT_INSTRUCTION;
	struct runtime *rt;
	const struct module *m =
		module_around(f->all, at_instruction ? raw->pc : raw->pc - 1, &rt);

	*ret_why = "its file has no Go code, so its debug information is not read";
	if (!m)
		return NULL;
	*ret_why = "frame address unknown";
	if (i + 1 >= f->count || f->registers[i].value[arch->pc] != raw->pc)
		return NULL;
	/* Inlined functions come first, the function itself last. */
	if (!f->code.variables || f->code.pc != raw->pc || f->variables.c_frame != i)
		set_code(f, m, raw, frame->inlined ? NULL : frame->function);
	if (call >= f->code.call_count)
		return NULL;
	f->variables = (struct frame_variables){ .rt = rt,
						 .code = &f->code,
						 .call = call,
						 .cfa = cfa_of(f, i),
						 .regs = &f->registers[i],
						 .c_stack = &f->stack,
						 .c_frame = i,
						 .vectors = i ? NULL : f->vectors };
	*ret_why = NULL;
	return variables_begin(&f->variables, ret_why) ? &f->variables : NULL;
}

struct frame_variables *system_frame_variables(struct c_frames *f, uint32_t i,
					       struct runtime *rt,
					       const struct code *code, uint32_t call,
					       const char **ret_why)
{
	const struct arch *arch = target_arch(f->all->target);
	const struct regs *regs = &f->registers[i];

	*ret_why = "frame address unknown";
	if (i >= f->count || regs->value[arch->pc] != code->pc || code->frame_size < 0)
		return NULL;
	f->variables =
		(struct frame_variables){ .rt = rt,
					  .code = code,
					  .call = call,
					  .cfa = regs->value[arch->sp] +
						 (uint64_t)code->frame_size + WORD,
					  .regs = code->at_instruction ? regs : NULL,
					  .vectors = i ? NULL : f->vectors };
	*ret_why = NULL;
	return variables_begin(&f->variables, ret_why) ? &f->variables : NULL;
}
