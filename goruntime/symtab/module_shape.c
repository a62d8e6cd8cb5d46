/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/symtab/module_shape.h"

#include <elf.h>

#include "lib/base/limit.h"

/* Is there a slice at w, with len equal to cap, that starts within a table at header? */
static bool is_part_of_table(const uint64_t *w, uint64_t header)
{
	return w[0] > header && w[0] - header < LIMIT_PCLNTAB_BYTES && w[1] > 0 &&
	       w[1] == w[2] && w[1] < LIMIT_PCLNTAB_BYTES;
}

/* From 1.16 on moduledata starts with the header's address and a slice for each table, the last one
 * twice, as bytes and as functab. Before, with a slice of the whole table, functab and the file
 * table. */
bool module_is_head(const uint64_t w[MODULE_HEAD_WORDS])
{
	enum { TABLES = 6, SLICE = 3 };

	if (w[0] == 0 || w[0] % WORD != 0)
		return false;
	if (w[1] == w[2])
		return w[1] > 0 && is_part_of_table(w + SLICE, w[0]) &&
		       is_part_of_table(w + 2 * SLICE, w[0]);
	for (size_t i = 0; i < TABLES; i++)
		if (!is_part_of_table(w + 1 + i * SLICE, w[0]))
			return false;
	return w[1 + 4 * SLICE] == w[1 + 5 * SLICE];
}

static bool is_in_segment(const struct image *img, uint64_t from, uint64_t to,
			  bool writable)
{
	struct image_segment seg;

	for (size_t i = 0; image_segment(img, i, &seg); i++)
		if (seg.type == PT_LOAD && from >= seg.addr && to >= from &&
		    to - seg.addr <= seg.size && (!writable || seg.writable))
			return true;
	return false;
}

/* Each of these is within a segment. */
static const struct {
	enum layout_slot begin, end;
	bool writable;
} areas[] = {
	{ L_md_text, L_md_etext, false },
	{ L_md_noptrdata, L_md_enoptrdata, true },
	{ L_md_data, L_md_edata, true },
	{ L_md_bss, L_md_ebss, true },
	{ L_md_noptrbss, L_md_enoptrbss, true },
	{ L_md_types, L_md_etypes, false },
};

bool module_has_shape(const struct layout *l, const struct image *img, const uint8_t *md,
		      size_t size)
{
	const uint64_t minpc = layout_get(l, L_md_minpc, md, size),
		       maxpc = layout_get(l, L_md_maxpc, md, size);

	if (!img)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(areas); i++) {
		const uint64_t begin = layout_get(l, areas[i].begin, md, size),
			       end = layout_get(l, areas[i].end, md, size);
		if (begin >= end || !is_in_segment(img, begin, end, areas[i].writable))
			return false;
	}
	return layout_get(l, L_md_text, md, size) <= minpc && minpc < maxpc &&
	       maxpc <= layout_get(l, L_md_etext, md, size);
}

bool module_constants_fit(const struct layout *l, const struct image *img,
			  const uint8_t *md, size_t size)
{
	static const enum layout_slot constants[] = { L_md_rodata, L_md_gofunc };

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		const uint64_t at = layout_get(l, constants[i], md, size);
		if (layout_has(l, constants[i]) && !is_in_segment(img, at, at, false))
			return false;
	}
	return true;
}
