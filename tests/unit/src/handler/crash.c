/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the kernel, the names made of them, settings, and how much of a core is its head. */
#include "src/handler/crash.h"

#include <elf.h>
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

#include "src/handler/head.h"
#include "src/handler/settings.h"
#include "tests/unit/folder.h"
#include "tests/unit/unit.h"

static char *const words[] = { "4711",
			       "4713",
			       "11",
			       "18446744073709551615",
			       "1",
			       "1795536837",
			       "7",
			       "9",
			       "1000",
			       "100",
			       "3",
			       "host",
			       "a program",
			       "file",
			       "!usr!bin!file",
			       "" };

static struct crash crash_of(int n)
{
	struct crash crash;
	struct err err;

	assert_true(crash_read(n, words, &crash, &err));
	return crash;
}

static void test_words(void **state)
{
	struct crash crash = crash_of(ARRAY_SIZE(words));
	struct err err;
	(void)state;

	assert_int_equal(crash.pid, 4711);
	assert_int_equal(crash.tid, 4713);
	assert_int_equal(crash.signal, 11);
	assert_true(crash.limit == UINT64_MAX);
	assert_false(crash.guarded);
	assert_int_equal(crash.pidfd, -1);
	/* An older kernel leaves the last ones out; without %d nobody knows whose the core is. */
	assert_true(crash_of(4).guarded);
	assert_false(crash_read(3, words, &crash, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_false(crash_read(4, (char *[]){ "0", "1", "6", "0" }, &crash, &err));
	assert_false(crash_read(4, (char *[]){ "12x", "1", "6", "0" }, &crash, &err));
	assert_false(
		crash_read(4, (char *[]){ "99999999999", "1", "6", "0" }, &crash, &err));
}

static void expands(const char *pattern, bool uses_pid, const char *wanted)
{
	struct crash crash = crash_of(ARRAY_SIZE(words));
	char name[CRASH_TEXT];

	assert_true(crash_core_name(&crash, pattern, uses_pid, name));
	assert_string_equal(name, wanted);
}

static void test_names(void **state)
{
	char text[CRASH_TEXT], long_pattern[CRASH_TEXT + 1];
	struct crash crash = crash_of(ARRAY_SIZE(words));
	(void)state;

	expands("core", false, "core");
	expands("core", true, "core.7");
	expands("core.%p", true, "core.7");
	expands("core.%P", true, "core.4711.7");
	expands("100%%p", true, "100%p.7");
	expands("", true, ".7");
	expands("%e-%E-%%-%s%", false, "a program-!usr!bin!file-%-11");
	expands("x%Qy%", false, "xy");
	memset(long_pattern, 'x', CRASH_TEXT);
	long_pattern[CRASH_TEXT] = '\0';
	assert_false(crash_expand(&crash, long_pattern, text));
	long_pattern[CRASH_TEXT - 1] = '\0';
	assert_true(crash_expand(&crash, long_pattern, text));
	assert_false(crash_core_name(&crash, long_pattern, true, text));
}

static void put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_settings(void **state)
{
	struct settings settings;
	struct previous previous;
	struct err err;
	(void)state;

	assert_true(settings_read(folder, &settings, &err));
	assert_int_equal(settings.quota_files, 200);
	assert_true(settings_quota_bytes(&settings) == UINT64_C(1) << 30);
	settings.quota_megabytes = UINT64_MAX;
	assert_true(settings_quota_bytes(&settings) == UINT64_MAX >> 20 << 20);
	assert_string_equal(settings.spool, "/var/lib/gosnap");
	assert_int_equal(previous_read(folder, &previous, &err), PREVIOUS_MISSING);
	put("handler.conf",
	    "# a comment\n\nquota_files=7\nspool = /a b\ninterval_seconds =  3\n");
	assert_true(settings_read(folder, &settings, &err));
	assert_int_equal(settings.quota_files, 7);
	assert_int_equal(settings.interval_seconds, 3);
	assert_int_equal(settings.user_snapshots, 10);
	assert_string_equal(settings.spool, "/a b");
	assert_true(settings_read("/dev/null", &settings, &err)); /* no folder */
	assert_int_equal(settings.quota_files, 200);
	put("handler.conf", "");
	assert_true(settings_read(folder, &settings, &err));
	put("handler.conf", "quota_files = many\nat_once = -1\nquota_megabytes = 5");
	assert_false(settings_read(folder, &settings, &err));
	assert_non_null(strstr(err.text, "quota_files"));
	assert_int_equal(settings.quota_files, 200);
	assert_int_equal(settings.at_once, 4);
	assert_int_equal(settings.quota_megabytes, 5);
	put("previous",
	    "core_pattern =  = |/x %p \ncore_pipe_limit = 16\ninstalled = |/g\n");
	assert_int_equal(previous_read(folder, &previous, &err), PREVIOUS_KNOWN);
	assert_string_equal(previous.core_pattern, " = |/x %p ");
	assert_int_equal(previous.core_pipe_limit, 16);
	assert_string_equal(previous.installed, "|/g");
	assert_int_equal(previous.installed_limit, 0);
}

/* What is not understood is an error, and not what nobody has said. */
static void test_wrong_previous(void **state)
{
	static const struct {
		const char *text, *why, *to;
	} wrong[] = {
		{ "", "does not say where", "core" },
		{ "installed = |/g\n", "does not say where", "core" },
		{ "core_pattern |/x\n", "not understood: core_pattern |/x", "core" },
		{ "core_pattern = |/x\ncore_pipe_limit = few\n", "core_pipe_limit",
		  "|/x" },
		{ "core_pattern = |/x\nmore = 1\n", "not understood: more", "|/x" },
		{ "core_pattern = |\n", "names no program", "core" },
		{ "core_pattern = | \t\n", "names no program", "core" },
		{ "core_pattern = @/run/s\n", "socket of another", "core" },
	};
	struct previous previous;
	struct err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		put("previous", wrong[i].text);
		assert_int_equal(previous_read(folder, &previous, &err), PREVIOUS_WRONG);
		assert_non_null(strstr(err.text, wrong[i].why));
		assert_string_equal(previous.core_pattern, wrong[i].to);
	}
	AUTO(xfree) char *longer = xcalloc(1, 5000);
	memset(longer, '\n', 4999);
	put("previous", longer);
	assert_int_equal(previous_read(folder, &previous, &err), PREVIOUS_WRONG);
	memset(longer + sprintf(longer, "core_pattern = /"), 'x', 200);
	put("previous", longer);
	assert_int_equal(previous_read(folder, &previous, &err), PREVIOUS_WRONG);
	assert_string_equal(previous.core_pattern, "core");
	put("previous", "core_pattern = \n"); /* nobody got cores */
	assert_int_equal(previous_read(folder, &previous, &err), PREVIOUS_KNOWN);
	assert_string_equal(previous.core_pattern, "");
}

enum { NOTES_AT = 512, NOTES_LEN = 100 };

static uint64_t head_of(Elf64_Ehdr header, Elf64_Phdr notes, size_t len)
{
	uint8_t core[1024] = { 0 };

	memcpy(core, &header, sizeof(header));
	memcpy(core + sizeof(header), &notes, sizeof(notes));
	return head_length(core, len);
}

static void test_head(void **state)
{
	const Elf64_Ehdr good = { .e_ident = ELFMAG,
				  .e_phoff = sizeof(good),
				  .e_phentsize = sizeof(Elf64_Phdr),
				  .e_phnum = 2 };
	const Elf64_Phdr notes = { .p_type = PT_NOTE,
				   .p_offset = NOTES_AT,
				   .p_filesz = NOTES_LEN };
	const uint64_t tables = sizeof(good) + 2 * sizeof(notes);
	Elf64_Ehdr header = good;
	Elf64_Phdr segment = notes;
	(void)state;

	assert_int_equal(head_of(good, notes, 0), sizeof(good));
	assert_int_equal(head_of(good, notes, sizeof(good)), tables);
	assert_int_equal(head_of(good, notes, tables), NOTES_AT + NOTES_LEN);
	header.e_ident[0] = 'x';
	assert_int_equal(head_of(header, notes, 1024), 0);
	header = good;
	header.e_phoff = UINT64_MAX - 8;
	assert_int_equal(head_of(header, notes, 1024), 0);
	header = good;
	header.e_phnum = PN_XNUM;
	assert_int_equal(head_of(header, notes, 1024), 0);
	segment.p_offset = UINT64_MAX;
	assert_int_equal(head_of(good, segment, 1024), 0);
	segment = notes;
	segment.p_filesz = UINT64_MAX;
	assert_int_equal(head_of(good, segment, 1024), 0);
}

enum { STATUS_SIGNAL = 12, STATUS_PID = 32, STATUS_LEN = 64, HEAD = NOTES_AT + 100 };

/* With notes that name a signal and a thread, and bytes that are no head any more. */
static void make_core(uint8_t ret[static 1024], uint32_t type, uint64_t notes_at)
{
	const Elf64_Ehdr header = { .e_ident = ELFMAG,
				    .e_phoff = sizeof(header),
				    .e_phentsize = sizeof(Elf64_Phdr),
				    .e_phnum = 1 };
	const Elf64_Phdr notes = { .p_type = type,
				   .p_offset = notes_at,
				   .p_filesz = HEAD - NOTES_AT };
	const Elf64_Nhdr note = { 5, STATUS_LEN, NT_PRSTATUS };
	uint8_t *status = ret + NOTES_AT + sizeof(note) + 8;

	memset(ret, 0, 1024);
	memcpy(ret, &header, sizeof(header));
	memcpy(ret + sizeof(header), &notes, sizeof(notes));
	memcpy(ret + NOTES_AT, &note, sizeof(note));
	memcpy(ret + NOTES_AT + sizeof(note), "CORE", 5);
	status[STATUS_SIGNAL] = 6;
	status[STATUS_PID + 1] = 1;
}

static void tells(const uint8_t *core, size_t len, unsigned signal, unsigned tid)
{
	uint16_t found = 99;
	uint32_t thread = 99;

	head_signal(core, len, &found, &thread);
	assert_int_equal(found, signal);
	assert_int_equal(thread, tid);
}

static void test_signal(void **state)
{
	uint8_t core[1024];
	(void)state;

	make_core(core, PT_NOTE, NOTES_AT);
	tells(core, sizeof(core), 6, 256);
	tells(core, HEAD, 6, 256);
	tells(core, HEAD - 1, 0, 0);
	tells(core, 100, 0, 0);
	make_core(core, PT_LOAD, NOTES_AT);
	tells(core, sizeof(core), 0, 0);
	make_core(core, PT_NOTE, UINT64_MAX);
	tells(core, sizeof(core), 0, 0);
}

/* The size of the head that is copied out of a pipe with these bytes, whose writer has ended; all of them are in the pipe
 * still. -1: err says why there is none. */
static off_t copied(const uint8_t *bytes, size_t len, struct err *err)
{
	uint8_t found[1025];
	struct stat st;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, len), len);
	close(ends[1]);
	int fd = head_copy(ends[0], err);
	assert_int_equal(read(ends[0], found, sizeof(found)), len);
	assert_memory_equal(found, bytes, len);
	close(ends[0]);
	if (fd < 0)
		return -1;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pread(fd, found, sizeof(found), 0), st.st_size);
	assert_memory_equal(found, bytes, (size_t)st.st_size);
	close(fd);
	return st.st_size;
}

static void test_copy(void **state)
{
	uint8_t core[1024];
	struct err err;
	(void)state;

	make_core(core, PT_NOTE, NOTES_AT);
	assert_int_equal(copied(core, sizeof(core), &err), HEAD);
	assert_int_equal(copied(core, HEAD, &err), HEAD);
	assert_int_equal(copied(core, HEAD - 1, &err), HEAD - 1);
	assert_int_equal(copied(core, 0, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	make_core(core, PT_NOTE, UINT64_MAX);
	assert_int_equal(copied(core, sizeof(core), &err), -1);
	assert_int_equal(err.code, ERR_CANNOT);
	core[0] = 'x';
	assert_int_equal(copied(core, sizeof(core), &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(head_copy(fd, &err), -1);
	assert_int_equal(err.code, ERR_CANNOT);
	close(fd);
}

/* Notes of many threads do not fit into a pipe as it is. Its writer waits until somebody reads. */
static void test_large(void **state)
{
	enum { LARGE = 200000 };
	AUTO(xfree) uint8_t *bytes = xcalloc(LARGE, 1);
	const Elf64_Phdr notes = { .p_type = PT_NOTE,
				   .p_offset = NOTES_AT,
				   .p_filesz = LARGE - NOTES_AT };
	struct stat st;
	struct err err;
	int ends[2];
	(void)state;

	make_core(bytes, PT_NOTE, NOTES_AT);
	memcpy(bytes + sizeof(Elf64_Ehdr), &notes, sizeof(notes));
	bytes[LARGE - 1] = 'x';
	assert_int_equal(pipe(ends), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		_exit(!write_fully(ends[1], bytes, LARGE));
	}
	close(ends[1]);
	int fd = head_copy(ends[0], &err);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, LARGE);
	memset(bytes, 0, LARGE);
	assert_true(read_fully(ends[0], bytes, LARGE));
	assert_int_equal(bytes[LARGE - 1], 'x');
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ends[0]);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),	 cmocka_unit_test(test_names),
		cmocka_unit_test(test_settings), cmocka_unit_test(test_wrong_previous),
		cmocka_unit_test(test_head),	 cmocka_unit_test(test_signal),
		cmocka_unit_test(test_copy),	 cmocka_unit_test(test_large),
	};
	return unit_run(argc, argv, tests, make_folder, remove_folder);
}
