/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include <elf.h>
#include <string.h>

enum {
	WORD = 8,
	/* From the thread pointer: glibc's tcbhead_t and musl's struct pthread both have the table
	 * of blocks there. */
	DTV = 8,
	GLIBC_SLOT = 16, /* dtv_t: the pointer and what to free */
	RELOCATIONS_MAX = 1 << 20,
	BATCH = 256,
};

static bool find_segment(const struct image *img, struct image_segment *ret)
{
	for (size_t i = 0; image_segment(img, i, ret); i++)
		if (ret->type == PT_TLS)
			return true;
	return false;
}

/* The program's own is right below the thread pointer, as its alignment allows. */
static uint64_t below(const struct image *img, const struct image_segment *s,
		      uint64_t thread_pointer)
{
	const uint64_t align = s->align ? s->align : 1;
	const uint64_t at = s->addr - image_bias(img);

	return thread_pointer - s->size - (-(s->size + at) % align);
}

/* What the loader has filled in for the object's own code: its number in the table, or how far a
 * variable is from the thread pointer. */
struct filled {
	bool has_number, has_distance;
	uint64_t number;
	uint64_t distance; /* from the thread pointer to the block; wraps */
};

/* False: another object has it. */
static bool symbol_value(const struct image *img, uint64_t i, uint64_t *ret)
{
	struct image_range symbols;
	struct err ignored;
	Elf64_Sym sym;

	*ret = 0;
	if (!i)
		return true;
	if (!image_section(img, ".dynsym", &symbols) || i >= symbols.size / sizeof(sym) ||
	    !image_read(img, symbols.addr + i * sizeof(sym), &sym, sizeof(sym), &ignored))
		return false;
	*ret = sym.st_value;
	return sym.st_shndx != SHN_UNDEF;
}

static void look_at(struct target *t, const struct image *img, const Elf64_Rela *r,
		    struct filled *ret)
{
	const uint64_t type = ELF64_R_TYPE(r->r_info);
	uint64_t value, word;
	struct err ignored;

	if ((type != R_X86_64_DTPMOD64 && type != R_X86_64_TPOFF64) ||
	    !symbol_value(img, ELF64_R_SYM(r->r_info), &value) ||
	    !target_read_uint(t, image_bias(img) + r->r_offset, WORD, &word, &ignored))
		return;
	if (type == R_X86_64_DTPMOD64) {
		ret->has_number = true;
		ret->number = word;
	} else {
		ret->has_distance = true;
		ret->distance = word - value - (uint64_t)r->r_addend;
	}
}

static struct filled find_filled(struct target *t, const struct image *img)
{
	struct filled found = { .has_number = false };
	struct image_range range;
	Elf64_Rela batch[BATCH];
	struct err ignored;

	if (!image_section(img, ".rela.dyn", &range))
		return found;
	uint64_t count = range.size / sizeof(batch[0]);
	if (count > RELOCATIONS_MAX)
		count = RELOCATIONS_MAX;
	for (uint64_t i = 0, n; i < count; i += n) {
		n = count - i < BATCH ? count - i : BATCH;
		if (!image_read(img, range.addr + i * sizeof(batch[0]), batch,
				n * sizeof(batch[0]), &ignored))
			return found;
		for (uint64_t k = 0; k < n; k++) {
			look_at(t, img, &batch[k], &found);
			if (found.has_number || found.has_distance)
				return found;
		}
	}
	return found;
}

static bool is_musl(const struct images *images)
{
	for (size_t i = 0; i < images_count(images); i++)
		if (strstr(image_path(images_get(images, i)), "ld-musl"))
			return true;
	return false;
}

/* The block of that number: glibc makes it when the thread first uses it. */
static bool from_table(struct target *t, bool musl, uint64_t number,
		       uint64_t thread_pointer, uint64_t *ret, struct err *err)
{
	const uint64_t slot = musl ? WORD : GLIBC_SLOT;
	uint64_t table, count;

	if (!target_read_uint(t, thread_pointer + DTV, WORD, &table, err) ||
	    !target_read_uint(t, musl ? table : table - GLIBC_SLOT, WORD, &count, err))
		return false;
	if (number && number <= count &&
	    !target_read_uint(t, table + number * slot, WORD, ret, err))
		return false;
	return (number && number <= count && *ret && *ret != UINT64_MAX) ||
	       err_set(err, ERR_NOT_FOUND,
		       "it is thread-local, and this thread has not used it yet");
}

bool tls_block(struct target *t, const struct images *images, const struct image *img,
	       uint64_t thread_pointer, uint64_t *ret, struct err *err)
{
	struct image_segment segment;

	if (!find_segment(img, &segment))
		return err_set(
			err, ERR_NOT_FOUND,
			"its file does not say where its thread-local variables are");
	if (img == images_get(images, 0)) {
		*ret = below(img, &segment, thread_pointer);
		return true;
	}
	const struct filled found = find_filled(t, img);
	if (found.has_distance) {
		*ret = thread_pointer + found.distance;
		return true;
	}
	if (found.has_number)
		return from_table(t, is_musl(images), found.number, thread_pointer, ret,
				  err);
	return err_set(err, ERR_NOT_FOUND,
		       "its file does not say where its thread-local variables are");
}
