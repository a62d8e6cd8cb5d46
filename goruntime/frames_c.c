/* SPDX-License-Identifier: Apache-2.0 */
#include "frames_c.h"

enum { FRAMES_MAX = 256 };

struct c_frames {
	struct runtimes *all;
	const struct target_thread *thread;
	struct walk walk;
	struct regs registers[FRAMES_MAX]; /* of each frame, from the innermost on */
	size_t count;
	/* Of the frame that was asked for last. */
	struct pclntab_call call;
	struct code code;
	struct frame_variables variables;
};

struct c_frames *c_frames_new(struct runtimes *all, size_t thread)
{
	size_t n;
	const struct target_thread *threads = target_threads(all->target, &n);

	if (thread >= n || !threads[thread].stopped)
		return NULL;
	struct c_frames *f = xcalloc(1, sizeof(*f));
	f->all = all;
	f->thread = &threads[thread];
	f->walk.registers = f->registers;
	f->walk.register_room = FRAMES_MAX;
	target_budget_unit(all->target);
	walk_thread(all, thread, &f->thread->regs, true, &f->walk);
	f->count = f->walk.count < FRAMES_MAX ? f->walk.count : FRAMES_MAX;
	return f;
}

void c_frames_free(struct c_frames *f)
{
	if (f)
		code_variables_free(f->code.variables);
	xfree(f);
}

/* The Go module that is in the same file: that of a cgo program. */
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

struct frame_variables *c_frame_variables(struct c_frames *f, uint32_t i,
					  const struct raw_frame *raw,
					  const char *function, const char **ret_why)
{
	const struct arch *arch = target_arch(f->all->target);
	const bool exact = raw->flags & FRAME_EXACT;
	struct runtime *rt;
	const struct module *m =
		module_around(f->all, exact ? raw->pc : raw->pc - 1, &rt);

	*ret_why = "its file has no Go code: such debugging information is not read";
	if (!m)
		return NULL;
	/* Called by C or by Go, it leaves the stack pointer where its frame began. */
	*ret_why = "where its frame is, is not known";
	if (i + 1 >= f->count || f->registers[i].value[arch->pc] != raw->pc)
		return NULL;
	code_variables_free(f->code.variables);
	f->call = (struct pclntab_call){ .name = function };
	f->code = (struct code){ .pc = raw->pc,
				 .exact = exact,
				 .frame_size = -1,
				 .foreign = true,
				 .module = m,
				 .call_count = 1,
				 .calls = &f->call };
	f->variables =
		(struct frame_variables){ .rt = rt,
					  .code = &f->code,
					  .cfa = f->registers[i + 1].value[arch->sp],
					  .regs = &f->registers[i],
					  .vectors = i ? NULL : &f->thread->vectors };
	*ret_why = NULL;
	return variables_begin(&f->variables, ret_why) ? &f->variables : NULL;
}
