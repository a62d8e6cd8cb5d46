/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/layout/build_info_priv.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/lib/target_bytes.h"
#include "tests/unit/unit.h"

/* An ELF object in memory whose data segment begins with the header, as Go's linker lays
 * it out; its sections are gone. */
enum {
	BASE = 0x10000,
	DATA = 0x1000, /* offset of the data segment */
	INFO = DATA + 0x20,
	STRINGS = DATA + 0x800,
	SIZE = 0x4000,
};

static uint8_t image[SIZE];

static const char sentinel[] = "0123456789abcdef";
static const char module_text[] = "path\texample.com/cmd/shop\n"
				  "mod\texample.com/shop\tv1.2.3\th1:x=\n"
				  "dep\tgolang.org/x/a\tv0.1.0\th1:y=\n"
				  "dep\tgolang.org/x/b\tv0.2.0\n"
				  "=>\t./b\t\n"
				  "dep\tgolang.org/x/c\tv0.3.0\n"
				  "=>\texample.com/c\tv9.9.9\th1:z=\n"
				  "build\tCGO_ENABLED=0\n"
				  "build\t-tags=a=b,c\n"
				  "build\tvcs.modified=\n";

static void start_image(uint8_t flags)
{
	Elf64_Ehdr eh = { .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = 1,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2,
			  .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Phdr ph[] = {
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_X,
		  .p_filesz = DATA,
		  .p_memsz = DATA,
		  .p_align = 4096 },
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_W,
		  .p_offset = DATA,
		  .p_vaddr = DATA,
		  .p_filesz = SIZE - DATA,
		  .p_memsz = SIZE - DATA,
		  .p_align = 4096 },
	};

	memset(image, 0, sizeof(image));
	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(image, &eh, sizeof(eh));
	memcpy(image + sizeof(eh), ph, sizeof(ph));
	memcpy(image + INFO, "\xff Go buildinf:\x08", 15);
	image[INFO + 15] = flags;
}

static void put_word(size_t at, uint64_t v)
{
	memcpy(image + at, &v, sizeof(v));
}

/* Before 1.18: pointers to string headers. */
static void put_pointers(const char *version, const char *text, size_t len)
{
	start_image(0);
	put_word(INFO + 16, BASE + STRINGS);
	put_word(INFO + 24, BASE + STRINGS + 16);
	put_word(STRINGS, BASE + STRINGS + 0x40);
	put_word(STRINGS + 8, strlen(version));
	put_word(STRINGS + 16, BASE + STRINGS + 0x80);
	put_word(STRINGS + 24, len);
	memcpy(image + STRINGS + 0x40, version, strlen(version));
	memcpy(image + STRINGS + 0x80, text, len);
}

static size_t put_uvarint(size_t at, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		image[at++] = (uint8_t)(v | 0x80);
	image[at++] = (uint8_t)v;
	return at;
}

/* From 1.18 on: length and bytes, one behind the other. */
static void put_inline(const char *version, const char *text, size_t len)
{
	start_image(2);
	size_t at = put_uvarint(INFO + 32, strlen(version));
	memcpy(image + at, version, strlen(version));
	at = put_uvarint(at + strlen(version), len);
	memcpy(image + at, text, len);
}

static char *framed(size_t *ret_len)
{
	char *s = xasprintf("%s%s%s", sentinel, module_text, sentinel);
	*ret_len = strlen(s);
	return s;
}

static struct build_info *read_info(struct err *err)
{
	const struct target_bytes_part part = { BASE, image, SIZE, "[vdso]", true };
	AUTO(target_close) struct target *t = target_bytes_new(&part, 1);
	AUTO(images_close) struct images *images = images_open(t);
	const struct image *img = images_at(images, BASE);

	assert_non_null(img);
	assert_null(image_unreadable(img));
	return build_info_read(t, img, err);
}

static void check_info(const char *version)
{
	struct err err;
	AUTO(build_info_free) struct build_info *info = read_info(&err);

	assert_non_null(info);
	assert_string_equal(info->version, version);
	assert_string_equal(info->path, "example.com/cmd/shop");
	assert_string_equal(info->module, "example.com/shop");
	assert_string_equal(info->module_version, "v1.2.3");
	assert_int_equal(info->dependency_count, 3);
	assert_string_equal(info->dependencies[0].path, "golang.org/x/a");
	assert_string_equal(info->dependencies[0].version, "v0.1.0");
	assert_null(info->dependencies[0].replaced_by);
	assert_non_null(info->dependencies[1].replaced_by);
	assert_int_equal(strncmp(info->dependencies[1].replaced_by, "./b", 3), 0);
	assert_string_equal(info->dependencies[2].replaced_by, "example.com/c@v9.9.9");
	assert_int_equal(info->setting_count, 3);
	assert_string_equal(info->settings[0].key, "CGO_ENABLED");
	assert_string_equal(info->settings[0].value, "0");
	assert_string_equal(info->settings[1].key, "-tags");
	assert_string_equal(info->settings[1].value, "a=b,c");
	assert_string_equal(info->settings[2].value, "");
}

static void test_both_encodings(void **state)
{
	size_t len;
	AUTO(xfree) char *text = framed(&len);
	(void)state;
	put_pointers("go1.15.15", text, len);
	check_info("go1.15.15");
	put_inline("go1.27.4 X:noswissmap", text, len);
	check_info("go1.27.4 X:noswissmap");
}

static void test_no_module(void **state)
{
	struct err err;
	(void)state;
	put_inline("go1.24.4", "", 0);
	AUTO(build_info_free) struct build_info *info = read_info(&err);
	assert_non_null(info);
	assert_string_equal(info->version, "go1.24.4");
	assert_null(info->path);
	assert_null(info->module);
	assert_int_equal(info->setting_count + info->dependency_count, 0);
	build_info_free(NULL);
}

static void test_not_go(void **state)
{
	struct err err;
	(void)state;
	start_image(2);
	image[INFO + 3] = 'g';
	assert_null(read_info(&err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	/* It is looked for where the linker puts it: at multiples of 16. */
	put_inline("go1.24.4", "", 0);
	memmove(image + INFO + 8, image + INFO, 64);
	memset(image + INFO, 0, 8);
	assert_null(read_info(&err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void no_version(void)
{
	struct err err;

	AUTO(build_info_free) struct build_info *info = read_info(&err);
	assert_non_null(info);
	assert_null(info->version);
}

static void test_hostile_lengths(void **state)
{
	static const uint64_t lengths[] = { UINT64_MAX, UINT64_C(1) << 63,
					    UINT64_C(1) << 40, 1 << 24, SIZE };
	struct err err;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		put_pointers("go1.15", "", 0);
		put_word(STRINGS + 8, lengths[i]);
		no_version();
		put_inline("go1.24", "", 0);
		put_uvarint(INFO + 32, lengths[i]);
		no_version();
		/* The version is there, what follows is not. */
		put_inline("go1.24", "", 0);
		put_uvarint(INFO + 33 + 6, lengths[i]);
		AUTO(build_info_free) struct build_info *info = read_info(&err);
		assert_non_null(info);
		assert_string_equal(info->version, "go1.24");
		assert_null(info->module);
	}
	put_inline("go1.24", "", 0);
	memset(image + INFO + 32, 0xff, 12); /* a uvarint without end */
	no_version();
	put_pointers("go1.15", "", 0);
	put_word(INFO + 16, 0xdead0000); /* a header nowhere */
	no_version();
	put_pointers("go1.15", "", 0);
	put_word(STRINGS, UINT64_MAX - 2); /* bytes nowhere */
	no_version();
	/* A version as long as a book. */
	char book[600];
	memset(book, 'x', sizeof(book) - 1);
	book[sizeof(book) - 1] = '\0';
	put_inline(book, "", 0);
	no_version();
}

/* Module text shorter than its frame, and lines that lack words. */
static void test_odd_text(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"0123456789abcdef",
		"0123456789abcdef0123456789abcdef",
		"0123456789abcdef\n0123456789abcdef",
		"0123456789abcdefdep\nmod\n=>\n=>"
		"\ta\nbuild\nbuild\tnovalue\npath\n\t\t\t\n"
		"0123456789abcdef",
	};
	struct err err;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		put_inline("go1.24", texts[i], strlen(texts[i]));
		AUTO(build_info_free) struct build_info *info = read_info(&err);
		assert_non_null(info);
		assert_null(info->module);
		assert_int_equal(info->dependency_count, 0);
		assert_int_equal(info->setting_count, 0);
	}
}

static void test_random(void **state)
{
	size_t len;
	AUTO(xfree) char *text = framed(&len);
	(void)state;
	srand(1);
	for (int round = 0; round < 2000; round++) {
		struct err err;
		if (round % 2)
			put_inline("go1.24", text, len);
		else
			put_pointers("go1.15", text, len);
		for (int i = rand() % 6; i >= 0; i--)
			image[INFO + 15 + rand() % 0x900] = (uint8_t)rand();
		AUTO(build_info_free) struct build_info *info = read_info(&err);
		assert_non_null(info);
		assert_true(!info->version || strlen(info->version) < 256);
	}
}

static void test_version_minor(void **state)
{
	static const struct {
		const char *version;
		int minor;
	} cases[] = {
		{ "go1.24.4", 24 },
		{ "go1.24rc1", 24 },
		{ "devel go1.28-abcdef Thu", 28 },
		{ "go1.9", 9 },
		{ "go1.27.4-X:mapsplitgroup", 27 },
		{ "go2.1", -1 },
		{ "go1.", -1 },
		{ "", -1 },
		{ "devel +abc", -1 },
		{ NULL, -1 },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(version_minor(cases[i].version), cases[i].minor);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_encodings),
		cmocka_unit_test(test_no_module),
		cmocka_unit_test(test_not_go),
		cmocka_unit_test(test_hostile_lengths),
		cmocka_unit_test(test_odd_text),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_version_minor),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
