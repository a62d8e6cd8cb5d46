/* SPDX-License-Identifier: Apache-2.0 */
/* The index of names and the folder that it is kept in. */
#include "lib/dwarf/dwarf_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/cache.h"
#include "lib/base/limit.h"
#include "lib/dwarf/dwarf_types.h"
#include "tests/unit/lib/compiled.h"
#include "tests/unit/unit.h"

enum { NOBODY = 65534, HEAD = 72, SUM_AT = 8, COUNTS_AT = 48 };

static char base[] = "/tmp/gosnap-names-XXXXXX";
static char folder[64];

static const char source[] = "struct first { int a; };\n"
			     "union second { int a; double b; };\n"
			     "typedef struct { char name[8]; } third;\n"
			     "enum fourth { A, B };\n"
			     "struct first one; union second two; third three;\n"
			     "enum fourth look(int local) {\n"
			     "	static int hidden; union second two; two.a = local;\n"
			     "	return two.a + hidden ? A : B; }\n";

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(folder, sizeof(folder), "%s/gosnap/names/v1", base);
	setenv("XDG_CACHE_HOME", base, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	AUTO(xfree) char *command = xasprintf("rm -r %s", base);
	return system(command);
}

static void clear(void)
{
	AUTO(xfree) char *command = xasprintf("rm -rf %s/gosnap", base);
	assert_int_equal(system(command), 0);
}

/* The only file in the folder; NULL: there is none. */
static char *kept(void)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	char *found = NULL;

	while (dir && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		assert_null(found);
		found = xasprintf("%s/%s", folder, e->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void check_answers(struct dwarf *d)
{
	static const char *const types[] = { "first", "second", "third", "fourth",
					     "int" };
	static const char *const variables[] = { "one", "two", "three" };
	struct dwarf_type type;
	uint64_t ref, addr;
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		assert_true(dwarf_named_type(d, types[i], &ref));
		assert_true(dwarf_type_read(d, ref, &type, &err));
		assert_string_equal(type.name, types[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		assert_true(dwarf_named_variable(d, variables[i], &ref, &addr));
	assert_false(dwarf_named_type(d, "fifth", &ref));
	assert_false(dwarf_named_variable(d, "hidden", &ref, &addr));
	assert_false(dwarf_named_variable(d, "local", &ref, &addr));
	assert_false(dwarf_type_with(d, 4, &ref));
}

static const char with_id[] = "-g -Wl,--build-id=0xfeedfeedfeedfeed";

/* Of one program, with one cache. */
static void ask(const char *flags, bool use_cache)
{
	struct compiled c;
	AUTO(cache_close)
	struct cache *cache = use_cache ? cache_open("names/v1") : NULL;

	compiled_open("c", flags, source, &c);
	images_use_cache(c.images, cache);
	check_answers(c.dwarf);
	compiled_close(&c);
}

static ino_t inode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* What is not believed is replaced: by a file of another inode. */
static void test_kept(void **state)
{
	(void)state;
	clear();
	ask(with_id, true);
	AUTO(xfree) char *path = kept();
	assert_non_null(path);
	assert_non_null(strstr(path, "/feedfeedfeedfeed"));
	ino_t first = inode_of(path);
	ask(with_id, true);
	assert_int_equal(inode_of(path), first);
	ask("-g -O2 -Wl,--build-id=0xfeedfeedfeedfeed", true); /* another of that id */
	assert_int_not_equal(inode_of(path), first);
}

/* Debugging information of the same size and of one id, in which a variable is elsewhere. */
static void ask_of_many(bool swapped)
{
	enum { STRUCTS = 6000 };
	static const char *const last[] = { "int alpha; long omega;\n",
					    "int omega; long alpha;\n" };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct compiled c;
	uint64_t ref, addr;

	for (int i = 0; i < STRUCTS; i++) {
		fprintf(out, "struct s%04d { int a, b, c, d, e, f; } v%04d;\n", i, i);
		if (i == STRUCTS / 2)
			fputs(last[swapped], out);
	}
	fputs("int main(int argc, char **argv) { return 0; }\n", out);
	fclose(out);
	AUTO(cache_close) struct cache *cache = cache_open("names/v1");
	compiled_open("c", with_id, text, &c);
	images_use_cache(c.images, cache);
	assert_true(dwarf_named_variable(c.dwarf, "alpha", &ref, &addr));
	compiled_close(&c);
	free(text);
}

static void test_one_id(void **state)
{
	(void)state;
	clear();
	ask_of_many(false);
	ask_of_many(true);
}

/* Of the same size, but what describes the entries was overwritten: it has no names. */
static void test_overwritten(void **state)
{
	static const char overwrite[] =
		"objcopy --dump-section .debug_abbrev=%1$s.abbrev %1$s && "
		"tr '\\000-\\377' '\\001' <%1$s.abbrev >%1$s.ones && "
		"objcopy --update-section .debug_abbrev=%1$s.ones %1$s && "
		"rm %1$s.abbrev %1$s.ones";
	struct compiled c;
	struct err err;
	char command[1024];
	uint64_t ref, addr;
	(void)state;
	clear();
	compiled_open("c", with_id, source, &c);
	snprintf(command, sizeof(command), overwrite, c.path);
	assert_int_equal(system(command), 0);
	dwarf_close(c.dwarf);
	images_close(c.images);
	AUTO(cache_close) struct cache *cache = cache_open("names/v1");
	c.images = images_open_file(c.path, &err);
	images_use_cache(c.images, cache);
	c.dwarf = dwarf_open(images_get(c.images, 0), &err);
	assert_false(dwarf_named_variable(c.dwarf, "one", &ref, &addr));
	compiled_close(&c);
	ask(with_id, true);
}

static void test_no_id(void **state)
{
	static const char *const flags[] = { "-g -Wl,--build-id=none",
					     "-g -Wl,--build-id=0xfe" };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		clear();
		ask(flags[i], true);
		assert_null(kept());
	}
	clear();
	ask(with_id, false);
	assert_null(kept());
}

static char *read_all(const char *path, size_t *ret_len)
{
	char *all = slurp(path, 1 << 20, ret_len);

	assert_non_null(all);
	return all;
}

static void write_all(const char *path, const void *bytes, size_t len)
{
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/* Every byte of it in turn, and all that it may be cut to. */
static void test_damaged(void **state)
{
	struct compiled c;
	size_t len;
	(void)state;
	clear();
	ask(with_id, true);
	AUTO(xfree) char *path = kept();
	AUTO(xfree) char *right = read_all(path, &len);
	AUTO(xfree) char *wrong = xmalloc(len + 8);
	compiled_open("c", with_id, source, &c);
	dwarf_close(TAKE(c.dwarf));
	for (size_t i = 0; i < 2 * len + 8; i++) {
		bool cut = i >= len;
		memset(wrong, 0, len + 8);
		memcpy(wrong, right, len);
		if (!cut)
			wrong[i] ^= 0x41;
		write_all(path, wrong,
			  !cut		  ? len
			  : i - len < len ? i - len
					  : i - len + 1);
		AUTO(cache_close) struct cache *cache = cache_open("names/v1");
		struct err err;
		images_use_cache(c.images, cache);
		c.dwarf = dwarf_open(images_get(c.images, 0), &err);
		check_answers(c.dwarf);
		dwarf_close(
			TAKE(c.dwarf)); /* keeps the right one, while there is a cache */
	}
	size_t now;
	AUTO(xfree) char *again = read_all(path, &now);
	assert_int_equal(now, len);
	assert_memory_equal(again, right, len);
	compiled_close(&c);
}

/* As dwarf_names_file.c adds up. */
static uint64_t mix(uint64_t sum, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint64_t word = 0;

	sum ^= len;
	for (; len; p += sizeof(word)) {
		size_t n = len < sizeof(word) ? len : sizeof(word);
		memcpy(&word, p, n);
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 29;
		len -= n;
	}
	return sum;
}

static void add_up(char *file, size_t len)
{
	uint64_t sum = mix(mix(0, file + SUM_AT + 8, HEAD - SUM_AT - 8), file + HEAD,
			   len - HEAD);
	memcpy(file + SUM_AT, &sum, sizeof(sum));
}

static void ask_anything(struct dwarf *d)
{
	static const char *const names[] = { "first", "second", "third", "two", "int" };
	struct dwarf_type type;
	uint64_t ref, addr;
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (dwarf_named_type(d, names[i], &ref) &&
		    dwarf_type_read(d, ref, &type, &err))
			assert_string_equal(type.name, names[i]);
		dwarf_named_variable(d, names[i], &ref, &addr);
		dwarf_type_with(d, i, &ref);
	}
}

/* Its sums are right, and what it says is not. */
static void test_hostile(void **state)
{
	struct compiled c;
	size_t len;
	(void)state;
	clear();
	ask(with_id, true);
	AUTO(xfree) char *path = kept();
	AUTO(xfree) char *right = read_all(path, &len);
	AUTO(xfree) char *wrong = xmalloc(len);
	compiled_open("c", with_id, source, &c);
	dwarf_close(TAKE(c.dwarf));
	srandom(1);
	for (int i = 0; i < 500; i++) {
		memcpy(wrong, right, len);
		for (int k = 0; k < 8; k++) {
			size_t at = (i & 1 ? COUNTS_AT : HEAD) +
				    (size_t)random() % (i & 1 ? 24 : len - HEAD);
			wrong[at] = (char)random();
		}
		add_up(wrong, len);
		write_all(path, wrong, len);
		AUTO(cache_close) struct cache *cache = cache_open("names/v1");
		struct err err;
		images_use_cache(c.images, cache);
		c.dwarf = dwarf_open(images_get(c.images, 0), &err);
		ask_anything(c.dwarf);
		dwarf_close(TAKE(c.dwarf));
	}
	compiled_close(&c);
}

static void put(struct cache *c, const char *key, char fill, size_t len)
{
	AUTO(xfree) char *bytes = xmalloc(len);
	memset(bytes, fill, len);
	const struct iovec parts[] = { { bytes, len / 3 }, { bytes, len - len / 3 } };
	cache_put(c, key, parts, 2);
}

static bool is_kept(struct cache *c, const char *key)
{
	struct cache_file file;

	if (!cache_get(c, key, &file))
		return false;
	cache_release(&file);
	return true;
}

/* Whose folder it is, and who may write there. */
static void test_whose(void **state)
{
	static const char *const below[] = { "", "/gosnap", "/gosnap/names",
					     "/gosnap/names/v1" };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		AUTO(xfree) char *path = xasprintf("%s%s", base, below[i]);
		clear();
		cache_close(cache_open("names/v1"));
		assert_int_equal(chmod(path, 0770), 0);
		assert_null(cache_open("names/v1"));
		assert_int_equal(chmod(path, 0702), 0);
		assert_null(cache_open("names/v1"));
		assert_int_equal(chmod(path, 0755), 0);
		if (geteuid() == 0) {
			assert_int_equal(chown(path, NOBODY, NOBODY), 0);
			assert_null(cache_open("names/v1"));
			assert_int_equal(chown(path, 0, 0), 0);
		}
		AUTO(cache_close) struct cache *c = cache_open("names/v1");
		assert_non_null(c);
	}
	/* A link to a folder that is ours, but not where it should be. */
	clear();
	AUTO(xfree) char *link = xasprintf("%s/gosnap", base);
	assert_int_equal(symlink(base, link), 0);
	assert_null(cache_open("names/v1"));
}

static void test_files_of_others(void **state)
{
	(void)state;
	clear();
	AUTO(cache_close) struct cache *c = cache_open("names/v1");
	AUTO(xfree) char *path = xasprintf("%s/abc", folder);
	put(c, "abc", 'x', 100);
	assert_true(is_kept(c, "abc"));
	assert_int_equal(chmod(path, 0660), 0);
	assert_false(is_kept(c, "abc"));
	assert_int_equal(chmod(path, 0600), 0);
	AUTO(xfree) char *other = xasprintf("%s/other", folder);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink("other", path), 0);
	assert_false(is_kept(c, "abc"));
	put(c, "abc", 'y', 100);
	assert_true(is_kept(c, "abc"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(is_kept(c, "abc"));
	assert_false(is_kept(c, "none"));
}

static void test_nowhere(void **state)
{
	(void)state;
	clear();
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", base, 1);
	cache_close(cache_open("names/v1"));
	AUTO(xfree) char *path = xasprintf("%s/.cache/gosnap/names/v1", base);
	assert_int_equal(access(path, F_OK), 0);
	setenv("HOME", "", 1);
	assert_null(cache_open("names/v1"));
	setenv("XDG_CACHE_HOME", "/proc/none/such", 1);
	assert_null(cache_open("names/v1"));
	setenv("XDG_CACHE_HOME", base, 1);
}

/* Those that were used last stay; what somebody left half written goes. */
static void test_trimmed(void **state)
{
	const size_t third = LIMIT_CACHE_BYTES / 3 + 4096;
	(void)state;
	clear();
	AUTO(cache_close) struct cache *c = cache_open("names/v1");
	AUTO(xfree) char *left = xasprintf("%s/.new-1-2", folder);
	write_all(left, "x", 1);
	struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	assert_int_equal(utimensat(AT_FDCWD, left, old, 0), 0);
	put(c, "one", '1', third);
	put(c, "two", '2', third);
	assert_int_equal(access(left, F_OK), -1);
	assert_true(is_kept(c, "one"));
	put(c, "three", '3', third);
	assert_false(is_kept(c, "two"));
	assert_true(is_kept(c, "one"));
	assert_true(is_kept(c, "three"));
}

/* Whoever reads finds one of them, whole. */
static bool is_whole(struct cache *c)
{
	struct cache_file file;

	if (!cache_get(c, "key", &file))
		return false;
	const char *bytes = file.bytes;
	bool whole = file.len == (size_t)bytes[0] * 100;
	for (size_t i = 0; whole && i < file.len; i++)
		whole = bytes[i] == bytes[0];
	cache_release(&file);
	return whole;
}

static void test_writers(void **state)
{
	enum { WRITERS = 6, ROUNDS = 100 };
	(void)state;
	clear();
	AUTO(cache_close) struct cache *first = cache_open("names/v1");
	put(first, "key", 'a', 'a' * 100);
	for (int i = 0; i < WRITERS; i++) {
		if (fork() != 0)
			continue;
		struct cache *c = cache_open("names/v1");
		for (int k = 0; k < ROUNDS; k++) {
			char fill = (char)('a' + (i + k) % 20);
			put(c, "key", fill, (size_t)fill * 100);
			if (!is_whole(c))
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	AUTO(xfree) char *only = kept();
	assert_non_null(only);
}

/* Our own file, but not ours alone: whoever cuts it short does not end us. */
static void test_cut_short(void **state)
{
	enum { LENGTH = 3 * 4096 };
	struct cache_file file;
	(void)state;
	clear();
	AUTO(cache_close) struct cache *c = cache_open("names/v1");
	put(c, "key", 'x', LENGTH);
	AUTO(xfree) char *path = kept();
	assert_true(cache_get(c, "key", &file));
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(file.len, LENGTH);
	assert_int_equal(((const char *)file.bytes)[LENGTH - 1], 'x');
	cache_release(&file);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_one_id),
		cmocka_unit_test(test_overwritten),
		cmocka_unit_test(test_no_id),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_whose),
		cmocka_unit_test(test_files_of_others),
		cmocka_unit_test(test_nowhere),
		cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_writers),
		cmocka_unit_test(test_cut_short),
	};

	return unit_run(argc, argv, tests, set_up, tear_down);
}
