/* SPDX-License-Identifier: Apache-2.0 */
/* The layout in use and how it differs from the table: for people, and for generating the
 * table. */
#include <stdio.h>
#include <string.h>

#include "goruntime/layout/build_info_priv.h"
#include "goruntime/layout/layout.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/session/layout_report.h"
#include "goruntime/symtab/release.h"
#include "goruntime/waits/wait_priv.h"

static struct layout_report *report_new(const struct build_info *build,
					const struct target *t)
{
	struct layout_report *report = xcalloc(1, sizeof(*report));

	report->go = build->version ? xstrdup(build->version) : NULL;
	report->minor = version_minor(build->version);
	report->arch = target_arch(t)->name;
	report->items = xcalloc(LAYOUT_SLOTS, sizeof(*report->items));
	report->count = LAYOUT_SLOTS;
	return report;
}

void layout_report_free(struct layout_report *report)
{
	if (!report)
		return;
	xfree(report->go);
	xfree(report->items);
	xfree(report);
}

static void fill_item(struct layout_item *item, enum layout_slot slot,
		      const struct slot *found, const struct slot_words *words)
{
	static const enum layout_kind kinds[] = {
		[SLOT_FIELD] = LAYOUT_FIELD,
		[SLOT_SIZE] = LAYOUT_SIZE,
		[SLOT_CONSTANT] = LAYOUT_CONSTANT,
	};
	const struct slot_info *info = layout_slot_info(slot);

	item->slot = info->name;
	item->kind = kinds[info->kind];
	item->value = found->off;
	item->size = found->size;
	item->described = words->described;
	snprintf(item->name, sizeof(item->name), "%.120s%s%.120s", words->type,
		 *words->type && *words->word ? "." : "", words->word);
}

/* A type that the DWARF leaves out does not contradict the row. */
static void compare(struct layout_report *report, const struct layout *row)
{
	snprintf(report->row, sizeof(report->row), "%s", row->source);
	for (size_t i = 0; i < report->count; i++) {
		struct layout_item *item = &report->items[i];
		const struct slot *slot = &row->slot[i];
		item->row_value = slot->off;
		item->row_size = slot->size;
		item->differs = item->described &&
				(item->value != slot->off || item->size != slot->size);
		report->differences += item->differs;
	}
}

/* dwarf: the image whose DWARF the layout is from; NULL: from the table. */
static void fill(struct layout_report *report, const struct layout *layout,
		 const struct image *dwarf)
{
	struct slot_words words[LAYOUT_SLOTS];
	struct layout row;
	struct err ignored;

	for (int i = 0; i < LAYOUT_SLOTS; i++)
		layout_newest_words((enum layout_slot)i, &words[i]);
	report->from_dwarf = dwarf && layout_dwarf_words(dwarf, words, &ignored);
	snprintf(report->source, sizeof(report->source), "%s", layout->source);
	for (int i = 0; i < LAYOUT_SLOTS; i++)
		fill_item(&report->items[i], (enum layout_slot)i, &layout->slot[i],
			  &words[i]);
	if (report->from_dwarf && layout_from_table(report->minor, report->arch, 0, &row))
		compare(report, &row);
}

/* Without a process a variable can only be found by name. */
static void find_by_name(struct layout_report *report, const struct image *img)
{
	struct image_range at;

	report->allgs = (struct layout_place){ 0, NULL };
	if (image_symbol(img, "runtime.allgs", &at))
		report->allgs = (struct layout_place){ at.addr, "symbol" };
	if (image_symbol(img, "runtime.firstmoduledata", &at))
		report->moduledata = (struct layout_place){ at.addr, "symbol" };
	else if (image_section(img, ".go.module", &at))
		report->moduledata = (struct layout_place){ at.addr, "section" };
}

/* Without goroutines only the moduledata can contradict a row. */
static bool module_fits(struct target *t, const struct images *images,
			const struct image *img, const struct layout *layout)
{
	struct err ignored;
	AUTO(modules_close)
	struct modules *modules = modules_open(t, images, img, layout, &ignored);

	return modules && modules_agree(modules);
}

static bool choose_row(struct target *t, const struct images *images,
		       const struct image *img, struct build_info *build,
		       struct layout *ret)
{
	const char *arch = target_arch(t)->name;
	int minor = version_minor(build->version);

	if (!release_is_inferred(build))
		return layout_from_table(minor, arch, 0, ret);
	for (unsigned rank = 0; layout_from_table(minor, arch, rank, ret); rank++) {
		layout_assume(ret);
		if (!module_fits(t, images, img, ret))
			continue;
		release_correct(build, ret, false);
		return true;
	}
	return false;
}

struct layout_report *layout_report_file(struct target *t, const struct images *images,
					 struct err *err)
{
	const struct image *img = images_get(images, 0);
	struct layout layout;

	AUTO(build_info_free)
	struct build_info *build = build_info_find(t, images, img, err);
	if (!build) {
		err->code = ERR_CANNOT;
		return NULL;
	}
	bool dwarf = layout_from_dwarf(img, &layout, err);
	if (!dwarf && !choose_row(t, images, img, build, &layout)) {
		err_set(err, ERR_UNSUPPORTED, "no layout for %s on %s",
			build->version ? build->version : "an unknown Go version",
			target_arch(t)->name);
		return NULL;
	}
	struct layout_report *report = report_new(build, t);
	fill(report, &layout, dwarf ? img : NULL);
	find_by_name(report, img);
	return report;
}

struct layout_report *layout_report_process(const struct runtime *rt, struct err *err)
{
	if (rt->unusable) {
		err_set(err, ERR_CANNOT, "%s", rt->unusable);
		return NULL;
	}
	struct layout_report *report = report_new(rt->build, rt->target);
	bool dwarf = strcmp(rt->layout.source, "dwarf") == 0;
	fill(report, &rt->layout, dwarf ? rt->image : NULL);
	report->allgs = (struct layout_place){ rt->allgs, rt->allgs_how };
	report->moduledata = (struct layout_place){ modules_get(rt->modules, 0)->addr,
						    modules_how(rt->modules) };
	return report;
}
