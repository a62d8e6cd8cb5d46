/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/image_priv.h"

#include <elf.h>
#include <string.h>

enum { HEADERS_MAX = 64 };

/* File addresses are those of the segments; the first byte of the file is at addr. */
struct mapped {
	struct target *target;
	uint64_t addr;
	Elf64_Ehdr header;
	Elf64_Phdr segments[HEADERS_MAX];
};

static bool read_headers(struct mapped *m, struct err *err)
{
	if (!target_read(m->target, m->addr, &m->header, sizeof(m->header), err))
		return false;
	if (memcmp(m->header.e_ident, ELFMAG, SELFMAG) ||
	    m->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    m->header.e_phentsize != sizeof(m->segments[0]) ||
	    m->header.e_phnum > HEADERS_MAX)
		return err_set(err, ERR_BAD_DATA, "its ELF header is not mapped");
	return target_read(m->target, m->addr + m->header.e_phoff, m->segments,
			   m->header.e_phnum * sizeof(m->segments[0]), err);
}

static bool is_constant(const Elf64_Phdr *p)
{
	return p->p_type == PT_LOAD && !(p->p_flags & PF_W);
}

/* File offset of the end of the last segment that is never written. 0: none. */
static uint64_t constant_end(const struct mapped *m)
{
	uint64_t end = 0;

	for (size_t i = 0; i < m->header.e_phnum; i++) {
		const Elf64_Phdr *p = &m->segments[i];
		if (is_constant(p) && p->p_offset + p->p_filesz >= p->p_offset &&
		    p->p_offset + p->p_filesz > end)
			end = p->p_offset + p->p_filesz;
	}
	return end;
}

static bool bias_of(const struct mapped *m, uint64_t *ret)
{
	for (size_t i = 0; i < m->header.e_phnum; i++) {
		const Elf64_Phdr *p = &m->segments[i];
		if (p->p_type != PT_LOAD || p->p_offset > p->p_vaddr)
			continue;
		*ret = m->addr - (p->p_vaddr - p->p_offset);
		return true;
	}
	return false;
}

static bool read_segments(const struct mapped *m, uint64_t bias, uint8_t *file,
			  uint64_t len, struct err *err)
{
	for (size_t i = 0; i < m->header.e_phnum; i++) {
		const Elf64_Phdr *p = &m->segments[i];
		if (!is_constant(p) || p->p_offset > len ||
		    p->p_filesz > len - p->p_offset)
			continue;
		if (!target_read(m->target, p->p_vaddr + bias, file + p->p_offset,
				 p->p_filesz, err))
			return false;
	}
	return true;
}

bool image_load_mapped(struct image *img, struct target *t, uint64_t addr, uint64_t *room)
{
	struct mapped m = { .target = t, .addr = addr };
	struct err err;
	uint64_t bias, len;

	if (!read_headers(&m, &err))
		return image_refuse(img, "%s", err.text);
	len = constant_end(&m);
	if (len < sizeof(m.header) || !bias_of(&m, &bias))
		return image_refuse(img, "its program headers map nothing");
	if (len > *room)
		return image_refuse(img, "its file cannot be opened, and it is too large "
					 "to read from memory");
	AUTO(xfree) uint8_t *file = xcalloc(1, len);
	if (!read_segments(&m, bias, file, len, &err))
		return image_refuse(img, "%s", err.text);
	/* Sections are not mapped. */
	m.header.e_shoff = 0;
	m.header.e_shnum = m.header.e_shstrndx = 0;
	memcpy(file, &m.header, sizeof(m.header));
	*room -= len;
	img->memory = TAKE(file);
	img->memory_len = len;
	if (!image_load(img))
		return false;
	image_rebase(img, bias);
	return true;
}

/* Go's own linker covers only the first of its two notes with a program header, and puts the other
 * one behind it, before the end of the page (cmd/link/internal/ld/elf.go, 1.15 to 1.27). */
static void take_notes(struct image *img, struct target *t, uint64_t addr, uint64_t len)
{
	const uint64_t behind = -(addr + len) % PAGE_BYTES;
	AUTO(xfree) uint8_t *notes = xcalloc(len + behind + 1, 1);
	struct err ignored;

	if (target_read(t, addr, notes, len + behind, &ignored))
		image_take_notes(img, notes, len + behind);
	else if (target_read(t, addr, notes, len, &ignored))
		image_take_notes(img, notes, len);
}

static struct image_segment segment_of(const Elf64_Phdr *p, uint64_t bias)
{
	return (struct image_segment){
		.addr = p->p_vaddr + bias,
		.size = p->p_memsz,
		.file_size = p->p_filesz < p->p_memsz ? p->p_filesz : p->p_memsz,
		.type = p->p_type,
		.readable = p->p_flags & PF_R,
		.writable = p->p_flags & PF_W,
		.executable = p->p_flags & PF_X,
		.align = p->p_align,
	};
}

void image_take_mapped_headers(struct image *img, struct target *t, uint64_t addr)
{
	enum { NOTES_MAX = 1 << 16 };
	struct mapped m = { .target = t, .addr = addr };
	const size_t most = HEADERS_MAX;
	struct err ignored;
	uint64_t bias;

	if (!read_headers(&m, &ignored) || !bias_of(&m, &bias))
		return;
	img->machine = m.header.e_machine;
	img->entry = m.header.e_entry;
	img->headers_offset = m.header.e_phoff;
	img->bias = bias;
	img->segments = xcalloc(most, sizeof(*img->segments));
	img->segment_offsets = xcalloc(most, sizeof(*img->segment_offsets));
	img->segment_count = m.header.e_phnum;
	for (size_t i = 0; i < m.header.e_phnum; i++) {
		const Elf64_Phdr *p = &m.segments[i];
		img->segments[i] = segment_of(p, bias);
		img->segment_offsets[i] = p->p_offset;
		if (p->p_type == PT_NOTE && p->p_filesz <= NOTES_MAX)
			take_notes(img, t, p->p_vaddr + bias, p->p_filesz);
	}
}

static bool is_of(const struct target_mapping *m, const struct image *img)
{
	return m->inode && strcmp(m->path, img->path) == 0;
}

/* The loader puts variables without a value right behind those that the file has. */
static uint64_t end_of(const struct target_mapping *all, size_t n, size_t i)
{
	const bool has_more = all[i].writable && i + 1 < n && all[i + 1].writable &&
			      all[i + 1].start == all[i].end && !*all[i + 1].path;

	return all[has_more ? i + 1 : i].end;
}

void image_take_mappings(struct image *img, struct target *t)
{
	size_t n;
	const struct target_mapping *all = target_mappings(t, &n);

	img->segments = xcalloc(HEADERS_MAX, sizeof(*img->segments));
	img->segment_offsets = xcalloc(HEADERS_MAX, sizeof(*img->segment_offsets));
	for (size_t i = 0; i < n && img->segment_count < HEADERS_MAX; i++) {
		const struct target_mapping *m = &all[i];
		if (!is_of(m, img))
			continue;
		img->segment_offsets[img->segment_count] = m->offset;
		img->segments[img->segment_count++] = (struct image_segment){
			.addr = m->start,
			.size = end_of(all, n, i) - m->start,
			.file_size = m->end - m->start,
			.type = PT_LOAD,
			.readable = m->readable,
			.writable = m->writable,
			.executable = m->executable,
			.align = PAGE_BYTES,
		};
	}
}
