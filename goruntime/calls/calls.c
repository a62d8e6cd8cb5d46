/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/calls/calls.h"

#include <string.h>

#include "goruntime/calls/call_labels.h"
#include "goruntime/calls/call_memory.h"
#include "goruntime/calls/call_plan.h"
#include "goruntime/calls/call_point.h"
#include "goruntime/calls/call_results.h"
#include "goruntime/calls/call_word.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/unwind/unwind_go.h"

enum {
	STACKS_FRAMES = 1 << 20,
	UNKNOWN_STACK = 1 << 20, /* bytes */
};

struct calls {
	struct images *images;
	struct target *file, *memory;
	struct runtimes *runtimes;
	struct runtime *rt;
	struct goroutine goroutine;
};

static bool open_runtime(struct calls *c, const char *name, struct warnings *warnings,
			 struct err *err)
{
	c->runtimes = runtimes_open(c->memory, c->images, NULL, warnings);
	const char *why = runtimes_unusable(c->runtimes);
	if (!why) {
		c->rt = runtimes_get(c->runtimes, 0);
		why = runtime_unusable(c->rt);
	}
	if (!why && (!c->rt->modules || modules_unnamed(c->rt->modules)))
		why = "it has no table of functions";
	if (why)
		return err_set(err, ERR_UNSUPPORTED, "%.200s cannot be traced: %s", name,
			       why);
	call_memory_opened(c->memory, c->rt);
	return true;
}

struct calls *calls_open(int file, const char *name, uint64_t bias,
			 struct warnings *warnings, struct err *err)
{
	AUTO(calls_close) struct calls *c = xcalloc(1, sizeof(*c));

	c->images = images_open_descriptor_at(file, name, bias, err);
	if (!c->images)
		return NULL;
	const struct image *img = images_get(c->images, 0);
	c->file = target_image_new(img, err);
	if (!c->file)
		return NULL;
	c->memory = call_memory_new(c->file, img);
	return open_runtime(c, name, warnings, err) ? TAKE(c) : NULL;
}

void calls_close(struct calls *c)
{
	if (!c)
		return;
	runtimes_close(c->runtimes);
	target_close(c->memory);
	target_close(c->file);
	images_close(c->images);
	xfree(c);
}

struct runtimes *calls_runtimes(const struct calls *c)
{
	return c->runtimes;
}

struct call_facts calls_facts(const struct calls *c)
{
	const struct slot *slot = c->rt->layout.slot;

	return (struct call_facts){
		.goid = (uint32_t)slot[L_g_goid].off,
		.stack_low = (uint32_t)slot[L_g_stack_lo].off,
		.stack_high = (uint32_t)slot[L_g_stack_hi].off,
		.labels = slot[L_g_labels].off > 0 ? (uint32_t)slot[L_g_labels].off : 0,
		.has_g = layout_has(&c->rt->layout, L_funcdata_arg_info),
	};
}

void calls_plan(struct calls *c, uint64_t entry, struct call_plan *ret)
{
	call_plan_make(c->rt, entry, ret);
}

void calls_plan_results(struct calls *c, uint64_t entry, struct call_plan *ret)
{
	call_plan_make_results(c->rt, entry, ret);
}

bool calls_word(struct calls *c, uint64_t entry, const struct call_plan *plan,
		const char *path, bool length, struct call_word *ret, struct err *err)
{
	return call_word_find(c->rt, entry, plan, path, length, ret, err);
}

size_t calls_labels(struct calls *c, struct call_label ret[CALL_LABELS])
{
	return call_labels_read(c->rt, call_memory_word(c->memory, CALL_LABELS_AT), ret);
}

void calls_each_result(struct calls *c, variable_fn *fn, void *arg)
{
	const struct target_thread *th = target_threads(c->memory, &(size_t){ 0 });

	call_results_each(c->runtimes, &c->goroutine, &th->regs, fn, arg);
}

void calls_each_function(const struct calls *c, call_function_fn *fn, void *arg)
{
	modules_each_function(c->rt->modules, fn, arg);
}

bool calls_point(const struct calls *c, uint64_t entry, uint64_t end,
		 struct call_point *ret)
{
	return call_point_find(c->rt, entry, end, ret);
}

void calls_returns(const struct calls *c, uint64_t entry, uint64_t end,
		   struct call_returns *ret)
{
	call_returns_find(c->rt, entry, end, ret);
}

static void set_thread(struct calls *c, const struct call_record *r)
{
	const struct arch *arch = target_arch(c->memory);
	struct target_thread *th = xcalloc(1, sizeof(*th));

	th->tid = th->tid_inside = r->tid;
	th->stopped = true;
	for (unsigned i = 0; i < CALL_REGISTERS; i++) {
		uint64_t word;
		memcpy(&word, r->bytes + i * sizeof(word), sizeof(word));
		reg_set(&th->regs, i, word);
	}
	reg_set(&th->regs, arch->pc, r->entry);
	target_set_threads(c->memory, th, 1);
}

static uint64_t record_register(const struct call_record *r, unsigned n)
{
	uint64_t word;

	memcpy(&word, r->bytes + n * sizeof(word), sizeof(word));
	return word;
}

/* Without a g, as far as was copied. */
static void set_stack(struct goroutine *g, const struct call_record *r)
{
	const bool known = r->g && g->sp >= r->stack_low && g->sp < r->stack_high;

	g->addr = known ? r->g : 0;
	g->id = known ? r->goid : 0;
	g->stack_low = known ? r->stack_low : g->sp;
	g->stack_high = known ? r->stack_high : g->sp + UNKNOWN_STACK;
}

const struct goroutine *calls_set(struct calls *c, const struct call_record *r)
{
	const struct arch *arch = target_arch(c->memory);
	struct goroutine *g = &c->goroutine;

	if (stacks_frames(c->runtimes->stacks) > STACKS_FRAMES)
		runtimes_rewind(c->runtimes, c->memory);
	call_memory_set(c->memory, r);
	set_thread(c, r);
	*g = (struct goroutine){ .pc = r->entry,
				 .sp = record_register(r, arch->sp),
				 .stack = NO_STACK,
				 .status = GOROUTINE_RUNNING,
				 .at_instruction = true };
	set_stack(g, r);
	goroutine_set_frame_pointer(g, true, record_register(r, arch->fp));
	target_budget_unit(c->memory);
	unwind_goroutine(c->rt, g, NULL);
	if (g->state == STACK_LOST && r->more_pairs) {
		g->state = STACK_TRUNCATED;
		g->reason = reason_add(c->rt, "more frames than a probe copies");
	}
	return g;
}
