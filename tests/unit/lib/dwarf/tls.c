/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/tls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "lib/ptrace/target_live.h"
#include "tests/unit/lib/compiled.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

static const char source[] =
	"static __thread char pad[40] __attribute__((aligned(64)));\n"
	"__thread int own = 7;\n"
	"int *where(void) { pad[own & 7]++; return &own; }\n";

static _Thread_local char of_program[20] __attribute__((aligned(32))) = "program";
static _Thread_local int tls_test_variable = 8;

static const char *path;

static uint64_t thread_pointer(void)
{
	uint64_t tp;

	__asm__("mov %%fs:0, %0" : "=r"(tp));
	return tp;
}

/* Another thread, which does not call the library. */
static void *idles(void *arg)
{
	struct subject_shared *shared = arg;

	shared->counter = thread_pointer();
	for (;;)
		pause();
	return NULL;
}

static void uses_library(struct subject_shared *shared)
{
	pthread_t other;
	void *lib = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	int *(*where)(void) = lib ? (int *(*)(void))dlsym(lib, "where") : NULL;

	of_program[0]++;
	shared->address = (uintptr_t)(where ? where() : &tls_test_variable);
	shared->value = thread_pointer();
	if ((path && !where) || pthread_create(&other, NULL, idles, shared) != 0)
		_exit(1);
	while (!shared->counter)
		continue;
	subject_ready();
	for (;;)
		pause();
}

/* In the file: it is not to be searched again. */
static void clear_relocations(const struct image *img)
{
	static const uint8_t zeros[1 << 12];
	struct image_range range;
	int fd = open(image_path(img), O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(image_section(img, ".rela.dyn", &range));
	assert_true(range.size && range.size <= sizeof(zeros));
	assert_int_equal(
		pwrite(fd, zeros, range.size, (off_t)(range.addr - image_bias(img))),
		range.size);
	close(fd);
}

/* image: by its path; NULL: the program. */
static void check(const char *file, const char *symbol, bool used_by_others)
{
	struct subject_shared *shared;
	struct image_range range;
	const struct image *img;
	struct err err;
	uint64_t block;

	path = file;
	pid_t pid = subject_start(uses_library, &shared);
	AUTO(target_close) struct target *t = target_live_open(pid, &err);
	assert_non_null(t);
	AUTO(images_close) struct images *images = images_open(t);
	img = images_get(images, 0);
	for (size_t i = 0; file && i < images_count(images); i++)
		if (strcmp(image_path(images_get(images, i)), file) == 0)
			img = images_get(images, i);
	assert_true(image_symbol(img, symbol, &range));
	if (!tls_block(t, images, img, shared->value, &block, &err))
		fail_msg("%s", err.text);
	assert_int_equal(block + range.addr, shared->address);
	if (file)
		clear_relocations(img);
	bool other = tls_block(t, images, img, shared->counter, &block, &err);
	assert_int_equal(other, used_by_others);
	if (!other)
		assert_non_null(strstr(err.text, "not yet used by this thread"));
	subject_end(pid, shared);
}

static void test_program(void **state)
{
	(void)state;
	check(NULL, "tls_test_variable", true);
}

/* By its number in the thread's table. */
static void test_library(void **state)
{
	struct compiled c;

	(void)state;
	compiled_open("c", "-g -O1", source, &c);
	check(c.path, "own", false);
	compiled_close(&c);
}

/* By its distance from the thread pointer. */
static void test_initial(void **state)
{
	struct compiled c;

	(void)state;
	compiled_open("c", "-g -O1 -ftls-model=initial-exec", source, &c);
	check(c.path, "own", true);
	compiled_close(&c);
}

/* A library that has no such variables. */
static void test_none(void **state)
{
	struct subject_shared *shared;
	struct compiled c;
	struct err err;
	uint64_t block;

	(void)state;
	compiled_open("c", "-g -O1", "int where;\n", &c);
	path = NULL;
	pid_t pid = subject_start(uses_library, &shared);
	AUTO(target_close) struct target *t = target_live_open(pid, &err);
	assert_non_null(t);
	assert_false(tls_block(t, c.images, images_get(c.images, 0), shared->value,
			       &block, &err));
	assert_non_null(strstr(err.text, "no thread-local storage information"));
	subject_end(pid, shared);
	compiled_close(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_initial),
		cmocka_unit_test(test_none),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
