/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed cores: told from other files, unpacked, cut anywhere, and damaged. */
#include <elf.h>
#include <fcntl.h>
#include <lz4frame.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/corefile/target_core.h"
#include "tests/unit/unit.h"

enum {
	SIZE = 300 * 1024, /* of the core: more than one step of each decompressor */
	ROOM = 2 * SIZE,
	CUTS = 200,
	DAMAGES = 500,
};

static size_t pack_zstd(const uint8_t *bytes, size_t len, uint8_t *ret)
{
	return ZSTD_compress(ret, ROOM, bytes, len, 1);
}

static size_t pack_xz(const uint8_t *bytes, size_t len, uint8_t *ret)
{
	size_t ret_len = 0;

	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, bytes, len,
						 ret, &ret_len, ROOM),
			 LZMA_OK);
	return ret_len;
}

static size_t pack_lz4(const uint8_t *bytes, size_t len, uint8_t *ret)
{
	return LZ4F_compressFrame(ret, ROOM, bytes, len, NULL);
}

static size_t pack_gzip(const uint8_t *bytes, size_t len, uint8_t *ret)
{
	enum { GZIP = 15 + 16, LEVEL = 1, MEMORY = 8 };
	z_stream s = { .next_in = (Bytef *)bytes,
		       .avail_in = (uInt)len,
		       .next_out = ret,
		       .avail_out = ROOM };

	assert_int_equal(
		deflateInit2(&s, LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY),
		Z_OK);
	assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
	deflateEnd(&s);
	return ROOM - s.avail_out;
}

/* Two of them, one behind the other: all four formats allow that. */
static size_t pack_twice(size_t (*pack)(const uint8_t *, size_t, uint8_t *),
			 const uint8_t *bytes, size_t len, uint8_t *ret)
{
	const size_t first = pack(bytes, len / 3, ret);
	uint8_t *second = xmalloc(ROOM);
	const size_t n = pack(bytes + len / 3, len - len / 3, second);

	memcpy(ret + first, second, n);
	xfree(second);
	return first + n;
}

static const struct form {
	const char *name;
	enum core_beginning begins;
	size_t (*pack)(const uint8_t *bytes, size_t len, uint8_t *ret);
} forms[] = {
	{ "zstd", CORE_BEGINS_ZSTD, pack_zstd },
	{ "xz", CORE_BEGINS_PACKED, pack_xz },
	{ "lz4", CORE_BEGINS_PACKED, pack_lz4 },
	{ "gzip", CORE_BEGINS_PACKED, pack_gzip },
};

static uint8_t core[SIZE], packed[2 * ROOM];

/* Half of it cannot be compressed, and a part is zero. */
static void make_core(uint16_t type)
{
	const Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
						 ELFDATA2LSB, EV_CURRENT },
				    .e_type = type };
	uint64_t state = 1;

	for (size_t i = 0; i < SIZE; i++) {
		state = state * UINT64_C(6364136223846793005) + 1;
		core[i] = i / 50000 % 3 == 2 ? 0 : (uint8_t)(state >> (i % 2 ? 60 : 33));
	}
	memcpy(core, &header, sizeof(header));
}

struct file {
	int fd;
	char path[64];
};

static struct file file_with(const uint8_t *bytes, size_t len)
{
	struct file f;
	struct err err;

	f.fd = spool_open(&err);
	assert_true(f.fd >= 0);
	assert_true(write_fully(f.fd, bytes, len));
	assert_int_equal(lseek(f.fd, 0, SEEK_SET), 0);
	snprintf(f.path, sizeof(f.path), "/dev/fd/%d", f.fd);
	return f;
}

/* What core_open() makes of it. True: there is something, which the core begins with. */
static bool opens(const uint8_t *bytes, size_t len, struct core_origin *ret,
		  size_t *ret_len, struct err *err)
{
	struct file f = file_with(bytes, len);
	const int fd = core_open(f.path, ret, err);
	uint8_t *content = xmalloc(SIZE);
	struct stat st;

	close(f.fd);
	if (fd >= 0) {
		assert_int_equal(fstat(fd, &st), 0);
		*ret_len = (size_t)st.st_size < SIZE ? (size_t)st.st_size : SIZE;
		assert_int_equal(pread(fd, content, *ret_len, 0), *ret_len);
		if (!ret->damage || strstr(ret->damage, "end too early"))
			assert_memory_equal(content, core, *ret_len);
		close(fd);
	}
	xfree(content);
	return fd >= 0;
}

static void test_tells_cores(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		make_core(ET_CORE);
		struct file f = file_with(packed, forms[i].pack(core, SIZE, packed));
		assert_int_equal(core_begins(f.fd), forms[i].begins);
		assert_true(core_begins_packed(f.fd));
		assert_false(core_is_one(f.path));
		/* Where it is read next stays the same. */
		assert_int_equal(lseek(f.fd, 0, SEEK_CUR), 0);
		close(f.fd);
		make_core(ET_EXEC);
		f = file_with(packed, forms[i].pack(core, SIZE, packed));
		assert_false(core_begins_packed(f.fd));
		close(f.fd);
		f = file_with(packed,
			      forms[i].pack((const uint8_t *)"{\"format\":", 10, packed));
		assert_int_equal(core_begins(f.fd), forms[i].begins);
		assert_false(core_begins_packed(f.fd));
		close(f.fd);
	}
}

static void test_tells_others(void **state)
{
	static const struct {
		const char *bytes;
		enum core_beginning begins;
	} others[] = { { "", CORE_BEGINS_NOT },
		       { "{\"format\":\"gosnap\"}", CORE_BEGINS_NOT },
		       { "\x7f"
			 "ELF and no more",
			 CORE_BEGINS_PROGRAM },
		       { "\x1f\x8b", CORE_BEGINS_NOT } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct file f = file_with((const uint8_t *)others[i].bytes,
					  strlen(others[i].bytes));
		assert_int_equal(core_begins(f.fd), others[i].begins);
		assert_false(core_begins_packed(f.fd));
		close(f.fd);
	}
	make_core(ET_CORE);
	struct file f = file_with(core, SIZE);
	assert_int_equal(core_begins(f.fd), CORE_BEGINS);
	assert_true(core_is_one(f.path));
	close(f.fd);
}

static void test_unpacks(void **state)
{
	struct core_origin origin;
	struct err err;
	size_t len;

	(void)state;
	make_core(ET_CORE);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		assert_true(opens(packed, forms[i].pack(core, SIZE, packed), &origin,
				  &len, &err));
		assert_int_equal(len, SIZE);
		assert_null(origin.damage);
		assert_true(origin.written_ns > 0);
		assert_true(opens(packed, pack_twice(forms[i].pack, core, SIZE, packed),
				  &origin, &len, &err));
		assert_int_equal(len, SIZE);
		assert_null(origin.damage);
	}
}

/* Behind a gzip file there may be anything, such as zeros on a tape. */
static void test_ignores_what_follows_gzip(void **state)
{
	struct core_origin origin;
	struct err err;
	size_t len;

	(void)state;
	make_core(ET_CORE);
	const size_t n = pack_gzip(core, SIZE, packed);
	memset(packed + n, 0, 512);
	assert_true(opens(packed, n + 512, &origin, &len, &err));
	assert_int_equal(len, SIZE);
	assert_null(origin.damage);
}

/* Wherever it is cut, that is said, and what comes before is there. */
static void test_cut(void **state)
{
	struct core_origin origin;
	struct err err;
	size_t len, before;

	(void)state;
	make_core(ET_CORE);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const size_t all = forms[i].pack(core, SIZE, packed);
		before = 0;
		for (size_t n = 8; n < all; n += all / CUTS) {
			if (opens(packed, n, &origin, &len, &err)) {
				assert_non_null(strstr(origin.damage, "end too early"));
				assert_non_null(strstr(origin.damage, forms[i].name));
				assert_true(len >= before);
				before = len;
			} else {
				assert_int_equal(before, 0);
				assert_true(err_is(&err, ERR_BAD_DATA));
				assert_non_null(strstr(err.text, "end too early"));
			}
			xfree(origin.damage);
		}
		assert_true(before > SIZE / 2);
	}
}

static void test_damaged(void **state)
{
	struct core_origin origin;
	struct err err;
	size_t said = 0;

	(void)state;
	make_core(ET_CORE);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const size_t all = forms[i].pack(core, SIZE, packed);
		for (size_t n = 0; n < DAMAGES; n++) {
			const size_t at = n * 7919 % all;
			const uint8_t was = packed[at];
			packed[at] ^= (uint8_t)(1 + n % 255);
			struct file f = file_with(packed, all);
			const int fd = core_open(f.path, &origin, &err);
			said += fd < 0 || origin.damage;
			(void)core_begins_packed(f.fd);
			if (fd >= 0)
				close(fd);
			close(f.fd);
			xfree(origin.damage);
			packed[at] = was;
		}
	}
	assert_true(said > DAMAGES);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tells_cores),
		cmocka_unit_test(test_tells_others),
		cmocka_unit_test(test_unpacks),
		cmocka_unit_test(test_ignores_what_follows_gzip),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damaged),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
