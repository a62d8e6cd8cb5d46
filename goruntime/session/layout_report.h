/* SPDX-License-Identifier: Apache-2.0 */
/* layout_report.h - runtime struct offsets, one for each slot of layout.def, and their
 * source. */
#ifndef GOSNAP_LAYOUT_REPORT_H
#define GOSNAP_LAYOUT_REPORT_H

#include "lib/elf/image.h"
#include "lib/target/target.h"

struct runtime;

enum layout_kind { LAYOUT_FIELD, LAYOUT_SIZE, LAYOUT_CONSTANT };

struct layout_item {
	const char *slot; /* "g_goid" */
	char name[256]; /* "runtime.g.goid": as in its DWARF, else as in the newest Go */
	enum layout_kind kind;
	int32_t value;	/* offset of a field, bytes of a type, a constant; -1: absent */
	uint32_t size;	/* of a field */
	bool described; /* false: DWARF omits types that the program does not use */
	/* Compared with the table row; set only when the layout is from DWARF. */
	bool differs;
	int32_t row_value;
	uint32_t row_size;
};

struct layout_place {
	uint64_t addr;	 /* 0: not found */
	const char *how; /* "symbol", "section", "code", "scan"; NULL: not found */
};

struct layout_report {
	char *go; /* "go1.24.4"; NULL: damaged */
	int minor;
	const char *arch;
	char source[64]; /* as runtime_layout_source() returns it */
	bool from_dwarf;
	char row[64]; /* the table row compared with; "": the layout is not from DWARF */
	struct layout_item *items;
	size_t count, differences;
	struct layout_place allgs, moduledata;
};

/* For a program that need not be running (target_image.h): from its DWARF, else from the
 * row of its release or the nearest one, which nothing then confirms. images: of that
 * file alone. ERR_CANNOT: not built by the gc toolchain. */
struct layout_report *layout_report_file(struct target *t, const struct images *images,
					 struct err *err);
/* What runtime_open() found and the process confirmed. ERR_CANNOT: the runtime is
 * unusable. */
struct layout_report *layout_report_process(const struct runtime *rt, struct err *err);
void layout_report_free(struct layout_report *report);
DEFINE_AUTO(struct layout_report, layout_report_free)

#endif
