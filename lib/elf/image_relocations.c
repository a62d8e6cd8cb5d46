/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/image_relocations.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"

struct relocation {
	uint64_t addr, value;
};

struct image_relocations {
	struct relocation *list; /* sorted */
	size_t count;
};

static bool find_segment(const struct image *img, uint32_t type,
			 struct image_segment *ret)
{
	for (size_t i = 0; image_segment(img, i, ret); i++)
		if (ret->type == type)
			return true;
	return false;
}

/* Where DT_RELA says that the table is. False: there is none of a sane size. */
static bool find_table(const struct image *img, uint64_t *ret_addr, uint64_t *ret_len)
{
	enum { TAGS_MAX = 256 };
	struct image_segment dynamic;
	Elf64_Dyn tag;
	struct err ignored;

	*ret_addr = *ret_len = 0;
	if (!find_segment(img, PT_DYNAMIC, &dynamic))
		return false;
	for (size_t i = 0; i < TAGS_MAX; i++) {
		if (!image_read(img, dynamic.addr + i * sizeof(tag), &tag, sizeof(tag),
				&ignored) ||
		    tag.d_tag == DT_NULL)
			break;
		if (tag.d_tag == DT_RELA)
			*ret_addr = tag.d_un.d_ptr + image_bias(img);
		else if (tag.d_tag == DT_RELASZ)
			*ret_len = tag.d_un.d_val;
	}
	return *ret_addr && *ret_len && *ret_len <= LIMIT_RELOCATION_BYTES;
}

static int by_address(const void *a, const void *b)
{
	const struct relocation *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

struct image_relocations *image_relocations_read(const struct image *img)
{
	uint64_t addr, len;
	struct err ignored;

	if (image_machine(img) != EM_X86_64 || !find_table(img, &addr, &len))
		return NULL;
	const size_t n = len / sizeof(Elf64_Rela);
	AUTO(xfree) Elf64_Rela *table = xcalloc(n + 1, sizeof(*table));
	if (!image_read(img, addr, table, n * sizeof(*table), &ignored))
		return NULL;
	const uint64_t bias = image_bias(img);
	struct image_relocations *ret = xcalloc(1, sizeof(*ret));
	ret->list = xcalloc(n + 1, sizeof(*ret->list));
	for (size_t i = 0; i < n; i++)
		if (ELF64_R_TYPE(table[i].r_info) == R_X86_64_RELATIVE)
			ret->list[ret->count++] =
				(struct relocation){ table[i].r_offset + bias,
						     (uint64_t)table[i].r_addend + bias };
	qsort(ret->list, ret->count, sizeof(*ret->list), by_address);
	return ret;
}

void image_relocations_free(struct image_relocations *r)
{
	if (!r)
		return;
	xfree(r->list);
	xfree(r);
}

/* The first one at addr or behind. */
static size_t lower_bound(const struct image_relocations *r, uint64_t addr)
{
	return LOWER_BOUND(i, r->count, r->list[i].addr < addr);
}

/* Of the word at the relocation, the bytes that are in buf. */
static void put(const struct relocation *r, uint64_t addr, uint8_t *buf, size_t len)
{
	uint8_t word[WORD];

	memcpy(word, &r->value, WORD);
	for (size_t i = 0; i < WORD; i++)
		if (r->addr + i >= addr && r->addr + i - addr < len)
			buf[r->addr + i - addr] = word[i];
}

void image_relocations_apply(const struct image_relocations *r, uint64_t addr, void *buf,
			     size_t len)
{
	if (!r || !len)
		return;
	for (size_t i = lower_bound(r, addr < WORD ? 0 : addr - WORD + 1);
	     i < r->count && (r->list[i].addr < addr || r->list[i].addr - addr < len);
	     i++)
		put(&r->list[i], addr, buf, len);
}
