/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/types/debug.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/globals.h"
#include "goruntime/types/type_list.h"
#include "lib/elf/image_debug.h"

struct debug_info {
	bool tried;
	struct dwarf *dwarf;
	struct types *types; /* NULL: none; why says why */
	struct err why;
};

static size_t count(const struct runtime *rt)
{
	return rt->modules ? modules_count(rt->modules) : 0;
}

static struct debug_info *debug_of(struct runtime *rt, size_t module)
{
	const struct module *m = modules_get(rt->modules, module);

	if (!rt->debug)
		rt->debug = xcalloc(modules_count(rt->modules), sizeof(*rt->debug));
	struct debug_info *d = &rt->debug[module];
	if (d->tried)
		return d;
	d->tried = true;
	d->dwarf = m->image ? dwarf_open(m->image, &d->why) : NULL;
	if (!m->image)
		err_set(&d->why, ERR_NOT_FOUND, "a module has no file");
	if (d->dwarf)
		d->types = types_new(rt, d->dwarf, m->types);
	return d;
}

void debug_free(struct runtime *rt)
{
	for (size_t i = 0; rt->debug && i < modules_count(rt->modules); i++) {
		types_free(rt->debug[i].types);
		dwarf_close(rt->debug[i].dwarf);
	}
	types_free(rt->described);
	type_list_free(rt->type_list);
	xfree(rt->debug);
}

bool debug_of_module(struct runtime *rt, const struct module *m, struct dwarf **ret_dwarf,
		     struct types **ret_types, struct err *err)
{
	for (size_t i = 0; i < modules_count(rt->modules); i++) {
		if (modules_get(rt->modules, i) != m)
			continue;
		struct debug_info *d = debug_of(rt, i);
		*ret_dwarf = d->dwarf;
		*ret_types = d->types;
		*err = d->why;
		return d->types != NULL;
	}
	return err_set(err, ERR_NOT_FOUND, "its module is unknown");
}

/* Checks up to this many of the functions that goroutines are in. */
struct probe {
	struct runtime *rt;
	const struct module *module;
	struct dwarf *dwarf;
	size_t tried, unknown;
};

enum { PROBES = 64 };

static void probe_stack(struct probe *p, struct stack stack)
{
	for (uint32_t i = 0; i < stack.count && p->tried < PROBES; i++) {
		struct runtime *rt;
		const struct code *c =
			code_of_frame(p->rt->shared, &stack.frames[i], &rt);
		if (!c || rt != p->rt || c->module != p->module)
			continue;
		p->tried++;
		p->unknown += !dwarf_has_function(
			p->dwarf, c->entry - image_bias(p->module->image));
	}
}

/* Are most of them unknown to otherwise sound debugging information? A few may be so
 * legitimately. */
static void probe_module(struct runtime *rt, const struct module *m, struct dwarf *d)
{
	struct probe p = { .rt = rt, .module = m, .dwarf = d };
	struct err why;

	const struct image *file = image_debug(m->image, &why);
	if (!dwarf_check(d, &why)) {
		warnings_add(rt->warnings, "debug information", "%s: %s",
			     image_path(file), why.text);
		return;
	}
	if (!dwarf_has_go(d))
		return;
	for (size_t i = 0; i < stacks_count(rt->shared->stacks) && p.tried < PROBES; i++)
		probe_stack(&p, stacks_get(rt->shared->stacks, (uint32_t)i));
	if (p.unknown > p.tried / 2)
		warnings_add(rt->warnings, "debug information",
			     "%s is damaged or incomplete: it does not describe %zu of "
			     "%zu functions",
			     image_path(file), p.unknown, p.tried);
}

void runtimes_check_debug(struct runtimes *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct runtime *rt = all->list[i];
		for (size_t k = 0; k < count(rt); k++) {
			struct debug_info *d = debug_of(rt, k);
			if (d->dwarf)
				probe_module(rt, modules_get(rt->modules, k), d->dwarf);
		}
	}
}

static const struct type *type_in_module(struct runtime *rt, uint64_t descriptor)
{
	struct err ignored;

	for (size_t i = 0; i < count(rt); i++) {
		const struct module *m = modules_get(rt->modules, i);
		if (descriptor < m->types || descriptor >= m->etypes)
			continue;
		struct debug_info *d = debug_of(rt, i);
		return d->types ? types_of_descriptor(d->types, descriptor, &ignored)
				: NULL;
	}
	return NULL;
}

/* The linker drops types that no variable has; those have only descriptors. */
const struct type *runtime_type_at(struct runtime *rt, uint64_t descriptor,
				   struct err *err)
{
	const struct type *type = type_in_module(rt, descriptor);

	if (!rt->described)
		rt->described = types_new(rt, NULL, 0);
	return type ? type : types_at(rt->described, descriptor, err);
}

static const struct type *described_type_named(struct runtime *rt, const char *name,
					       struct err *err)
{
	if (!rt->type_list)
		rt->type_list = type_list_new(rt);
	const uint64_t addr = type_list_find(rt, rt->type_list, name);
	if (addr)
		return runtime_type_at(rt, addr, err);
	err_set(err, ERR_NOT_FOUND, "no type named %s", name);
	return NULL;
}

static const struct type *known_type_named(struct runtime *rt, const char *name,
					   struct err *err)
{
	bool described = false;

	err_set(err, ERR_NOT_FOUND, "no Go runtime found");
	for (size_t i = 0; i < count(rt); i++) {
		struct debug_info *d = debug_of(rt, i);
		const struct type *found =
			d->types ? types_named(d->types, name, err) : NULL;
		if (found)
			return found;
		described |= !d->types;
	}
	return described ? described_type_named(rt, name, err) : NULL;
}

/* Parses "*", "[]" or "[3]" before a name. Returns the rest; NULL: none of these. */
static const char *composed(const char *name, enum type_kind *ret_kind,
			    uint64_t *ret_count)
{
	char *end;

	*ret_count = 0;
	*ret_kind = name[0] == '*' ? KIND_POINTER : KIND_SLICE;
	if (name[0] == '*')
		return name + 1;
	if (name[0] != '[')
		return NULL;
	if (name[1] == ']')
		return name + 2;
	*ret_kind = KIND_ARRAY;
	errno = 0;
	*ret_count = strtoull(name + 1, &end, 10);
	return name[1] >= '0' && name[1] <= '9' && *end == ']' && !errno ? end + 1 : NULL;
}

const struct type *runtime_type_named(struct runtime *rt, const char *name,
				      struct err *err)
{
	enum { COMPOSED_MAX = 16 };
	struct {
		enum type_kind kind;
		uint64_t count;
	} steps[COMPOSED_MAX];
	const struct type *type = known_type_named(rt, name, err);
	const char *rest = name;
	size_t n = 0;

	while (!type && n < COMPOSED_MAX &&
	       (rest = composed(rest, &steps[n].kind, &steps[n].count))) {
		struct err ignored;
		n++;
		type = known_type_named(rt, rest, &ignored);
	}
	while (type && n-- > 0) {
		const uint64_t size = type_size(type);
		if (size && steps[n].count > INT64_MAX / size)
			return NULL;
		type = types_compose(steps[n].kind, steps[n].count, type);
	}
	return type;
}

bool runtime_global(struct runtime *rt, const char *name, struct value *ret,
		    struct err *err)
{
	uint64_t ref, addr;

	err_set(err, ERR_NOT_FOUND, "no variable named %s", name);
	for (size_t i = 0; i < count(rt); i++) {
		struct debug_info *d = debug_of(rt, i);
		if (!d->types)
			*err = d->why;
		if (!d->types || !dwarf_named_variable(d->dwarf, name, &ref, &addr))
			continue;
		ret->type = types_at(d->types, ref, err);
		ret->addr = addr + image_bias(modules_get(rt->modules, i)->image);
		return ret->type != NULL;
	}
	return false;
}

struct global {
	char *name;
	uint64_t ref, addr;
	size_t module;
};

struct globals {
	const char *packages;
	const char *own; /* path of main's module; NULL: not known */
	size_t module;
	struct global *list;
	size_t count, cap;
};

static bool is_own(const char *package, const char *own)
{
	size_t len = own ? strlen(own) : 0;

	if (strcmp(package, "main") == 0)
		return true;
	return len && strncmp(package, own, len) == 0 &&
	       (package[len] == '/' || package[len] == '\0');
}

/* "net/http.DefaultClient": a path may have dots too, but none after its last slash.
 * Variables made by the compiler have two dots. */
static bool is_in(const char *name, const struct globals *g)
{
	const char *slash = strrchr(name, '/'), *dot = strchr(slash ? slash : name, '.');

	if (!dot || dot[1] == '.')
		return false;
	AUTO(xfree) char *package = xstrndup(name, (size_t)(dot - name));
	return g->packages[0] ? fnmatch(g->packages, package, 0) == 0
			      : is_own(package, g->own);
}

static void add_global(void *arg, const char *name, uint64_t ref, uint64_t addr)
{
	struct globals *g = arg;

	if (!is_in(name, g))
		return;
	GROW(g->list, g->count, g->cap);
	g->list[g->count++] = (struct global){ xstrdup(name), ref, addr, g->module };
}

static int by_name(const void *a, const void *b)
{
	const struct global *x = a, *y = b;

	return strcmp(x->name, y->name);
}

bool runtime_each_global(struct runtime *rt, const char *packages, global_fn *fn,
			 void *arg, struct err *err)
{
	struct globals g = { .packages = packages,
			     .own = rt->build ? rt->build->module : NULL };
	bool any = false;

	err_set(err, ERR_NOT_FOUND, "no Go runtime found");
	for (size_t i = 0; i < count(rt); i++) {
		struct debug_info *d = debug_of(rt, i);
		g.module = i;
		any |= d->types != NULL;
		if (d->types)
			dwarf_each_named_variable(d->dwarf, add_global, &g);
		else if (!any)
			*err = d->why;
	}
	if (g.count)
		qsort(g.list, g.count, sizeof(*g.list), by_name);
	for (size_t i = 0; i < g.count; i++) {
		const struct global *one = &g.list[i];
		struct err ignored;
		const struct image *img = modules_get(rt->modules, one->module)->image;
		const struct value v = { types_at(debug_of(rt, one->module)->types,
						  one->ref, &ignored),
					 one->addr + image_bias(img) };
		fn(arg, one->name, &v);
		xfree(one->name);
	}
	xfree(g.list);
	return any;
}
