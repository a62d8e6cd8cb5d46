/* SPDX-License-Identifier: Apache-2.0 */
/* The Go runtimes of a process and what they share, in three steps: open while the
 * process runs, capture one instant, decode it. */
#include "goruntime/fault/fault.h"
#include "goruntime/frames/frames_priv.h"
#include "goruntime/runtime/lookup.h"
#include "goruntime/runtime/reasons.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/sched/sched.h"
#include "goruntime/sched/state_priv.h"
#include "goruntime/session/runtime_steps.h"
#include "goruntime/session/runtimes.h"
#include "goruntime/symtab/release.h"
#include "lib/base/limit.h"
#include "lib/target/target_extents.h"

/* A process can map hundreds of libraries. Only images with the linker's marks are
 * examined, and the executable, which may have lost its section headers and those marks.
 * The standard library of -linkshared has just a note. */
static bool may_hold_runtime(const struct runtimes *all, const struct image *img)
{
	struct image_range ignored;

	return img == images_get(all->images, 0) || image_go_build_id(img)[0] != '\0' ||
	       image_section(img, ".go.buildinfo", &ignored) ||
	       image_section(img, ".note.go.abihash", &ignored) ||
	       modules_have_section(img);
}

/* A plugin, or a program built with -linkshared, has its own module in another image's
 * runtime. */
bool runtimes_have_module_in(const struct runtimes *all, const struct image *img)
{
	for (size_t i = 0; i < all->count; i++)
		if (runtime_has_module_in(all->list[i], img))
			return true;
	return false;
}

bool runtimes_are_unnamed(const struct runtimes *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->modules && modules_unnamed(all->list[i]->modules))
			return true;
	return false;
}

static void add_runtime(struct runtimes *all, const struct image *img,
			const char *assume_go)
{
	struct err err;

	if (!may_hold_runtime(all, img) || runtimes_have_module_in(all, img))
		return;
	target_budget_unit(all->target);
	struct build_info *build = build_info_find(all->target, all->images, img, &err);
	if (build) {
		/* Opened before it is added: it looks things up in all->list, which must
		 * not have a NULL. */
		struct runtime *rt = runtime_open(all, img, build, assume_go);
		GROW(all->list, all->count, all->cap);
		all->list[all->count++] = rt;
	} else if (!all->unusable) {
		all->unusable = xstrdup(err.text);
	}
}

struct runtimes *runtimes_open(struct target *t, const struct images *images,
			       const char *assume_go, struct warnings *warnings)
{
	struct runtimes *all = xcalloc(1, sizeof(*all));

	all->target = t;
	all->images = images;
	all->warnings = warnings;
	all->stacks = stacks_new();
	all->reasons = reasons_new();
	all->scratch = xcalloc(LIMIT_FRAMES, sizeof(*all->scratch));
	for (size_t i = 0; i < images_count(images); i++)
		add_runtime(all, images_get(images, i), assume_go);
	if (!all->count && !all->unusable)
		all->unusable = xstrdup("no executable image was found");
	return all;
}

void runtimes_close(struct runtimes *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->count; i++)
		runtime_close(all->list[i]);
	xfree(all->list);
	fault_free(all->fault);
	xfree(all->noted);
	xfree(all->sighted);
	xfree(all->threads);
	xfree(all->walks);
	xfree(all->scratch);
	xfree(all->unusable);
	unwind_free(all->cfi);
	expansions_free(all->expansions);
	stacks_free(all->stacks);
	reasons_free(all->reasons);
	xfree(all);
}

uint64_t runtimes_expected_bytes(struct runtimes *all)
{
	uint64_t bytes = 0;

	target_budget_unit(all->target);
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->modules)
			bytes += goroutines_expected_bytes(all->list[i]);
	return bytes;
}

uint64_t runtimes_expected_goroutines(struct runtimes *all)
{
	uint64_t count = 0;

	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->modules)
			count += goroutines_expected(all->list[i]);
	return count;
}

void runtimes_find_state(struct runtimes *all)
{
	for (size_t i = 0; i < all->count; i++)
		state_places_find(all->list[i]);
}

uint64_t runtimes_living(struct runtimes *all, struct target *live)
{
	uint64_t living = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct runtime *rt = all->list[i];
		runtime_read(all->list[i], live);
		for (size_t g = 0; g < rt->goroutine_count; g++)
			living += rt->goroutines[g].status != GOROUTINE_DEAD &&
				  rt->goroutines[g].status != GOROUTINE_DEAD_EXTRA;
	}
	return living;
}

void runtimes_capture(struct runtimes *all, struct target *source, struct target *frozen,
		      bool persistent)
{
	all->persistent = persistent;
	/* The g structs are reduced to records at once: no need to keep their pages. */
	for (size_t i = 0; i < all->count; i++)
		runtime_read(all->list[i], source);
	all->target = frozen;
	all->cfi = unwind_new(frozen, all->images);
	for (size_t i = 0; i < all->count; i++)
		runtime_read_machines(all->list[i]);
	threads_read(all);
	for (size_t i = 0; i < all->count; i++)
		runtime_capture(all->list[i]);
	for (size_t i = 0; i < all->count; i++)
		runtime_state_read(all->list[i], source);
	fault_capture(all);
}

void runtimes_rewind(struct runtimes *all, struct target *live)
{
	for (size_t i = 0; i < all->count; i++)
		runtime_rewind(all->list[i], live);
	unwind_free(TAKE(all->cfi));
	expansions_free(TAKE(all->expansions));
	stacks_free(all->stacks);
	reasons_free(all->reasons);
	fault_free(TAKE(all->fault));
	all->fold = (struct stack_fold){ 0 };
	xfree(TAKE(all->threads));
	xfree(TAKE(all->walks));
	all->stacks = stacks_new();
	all->reasons = reasons_new();
	all->target = live;
	all->thread_count = 0;
	all->decoded = 0;
	all->persistent = all->streams = false;
}

bool runtimes_each_ran(struct runtimes *all, const struct ran_goroutines *to)
{
	for (size_t i = 0; i < all->count; i++)
		if (!runtime_each_ran(all->list[i], to))
			return false;
	return true;
}

void runtimes_mark_changed(struct runtimes *all, struct target *source)
{
	for (size_t i = 0; i < all->count; i++)
		goroutines_mark_changed(all->list[i], source);
}

void runtimes_mark_changeable(struct runtimes *all,
			      bool (*is_of_running)(void *arg, uint64_t addr,
						    uint64_t len),
			      void *arg)
{
	for (size_t i = 0; i < all->count; i++)
		goroutines_mark_changeable(all->list[i], is_of_running, arg);
}

bool runtimes_streams(const struct runtimes *all)
{
	return all->streams;
}

void runtimes_read_ahead(struct runtimes *all, size_t first, size_t end, bool values)
{
	if (all->streams || values)
		target_extents_pass(all->target);
	for (size_t i = 0; all->streams && i < all->count; i++) {
		size_t n = all->list[i]->goroutine_count;
		if (first < n)
			runtime_read_ahead(all->list[i], first, end, true);
		first -= first < n ? first : n;
		end -= end < n ? end : n;
	}
}

void runtimes_decode(struct runtimes *all)
{
	for (size_t i = 0; i < all->count; i++)
		runtime_decode(all->list[i]);
}

const _Atomic uint64_t *runtimes_decoded(const struct runtimes *all)
{
	return &all->decoded;
}

const char *runtimes_unusable(const struct runtimes *all)
{
	return all->count ? NULL : all->unusable;
}

size_t runtimes_count(const struct runtimes *all)
{
	return all->count;
}

struct runtime *runtimes_get(const struct runtimes *all, size_t i)
{
	return all->list[i];
}

size_t runtimes_goroutine_count(const struct runtimes *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->count; i++)
		n += all->list[i]->goroutine_count;
	return n;
}

struct goroutine_of runtimes_goroutine(const struct runtimes *all, size_t i)
{
	size_t n = 0;

	for (; i >= all->list[n]->goroutine_count; n++)
		i -= all->list[n]->goroutine_count;
	return (struct goroutine_of){ n, all->list[n],
				      runtime_goroutine(all->list[n], i) };
}

bool runtimes_goroutine_on(const struct runtimes *all, size_t i, size_t thread,
			   struct goroutine_of *ret)
{
	struct runtime *rt = all->list[i];
	const uint64_t addr = thread < rt->machine_count ? rt->machines[thread].curg : 0;
	const struct goroutine *g = addr ? goroutine_by_addr(rt, addr) : NULL;

	*ret = (struct goroutine_of){ i, rt, g };
	return g && g->thread == (int32_t)thread;
}

void runtimes_begin_pass(struct runtimes *all)
{
	target_extents_pass(all->target);
}
