/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/image_priv.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/bytes.h"
#include "lib/base/limit.h"
#include "lib/elf/notes.h"

enum {
	CHUNK = 65536,
	CHUNK_READ = 1,
	CHUNK_BAD = 2,
	SEGMENTS_MAX = 4096,
	SECTIONS_MAX = 65536,
	NOTES_MAX = 1 << 20, /* bytes in total */
	NT_GO_BUILD_ID = 4,
};

bool image_refuse(struct image *img, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	xfree(img->unreadable);
	img->unreadable = xstrdup(text);
	return false;
}

static bool load_header(struct image *img)
{
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	/* With ELF_C_READ, libelf uses pread rather than mmap. */
	img->elf = img->memory ? elf_memory((char *)img->memory, img->memory_len)
			       : elf_begin(img->fd, ELF_C_READ, NULL);
	if (!img->elf || elf_kind(img->elf) != ELF_K_ELF ||
	    !gelf_getehdr(img->elf, &header))
		return image_refuse(img, "it is not an ELF file");
	if (gelf_getclass(img->elf) != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return image_refuse(img, "it is not a 64-bit little-endian ELF file");
	img->machine = header.e_machine;
	img->entry = header.e_entry;
	img->headers_offset = header.e_phoff;
	return true;
}

static bool load_segments(struct image *img)
{
	size_t n;

	if (elf_getphdrnum(img->elf, &n) || n == 0 || n > SEGMENTS_MAX)
		return image_refuse(img, "it has no program headers, or too many");
	img->segments = xcalloc(n, sizeof(*img->segments));
	img->segment_offsets = xcalloc(n, sizeof(*img->segment_offsets));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(img->elf, (int)i, &p))
			return image_refuse(img, "its program headers cannot be read");
		img->segments[i] = (struct image_segment){
			.addr = p.p_vaddr,
			.size = p.p_memsz,
			.file_size = p.p_filesz < p.p_memsz ? p.p_filesz : p.p_memsz,
			.type = p.p_type,
			.readable = p.p_flags & PF_R,
			.writable = p.p_flags & PF_W,
			.executable = p.p_flags & PF_X,
			.align = p.p_align,
		};
		img->segment_offsets[i] = p.p_offset;
		img->segment_count = i + 1;
	}
	return true;
}

bool image_may_read(const struct image *img, uint64_t bytes)
{
	uint64_t alone = LIMIT_SYMBOL_BYTES;

	return image_spend(img->context ? &img->context->symbol_room : &alone, bytes);
}

struct image_names image_names(const struct image *img, size_t section)
{
	const struct image_names none = { 0 };
	Elf_Scn *scn = elf_getscn(img->elf, section);
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_STRTAB ||
	    !image_may_read(img, sh.sh_size))
		return none;
	/* elf_strptr() would search for the end of the section's last string on every
	 * call. */
	Elf_Data *d = elf_getdata(scn, NULL);
	if (!d || !d->d_buf || !d->d_size || ((const char *)d->d_buf)[d->d_size - 1])
		return none;
	return (struct image_names){ d->d_buf, d->d_size };
}

const char *image_name(struct image_names names, size_t off)
{
	return off < names.len ? names.bytes + off : NULL;
}

/* Sections are optional: a program runs without them. */
static void load_sections(struct image *img)
{
	size_t n, index;

	if (elf_getshdrnum(img->elf, &n) || n > SECTIONS_MAX ||
	    elf_getshdrstrndx(img->elf, &index))
		return;
	struct image_names names = image_names(img, index);
	img->sections = xcalloc(n, sizeof(*img->sections));
	for (size_t i = 1; i < n; i++) {
		Elf_Scn *scn = elf_getscn(img->elf, i);
		GElf_Shdr sh;
		if (!scn || !gelf_getshdr(scn, &sh))
			continue;
		const char *name = image_name(names, sh.sh_name);
		img->sections[img->section_count++] = (struct image_section){
			.name = name ? name : "",
			.addr = sh.sh_addr,
			.size = sh.sh_size,
			.index = i,
			.loaded = sh.sh_flags & SHF_ALLOC,
		};
	}
}

static bool covered_by_relro(const struct image *img, const struct image_segment *s)
{
	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *r = &img->segments[i];
		if (r->type == PT_GNU_RELRO && r->addr < s->addr + s->size &&
		    s->addr < r->addr + r->size)
			return true;
	}
	return false;
}

static void load_bytes(struct image *img)
{
	img->bytes = xcalloc(img->segment_count, sizeof(*img->bytes));
	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *s = &img->segments[i];
		if (s->type != PT_LOAD || s->writable || !s->file_size ||
		    s->addr + s->size < s->addr || covered_by_relro(img, s))
			continue;
		struct image_bytes *b = &img->bytes[img->bytes_count++];
		b->vaddr = s->addr;
		b->size = s->file_size;
		b->offset = img->segment_offsets[i];
	}
}

/* Reserves address space only; untouched parts cost nothing. */
static bool reserve(struct image_bytes *b)
{
	if (b->data)
		return true;
	if (b->size > LIMIT_READ_BYTES)
		return false;
	void *p = mmap(NULL, b->size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	b->data = p;
	b->chunks = xcalloc(b->size / CHUNK + 1, 1);
	return true;
}

static bool read_file(const struct image *img, uint64_t offset, void *buf, size_t len)
{
	if (img->memory) {
		struct bytes all =
			bytes_at(bytes_over(img->memory, img->memory_len), offset);
		bytes_take(&all, buf, len);
		return !all.bad;
	}
	for (size_t done = 0; done < len;) {
		ssize_t n = pread(img->fd, (uint8_t *)buf + done, len - done,
				  (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool read_chunk(const struct image *img, struct image_bytes *b, uint64_t chunk)
{
	uint64_t from = chunk * CHUNK, left = b->size - from;

	return read_file(img, b->offset + from, b->data + from,
			 left < CHUNK ? (size_t)left : CHUNK);
}

static const void *bytes_get(const struct image *img, struct image_bytes *b, uint64_t off,
			     uint64_t len)
{
	if (off > b->size || len > b->size - off || !len || !reserve(b))
		return NULL;
	for (uint64_t c = off / CHUNK; c <= (off + len - 1) / CHUNK; c++) {
		if (!b->chunks[c])
			b->chunks[c] = read_chunk(img, b, c) ? CHUNK_READ : CHUNK_BAD;
		if (b->chunks[c] == CHUNK_BAD)
			return NULL;
	}
	return b->data + off;
}

static struct image_bytes *bytes_of(const struct image *img, uint64_t addr)
{
	for (size_t i = 0; i < img->bytes_count; i++) {
		uint64_t start = img->bytes[i].vaddr + img->bias;
		if (addr >= start && addr - start < img->bytes[i].size)
			return &img->bytes[i];
	}
	return NULL;
}

bool image_is_constant(const struct image *img, uint64_t addr)
{
	return bytes_of(img, addr) != NULL;
}

const void *image_bytes(const struct image *img, uint64_t addr, size_t len)
{
	struct image_bytes *b = bytes_of(img, addr);

	return b ? bytes_get(img, b, addr - img->bias - b->vaddr, len) : NULL;
}

const void *image_bytes_from(const struct image *img, uint64_t addr, size_t *ret_len)
{
	struct image_bytes *b = bytes_of(img, addr);

	if (!b)
		return NULL;
	uint64_t off = addr - img->bias - b->vaddr;
	const void *p = bytes_get(img, b, off, b->size - off);
	if (p)
		*ret_len = b->size - off;
	return p;
}

bool image_read(const struct image *img, uint64_t addr, void *buf, size_t len,
		struct err *err)
{
	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *s = &img->segments[i];
		if (s->type != PT_LOAD || addr < s->addr ||
		    addr - s->addr > s->file_size ||
		    len > s->file_size - (addr - s->addr))
			continue;
		if (read_file(img, img->segment_offsets[i] + (addr - s->addr), buf, len))
			return true;
	}
	return err_set(err, ERR_FAULT, "%.200s has no data at 0x%" PRIx64, img->path,
		       addr);
}

bool image_file_offset(const struct image *img, uint64_t addr, uint64_t *ret)
{
	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *s = &img->segments[i];
		if (s->type != PT_LOAD || addr < s->addr ||
		    addr - s->addr >= s->file_size)
			continue;
		*ret = img->segment_offsets[i] + (addr - s->addr);
		return true;
	}
	return false;
}

static char *hex(const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *s = xmalloc(2 * len + 1);

	for (size_t i = 0; i < len; i++) {
		s[2 * i] = digits[bytes[i] >> 4];
		s[2 * i + 1] = digits[bytes[i] & 15];
	}
	s[2 * len] = 0;
	return s;
}

static bool is_named(const struct elf_note *note, const char *name)
{
	const size_t len = strlen(name) + 1;

	return (size_t)(note->name.end - note->name.at) >= len &&
	       memcmp(note->name.at, name, len) == 0;
}

static void take_note(struct image *img, const struct elf_note *note)
{
	const size_t len = (size_t)(note->content.end - note->content.at);

	if (len > PAGE_BYTES)
		return;
	if (!img->build_id && note->type == NT_GNU_BUILD_ID && is_named(note, "GNU"))
		img->build_id = hex(note->content.at, len);
	if (!img->go_build_id && note->type == NT_GO_BUILD_ID && is_named(note, "Go"))
		img->go_build_id = xstrndup((const char *)note->content.at, len);
}

void image_take_notes(struct image *img, const void *bytes, size_t len)
{
	struct bytes b = bytes_over(bytes, len);
	struct elf_note note;

	while (elf_next_note(&b, &note))
		take_note(img, &note);
}

static void load_notes(struct image *img)
{
	uint64_t room = NOTES_MAX;

	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *s = &img->segments[i];
		if (s->type != PT_NOTE || s->file_size > room)
			continue;
		room -= s->file_size;
		Elf_Data *d =
			elf_getdata_rawchunk(img->elf, (int64_t)img->segment_offsets[i],
					     s->file_size, ELF_T_BYTE);
		if (d && d->d_buf)
			image_take_notes(img, d->d_buf, d->d_size);
	}
}

/* The program headers of a debug file lead nowhere, and Go's own linker covers only the
 * first of two notes with one (cmd/link/internal/ld/elf.go, 1.15 to 1.27). */
static void load_section_notes(struct image *img)
{
	uint64_t room = NOTES_MAX;

	for (size_t i = 0; i < img->section_count; i++) {
		Elf_Scn *scn = elf_getscn(img->elf, img->sections[i].index);
		GElf_Shdr sh;
		if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE ||
		    sh.sh_size > room)
			continue;
		room -= sh.sh_size;
		Elf_Data *d = elf_rawdata(scn, NULL);
		if (d && d->d_buf)
			image_take_notes(img, d->d_buf, d->d_size);
	}
}

bool image_load_debug(struct image *img)
{
	if (!load_header(img))
		return false;
	load_sections(img);
	load_section_notes(img);
	return true;
}

bool image_load(struct image *img)
{
	if (!load_header(img) || !load_segments(img))
		return false;
	load_sections(img);
	load_bytes(img);
	load_notes(img);
	load_section_notes(img);
	return true;
}

void image_unload(struct image *img)
{
	if (!img)
		return;
	image_unpacked_drop(img->unpacked);
	image_unload(img->debug);
	xfree(img->debug_why);
	xfree(img->unproved);
	image_symbols_free(&img->symbols);
	for (size_t i = 0; i < img->bytes_count; i++) {
		if (img->bytes[i].data)
			munmap(img->bytes[i].data, img->bytes[i].size);
		xfree(img->bytes[i].chunks);
	}
	xfree(img->bytes);
	xfree(img->sections);
	xfree(img->segments);
	xfree(img->segment_offsets);
	if (img->elf)
		elf_end(img->elf);
	if (img->fd >= 0)
		close(img->fd);
	xfree(img->memory);
	xfree(img->build_id);
	xfree(img->go_build_id);
	xfree(img->unreadable);
	xfree(img->path);
	xfree(img);
}

/* Go's own linker made PIEs that start at 0x400000, so use the segment with the offset rather than
 * the file's first address. whole: the mapping begins where the segment does. */
static bool bias_by(const struct image *img, size_t i, uint64_t addr, uint64_t offset,
		    bool whole, uint64_t *ret)
{
	const struct image_segment *s = &img->segments[i];
	const uint64_t vaddr = s->addr - img->bias, slack = vaddr & (PAGE_BYTES - 1);
	const uint64_t start = img->segment_offsets[i] - slack;

	if (s->type != PT_LOAD || !s->file_size || offset < start ||
	    offset - start >= s->file_size + slack || (whole && offset != start))
		return false;
	*ret = addr - (vaddr - slack) - (offset - start);
	return true;
}

bool image_bias_of(const struct image *img, uint64_t addr, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < img->segment_count; i++)
		if (img->segments[i].executable &&
		    bias_by(img, i, addr, offset, false, ret))
			return true;
	/* A core of gdb's leaves out code and constants, and does not say which is which. */
	for (size_t i = 0; i < img->segment_count; i++)
		if (!img->segments[i].writable &&
		    bias_by(img, i, addr, offset, true, ret))
			return true;
	return false;
}

void image_rebase(struct image *img, uint64_t bias)
{
	for (size_t i = 0; i < img->segment_count; i++)
		img->segments[i].addr += bias - img->bias;
	img->bias = bias;
}

const char *image_path(const struct image *img)
{
	return img->path;
}

const char *image_unreadable(const struct image *img)
{
	return img->unreadable;
}

uint64_t image_bias(const struct image *img)
{
	return img->bias;
}

bool image_has_bias(const struct image *img)
{
	return img->machine != 0;
}

int image_machine(const struct image *img)
{
	return img->machine;
}

const char *image_build_id(const struct image *img)
{
	return img->build_id ? img->build_id : "";
}

const char *image_go_build_id(const struct image *img)
{
	return img->go_build_id ? img->go_build_id : "";
}

bool image_section(const struct image *img, const char *name, struct image_range *ret)
{
	for (size_t i = 0; i < img->section_count; i++) {
		const struct image_section *s = &img->sections[i];
		if (!s->loaded || strcmp(s->name, name))
			continue;
		*ret = (struct image_range){ s->addr + img->bias, s->size };
		return true;
	}
	return false;
}

bool image_segment(const struct image *img, size_t i, struct image_segment *ret)
{
	if (i >= img->segment_count)
		return false;
	*ret = img->segments[i];
	return true;
}

int image_fd(const struct image *img)
{
	return img->fd;
}

struct image_tls *image_tls(const struct image *img)
{
	return &((struct image *)(uintptr_t)img)->tls; /* a cache changes */
}
