/* SPDX-License-Identifier: Apache-2.0 */
/* The Go runtimes of a process, and what they share. The three steps: open while the process
 * runs, capture while it stands still, decode after it was let go. */
#include "limit.h"
#include "runtime_priv.h"

static void add_runtime(struct runtimes *all, const struct image *img,
			struct build_info *build, const char *assume_go)
{
	GROW(all->list, all->count, all->cap);
	all->list[all->count++] = runtime_open(all, img, build, assume_go);
}

struct runtimes *runtimes_open(struct target *t, const struct images *images,
			       const char *assume_go, struct warnings *warnings)
{
	struct runtimes *all = xcalloc(1, sizeof(*all));
	const struct image *img = images_count(images) ? images_get(images, 0) : NULL;
	struct err err;

	all->target = t;
	all->images = images;
	all->warnings = warnings;
	all->stacks = stacks_new();
	all->reasons = reasons_new();
	all->scratch = xcalloc(LIMIT_FRAMES, sizeof(*all->scratch));
	target_budget_unit(t);
	struct build_info *build = img ? build_info_read(t, img, &err) : NULL;
	if (build)
		add_runtime(all, img, build, assume_go);
	else
		all->unusable = xstrdup(img ? err.text : "no executable image was found");
	return all;
}

void runtimes_close(struct runtimes *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->count; i++)
		runtime_close(all->list[i]);
	xfree(all->list);
	xfree(all->threads);
	xfree(all->walks);
	xfree(all->scratch);
	xfree(all->unusable);
	unwind_free(all->cfi);
	stacks_free(all->stacks);
	reasons_free(all->reasons);
	xfree(all);
}

void runtimes_capture(struct runtimes *all, struct target *frozen)
{
	/* The g structs are reduced to records at once: no reason to keep their pages. */
	for (size_t i = 0; i < all->count; i++)
		runtime_read(all->list[i]);
	all->target = frozen;
	all->cfi = unwind_new(frozen, all->images);
	for (size_t i = 0; i < all->count; i++)
		runtime_read_machines(all->list[i]);
	threads_read(all);
	for (size_t i = 0; i < all->count; i++)
		runtime_capture(all->list[i]);
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
	return all->unusable;
}

size_t runtimes_count(const struct runtimes *all)
{
	return all->count;
}

struct runtime *runtimes_get(const struct runtimes *all, size_t i)
{
	return all->list[i];
}

const struct code *runtimes_code_at(const struct runtimes *all, uint64_t pc, bool exact,
				    struct runtime **ret)
{
	for (size_t i = 0; i < all->count; i++) {
		struct runtime *rt = all->list[i];
		const struct code *c = rt->code ? code_at(rt->code, pc, exact) : NULL;
		if (!c)
			continue;
		*ret = rt;
		return c;
	}
	return NULL;
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
	struct runtime **rt = all->list;

	for (; i >= (*rt)->goroutine_count; rt++)
		i -= (*rt)->goroutine_count;
	return (struct goroutine_of){ *rt, &(*rt)->goroutines[i] };
}

const struct thread_state *runtimes_thread(const struct runtimes *all, size_t i)
{
	return &all->threads[i];
}

const char *runtimes_reason(const struct runtimes *all, uint32_t reason)
{
	return reasons_get(all->reasons, reason);
}

size_t runtimes_stack_count(const struct runtimes *all)
{
	return stacks_count(all->stacks);
}

struct stack runtimes_stack(const struct runtimes *all, uint32_t id)
{
	return stacks_get(all->stacks, id);
}
