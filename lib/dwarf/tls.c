/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/tls.h"

#include <elf.h>
#include <string.h>

enum {
	/* Offset from the thread pointer, in both glibc's tcbhead_t and musl's struct
	 * pthread. */
	DTV = 8,
	GLIBC_SLOT = 16, /* dtv_t: the pointer, and what to free */
	RELOCATIONS_MAX = 1 << 20,
	SYMBOLS_MAX = 1 << 12, /* searched for one of its own */
	BATCH = 256,
};

static bool find_segment(const struct image *img, struct image_segment *ret)
{
	for (size_t i = 0; image_segment(img, i, ret); i++)
		if (ret->type == PT_TLS)
			return true;
	return false;
}

/* The program's own block ends right below the thread pointer, subject to its
 * alignment. */
static uint64_t below(const struct image *img, const struct image_segment *s,
		      uint64_t thread_pointer)
{
	const uint64_t align = s->align ? s->align : 1;
	const uint64_t at = s->addr - image_bias(img);

	return thread_pointer - s->size - (-(s->size + at) % align);
}

/* False: defined by another object. */
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

/* False: not for the object's own code. */
static bool look_at(const struct image *img, const Elf64_Rela *r, struct image_tls *ret)
{
	const uint64_t type = ELF64_R_TYPE(r->r_info);
	uint64_t value;

	if (!symbol_value(img, ELF64_R_SYM(r->r_info), &value))
		return false;
	ret->kind = type == R_X86_64_DTPMOD64 ? IMAGE_TLS_NUMBER : IMAGE_TLS_DISTANCE;
	ret->at = r->r_offset;
	ret->added = ret->kind == IMAGE_TLS_NUMBER ? 0 : value + (uint64_t)r->r_addend;
	return true;
}

static void find_filled(const struct image *img, struct image_tls *ret)
{
	struct image_range range;
	Elf64_Rela batch[BATCH];
	struct err ignored;
	unsigned symbols = 0;

	ret->kind = IMAGE_TLS_NONE;
	if (!image_section(img, ".rela.dyn", &range))
		return;
	uint64_t count = range.size / sizeof(batch[0]);
	if (count > RELOCATIONS_MAX)
		count = RELOCATIONS_MAX;
	for (uint64_t i = 0, n; i < count; i += n) {
		n = count - i < BATCH ? count - i : BATCH;
		if (!image_read(img, range.addr + i * sizeof(batch[0]), batch,
				n * sizeof(batch[0]), &ignored))
			return;
		for (uint64_t k = 0; k < n; k++) {
			const uint64_t type = ELF64_R_TYPE(batch[k].r_info);
			if (type != R_X86_64_DTPMOD64 && type != R_X86_64_TPOFF64)
				continue;
			if (symbols++ == SYMBOLS_MAX || look_at(img, &batch[k], ret))
				return;
		}
	}
}

/* Once per file: it may have a million relocations. */
static const struct image_tls *filled(const struct image *img)
{
	struct image_tls *tls = image_tls(img);

	if (tls->kind == IMAGE_TLS_UNKNOWN)
		find_filled(img, tls);
	return tls;
}

static bool is_musl(const struct images *images)
{
	for (size_t i = 0; i < images_count(images); i++)
		if (strstr(image_path(images_get(images, i)), "ld-musl"))
			return true;
	return false;
}

/* The module's block: glibc creates it when the thread first uses it. */
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
		       "thread-local, and not yet used by this thread");
}

bool tls_block(struct target *t, const struct images *images, const struct image *img,
	       uint64_t thread_pointer, uint64_t *ret, struct err *err)
{
	struct image_segment segment;
	uint64_t word;

	if (!find_segment(img, &segment))
		return err_set(err, ERR_NOT_FOUND,
			       "its file has no thread-local storage information");
	if (img == images_get(images, 0)) {
		*ret = below(img, &segment, thread_pointer);
		return true;
	}
	const struct image_tls *tls = filled(img);
	if (tls->kind == IMAGE_TLS_NONE)
		return err_set(err, ERR_NOT_FOUND,
			       "its file has no thread-local storage information");
	if (!target_read_uint(t, image_bias(img) + tls->at, WORD, &word, err))
		return false;
	if (tls->kind == IMAGE_TLS_NUMBER)
		return from_table(t, is_musl(images), word, thread_pointer, ret, err);
	*ret = thread_pointer + word - tls->added;
	return true;
}
