/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed sections of a file that somebody rewrites while it is read. */
#include "lib/elf/image_debug.h"

#include <elf.h>
#include <endian.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zstd.h>

#include "lib/base/limit.h"
#include "lib/elf/image_priv.h"
#include "tests/unit/unit.h"

enum { SECTIONS = 3, CONTENTS = 1 << 20, PACKED_MAX = 1 << 16, ZSTD = 2 };

static const char names[] = "\0.debug_info\0.zdebug_info\0.gnu_debuglink";
enum { NAME = 1, ZNAME = 13, LINK_NAME = 26 };

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	Elf64_Shdr sections[SECTIONS]; /* none, .debug_info, their names */
	char names[sizeof(names)];
	union {
		Elf64_Chdr header;
		struct {
			char magic[4];
			uint8_t size[8]; /* big endian */
		} gnu;
	} packed;
	uint8_t bytes[PACKED_MAX];
};

/* A stored block of zlib's: no compression, so that no library is needed. */
static size_t store(uint8_t *to, const uint8_t *bytes, uint16_t len)
{
	const uint8_t head[] = { 0x78,
				 0x01,
				 0x01,
				 (uint8_t)len,
				 (uint8_t)(len >> 8),
				 (uint8_t)~len,
				 (uint8_t)(~len >> 8) };
	uint32_t a = 1, b = 0;

	memcpy(to, head, sizeof(head));
	memcpy(to + sizeof(head), bytes, len);
	for (size_t i = 0; i < len; i++) { /* Adler-32 */
		a = (a + bytes[i]) % 65521;
		b = (b + a) % 65521;
	}
	const uint32_t sum = htobe32(b << 16 | a);
	memcpy(to + sizeof(head) + len, &sum, sizeof(sum));
	return sizeof(head) + len + sizeof(sum);
}

enum how { WITH_ZSTD, WITH_ZLIB, WITH_GNU, PLAIN };

/* How long the contents are. */
static size_t pack(enum how how, struct file *f, size_t *ret_len)
{
	static uint8_t contents[CONTENTS];

	for (size_t i = 0; i < CONTENTS; i++)
		contents[i] = (uint8_t)(i / 1000);
	if (how == WITH_ZSTD) {
		*ret_len = ZSTD_compress(f->bytes, PACKED_MAX, contents, CONTENTS, 1);
		assert_false(ZSTD_isError(*ret_len));
		return CONTENTS;
	}
	*ret_len = store(f->bytes, contents, 1000);
	return 1000;
}

static void describe(enum how how, struct file *f, size_t len, size_t size)
{
	Elf64_Shdr *info = &f->sections[1], *last = &f->sections[2];
	const uint64_t big = htobe64(size);
	size_t at = offsetof(struct file, packed), before = sizeof(f->packed.header);

	if (how == WITH_GNU) {
		before = sizeof(f->packed.gnu);
		memcpy(f->packed.gnu.magic, "ZLIB", 4);
		memcpy(f->packed.gnu.size, &big, sizeof(big));
		memmove((uint8_t *)f + at + before, f->bytes, len);
	} else if (how != PLAIN) {
		f->packed.header = (Elf64_Chdr){
			.ch_type = how == WITH_ZSTD ? ZSTD : ELFCOMPRESS_ZLIB,
			.ch_size = size,
			.ch_addralign = 1,
		};
	}
	*info = (Elf64_Shdr){ .sh_name = how == WITH_GNU ? ZNAME : NAME,
			      .sh_type = SHT_PROGBITS,
			      .sh_flags = how < WITH_GNU ? SHF_COMPRESSED : 0,
			      .sh_offset = at,
			      .sh_size = before + len,
			      .sh_addralign = 1 };
	*last = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
			      .sh_offset = offsetof(struct file, names),
			      .sh_size = sizeof(names) };
}

/* Returns the descriptor of such a file. */
static int write_file(enum how how, size_t *ret_size)
{
	static struct file f;
	size_t len;
	int fd = memfd_create("debug", MFD_CLOEXEC);

	f = (struct file){ .head = { .e_type = ET_DYN,
				     .e_machine = EM_X86_64,
				     .e_version = EV_CURRENT,
				     .e_phoff = offsetof(struct file, load),
				     .e_phentsize = sizeof(Elf64_Phdr),
				     .e_phnum = 1,
				     .e_shoff = offsetof(struct file, sections),
				     .e_ehsize = sizeof(Elf64_Ehdr),
				     .e_shentsize = sizeof(Elf64_Shdr),
				     .e_shnum = SECTIONS,
				     .e_shstrndx = SECTIONS - 1 },
			   .load = { .p_type = PT_LOAD, .p_flags = PF_R } };
	memcpy(f.head.e_ident, ELFMAG, SELFMAG);
	f.head.e_ident[EI_CLASS] = ELFCLASS64;
	f.head.e_ident[EI_DATA] = ELFDATA2LSB;
	f.head.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(f.names, names, sizeof(names));
	*ret_size = pack(how, &f, &len);
	describe(how, &f, len, *ret_size);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &f, sizeof(f), 0), sizeof(f));
	return fd;
}

struct opened {
	int fd;
	size_t size; /* of the section, unpacked */
	struct images *images;
};

static void open_images(struct opened *o)
{
	char path[32];
	struct err err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", o->fd);
	o->images = images_open_file(path, &err);
	if (!o->images)
		fail_msg("%s", err.text);
}

static void begin(enum how how, struct opened *o)
{
	o->fd = write_file(how, &o->size);
	open_images(o);
}

static void end(struct opened *o)
{
	images_close(o->images);
	close(o->fd);
}

static size_t length_of(struct image_unpacked *u)
{
	struct bytes b = image_unpacked_section(u, "info");
	size_t len = (size_t)(b.end - b.at);

	image_unpacked_free(u);
	return len;
}

static struct image_unpacked *unpack(const struct opened *o)
{
	struct err err;
	struct image_unpacked *u = image_unpack(images_get(o->images, 0), &err);

	if (!u)
		fail_msg("%s", err.text);
	return u;
}

static void test_unpacked(void **state)
{
	struct opened o;
	(void)state;
	for (int how = WITH_ZSTD; how <= WITH_GNU; how++) {
		begin((enum how)how, &o);
		assert_int_equal(length_of(unpack(&o)), o.size);
		end(&o);
	}
}

/* Between the look at all sizes and the unpacking of one. */
static void test_size_rewritten(void **state)
{
	static const uint64_t sizes[] = {
		UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 40, LIMIT_DEBUG_BYTES + 1, 1,
		0,
	};
	struct opened o;
	(void)state;
	for (int how = WITH_ZSTD; how <= WITH_GNU; how++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			const uint64_t big = htobe64(sizes[i]);
			begin((enum how)how, &o);
			struct image_unpacked *u = unpack(&o);
			off_t at = offsetof(struct file, packed);
			at += how == WITH_GNU
				      ? offsetof(struct file, packed.gnu.size) - at
				      : (off_t)offsetof(Elf64_Chdr, ch_size);
			assert_int_equal(pwrite(o.fd, how == WITH_GNU ? &big : &sizes[i],
						sizeof(big), at),
					 sizeof(big));
			assert_int_equal(length_of(u), 0);
			end(&o);
		}
	}
}

/* The file grows, and its section with it: nothing but zeros, which take no room on disk. */
static void test_section_grows(void **state)
{
	const uint64_t size = LIMIT_DEBUG_BYTES + 4096;
	struct opened o;
	(void)state;
	begin(PLAIN, &o);
	assert_int_equal(ftruncate(o.fd, 2 * (off_t)LIMIT_DEBUG_BYTES), 0);
	assert_int_equal(pwrite(o.fd, &size, sizeof(size),
				offsetof(struct file, sections[1].sh_size)),
			 sizeof(size));
	assert_int_equal(length_of(unpack(&o)), 0);
	end(&o);
}

/* What all objects of a process have together. */
static void test_sum(void **state)
{
	struct opened o;
	struct err err;
	(void)state;
	begin(WITH_ZLIB, &o);
	const struct image *img = images_get(o.images, 0);
	uint64_t *room = &img->context->debug_room;
	assert_int_equal(*room, LIMIT_DEBUG_BYTES_RUN);
	*room = o.size - 1;
	assert_null(image_unpack(img, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	*room = o.size;
	assert_int_equal(length_of(unpack(&o)), o.size);
	assert_int_equal(*room, 0);
	assert_int_equal(length_of(unpack(&o)), o.size); /* once */
	end(&o);
}

/* The name of a file and a checksum need no more, whatever the section says, of zeros, which take no
 * room on disk. */
static void test_long_link(void **state)
{
	static const struct {
		uint64_t size;
		bool taken;
	} links[] = { { 12, true },
		      { PATH_MAX + 8, true },
		      { PATH_MAX + 9, false },
		      { UINT64_C(3) << 30, false } };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		const off_t at = offsetof(struct file, sections[1]);
		Elf64_Shdr section = { .sh_name = LINK_NAME,
				       .sh_type = SHT_PROGBITS,
				       .sh_offset = sizeof(struct file),
				       .sh_size = links[i].size };
		struct opened o = { .fd = write_file(PLAIN, &o.size) };
		assert_int_equal(pwrite(o.fd, &section, sizeof(section), at),
				 sizeof(section));
		assert_int_equal(
			ftruncate(o.fd, (off_t)(section.sh_offset + section.sh_size)), 0);
		assert_int_equal(pwrite(o.fd, "x.debug", 8, (off_t)section.sh_offset), 8);
		open_images(&o);
		AUTO(xfree) char *link = image_debug_link(images_get(o.images, 0));
		assert_int_equal(link != NULL, links[i].taken);
		if (link)
			assert_string_equal(link, "x.debug");
		end(&o);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpacked),
		cmocka_unit_test(test_size_rewritten),
		cmocka_unit_test(test_section_grows),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_long_link),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
