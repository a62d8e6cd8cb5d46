/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/symtab/release.h"

#include <string.h>

#include "goruntime/layout/build_info_priv.h"
#include "goruntime/symtab/module.h"

enum { REFERENCES_MAX = 1024 };

static const struct {
	int release;
	const char *name;
} functions[] = {
#include "goruntime/symtab/release_functions.inc"
};

/* runtime.schedinit checks whether its version is empty, so that linkers keep the
 * variable (runtime/proc.go, all releases). Of everything it refers to, only that string
 * is a version. */
static char *version_by_code(struct target *t, struct modules *modules)
{
	uint64_t refs[REFERENCES_MAX];
	size_t n = modules_references(modules, "runtime.schedinit", refs, REFERENCES_MAX);

	for (size_t i = 0; i < n; i++) {
		/* The code compares its length, or loads its address. */
		for (uint64_t at = refs[i] - WORD; at <= refs[i]; at += WORD) {
			char *version = build_version_at(t, at);
			if (version)
				return version;
		}
	}
	return NULL;
}

struct newest {
	size_t row; /* ARRAY_SIZE(functions): none yet */
};

static bool is_newer(void *arg, const char *name, uint64_t entry, uint64_t end)
{
	struct newest *newest = arg;

	(void)entry, (void)end;
	if (strncmp(name, "runtime.", strlen("runtime.")) != 0)
		return true;
	for (size_t i = 0; i < newest->row; i++)
		if (strcmp(functions[i].name, name) == 0)
			newest->row = i;
	return newest->row > 0;
}

/* Obfuscated programs may have none of these names; then only the format of their tables
 * is known. */
static int release_by_functions(const struct modules *modules)
{
	struct newest newest = { ARRAY_SIZE(functions) };

	modules_each_function(modules, is_newer, &newest);
	return newest.row < ARRAY_SIZE(functions) ? functions[newest.row].release : -1;
}

static void set_version(struct build_info *build, char *version,
			enum version_source source)
{
	/* The text found there is not a version; a warning quotes it. */
	xfree(build->not_a_version);
	build->not_a_version = build->version;
	build->version = version;
	build->version_source = source;
}

static void find_version(struct target *t, struct modules *modules,
			 struct build_info *build)
{
	char *version = version_by_code(t, modules);
	int release = release_by_functions(modules);

	if (version)
		set_version(build, version, VERSION_VARIABLE);
	else if (release >= 0)
		set_version(build, xasprintf("go1.%d", release), VERSION_FUNCTIONS);
	else
		set_version(build, xasprintf("go1.%d", modules_release(modules)),
			    modules_unnamed(modules) ? VERSION_LAYOUT : VERSION_TABLES);
}

static struct build_info *infer(struct target *t, const struct images *images,
				const struct image *img, struct build_info *build,
				struct err *err)
{
	struct err ignored;
	AUTO(modules_close)
	struct modules *modules = modules_open(t, images, img, NULL, &ignored);

	bool is_go = modules ? modules_unnamed(modules) ||
				       pclntab_has_runtime(&modules_get(modules, 0)->tab)
			     : modules_have_section(img);

	if (!is_go && !build) {
		err_set(err, ERR_NOT_FOUND,
			"%s has neither Go build information nor the module data of a "
			"Go runtime",
			image_path(img)[0] ? image_path(img) : "the executable");
		return NULL;
	}
	if (!build)
		build = xcalloc(1, sizeof(*build));
	if (modules)
		find_version(t, modules, build);
	return build;
}

struct build_info *build_info_find(struct target *t, const struct images *images,
				   const struct image *img, struct err *err)
{
	struct build_info *build = build_info_read(t, img, err);

	return build && version_minor(build->version) >= 0
		       ? build
		       : infer(t, images, img, build, err);
}

bool release_is_inferred(const struct build_info *build)
{
	return build->version_source == VERSION_FUNCTIONS ||
	       build->version_source == VERSION_TABLES ||
	       build->version_source == VERSION_LAYOUT;
}

void release_correct(struct build_info *build, const struct layout *layout, bool told)
{
	if (!release_is_inferred(build) || !layout_is_row(layout))
		return;
	if (told)
		build->version_source = VERSION_ASSUMED;
	else if (build->version_source == VERSION_FUNCTIONS &&
		 layout->minor != version_minor(build->version))
		build->version_source = VERSION_TABLES;
	xfree(build->version);
	build->version = xasprintf("go1.%d", layout->minor);
}

static char *doubt_inferred(const struct build_info *build, const struct layout *layout,
			    const char *from)
{
	const char *stands = build->not_a_version, *quote = stands ? "\"" : "";

	return xasprintf("its Go version is %s%.60s%s: %s is %s%s", quote,
			 stands ? stands : "missing", quote, build->version, from,
			 layout->assumed ? "; version and values may be wrong" : "");
}

char *release_doubt(const struct build_info *build, const struct layout *layout)
{
	switch (build->version_source) {
	case VERSION_VARIABLE:
		return xasprintf("no build information: version %s is from "
				 "runtime.buildVersion; modules and settings are unknown",
				 build->version);
	case VERSION_FUNCTIONS:
		return doubt_inferred(build, layout,
				      "inferred from its runtime functions");
	case VERSION_TABLES:
		return doubt_inferred(build, layout,
				      "inferred from the format of its tables and the "
				      "layout that fits");
	case VERSION_LAYOUT:
		return doubt_inferred(build, layout,
				      "inferred from the layout that fits its memory");
	case VERSION_ASSUMED:
		return doubt_inferred(build, layout, "given by --assume-go");
	default:
		return build->version ? NULL : xstrdup("the Go version is damaged");
	}
}
