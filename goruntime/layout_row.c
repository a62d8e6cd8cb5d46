/* SPDX-License-Identifier: Apache-2.0 */
/* layout-row PID: the row of layout_table.inc for a running Go program that has its DWARF.
 * For maintainers; tests/layout-rows runs it for every toolchain. */
#include <stdio.h>
#include <stdlib.h>

#include "build_info.h"
#include "layout.h"
#include "target_live.h"

static bool print_row(pid_t pid, struct err *err)
{
	struct layout layout;
	AUTO(target_close) struct target *t = target_live_open(pid, err);
	if (!t)
		return false;
	AUTO(images_close) struct images *images = images_open(t);
	const struct image *img = images_get(images, 0);
	AUTO(build_info_free) struct build_info *info = build_info_read(t, img, err);
	if (!info || !layout_from_dwarf(img, &layout, err))
		return false;
	printf("/* %s */\n{ %d, \"%s\", {\n", info->version, version_minor(info->version),
	       target_arch(t)->name);
	for (int i = 0; i < LAYOUT_SLOTS; i++)
		printf("\t[L_%s] = { %d, %u },\n", layout_slot_name((enum layout_slot)i),
		       layout.slot[i].off, layout.slot[i].size);
	printf("} },\n");
	return true;
}

int main(int argc, char **argv)
{
	struct err err;

	if (argc != 2 || !print_row(atoi(argv[1]), &err)) {
		fprintf(stderr, "layout-row: %s\n",
			argc == 2 ? err.text : "give one PID");
		return 1;
	}
	return 0;
}
