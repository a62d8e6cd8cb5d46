/* SPDX-License-Identifier: Apache-2.0 */
#include "printers.h"

static void print_settings(struct sink *out, const struct build_info *info)
{
	sink_named_begin(out, "settings", SINK_ARRAY);
	for (size_t i = 0; i < info->setting_count; i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "key", info->settings[i].key);
		sink_named_string(out, "value", info->settings[i].value);
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

/* Settings are recorded since 1.18, and then never none; dependencies where there are
 * modules. */
void print_build_info(struct sink *out, const struct build_info *info)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "version", info->version);
	sink_named_string(out, "module", info->module ? info->module : info->path);
	sink_named_string(out, "module_version", info->module_version);
	if (info->setting_count > 0)
		print_settings(out, info);
	if (info->module || info->dependency_count > 0)
		print_dependencies(out, info);
	sink_end(out);
}
