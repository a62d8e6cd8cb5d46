/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/probes/probe_points.h"

#include <string.h>

#include "goruntime/layout/build_info_priv.h"
#include "goruntime/layout/layout.h"
#include "goruntime/symtab/module.h"
#include "goruntime/symtab/release.h"
#include "lib/elf/target_image.h"

/* In all releases, but for fatal, which came with 1.19. What happens in which order: doc/watch.md. */
static const struct {
	const char *name;
	enum probe_kind kind;
} functions[] = {
	{ "runtime.fatalpanic", PROBE_PANIC },
	{ "runtime.throw", PROBE_THROW },
	{ "runtime.fatal", PROBE_THROW },
	{ "runtime.startpanic_m", PROBE_DYING },
	{ "runtime.raisebadsignal", PROBE_FOREIGN },
	/* Assembly, which symbols tell from 1.17 on. */
	{ "runtime.exit", PROBE_EXIT },
	{ "runtime.exit.abi0", PROBE_EXIT },
	{ "runtime.gorecover", PROBE_RECOVER },
	{ "runtime.recovery", PROBE_RECOVERED },
};

/* A program's file, as far as it is needed. */
struct program {
	struct images *images;
	const struct image *img;
	struct target *target;
};

static void program_close(struct program *p)
{
	target_close(p->target);
	images_close(p->images);
}

static bool program_open(struct program *p, int file, const char *name, struct err *err)
{
	*p = (struct program){ .images = images_open_descriptor(file, name, err) };
	if (!p->images)
		return false;
	p->img = images_get(p->images, 0);
	p->target = target_image_new(p->img, err);
	return p->target != NULL;
}

static void each_in_tables(const struct program *p, pclntab_func_fn *fn, void *arg)
{
	struct err ignored;
	AUTO(modules_close)
	struct modules *modules =
		modules_open(p->target, p->images, p->img, NULL, &ignored);

	if (modules && !modules_unnamed(modules))
		modules_each_function(modules, fn, arg);
}

struct search {
	const struct program *program;
	const struct probe_wanted *wanted;
	struct probe_points *ret;
};

static void add(const struct search *s, uint64_t addr, enum probe_kind kind,
		uint32_t function)
{
	struct probe_points *ret = s->ret;
	uint64_t offset;

	if (!image_file_offset(s->program->img, addr, &offset) ||
	    ret->count == PROBE_POINTS)
		return;
	ret->list[ret->count++] = (struct probe_point){ offset, kind, function };
}

static void find_symbols(const struct search *s)
{
	const struct image *img = s->program->img;
	struct image_range at;

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (image_symbol(img, functions[i].name, &at))
			add(s, at.addr, functions[i].kind, 0);
	for (uint32_t i = 0; i < s->wanted->function_count; i++)
		if (image_symbol(img, s->wanted->functions[i], &at))
			add(s, at.addr, PROBE_FUNCTION, i);
}

/* Several may have one name: a function, and what assembly calls it by. */
static bool add_function(void *arg, const char *name, uint64_t entry, uint64_t end)
{
	const struct search *s = arg;

	(void)end;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strcmp(name, functions[i].name) == 0)
			add(s, entry, functions[i].kind, 0);
	for (uint32_t i = 0; i < s->wanted->function_count; i++)
		if (strcmp(name, s->wanted->functions[i]) == 0)
			add(s, entry, PROBE_FUNCTION, i);
	return true;
}

static bool has_kind(const struct probe_points *points, enum probe_kind kind)
{
	for (size_t i = 0; i < points->count; i++)
		if (points->list[i].kind == kind)
			return true;
	return false;
}

static void drop_kind(struct probe_points *points, enum probe_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < points->count; i++)
		if (points->list[i].kind != kind)
			points->list[n++] = points->list[i];
	points->count = n;
}

/* Arguments are in registers from 1.17 on, which describes them in funcdata. From 1.22 on, which unwinds
 * open-coded calls in _panic, a panic stays in its goroutine's list until its frames are gone; before, only
 * until the deferred function has returned. */
static void describe(const struct program *p, const char *version,
		     struct probe_points *ret)
{
	struct layout layout;

	ret->release = version_minor(version);
	const bool known =
		layout_from_table(ret->release, target_arch(p->target)->name, 0, &layout);
	ret->stack_arguments = known && !layout_has(&layout, L_funcdata_arg_info);
	if (known && !layout_has(&layout, L_panic_defer_bits_ptr)) {
		ret->panic_offset = (uint16_t)layout.slot[L_g_panic].off;
		ret->recovered_offset = (uint16_t)layout.slot[L_panic_recovered].off;
		drop_kind(ret, PROBE_RECOVERED);
	} else {
		drop_kind(ret, PROBE_RECOVER);
	}
}

static bool find(const struct program *p, const char *name,
		 const struct probe_wanted *wanted, struct probe_points *ret,
		 struct err *err)
{
	struct search search = { p, wanted, ret };
	AUTO(build_info_free)
	struct build_info *build = build_info_find(p->target, p->images, p->img, err);

	if (!build)
		return false;
	find_symbols(&search);
	if (!has_kind(ret, PROBE_PANIC)) {
		ret->count = 0;
		each_in_tables(p, add_function, &search);
	}
	describe(p, build->version, ret);
	return has_kind(ret, PROBE_PANIC) ||
	       err_set(err, ERR_UNSUPPORTED,
		       "%.200s has no Go runtime of its own that gosnap knows", name);
}

bool probe_points_find(int file, const char *name, const struct probe_wanted *wanted,
		       struct probe_points *ret, struct err *err)
{
	struct program program;

	*ret = (struct probe_points){ .count = 0 };
	const bool ok = program_open(&program, file, name, err) &&
			find(&program, name, wanted, ret, err);
	program_close(&program);
	return ok;
}

struct naming {
	bool (*fn)(void *arg, const char *name);
	void *arg;
};

static bool tell_name(void *arg, const char *name, uint64_t entry, uint64_t end)
{
	const struct naming *n = arg;

	(void)entry, (void)end;
	return n->fn(n->arg, name);
}

void probe_points_each_name(int file, bool (*fn)(void *arg, const char *name), void *arg)
{
	struct naming naming = { fn, arg };
	struct program program;
	struct err ignored;

	if (program_open(&program, file, "", &ignored))
		each_in_tables(&program, tell_name, &naming);
	program_close(&program);
}
