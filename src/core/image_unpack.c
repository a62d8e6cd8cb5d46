/* SPDX-License-Identifier: Apache-2.0 */
#include "image_priv.h"

#include <endian.h>
#include <gelf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "limit.h"

enum { SECTIONS = 16, ELFCOMPRESS_ZSTD_ = 2 /* elf.h of glibc 2.36 lacks it */ };

struct image_unpacked {
	const struct image *image; /* borrowed */
	struct Elf *elf;	   /* not the image's: unpacking changes it */
	struct section {
		char name[16];
		struct bytes bytes;
		uint8_t *own; /* unpacked by ourselves; or NULL */
	} sections[SECTIONS]; /* that were asked for */
	size_t count;
	uint64_t room; /* of LIMIT_DEBUG_BYTES */
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

/* Of debugging information that was moved to another file, sections without bytes stay. */
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

/* Two ways of packing: SHF_COMPRESSED with a header that says the size, and, up to Go 1.18,
 * "ZLIB" and the size in big endian. head: what the section begins with. */
static uint64_t unpacked_size(struct bytes head, bool gnu, const GElf_Shdr *sh)
{
	if (sh->sh_flags & SHF_COMPRESSED) {
		Elf64_Chdr chdr;
		bytes_take(&head, &chdr, sizeof(chdr));
		return head.bad ? sh->sh_size : chdr.ch_size;
	}
	char magic[4];
	bytes_take(&head, magic, sizeof(magic));
	uint64_t size = be64toh(bytes_u64(&head));
	return gnu && !head.bad && !memcmp(magic, "ZLIB", sizeof(magic)) ? size
									 : sh->sh_size;
}

static uint64_t unpacked_size_in_file(const struct image *img, const char *name,
				      const GElf_Shdr *sh)
{
	uint8_t head[sizeof(Elf64_Chdr)];
	ssize_t n = pread(img->fd, head, sizeof(head), (off_t)sh->sh_offset);

	return unpacked_size(bytes_over(head, n < 0 ? 0 : (size_t)n), name[1] == 'z', sh);
}

uint64_t image_debug_bytes(const struct image *img)
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
	/* A megabyte can say that it is a thousand of them. */
	if (image_debug_bytes(img) > LIMIT_DEBUG_BYTES) {
		err_set(err, ERR_LIMIT, "%.200s has too much debugging information",
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
	if (img->context && img->context->keep) {
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

/* libelf before 0.189 does not know it. */
static struct bytes unpack_zstd(struct bytes packed, const Elf64_Chdr *head,
				uint8_t **ret_own)
{
	uint8_t *to = *ret_own = xmalloc(head->ch_size + 1);
	size_t got = ZSTD_decompress(to, head->ch_size, packed.at,
				     (size_t)(packed.end - packed.at));

	return ZSTD_isError(got) ? (struct bytes){ 0 } : bytes_over(to, got);
}

/* Whoever can write to the file may change what was judged: each section is read once, and its
 * own copy is judged. libelf works on that one, too. */
static struct bytes unpack(struct image_unpacked *u, const char *name, uint8_t **ret_own)
{
	const struct bytes none = { 0 };
	GElf_Shdr sh;
	bool gnu;
	Elf_Scn *scn = find_section(u->image, u->elf, name, &sh, &gnu);

	if (!scn || sh.sh_size > u->room)
		return none;
	struct bytes raw = data_of(elf_rawdata(scn, NULL));
	const uint64_t size = unpacked_size(raw, gnu, &sh);
	if (size > u->room)
		return none;
	u->room -= size > sh.sh_size ? size : sh.sh_size;
	if (sh.sh_flags & SHF_COMPRESSED) {
		Elf64_Chdr head;
		bytes_take(&raw, &head, sizeof(head));
		if (!raw.bad && head.ch_type == ELFCOMPRESS_ZSTD_)
			return unpack_zstd(raw, &head, ret_own);
		if (raw.bad || elf_compress(scn, 0, 0) < 0)
			return none;
	} else if (gnu && elf_compress_gnu(scn, 0, 0) < 0) {
		return none;
	}
	return data_of(elf_getdata(scn, NULL));
}

/* Once each: afterwards libelf has it as it is. */
struct bytes image_unpacked_section(struct image_unpacked *u, const char *name)
{
	for (size_t i = 0; i < u->count; i++)
		if (strcmp(u->sections[i].name, name) == 0)
			return u->sections[i].bytes;
	if (u->count == SECTIONS)
		return (struct bytes){ 0 };
	struct section *s = &u->sections[u->count++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->bytes = unpack(u, name, &s->own);
	return s->bytes;
}
