/* SPDX-License-Identifier: Apache-2.0 */
/* The three steps: open while the process runs, capture while it stands still, decode
 * after it was let go. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "runtime_priv.h"
#include "target_extents.h"

enum { REASONS_MAX = 256, OTHER_REASON = REASONS_MAX - 1 };

uint32_t reason_add(struct runtime *rt, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (uint32_t i = 0; i < rt->reason_count; i++)
		if (strcmp(rt->reasons[i], text) == 0)
			return i;
	if (rt->reason_count == REASONS_MAX)
		return OTHER_REASON;
	if (rt->reason_count == OTHER_REASON)
		snprintf(text, sizeof(text), "one of too many different reasons to list");
	GROW(rt->reasons, rt->reason_count, rt->reason_cap);
	rt->reasons[rt->reason_count] = xstrdup(text);
	return (uint32_t)rt->reason_count++;
}

const char *runtime_reason(const struct runtime *rt, uint32_t reason)
{
	return reason < rt->reason_count ? rt->reasons[reason] : "?";
}

static void set_unusable(struct runtime *rt, const char *why)
{
	xfree(rt->unusable);
	rt->unusable = xstrdup(why);
}

/* Does the runtime in memory have the shape that rt->layout says? A layout of the very
 * release is taken when its module data fits: should the goroutines have been in the middle
 * of a change just now, runtime_capture() looks again when they stand still. */
static bool layout_fits(struct runtime *rt, const struct image *img, struct err *err)
{
	rt->modules = modules_open(rt->target, rt->images, &rt->layout, err);
	if (!rt->modules)
		return false;
	if (allgs_find(rt, img, err) || !rt->layout.assumed)
		return true;
	modules_close(TAKE(rt->modules));
	return false;
}

static const char *version_words(const struct runtime *rt)
{
	return rt->build->version ? rt->build->version : "an unknown Go";
}

/* The subject's own DWARF, else the row of its release, else the nearest that fits. */
static bool choose_layout(struct runtime *rt, const struct image *img, int minor,
			  bool forced, struct err *err)
{
	const char *arch = target_arch(rt->target)->name;

	if (!forced && layout_from_dwarf(img, &rt->layout, err) &&
	    layout_fits(rt, img, err))
		return true;
	for (unsigned rank = 0; layout_from_table(minor, arch, rank, &rt->layout);
	     rank++) {
		rt->layout.assumed |= forced;
		if (layout_fits(rt, img, err))
			return true;
		if (forced)
			break;
	}
	return err_set(err, ERR_UNSUPPORTED,
		       "%s: no layout of the runtime that we know fits",
		       version_words(rt));
}

static void open_go(struct runtime *rt, const struct image *img, const char *assume_go)
{
	int minor = version_minor(rt->build->version);
	char assumed[32];
	uint64_t end;
	struct err err;

	if (assume_go) {
		snprintf(assumed, sizeof(assumed), "go%s", assume_go);
		minor = version_minor(assumed);
	}
	if (!rt->build->version)
		warnings_add(rt->warnings, "go", "the version of Go is damaged");
	if (!choose_layout(rt, img, minor, assume_go != NULL, &err)) {
		set_unusable(rt, err.text);
		return;
	}
	if (assume_go)
		snprintf(rt->layout.source, sizeof(rt->layout.source), "assumed go1.%d",
			 minor);
	if (rt->layout.assumed)
		warnings_add(
			rt->warnings, "layout",
			"the runtime of %s is read as if it were %s; values may be wrong",
			version_words(rt), rt->layout.source + strlen("assumed "));
	rt->code = code_table_new(rt->modules);
	rt->landing_pad =
		modules_function(rt->modules, "runtime.asmcgocall_landingpad", &end) != 0;
	wait_reasons_read(rt, img);
}

struct runtime *runtime_open(struct target *t, const struct images *images,
			     const char *assume_go, struct warnings *warnings)
{
	struct runtime *rt = xcalloc(1, sizeof(*rt));
	const struct image *img = images_count(images) ? images_get(images, 0) : NULL;
	struct err err;

	rt->target = t;
	rt->images = images;
	rt->warnings = warnings;
	rt->stacks = stacks_new();
	rt->scratch = xcalloc(LIMIT_FRAMES, sizeof(*rt->scratch));
	reason_add(rt, "%s", "");
	target_budget_unit(t);
	rt->build = img ? build_info_read(t, img, &err) : NULL;
	if (rt->build)
		open_go(rt, img, assume_go);
	else
		set_unusable(rt, img ? err.text : "no executable image was found");
	return rt;
}

void runtime_close(struct runtime *rt)
{
	if (!rt)
		return;
	for (size_t i = 0; i < rt->wait_reason_count; i++)
		xfree(rt->wait_reasons[i]);
	for (size_t i = 0; i < rt->reason_count; i++)
		xfree(rt->reasons[i]);
	xfree(rt->wait_reasons);
	xfree(rt->reasons);
	xfree(rt->goroutines);
	xfree(rt->threads);
	xfree(rt->machines);
	xfree(rt->walks);
	xfree(rt->scratch);
	xfree(rt->unusable);
	extras_done(&rt->extras);
	code_table_free(rt->code);
	stacks_free(rt->stacks);
	unwind_free(rt->cfi);
	modules_close(rt->modules);
	build_info_free(rt->build);
	xfree(rt);
}

/* A goroutine on a thread starts where the thread's walk handed over. */
static void place_goroutine(struct runtime *rt, struct goroutine *g, size_t thread)
{
	const struct machine *m = &rt->machines[thread];
	const struct walk *w = &rt->walks[thread];
	bool stopped = target_threads(rt->target, &(size_t){ 0 })[thread].stopped;

	if (m->vdso_sp && on_stack(m->curg_stack, m->vdso_sp)) {
		g->pc = m->vdso_pc;
		g->sp = m->vdso_sp;
		g->exact = false;
	} else if (g->syscall) {
		return;
	} else if (w->handover == HANDOVER_CONTEXT) {
		g->pc = w->pc;
		g->sp = w->sp;
		g->exact = w->exact;
	} else if (g->status == GOROUTINE_RUNNING && w->handover == HANDOVER_NONE) {
		g->bad_context = true;
		g->reason =
			!stopped ? reason_add(rt,
					      "it runs, and its thread was not stopped")
			: w->state == STACK_COMPLETE
				? reason_add(rt, "it runs, but its thread is elsewhere")
				: reason_add(
					  rt,
					  "it runs, and its thread's stack is lost: %s",
					  runtime_reason(rt, w->reason));
	}
}

static void walk_threads(struct runtime *rt)
{
	size_t n;
	const struct target_thread *threads = target_threads(rt->target, &n);

	for (size_t i = 0; i < n; i++) {
		struct walk *w = &rt->walks[i];
		struct thread_state *s = &rt->threads[i];

		target_budget_unit(rt->target);
		if (!threads[i].stopped) {
			s->state = STACK_LOST;
			s->reason =
				reason_add(rt, "%s",
					   threads[i].why ? threads[i].why
							  : "the thread was not stopped");
			continue;
		}
		walk_thread(rt, &rt->machines[i], &threads[i].regs, true, w);
		s->state = w->state;
		s->reason = w->reason;
		if (s->on != ON_GOROUTINE) {
			s->stack = stacks_intern(rt->stacks, w->frames, w->count);
		} else if (s->has_goroutine) {
			s->state = STACK_NONE;
		} else {
			s->state = STACK_LOST;
			s->reason =
				reason_add(rt, "it stands on the stack of a goroutine "
					       "that could not be read");
		}
		w->frames = NULL;
	}
}

static const struct machine *machine_of(struct runtime *rt, const struct goroutine *g)
{
	if (g->thread >= 0)
		return &rt->machines[g->thread];
	for (size_t i = 0; g->locked_machine && i < rt->thread_count; i++)
		if (rt->machines[i].m == g->locked_machine)
			return &rt->machines[i];
	return NULL;
}

static bool has_stack(const struct goroutine *g)
{
	return g->status != GOROUTINE_DEAD && g->status != GOROUTINE_DEAD_EXTRA &&
	       g->status != GOROUTINE_IDLE;
}

/* Stacks that touch a thread's own are unwound at once: what they need is only known on
 * the way. Of all others the used part is copied. */
static void capture_stacks(struct runtime *rt)
{
	size_t n = 0;
	uint64_t left_out = 0;
	AUTO(xfree)
	struct extent_range *ranges = xcalloc(rt->goroutine_count + 1, sizeof(*ranges));

	for (size_t i = 0; i < rt->goroutine_count; i++) {
		struct goroutine *g = &rt->goroutines[i];
		const struct machine *m = machine_of(rt, g);

		if (!has_stack(g))
			continue;
		if (g->thread >= 0)
			place_goroutine(rt, g, (size_t)g->thread);
		if (m) {
			unwind_goroutine(rt, g, m);
		} else if (g->sp >= g->stack_low && g->sp < g->stack_high) {
			uint64_t len = g->stack_high - g->sp;
			ranges[n++] = (struct extent_range){
				g->sp, len < LIMIT_STACK_BYTES ? len : LIMIT_STACK_BYTES
			};
		}
	}
	target_extents_add(rt->target, ranges, n, &left_out);
	if (left_out)
		warnings_add(rt->warnings, "goroutines",
			     "%" PRIu64
			     " bytes of stacks were left out: more than %" PRIu64
			     " in all",
			     left_out, LIMIT_EXTENT_BYTES);
}

void runtime_capture(struct runtime *rt, struct target *frozen)
{
	const struct image *img =
		images_count(rt->images) ? images_get(rt->images, 0) : NULL;
	struct err err;

	/* The g structs are reduced to records at once: no reason to keep their pages. */
	if (rt->modules &&
	    ((!rt->allgs && !allgs_find(rt, img, &err)) || !goroutines_read(rt, &err)))
		set_unusable(rt, err.text);
	rt->target = frozen;
	rt->cfi = unwind_new(frozen, rt->images);
	machines_read(rt);
	walk_threads(rt);
	if (rt->modules) {
		capture_stacks(rt);
		extras_capture(rt);
		modules_seal(rt->modules);
	}
}

void runtime_decode(struct runtime *rt)
{
	for (size_t i = 0; i < rt->goroutine_count; i++) {
		struct goroutine *g = &rt->goroutines[i];
		if (!has_stack(g))
			g->stack = stacks_intern(rt->stacks, NULL, 0);
		else if (!g->unwound)
			unwind_goroutine(rt, g, NULL);
	}
	if (rt->modules)
		goroutines_sort(rt);
}

const struct build_info *runtime_build_info(const struct runtime *rt)
{
	return rt->build;
}

const char *runtime_unusable(const struct runtime *rt)
{
	return rt->unusable;
}

const char *runtime_layout_source(const struct runtime *rt)
{
	return rt->unusable ? NULL : rt->layout.source;
}

const struct thread_state *runtime_thread(const struct runtime *rt, size_t i)
{
	return &rt->threads[i];
}

size_t runtime_stack_count(const struct runtime *rt)
{
	return stacks_count(rt->stacks);
}

struct stack runtime_stack(const struct runtime *rt, uint32_t id)
{
	return stacks_get(rt->stacks, id);
}
