/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/image.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/elf/image_priv.h"
#include "lib/ptrace/target_live.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

static char copy[] = "/tmp/gosnap-image-XXXXXX";

/* Of this very size: a sanitizer makes a variable of C's larger. */
__asm__(".data\n"
	".globl image_test_variable\n"
	".type image_test_variable, @object\n"
	".size image_test_variable, 4\n"
	"image_test_variable: .long 7\n"
	".text\n");
extern int image_test_variable;

static void waits(struct subject_shared *shared)
{
	(void)shared;
	subject_ready();
	for (;;)
		pause();
}

/* A copy of a library, to be mistreated. */
static void make_copy(void)
{
	Dl_info info;
	size_t len;

	assert_true(dladdr((void *)&_cmocka_run_group_tests, &info));
	AUTO(xfree) char *bytes = slurp(info.dli_fname, 1 << 24, &len);
	strcpy(copy + strlen(copy) - 6, "XXXXXX");
	int fd = mkstemp(copy);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void loads_copy(struct subject_shared *shared)
{
	void *lib = dlopen(copy, RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		_exit(1);
	shared->address = (uintptr_t)dlsym(lib, "_cmocka_run_group_tests");
	waits(shared);
}

static struct target *open_target(pid_t pid)
{
	struct err err;
	struct target *t = target_live_open(pid, &err);

	if (!t)
		fail_msg("%s", err.text);
	return t;
}

static void test_executable(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(waits, &shared);
	AUTO(target_close) struct target *t = open_target(pid);
	AUTO(images_close) struct images *images = images_open(t);
	const struct image *exe = images_get(images, 0);
	struct image_range range;
	struct image_segment segment;
	const char *name;
	uint64_t entry;
	size_t len, loads = 0;
	char buf[64];
	struct err err;
	(void)state;
	assert_null(image_unreadable(exe));
	assert_non_null(strstr(image_path(exe), "/image"));
	assert_int_equal(image_machine(exe), EM_X86_64);
	assert_int_equal(strlen(image_build_id(exe)), 40);
	assert_string_equal(image_go_build_id(exe), "");
	assert_true(image_fd(exe) >= 0);
	/* The child is our fork: what is true here is true there. */
	assert_true(image_symbol(exe, "image_test_variable", &range));
	assert_int_equal(range.addr, (uintptr_t)&image_test_variable);
	assert_int_equal(range.size, sizeof(image_test_variable));
	assert_null(image_bytes(exe, range.addr, 4)); /* it can be written */
	assert_false(image_symbol(exe, "no_such_symbol", &range));
	assert_false(image_symbol(exe, "dladdr", &range)); /* not defined here */
	assert_true(image_section(exe, ".text", &range));
	uint64_t code = (uintptr_t)&test_executable;
	assert_true(code >= range.addr && code < range.addr + range.size);
	assert_false(image_section(exe, ".symtab", &range)); /* nowhere in the process */
	assert_true(image_function_at(exe, code + 1, &name, &entry));
	assert_string_equal(name, "test_executable");
	assert_int_equal(entry, code);
	assert_true(target_read(t, code, buf, sizeof(buf), &err));
	assert_memory_equal(image_bytes(exe, code, sizeof(buf)), buf, sizeof(buf));
	assert_non_null(image_bytes_from(exe, code, &len));
	assert_true(len > sizeof(buf));
	assert_null(image_bytes(exe, code, len + 1));
	assert_null(image_bytes(exe, code, SIZE_MAX));
	assert_ptr_equal(images_at(images, code), exe);
	for (size_t i = 0; image_segment(exe, i, &segment); i++)
		loads += segment.type == PT_LOAD;
	assert_true(loads >= 2);
	assert_null(images_at(images, 0x10));
	subject_end(pid, shared);
	/* What was opened is still there when the process is not. */
	assert_memory_equal(image_bytes(exe, code, sizeof(buf)), buf, sizeof(buf));
}

static void test_libraries(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(waits, &shared);
	AUTO(target_close) struct target *t = open_target(pid);
	AUTO(images_close) struct images *images = images_open(t);
	const struct image *libc =
		images_at(images, (uintptr_t)dlsym(RTLD_DEFAULT, "getpid"));
	const struct image *vdso = images_at(images, getauxval(AT_SYSINFO_EHDR));
	struct image_range range;
	const char *name;
	uint64_t entry;
	(void)state;
	assert_non_null(libc);
	assert_non_null(strstr(image_path(libc), "libc.so"));
	assert_true(image_symbol(libc, "getpid", &range));
	assert_int_equal(range.addr, (uintptr_t)dlsym(RTLD_DEFAULT, "getpid"));
	assert_true(image_function_at(libc, range.addr, &name, &entry));
	assert_string_equal(name, "getpid");
	assert_non_null(vdso);
	assert_string_equal(image_path(vdso), "[vdso]");
	assert_int_equal(image_bias(vdso), getauxval(AT_SYSINFO_EHDR));
	assert_int_equal(image_fd(vdso), -1);
	assert_true(image_symbol(vdso, "__vdso_clock_gettime", &range));
	assert_memory_equal(image_bytes(vdso, image_bias(vdso), 4), ELFMAG, 4);
	for (size_t i = 0; i < images_count(images); i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(image_bias(images_get(images, i)),
					     image_bias(images_get(images, k)));
	subject_end(pid, shared);
}

/* A file that is cut off while it is mapped: a mapping of ours would raise SIGBUS. */
static void test_truncated(void **state)
{
	struct subject_shared *shared;
	uint8_t before[16];
	make_copy();
	pid_t pid = subject_start(loads_copy, &shared);
	uint64_t addr = shared->address;
	AUTO(target_close) struct target *t = open_target(pid);
	AUTO(images_close) struct images *images = images_open(t);
	const struct image *lib = images_at(images, addr);
	(void)state;
	assert_non_null(lib);
	assert_null(image_unreadable(lib));
	memcpy(before, image_bytes(lib, addr, 16), 16);
	assert_int_equal(truncate(copy, 100), 0);
	assert_memory_equal(image_bytes(lib, addr, 16), before, 16);
	struct image_range range;
	image_symbol(lib, "_cmocka_run_group_tests", &range);
	size_t len;
	image_bytes_from(lib, image_bias(lib), &len);
	AUTO(images_close) struct images *again = images_open(t);
	assert_non_null(image_unreadable(images_at(again, addr)));
	subject_end(pid, shared);
	unlink(copy);
}

static void test_deleted_and_replaced(void **state)
{
	struct subject_shared *shared;
	make_copy();
	pid_t pid = subject_start(loads_copy, &shared);
	uint64_t addr = shared->address;
	(void)state;
	unlink(copy);
	int fd = open(copy, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(write(fd, "not this", 8), 8);
	close(fd);
	AUTO(target_close) struct target *t = open_target(pid);
	AUTO(images_close) struct images *images = images_open(t);
	const struct image *lib = images_at(images, addr);
	assert_non_null(strstr(image_path(lib), " (deleted)"));
	uint8_t bytes[16];
	struct err err;
	/* Through the kernel's own link, which takes a capability. */
	if (!image_unreadable(lib)) {
		assert_true(target_read(t, addr, bytes, 16, &err));
		assert_memory_equal(image_bytes(lib, addr, 16), bytes, 16);
	} else {
		assert_int_not_equal(geteuid(), 0);
	}
	subject_end(pid, shared);
	unlink(copy);
}

/* Without capabilities, for good or until they are wanted again. */
static void set_capabilities(bool on, bool for_good)
{
	struct __user_cap_header_struct header = { .version =
							   _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2];

	if (syscall(SYS_capget, &header, sets) < 0)
		_exit(1);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		sets[i].permitted = for_good ? 0 : sets[i].permitted;
		sets[i].effective = on ? sets[i].permitted : 0;
	}
	if (syscall(SYS_capset, &header, sets) < 0)
		_exit(1);
}

/* Who has fewer capabilities may examine it. */
static void loads_copy_without(struct subject_shared *shared)
{
	set_capabilities(false, true);
	loads_copy(shared);
}

/* Where a mapped file has to be opened by its name, a pipe can have that name. */
static void test_pipe_of_that_name(void **state)
{
	struct subject_shared *shared;
	struct inotify_event event;
	make_copy();
	AUTO(xfree) char *pipe = xasprintf("%s (deleted)", copy);
	pid_t pid = subject_start(loads_copy_without, &shared);
	set_capabilities(false, false);
	uint64_t addr = shared->address;
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	(void)state;
	unlink(copy);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_true(inotify_add_watch(watch, pipe, IN_OPEN) >= 0);
	AUTO(target_close) struct target *t = open_target(pid);
	AUTO(images_close) struct images *images = images_open(t);
	assert_string_equal(image_path(images_at(images, addr)), pipe);
	assert_int_equal(image_fd(images_at(images, addr)), -1);
	assert_int_equal(read(watch, &event, sizeof(event)), -1);
	set_capabilities(true, false);
	subject_end(pid, shared);
	close(watch);
	unlink(pipe);
}

/* gosnap layout FILE: the name is that of anything. */
static void test_no_file(void **state)
{
	struct err err;
	(void)state;
	assert_null(images_open_file("/dev/null", &err));
	assert_non_null(strstr(err.text, "/dev/null: it is not a regular file"));
	assert_null(images_open_file("/nonexistent", &err));
	assert_non_null(strstr(err.text, "cannot open /nonexistent: No such file"));
}

/* What all objects of a process have together. */
static void test_room_for_symbols(void **state)
{
	struct err err;
	struct image_range range;
	(void)state;
	for (int i = 0; i < 2; i++) {
		AUTO(images_close)
		struct images *images = images_open_file("/proc/self/exe", &err);
		const struct image *img = images_get(images, 0);
		uint64_t *room = &img->context->symbol_room;
		assert_true(*room > 0 &&
			    *room < LIMIT_SYMBOL_BYTES); /* sections' names */
		*room = i == 0 ? *room : sizeof(Elf64_Sym);
		const uint64_t before = *room;
		assert_int_equal(image_symbol(img, "image_test_variable", &range),
				 i == 0);
		assert_int_equal(*room < before, i == 0);
	}
}

/* A file with nothing but symbols, all of one name. */
static void make_symbols(size_t count, size_t name_len)
{
	enum { SYMTAB = 1, STRTAB, SECTIONS };
	const size_t symbols_len = count * sizeof(Elf64_Sym), names_len = name_len + 2;
	AUTO(xfree) Elf64_Sym *symbols = xcalloc(count, sizeof(*symbols));
	AUTO(xfree) char *names = xcalloc(1, names_len);
	const struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		Elf64_Shdr sections[SECTIONS];
	} head = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_EXEC,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_shoff = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = SECTIONS },
		.sections[SYMTAB] = { .sh_type = SHT_SYMTAB,
				      .sh_offset = sizeof(head),
				      .sh_size = symbols_len,
				      .sh_link = STRTAB,
				      .sh_entsize = sizeof(Elf64_Sym) },
		.sections[STRTAB] = { .sh_type = SHT_STRTAB,
				      .sh_offset = sizeof(head) + symbols_len,
				      .sh_size = names_len },
	};

	memset(names + 1, 'a', name_len);
	for (size_t i = 0; i < count; i++)
		symbols[i] = (Elf64_Sym){ .st_name = 1, .st_shndx = SHN_ABS };
	strcpy(copy + strlen(copy) - 6, "XXXXXX");
	FILE *f = fdopen(mkstemp(copy), "w");
	fwrite(&head, sizeof(head), 1, f);
	fwrite(symbols, 1, symbols_len, f);
	fwrite(names, 1, names_len, f);
	assert_int_equal(fclose(f), 0);
}

/* Past the limit, a symbol costs nothing, however long its name is. */
static void test_steps_for_symbols(void **state)
{
	enum { COUNT = 1 << 16, NAME = 1 << 22, SECONDS_MAX = 1 };
	(void)state;
	make_symbols(COUNT, NAME);
	for (int i = 0; i < 2; i++) {
		struct err err;
		struct image_range range;
		AUTO(images_close) struct images *images = images_open_file(copy, &err);
		struct image *img = (struct image *)images_get(images, 0);
		/* The first symbol is found; the others take what remains. */
		img->symbols.steps = LIMIT_SYMBOL_STEPS - (i == 0 ? NAME : 0);
		AUTO(xfree) char *name = xcalloc(1, NAME + 1);
		memset(name, 'a', NAME);
		const clock_t begin = clock();
		assert_int_equal(image_symbol(img, name, &range), i == 0);
		assert_true(clock() - begin < SECONDS_MAX * CLOCKS_PER_SEC);
	}
	unlink(copy);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_executable),
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_deleted_and_replaced),
		cmocka_unit_test(test_pipe_of_that_name),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_room_for_symbols),
		cmocka_unit_test(test_steps_for_symbols),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
