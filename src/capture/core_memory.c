/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/core_memory.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/search.h"
#include "lib/corefile/core_process.h"
#include "lib/target/memory_set.h"

enum {
	OBJECTS_MAX = 4096,
	OBJECT_NAME = 256,
	DYNAMIC_MAX = 512,
	VDSO_MAX = 1 << 20, /* bytes: it has some 8 KB */
};

#define DATA_MAX (UINT64_C(64) << 20) /* bytes of one object's variables */

static uint64_t word(struct capture *c, uint64_t addr)
{
	struct err ignored;
	uint64_t v;

	return addr && target_read_uint(c->frozen, addr, WORD, &v, &ignored) ? v : 0;
}

/* proc_pid_pagemap(5). */
static bool is_untouched(int pagemap, uint64_t page)
{
	enum { SWAPPED = 62, PRESENT = 63 };
	uint64_t entry;

	return pread(pagemap, &entry, sizeof(entry),
		     (off_t)(page / PAGE_BYTES * sizeof(entry))) == sizeof(entry) &&
	       !(entry >> SWAPPED & 1) && !(entry >> PRESENT & 1);
}

/* Go 1.26 has a buffer of 32 MB, and few programs use it: pages that nobody has touched are not read. */
static void add_large(struct capture *c, uint64_t start, uint64_t end)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)c->options->pid);
	const int pagemap = c->options->core.path ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	start &= ~(uint64_t)(PAGE_BYTES - 1);
	for (uint64_t page = start; page < end; page += PAGE_BYTES)
		if (pagemap < 0 || !is_untouched(pagemap, page))
			memory_set_add(c->core.regions, page,
				       end - page < PAGE_BYTES ? end - page : PAGE_BYTES);
	if (pagemap >= 0)
		close(pagemap);
}

static void add_data(struct capture *c, const struct image *img,
		     const struct image_segment *s)
{
	uint64_t size = s->size;

	if (size > DATA_MAX) {
		warnings_add(c->warnings, "core",
			     "of the variables of %.200s the first %" PRIu64
			     " bytes and what was looked at are in the core file",
			     image_path(img), DATA_MAX);
		size = DATA_MAX;
	}
	if (s->file_size > size || size - s->file_size < CORE_DATA_LARGE) {
		memory_set_add(c->core.regions, s->addr, size);
		return;
	}
	memory_set_add(c->core.regions, s->addr, s->file_size);
	add_large(c, s->addr + s->file_size, s->addr + size);
}

/* The first page has the build-id, by which debuggers find the file. */
static void add_image(struct capture *c, const struct image *img)
{
	const struct target_mapping *m;
	struct image_segment s;
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; image_segment(img, i, &s); i++) {
		if (s.type != PT_LOAD)
			continue;
		if (s.addr < low)
			low = s.addr;
		if (s.writable)
			add_data(c, img, &s);
	}
	if (low != UINT64_MAX && (m = target_mapping_at(c->frozen, low)))
		memory_set_add(c->core.regions, m->start, PAGE_BYTES);
}

static void add_name(struct capture *c, uint64_t addr)
{
	char name[OBJECT_NAME] = "";
	struct err ignored;

	/* The last page of a mapping may end before. */
	const size_t most = PAGE_BYTES - addr % PAGE_BYTES;
	const size_t len = most < sizeof(name) ? most : sizeof(name) - 1;
	if (target_read(c->frozen, addr, name, len, &ignored))
		memory_set_add(c->core.read, addr, strnlen(name, len) + 1);
}

/* The dynamic linker's list of objects (link.h), with their names: nothing that can be secret. */
static void add_objects(struct capture *c)
{
	const struct image *exe =
		images_count(c->images) ? images_get(c->images, 0) : NULL;
	struct image_segment s = { .type = PT_NULL };
	uint64_t debug = 0;

	for (size_t i = 0; exe && s.type != PT_DYNAMIC && image_segment(exe, i, &s);)
		i++;
	for (size_t i = 0; s.type == PT_DYNAMIC && !debug && i < DYNAMIC_MAX; i++) {
		const uint64_t at = s.addr + i * sizeof(Elf64_Dyn), tag = word(c, at);
		if (tag == DT_NULL)
			break;
		if (tag == DT_DEBUG)
			debug = word(c, at + WORD);
	}
	if (!debug)
		return;
	memory_set_add(c->core.read, debug, sizeof(struct r_debug));
	uint64_t at = word(c, debug + offsetof(struct r_debug, r_map));
	for (size_t n = 0; at && n < OBJECTS_MAX; n++) {
		memory_set_add(c->core.read, at, sizeof(struct link_map));
		add_name(c, word(c, at + offsetof(struct link_map, l_name)));
		at = word(c, at + offsetof(struct link_map, l_next));
	}
}

static void add_vdso(struct capture *c)
{
	const struct target_mapping *m;
	uint64_t at;

	if (target_auxv(c->frozen, AT_SYSINFO_EHDR, &at) &&
	    (m = target_mapping_at(c->frozen, at)) && m->executable &&
	    m->end - m->start <= VDSO_MAX)
		memory_set_add(c->core.regions, m->start, m->end - m->start);
}

void core_memory_record(struct capture *c, struct target *source)
{
	if (!c->options->core_file)
		return;
	if (!c->core.regions) {
		c->core.regions = memory_set_new();
		c->core.read = memory_set_new();
		c->core.words = memory_set_new();
	}
	const struct target_record record = { c->core.read, c->core.regions,
					      c->core.words };
	target_record(source, record);
	if (c->frozen)
		target_record(c->frozen, record);
}

struct stack_range {
	uint64_t low, high;
};

struct stack_ranges {
	struct stack_range *list; /* sorted */
	size_t count;
};

static int by_low(const void *a, const void *b)
{
	const struct stack_range *x = a, *y = b;
	return (x->low > y->low) - (x->low < y->low);
}

static void leave_out_stacks(void *arg, struct memory_page *page)
{
	const struct stack_ranges *s = arg;
	const uint64_t end = page->addr + PAGE_BYTES;
	size_t i = LOWER_BOUND(k, s->count, s->list[k].high <= page->addr);

	for (; i < s->count && s->list[i].low < end; i++) {
		const uint64_t low = s->list[i].low, high = s->list[i].high;
		memory_page_clear(page, low > page->addr ? low : page->addr,
				  high < end ? high : end);
	}
}

void core_memory_forget_stacks(struct capture *c)
{
	const size_t n = runtimes_goroutine_count(c->runtimes);

	if (!c->core.regions)
		return;
	AUTO(xfree) struct stack_range *list = xcalloc(n + 1, sizeof(*list));
	struct stack_ranges stacks = { .list = list };
	for (size_t i = 0; i < n; i++) {
		const struct goroutine *g = runtimes_goroutine(c->runtimes, i).goroutine;
		if (g->stack_low < g->stack_high)
			list[stacks.count++] =
				(struct stack_range){ g->stack_low, g->stack_high };
	}
	if (stacks.count)
		qsort(list, stacks.count, sizeof(*list), by_low);
	memory_set_filter(c->core.regions, leave_out_stacks, &stacks);
	memory_set_filter(c->core.read, leave_out_stacks, &stacks);
	memory_set_filter(c->core.words, leave_out_stacks, &stacks);
}

/* In whole pages: readers look for it so. */
static void add_first_stack(struct capture *c, const struct first_stack *stack)
{
	const uint64_t begin = stack->begin & ~(uint64_t)(PAGE_BYTES - 1);

	memory_set_add(c->core.regions, begin, stack->end - begin);
}

void core_memory_choose(struct capture *c, struct target *source)
{
	struct first_stack stack;

	if (!c->core.regions)
		return;
	target_record(source, (struct target_record){ .read = NULL });
	target_budget_unit(c->frozen);
	for (size_t i = 0; i < images_count(c->images); i++)
		add_image(c, images_get(c->images, i));
	add_vdso(c);
	add_objects(c);
	runtimes_core_memory(c->runtimes, c->core.read, c->core.regions);
	/* It looks for it in more than a core file needs. */
	const struct target_record record =
		target_record(c->frozen, (struct target_record){ .read = NULL });
	target_budget_unit(c->frozen);
	if (core_first_stack(c->frozen, &stack))
		add_first_stack(c, &stack);
	target_record(c->frozen, record);
}

static void keep(struct capture *c, struct memory_set *set)
{
	size_t n;
	const struct memory_page *pages = memory_set_pages(set, &n);
	AUTO(xfree) struct extent_range *ranges = xcalloc(n + 1, sizeof(*ranges));

	for (size_t i = 0; i < n; i++)
		ranges[i] = (struct extent_range){ pages[i].addr, PAGE_BYTES };
	target_extents_add(c->frozen, ranges, n, NULL);
}

void core_memory_keep(struct capture *c, struct target *source)
{
	if (!c->core.regions)
		return;
	core_memory_choose(c, source);
	target_extents_keep_all(c->frozen);
	keep(c, c->core.regions);
	keep(c, c->core.read);
}
