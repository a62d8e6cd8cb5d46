/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "printers/document/print_document.h"
#include "printers/values/redacted.h"

/* NULL: as usual. */
static const char *const version_sources[] = {
	[VERSION_BUILD_INFO] = NULL,
	[VERSION_VARIABLE] = "runtime.buildVersion",
	[VERSION_FUNCTIONS] = "runtime functions",
	[VERSION_TABLES] = "tables and layout",
	[VERSION_LAYOUT] = "layout",
	[VERSION_ASSUMED] = "--assume-go",
};

static void print_settings(struct sink *out, const struct build_info *info,
			   struct redaction *r)
{
	sink_named_begin(out, "settings", SINK_ARRAY);
	for (size_t i = 0; i < info->setting_count; i++) {
		const char *value = info->settings[i].value;
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "key", info->settings[i].key);
		if (value)
			print_text_without_secrets(
				out, r, "value", NULL,
				(struct bytes_of_text){ value, strlen(value) });
		sink_end(out);
	}
	sink_end(out);
}

static void print_dependencies(struct sink *out, const struct build_info *info)
{
	sink_named_begin(out, "dependencies", SINK_ARRAY);
	for (size_t i = 0; i < info->dependency_count; i++) {
		const struct build_dependency *d = &info->dependencies[i];
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "path", d->path);
		sink_named_string(out, "version", d->version);
		sink_named_string(out, "replaced_by", d->replaced_by);
		sink_end(out);
	}
	sink_end(out);
}

/* Settings are recorded since 1.18 and are never empty; dependencies, if there are
 * modules. */
static void print_build_info(struct sink *out, const struct build_info *info,
			     struct redaction *r)
{
	sink_named_string(out, "version", info->version);
	sink_named_string(out, "version_source", version_sources[info->version_source]);
	sink_named_string(out, "module", info->module ? info->module : info->path);
	sink_named_string(out, "module_version", info->module_version);
	if (info->setting_count > 0)
		print_settings(out, info, r);
	if (info->module || info->dependency_count > 0)
		print_dependencies(out, info);
}

/* Prints nothing for a runtime whose only image is the program itself. */
static void print_images(struct sink *out, const struct runtime *rt)
{
	struct runtime_image own = runtime_image(rt, 0);

	if (!own.executable)
		sink_named_string(out, "image", own.path);
	if (runtime_image_count(rt) < 2)
		return;
	sink_named_begin(out, "images", SINK_ARRAY);
	for (size_t i = 0; i < runtime_image_count(rt); i++) {
		struct runtime_image img = runtime_image(rt, i);
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "path", img.path);
		sink_named_string(out, "plugin", img.plugin);
		sink_end(out);
	}
	sink_end(out);
}

static void print_runtime(struct sink *out, const struct runtime *rt, struct redaction *r)
{
	print_build_info(out, runtime_build_info(rt), r);
	print_images(out, rt);
}

void print_go(struct sink *out, const struct runtimes *all, struct redaction *r)
{
	sink_begin(out, SINK_OBJECT);
	print_runtime(out, runtimes_get(all, 0), r);
	if (runtimes_count(all) > 1) {
		sink_named_begin(out, "other_runtimes", SINK_ARRAY);
		for (size_t i = 1; i < runtimes_count(all); i++) {
			const struct runtime *rt = runtimes_get(all, i);
			sink_begin(out, SINK_OBJECT);
			print_runtime(out, rt, r);
			sink_named_string(out, "layout", runtime_layout_source(rt));
			sink_end(out);
		}
		sink_end(out);
	}
	sink_end(out);
}
