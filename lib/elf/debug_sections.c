/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/image_priv.h"

#include <endian.h>
#include <gelf.h>
#include <libdeflate.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/limit.h"

enum { SECTIONS = 16, ELFCOMPRESS_ZSTD_ = 2 /* missing in elf.h of glibc 2.36 */ };

struct image_unpacked {
	const struct image *image; /* borrowed */
	struct Elf *elf;	   /* separate, since decompression changes it */
	struct section {
		char name[16];
		struct bytes bytes;
		uint8_t *own; /* decompressed by us; or NULL */
		bool damaged; /* present, but cannot be decompressed */
	} sections[SECTIONS]; /* requested so far */
	size_t count;
	uint64_t room; /* left of LIMIT_DEBUG_BYTES */
	bool kept;     /* by the image */
};

static bool is_debug(const char *name)
{
	return !strncmp(name, ".debug", 6) || !strncmp(name, ".zdebug", 7);
}

static bool is_section(const char *full, const char *name)
{
	return (!strncmp(full, ".debug_", 7) && !strcmp(full + 7, name)) ||
	       (!strncmp(full, ".zdebug_", 8) && !strcmp(full + 8, name));
}

/* If the debug info was moved to another file, its sections remain without contents. */
static Elf_Scn *find_section(const struct image *img, struct Elf *elf, const char *name,
			     GElf_Shdr *ret, bool *ret_gnu)
{
	for (size_t i = 0; i < img->section_count; i++) {
		if (!is_section(img->sections[i].name, name))
			continue;
		Elf_Scn *scn = elf_getscn(elf, img->sections[i].index);
		if (!scn || !gelf_getshdr(scn, ret) || ret->sh_type == SHT_NOBITS)
			continue;
		*ret_gnu = img->sections[i].name[1] == 'z';
		return scn;
	}
	return NULL;
}

bool image_has_debug(const struct image *img)
{
	GElf_Shdr sh;
	bool gnu;

	return img->elf && img->fd >= 0 &&
	       find_section(img, img->elf, "info", &sh, &gnu) && sh.sh_size;
}

/* Compression of a section: SHF_COMPRESSED has a header with type and size; up to Go
 * 1.18, Go used "ZLIB" and the big-endian size. */
struct packing {
	enum { PACK_NOT, PACK_ZLIB, PACK_ZSTD, PACK_UNKNOWN } how;
	uint64_t size;	     /* uncompressed */
	struct bytes packed; /* without the header */
};

/* bytes: the start of the section, or all of it. */
static struct packing packing_of(struct bytes bytes, bool gnu, const GElf_Shdr *sh)
{
	struct packing p = { PACK_NOT, sh->sh_size, bytes };

	if (sh->sh_flags & SHF_COMPRESSED) {
		Elf64_Chdr head;
		bytes_take(&p.packed, &head, sizeof(head));
		if (p.packed.bad)
			return (struct packing){ .how = PACK_UNKNOWN,
						 .size = sh->sh_size };
		p.size = head.ch_size;
		p.how = head.ch_type == ELFCOMPRESS_ZLIB    ? PACK_ZLIB
			: head.ch_type == ELFCOMPRESS_ZSTD_ ? PACK_ZSTD
							    : PACK_UNKNOWN;
	} else if (gnu) {
		char magic[4];
		bytes_take(&p.packed, magic, sizeof(magic));
		p.size = be64toh(bytes_u64(&p.packed));
		p.how = PACK_ZLIB;
		if (p.packed.bad || memcmp(magic, "ZLIB", sizeof(magic)))
			return (struct packing){ .how = PACK_UNKNOWN,
						 .size = sh->sh_size };
	}
	return p;
}

static uint64_t unpacked_size_in_file(const struct image *img, const char *name,
				      const GElf_Shdr *sh)
{
	uint8_t head[sizeof(Elf64_Chdr)];
	ssize_t n = pread(img->fd, head, sizeof(head), (off_t)sh->sh_offset);

	return packing_of(bytes_over(head, n < 0 ? 0 : (size_t)n), name[1] == 'z', sh)
		.size;
}

/* Uncompressed, as claimed by the file: any number is possible. */
static uint64_t debug_bytes(const struct image *img)
{
	uint64_t sum = 0;

	for (size_t i = 0; img->fd >= 0 && i < img->section_count; i++) {
		Elf_Scn *scn = elf_getscn(img->elf, img->sections[i].index);
		GElf_Shdr sh;
		if (!is_debug(img->sections[i].name) || !scn || !gelf_getshdr(scn, &sh) ||
		    sh.sh_type == SHT_NOBITS)
			continue;
		uint64_t size = unpacked_size_in_file(img, img->sections[i].name, &sh);
		sum = size > UINT64_MAX - sum ? UINT64_MAX : sum + size;
	}
	return sum;
}

struct image_unpacked *image_unpack(const struct image *img, struct err *err)
{
	if (img->unpacked)
		return img->unpacked;
	/* A megabyte can claim to be a thousand of them. */
	const uint64_t bytes = debug_bytes(img);
	if (bytes > LIMIT_DEBUG_BYTES ||
	    (img->context && !image_spend(&img->context->debug_room, bytes))) {
		err_set(err, ERR_LIMIT, "%.200s has too much debug information",
			img->path);
		return NULL;
	}
	struct Elf *elf = elf_begin(img->fd, ELF_C_READ, NULL);
	if (!elf) {
		err_set(err, ERR_BAD_DATA, "%.200s: %s", img->path, elf_errmsg(-1));
		return NULL;
	}
	struct image_unpacked *u = xcalloc(1, sizeof(*u));
	u->image = img;
	u->elf = elf;
	u->room = LIMIT_DEBUG_BYTES;
	/* Kept, since several callers need it: for the layout, argument names, then
	 * values. */
	if (img->context) {
		u->kept = true;
		((struct image *)(uintptr_t)img)->unpacked = u; /* a cache changes */
	}
	return u;
}

void image_unpacked_free(struct image_unpacked *u)
{
	if (u && !u->kept)
		image_unpacked_drop(u);
}

void image_unpacked_drop(struct image_unpacked *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->count; i++)
		xfree(u->sections[i].own);
	elf_end(u->elf);
	xfree(u);
}

static struct bytes data_of(const Elf_Data *data)
{
	return data && data->d_buf ? bytes_over(data->d_buf, data->d_size)
				   : (struct bytes){ 0 };
}

static bool inflate(const struct packing *p, uint8_t *to)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	bool ok = d && libdeflate_zlib_decompress(
			       d, p->packed.at, (size_t)(p->packed.end - p->packed.at),
			       to, p->size, NULL) == LIBDEFLATE_SUCCESS;

	libdeflate_free_decompressor(d);
	return ok;
}

static bool decompress(const struct packing *p, uint8_t *to)
{
	const size_t len = (size_t)(p->packed.end - p->packed.at);

	if (p->how == PACK_ZLIB)
		return inflate(p, to);
	return p->how == PACK_ZSTD &&
	       ZSTD_decompress(to, p->size, p->packed.at, len) == p->size;
}

/* Anyone who can write to the file may change it after our checks: read each section
 * once, and check that copy. libelf could decompress it, but takes three times as long,
 * and lacks zstd before 0.189. */
static struct bytes unpack(struct image_unpacked *u, const char *name, uint8_t **ret_own,
			   bool *ret_damaged)
{
	const struct bytes none = { 0 };
	GElf_Shdr sh;
	bool gnu;
	Elf_Scn *scn = find_section(u->image, u->elf, name, &sh, &gnu);

	*ret_damaged = scn != NULL;
	if (!scn || sh.sh_size > u->room)
		return none;
	struct bytes raw = data_of(elf_rawdata(scn, NULL));
	struct packing p = packing_of(raw, gnu, &sh);
	if (p.size > u->room)
		return none;
	u->room -= p.size > sh.sh_size ? p.size : sh.sh_size;
	*ret_damaged = false;
	if (p.how == PACK_NOT)
		return data_of(elf_getdata(scn, NULL));
	*ret_own = xmalloc(p.size + 1);
	*ret_damaged = !decompress(&p, *ret_own);
	return *ret_damaged ? none : bytes_over(*ret_own, p.size);
}

/* Loads each section once. NULL: too many sections requested. */
static const struct section *section_named(struct image_unpacked *u, const char *name)
{
	for (size_t i = 0; i < u->count; i++)
		if (strcmp(u->sections[i].name, name) == 0)
			return &u->sections[i];
	if (u->count == SECTIONS)
		return NULL;
	struct section *s = &u->sections[u->count++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->bytes = unpack(u, name, &s->own, &s->damaged);
	return s;
}

struct bytes image_unpacked_section(struct image_unpacked *u, const char *name)
{
	const struct section *s = section_named(u, name);

	return s ? s->bytes : (struct bytes){ 0 };
}

bool image_unpacked_damaged(struct image_unpacked *u, const char *name)
{
	const struct section *s = section_named(u, name);

	return s && s->damaged;
}
