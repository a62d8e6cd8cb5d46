/* SPDX-License-Identifier: Apache-2.0 */
/* One Go runtime: its layout, found while the process runs, and its goroutines. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/layout/build_info_priv.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/sched/sched.h"
#include "goruntime/sched/state_priv.h"
#include "goruntime/session/runtime_steps.h"
#include "goruntime/session/runtimes.h"
#include "goruntime/symtab/code.h"
#include "goruntime/symtab/release.h"
#include "goruntime/types/debug.h"
#include "goruntime/unwind/unwind_go.h"
#include "goruntime/values/value.h"
#include "goruntime/variables/variables_priv.h"
#include "goruntime/waits/wait_priv.h"
#include "lib/base/limit.h"
#include "lib/target/target_extents.h"

enum { AHEAD = 4096 /* goroutines whose stacks are read together */ };
#define AHEAD_BYTES (UINT64_C(16) << 20)
/* Up to this many bytes of stacks are simply kept. */
#define STREAM_BYTES (UINT64_C(64) << 20)

static void set_unusable(struct runtime *rt, const char *why)
{
	xfree(rt->unusable);
	rt->unusable = xstrdup(why);
}

/* Does the runtime in memory match rt->layout? A layout of exactly this release is
 * accepted when moduledata matches: goroutines may have been changing just now, and
 * runtime_read() checks them again once they are stopped. */
static bool layout_fits(struct runtime *rt, struct err *err)
{
	rt->modules = modules_open(rt->target, rt->images, rt->image, &rt->layout, err);
	if (!rt->modules)
		return false;
	bool found = allgs_find(rt, err);
	if (!rt->layout.assumed || (found && modules_agree(rt->modules)))
		return true;
	modules_close(TAKE(rt->modules));
	return false;
}

static const char *version_words(const struct runtime *rt)
{
	return rt->build->version ? rt->build->version : "an unknown Go version";
}

/* The subject's own DWARF, else the row of its release, else the nearest row that
 * fits. */
static bool choose_layout(struct runtime *rt, int minor, bool forced, struct err *err)
{
	const char *arch = target_arch(rt->target)->name;

	if (!forced && layout_from_dwarf(rt->image, &rt->layout, err) &&
	    layout_fits(rt, err))
		return true;
	for (unsigned rank = 0; layout_from_table(minor, arch, rank, &rt->layout);
	     rank++) {
		if (forced || release_is_inferred(rt->build))
			layout_assume(&rt->layout);
		if (layout_fits(rt, err))
			return true;
		if (forced)
			break;
	}
	return err_set(err, ERR_UNSUPPORTED, "%s: no known runtime layout fits",
		       version_words(rt));
}

/* A warning about a doubtful release mentions the layout too: one warning is enough. */
static void note_doubts(struct runtime *rt)
{
	AUTO(xfree) char *doubt = release_doubt(rt->build, &rt->layout);

	if (doubt)
		warnings_add(rt->warnings, "go", "%s", doubt);
	if (rt->layout.assumed &&
	    (!doubt || rt->build->version_source == VERSION_VARIABLE))
		warnings_add(rt->warnings, "layout",
			     "the runtime of %s is read with the layout of %s; values "
			     "may be wrong",
			     version_words(rt), rt->layout.source + strlen("assumed "));
}

static void find_layout(struct runtime *rt, const char *assume_go)
{
	int minor = version_minor(rt->build->version);
	char assumed[32];
	uint64_t end;
	struct err err;

	if (assume_go) {
		snprintf(assumed, sizeof(assumed), "go%s", assume_go);
		minor = version_minor(assumed);
	}
	if (!choose_layout(rt, minor, assume_go != NULL, &err)) {
		set_unusable(rt, err.text);
		return;
	}
	release_correct(rt->build, &rt->layout, assume_go != NULL);
	note_doubts(rt);
	rt->code = code_table_new(rt->modules, &rt->layout);
	rt->stack_barrier = modules_function(rt->modules, "runtime.stackBarrier", &end);
	rt->landing_pad =
		modules_function(rt->modules, "runtime.asmcgocall_landingpad", &end) != 0;
	rt->gopark = modules_function(rt->modules, "runtime.gopark", &rt->gopark_end);
	wait_reasons_read(rt);
}

struct runtime *runtime_open(struct runtimes *shared, const struct image *img,
			     struct build_info *build, const char *assume_go)
{
	struct runtime *rt = xcalloc(1, sizeof(*rt));

	rt->shared = shared;
	rt->target = shared->target;
	rt->images = shared->images;
	rt->warnings = shared->warnings;
	rt->image = img;
	rt->build = build;
	find_layout(rt, assume_go);
	return rt;
}

void runtime_close(struct runtime *rt)
{
	if (!rt)
		return;
	for (size_t i = 0; i < rt->wait_reason_count; i++)
		xfree(rt->wait_reasons[i]);
	waits_free(rt->waits);
	xfree(rt->wait_reasons);
	xfree(rt->goroutines);
	xfree(rt->order);
	xfree(rt->ranges);
	xfree(rt->earlier);
	xfree(rt->machines);
	runtime_state_forget(rt);
	xfree(rt->unusable);
	extra_caches_free(rt->extra_caches);
	extra_lists_done(&rt->extra_lists);
	variables_free(rt->code);
	code_table_free(rt->code);
	debug_free(rt);
	value_pieces_free(rt->pieces);
	modules_close(rt->modules);
	build_info_free(rt->build);
	xfree(rt);
}

static void start_at(struct goroutine *g, const struct walk *w)
{
	g->pc = w->pc;
	g->sp = w->sp;
	g->at_instruction = w->at_instruction;
	goroutine_set_frame_pointer(g, w->has_frame_pointer, w->frame_pointer);
}

/* A goroutine in a system call starts where its thread is, or where it switched to the
 * scheduler's stack, as it does when the call is over; otherwise where the runtime was
 * told of the call. */
static void place_in_syscall(struct runtime *rt, struct goroutine *g,
			     const struct go_m *m, const struct walk *w)
{
	if (w->stack_switch == STACK_SWITCH_CONTEXT &&
	    unwind_leads_to_syscall(rt, g, w->pc, w->sp, w->at_instruction)) {
		start_at(g, w);
	} else if (w->stack_switch == STACK_SWITCH_SCHED &&
		   unwind_leads_to_syscall(rt, g, m->sched_pc, m->sched_sp, false)) {
		g->pc = m->sched_pc;
		g->sp = m->sched_sp;
		goroutine_set_frame_pointer(g, false, 0);
	}
}

/* A goroutine on a thread starts where the thread's walk handed over to it. */
static void place_goroutine(struct runtime *rt, struct goroutine *g, size_t thread)
{
	const struct go_m *m = &rt->machines[thread];
	const struct walk *w = &rt->shared->walks[thread];
	bool here = w->stack_switch != STACK_SWITCH_NONE && w->runtime == rt;
	bool still = target_thread_stands_still(
		&target_threads(rt->target, &(size_t){ 0 })[thread]);

	g->stack_moves |= here && w->moves_stack;
	if (m->vdso_sp && on_stack(m->curg_stack, m->vdso_sp)) {
		g->pc = m->vdso_pc;
		g->sp = m->vdso_sp;
		g->at_instruction = false;
		goroutine_set_frame_pointer(g, false, 0);
	} else if (g->syscall) {
		if (here)
			place_in_syscall(rt, g, m, w);
	} else if (here && w->stack_switch == STACK_SWITCH_CONTEXT) {
		start_at(g, w);
	} else if (g->status == GOROUTINE_RUNNING && !here) {
		g->bad_context = true;
		g->reason =
			!still ? reason_add(rt, "running, and its thread was not stopped")
			: w->state == STACK_COMPLETE
				? reason_add(rt, "running, but not on its thread's stack")
				: reason_add(rt,
					     "running, and its thread's stack cannot be "
					     "unwound: %s",
					     runtimes_reason(rt->shared, w->reason));
	}
}

static struct extent_range used_stack(const struct goroutine *g)
{
	uint64_t room = g->sp - g->stack_low;
	uint64_t below = !g->at_instruction	      ? 0
			 : room < FRAME_POINTER_BELOW ? room
						      : FRAME_POINTER_BELOW;
	uint64_t len = g->stack_high - g->sp;

	if (len > LIMIT_STACK_BYTES)
		len = LIMIT_STACK_BYTES;
	return (struct extent_range){ g->sp - below, len + below };
}

static bool in_its_stack(const struct goroutine *g)
{
	return goroutine_has_stack(g) && g->sp >= g->stack_low && g->sp < g->stack_high;
}

static void copy_stacks(struct runtime *rt, struct extent_range *ranges, size_t n)
{
	uint64_t left_out = 0;

	target_extents_add(rt->target, ranges, n, &left_out);
	if (left_out)
		warnings_add(rt->warnings, "goroutines",
			     "%" PRIu64
			     " bytes of stacks were not copied: more than %" PRIu64
			     " in total",
			     left_out, LIMIT_EXTENT_BYTES);
}

/* Copies the used part of all stacks, unless that is too much. Stacks that touch a
 * thread's own, and those that may have stack barriers, are unwound at once: what else
 * they need is only known while unwinding. */
static void capture_stacks(struct runtime *rt)
{
	size_t n = 0;
	uint64_t bytes = 0;
	AUTO(xfree)
	struct extent_range *ranges = xcalloc(rt->goroutine_count + 1, sizeof(*ranges));

	for (size_t i = 0; i < rt->goroutine_count; i++) {
		struct goroutine *g = &rt->goroutines[i];

		if (goroutine_has_stack(g) && g->thread >= 0)
			place_goroutine(rt, g, (size_t)g->thread);
		if (!in_its_stack(g))
			continue;
		ranges[n] = used_stack(g);
		bytes += ranges[n++].len;
	}
	if (rt->shared->persistent && bytes > STREAM_BYTES)
		rt->shared->streams = true;
	else
		copy_stacks(rt, ranges, n);
	for (size_t i = 0; i < rt->goroutine_count; i++) {
		struct goroutine *g = &rt->goroutines[i];
		const struct go_m *m = runtime_machine_of(rt, g);
		if ((m || rt->stack_barrier) && goroutine_has_stack(g))
			unwind_goroutine(rt, g, m);
	}
}

size_t runtime_read_ahead(struct runtime *rt, size_t i, size_t end, bool in_document)
{
	struct extent_range ranges[AHEAD];
	uint64_t bytes = 0;
	size_t n = 0;

	end = end < rt->goroutine_count ? end : rt->goroutine_count;
	for (; i < end && n < AHEAD && bytes < AHEAD_BYTES; i++) {
		const struct goroutine *g =
			&rt->goroutines[in_document ? rt->order[i] : i];
		if (!in_its_stack(g))
			continue;
		ranges[n] = used_stack(g);
		bytes += ranges[n++].len;
	}
	target_extents_add(rt->target, ranges, n, NULL);
	return i;
}

bool runtime_has_module_in(const struct runtime *rt, const struct image *img)
{
	for (size_t i = 0; rt->modules && i < modules_count(rt->modules); i++)
		if (modules_get(rt->modules, i)->image == img)
			return true;
	return false;
}

void runtime_read(struct runtime *rt, struct target *source)
{
	struct err err;

	if (!rt->modules)
		return;
	rt->target = source;
	bool known = rt->allgs && !rt->allgs_damaged;
	if ((!known && !allgs_find(rt, &err)) || !goroutines_read(rt, &err))
		set_unusable(rt, err.text);
	else if (rt->allgs_damaged)
		warnings_add(rt->warnings, "goroutines",
			     "allgs at 0x%" PRIx64
			     " is damaged: using the list at 0x%" PRIx64
			     ", found by searching",
			     rt->allgs_damaged, rt->allgs);
}

void runtime_read_machines(struct runtime *rt)
{
	rt->target = rt->shared->target;
	machines_read(rt);
}

void runtime_capture(struct runtime *rt)
{
	if (!rt->modules)
		return;
	capture_stacks(rt);
	waits_capture(rt);
	extras_capture(rt);
	modules_seal(rt->modules);
}

void runtime_decode(struct runtime *rt)
{
	size_t ahead = 0;

	for (size_t i = 0; i < rt->goroutine_count; i++) {
		struct goroutine *g = &rt->goroutines[i];
		if (rt->shared->streams && i >= ahead) {
			target_extents_pass(rt->target);
			ahead = runtime_read_ahead(rt, i, SIZE_MAX, false);
		}
		if (!goroutine_has_stack(g))
			g->stack = stacks_intern(rt->shared->stacks, NULL, 0);
		else if (!g->unwound)
			unwind_goroutine(rt, g, NULL);
		atomic_fetch_add_explicit(&rt->shared->decoded, 1, memory_order_relaxed);
	}
	waits_finish(rt);
	if (rt->modules)
		goroutines_sort(rt);
}

void runtime_rewind(struct runtime *rt, struct target *live)
{
	if (rt->modules)
		earlier_stacks_note(rt);
	rt->target = live;
	if (!rt->modules)
		return;
	modules_unseal(rt->modules, live);
	waits_free(TAKE(rt->waits));
	extra_caches_free(TAKE(rt->extra_caches));
	extra_lists_done(&rt->extra_lists);
	xfree(TAKE(rt->goroutines));
	xfree(TAKE(rt->order));
	xfree(TAKE(rt->ranges));
	xfree(TAKE(rt->machines));
	runtime_state_forget(rt);
	xfree(TAKE(rt->unusable));
	memset(rt->sync_map_counts, 0, sizeof(rt->sync_map_counts));
	rt->goroutine_count = rt->goroutine_cap = rt->machine_count = 0;
	rt->goroutines_missed = 0;
	rt->range_count = 0;
	rt->heap_sought = rt->heap != 0;
}

size_t runtime_image_count(const struct runtime *rt)
{
	return rt->modules ? modules_count(rt->modules) : 1;
}

struct runtime_image runtime_image(const struct runtime *rt, size_t i)
{
	const struct module *m = rt->modules ? modules_get(rt->modules, i) : NULL;
	const struct image *img = m ? m->image : rt->image;

	return (struct runtime_image){
		.path = img ? image_path(img) : "",
		.plugin = m ? m->plugin : NULL,
		.executable = img == images_get(rt->images, 0),
	};
}

const struct build_info *runtime_build_info(const struct runtime *rt)
{
	return rt->build;
}

const char *runtime_unusable(const struct runtime *rt)
{
	return rt->unusable;
}

uint64_t runtime_goroutines_missed(const struct runtime *rt)
{
	return rt->goroutines_missed;
}

const char *runtime_layout_source(const struct runtime *rt)
{
	return rt->unusable ? NULL : rt->layout.source;
}
