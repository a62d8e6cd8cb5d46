/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/probes/goroutine_list.h"

#include <elf.h>
#include <string.h>

#include "goruntime/layout/build_info_priv.h"
#include "goruntime/layout/layout.h"
#include "goruntime/symtab/module.h"
#include "goruntime/symtab/release.h"
#include "lib/elf/target_image.h"

enum {
	REFERENCES_MAX = 64,
	G_UNIT = 32, /* the allocator's size classes: neighbours touch each other then */
};

static bool has_words(const uint64_t *refs, size_t n, uint64_t first)
{
	bool second = false, third = false;

	for (size_t i = 0; i < n; i++) {
		second |= refs[i] == first + WORD;
		third |= refs[i] == first + 2 * WORD;
	}
	return second && third;
}

/* runtime.allgadd appends to allgs, so it refers to the three words of the slice. */
static uint64_t find_by_code(struct target *t, const struct images *images,
			     const struct image *img)
{
	uint64_t refs[REFERENCES_MAX];
	struct err ignored;
	AUTO(modules_close)
	struct modules *modules = modules_open(t, images, img, NULL, &ignored);
	const size_t n = modules ? modules_references(modules, "runtime.allgadd", refs,
						      REFERENCES_MAX)
				 : 0;

	for (size_t i = 0; i < n; i++)
		if (has_words(refs, n, refs[i]))
			return refs[i];
	return 0;
}

static uint64_t find_allgs(struct target *t, const struct images *images,
			   const struct image *img)
{
	struct image_range symbol;

	return image_symbol(img, "runtime.allgs", &symbol) ? symbol.addr
							   : find_by_code(t, images, img);
}

/* The table first, as reading DWARF takes much longer. */
static bool find_layout(const struct image *img, int release, const char *arch,
			struct layout *ret, struct err *err)
{
	return (layout_from_table(release, arch, 0, ret) && !ret->assumed) ||
	       layout_from_dwarf(img, ret, err);
}

static uint32_t end_of(const struct layout *l, enum layout_slot from, enum layout_slot to)
{
	uint32_t end = 0;

	for (int slot = (int)from; slot <= (int)to; slot++)
		if (layout_has(l, (enum layout_slot)slot) &&
		    (uint32_t)l->slot[slot].off + l->slot[slot].size > end)
			end = (uint32_t)l->slot[slot].off + l->slot[slot].size;
	return end;
}

static void take_layout(const struct layout *l, struct goroutine_list *ret)
{
#define OFFSET(name) ((uint16_t)l->slot[L_##name].off)
	ret->g_bytes = ((uint32_t)l->slot[L_g_size].off + G_UNIT - 1) / G_UNIT * G_UNIT;
	ret->m_bytes = end_of(l, L_m_g0, L_m_throwing);
	ret->g_stack_lo = OFFSET(g_stack_lo);
	ret->g_stack_hi = OFFSET(g_stack_hi);
	ret->g_m = OFFSET(g_m);
	ret->g_sched_sp = OFFSET(g_sched_sp);
	ret->g_syscallsp = OFFSET(g_syscallsp);
	ret->m_g0 = OFFSET(m_g0);
	ret->m_gsignal = OFFSET(m_gsignal);
#undef OFFSET
}

static void take_segments(const struct image *img, struct goroutine_list *ret)
{
	struct image_segment s;

	ret->code = UINT64_MAX;
	for (size_t i = 0; image_segment(img, i, &s); i++) {
		if (s.type != PT_LOAD)
			continue;
		if (s.executable && s.addr < ret->code)
			ret->code = s.addr;
		if (ret->segment_count == GOROUTINE_LIST_SEGMENTS)
			continue;
		struct loaded_segment *to = &ret->segments[ret->segment_count++];
		*to = (struct loaded_segment){ .addr = s.addr,
					       .size = s.size,
					       .file_size = s.file_size,
					       .writable = s.writable,
					       .executable = s.executable };
		if (!image_file_offset(img, s.addr, &to->offset))
			to->file_size = 0;
	}
}

bool goroutine_list_find(int file, const char *name, struct goroutine_list *ret,
			 struct err *err)
{
	AUTO(images_close)
	struct images *images = images_open_descriptor(file, name, err);
	struct layout layout;

	*ret = (struct goroutine_list){ .segment_count = 0 };
	if (!images)
		return false;
	const struct image *img = images_get(images, 0);
	AUTO(target_close) struct target *t = target_image_new(img, err);
	AUTO(build_info_free)
	struct build_info *build = t ? build_info_find(t, images, img, err) : NULL;
	if (!build || !find_layout(img, version_minor(build->version),
				   target_arch(t)->name, &layout, err))
		return false;
	take_layout(&layout, ret);
	take_segments(img, ret);
	ret->allgs = find_allgs(t, images, img);
	return ret->allgs != 0 ||
	       err_set(err, ERR_UNSUPPORTED,
		       "%.200s: its list of goroutines was not found", name);
}
