/* SPDX-License-Identifier: Apache-2.0 */
/* Names that crashes choose, folders and files that others prepared, the rate, turns and the quota. */
#include "src/spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/spool/spool_head.h"
#include "src/spool/spool_priv.h"
#include "tests/unit/folder.h"
#include "tests/unit/unit.h"

#define INSTANT_NS                                                                       \
	(UINT64_C(1795536837) * SECOND_NS + 636000000) /* 2026-11-24T16:13:57.636Z */

static char place[sizeof(folder) + 8];

static struct spool *open_spool(void)
{
	struct err err;
	struct spool *spool = spool_open_folder(place, true, &err);

	assert_non_null(spool);
	return spool;
}

/* The ID that it got. NULL: err says why. */
static char *try_to_put_of(struct spool *spool, uid_t uid, const char *program,
			   uint64_t realtime_ns, struct err *err)
{
	const struct spool_name name = { realtime_ns, program, 4711 };
	char *id = NULL;
	int fd = spool_create(spool, err);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	const bool kept =
		spool_keep(spool, fd, SPOOL_DOCUMENT, &name, uid, getgid(), &id, err);
	close(fd);
	assert_true(kept == !!id);
	return id;
}

static char *try_to_put(struct spool *spool, const char *program, uint64_t realtime_ns,
			struct err *err)
{
	return try_to_put_of(spool, getuid(), program, realtime_ns, err);
}

static char *put(struct spool *spool, const char *program, uint64_t realtime_ns)
{
	struct err err;
	char *id = try_to_put(spool, program, realtime_ns, &err);

	assert_non_null(id);
	return id;
}

static void test_names(void **state)
{
	static const char *const programs[][2] = {
		{ "shop", "20261124T161357636-shop-4711" },
		{ "shop",
		  "20261124T161357636-shop-4711-1" }, /* at the same millisecond */
		{ "../../etc/x", "20261124T161357636-_.___.._etc_x-4711" },
		{ "-rf \n\x1b%s", "20261124T161357636-_rf____s-4711" },
		{ "", "20261124T161357636-unknown-4711" },
		{ ".hidden", "20261124T161357636-_hidden-4711" },
		{ "0123456789012345678901234567890123456789and more",
		  "20261124T161357636-0123456789012345678901234567890123456789-4711" },
	};
	AUTO(spool_close) struct spool *spool = open_spool();
	struct spool_entries all;
	struct err err;
	struct stat st;
	(void)state;

	assert_int_equal(stat(place, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		char *id = put(spool, programs[i][0], INSTANT_NS);
		if (i != 2)
			assert_string_equal(id, programs[i][1]);
		assert_null(strchr(id, '/'));
		xfree(id);
	}
	assert_true(spool_list(spool, &all, &err));
	assert_int_equal(all.count, ARRAY_SIZE(programs));
	for (size_t i = 0; i < all.count; i++) {
		assert_int_equal(all.list[i].pid, 4711);
		assert_true(all.list[i].realtime_ns == INSTANT_NS);
		assert_int_equal(stat(all.list[i].path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(all.list[i].bytes, st.st_blocks * 512);
	}
	spool_entries_done(&all);
}

/* So many of one program, process and millisecond, and no more. */
static void test_same_name(void **state)
{
	enum { MOST = 100 };
	AUTO(spool_close) struct spool *spool = open_spool();
	struct err err;
	(void)state;

	for (unsigned i = 0; i < MOST; i++)
		xfree(put(spool, "again", INSTANT_NS));
	assert_null(try_to_put(spool, "again", INSTANT_NS, &err));
	assert_int_equal(err.code, ERR_SYS);
	xfree(put(spool, "again", INSTANT_NS + SECOND_NS));
}

static bool is_named(const struct spool_entries *all, const char *id,
		     enum spool_kind kind)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->list[i].id, id) == 0)
			return all->list[i].kind == kind;
	return false;
}

/* The notes of a core are no document, and what others put there is nothing. */
static void test_kinds(void **state)
{
	static const char *const strange[] = {
		"20261124T161357636-strange-4711.txt",
		"20261124T161357636-strange.core",
		"20261124T161357636x-strange-1.core",
		"strange-4711.json.zst",
		".json.zst",
		"20261124T161357636-4711.core",
	};
	AUTO(spool_close) struct spool *spool = open_spool();
	const struct spool_name name = { INSTANT_NS, "notes", 4711 };
	struct spool_entries all;
	struct err err;
	char *id;
	(void)state;

	int fd = spool_create(spool, &err);
	assert_true(
		spool_keep(spool, fd, SPOOL_NOTES, &name, getuid(), getgid(), &id, &err));
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(strange); i++)
		close(openat(spool_descriptor(spool), strange[i],
			     O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	assert_true(spool_list(spool, &all, &err));
	assert_true(is_named(&all, id, SPOOL_NOTES));
	for (size_t i = 0; i < all.count; i++)
		assert_null(strstr(all.list[i].id, "strange"));
	assert_null(spool_find(spool, id, &err)); /* no document */
	assert_int_equal(err.code, ERR_NOT_FOUND);
	spool_entries_done(&all);
	xfree(id);
	for (size_t i = 0; i < ARRAY_SIZE(strange); i++)
		assert_int_equal(unlinkat(spool_descriptor(spool), strange[i], 0), 0);
}

static int file_of(const char *text)
{
	int fd = memfd_create("document", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

#define HEAD                                                                             \
	"{\"format\":\"gosnap\",\"version\":1,\"snapshot\":{\"taken_at\":\"T\","         \
	"\"source\":\"core-pipe\"}"                                                      \
	",\"trigger\":{\"signal\":\"SIGSEGV\"},\"process\":{\"exe\":\"/shop\"}"          \
	",\"go\":{\"version\":\"go1.24\"}"

/* Up to the verdict, or the groups, where there is none: what follows may be damaged. */
static void test_head(void **state)
{
	struct spool_head head;
	struct err err;
	(void)state;

	assert_true(spool_head_read(
		file_of(HEAD ",\"fault\":{\"verdict\":\"V\"},\"process\":{}}}"), &head,
		&err));
	assert_string_equal(head.taken_at, "T");
	assert_string_equal(head.source, "core-pipe");
	assert_string_equal(head.signal, "SIGSEGV");
	assert_string_equal(head.executable, "/shop");
	assert_string_equal(head.go, "go1.24");
	assert_string_equal(head.verdict, "V");
	spool_head_done(&head);
	assert_true(spool_head_read(file_of(HEAD ",\"groups\":[],\"fault\":{}}"), &head,
				    &err));
	assert_string_equal(head.go, "go1.24");
	assert_null(head.verdict);
	spool_head_done(&head);
	assert_false(spool_head_read(file_of("no document"), &head, &err));
	assert_null(head.go);
}

/* The folder is removed while it is in use. */
static void test_gone(void **state)
{
	char path[sizeof(folder) + 8];
	struct spool_entries all;
	struct err err;
	uint64_t missed;
	(void)state;

	snprintf(path, sizeof(path), "%s/gone", folder);
	AUTO(spool_close) struct spool *spool = spool_open_folder(path, true, &err);
	assert_non_null(spool);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(spool_create(spool, &err), -1);
	assert_int_equal(err.code, ERR_SYS);
	assert_false(
		spool_rate(spool, &(struct spool_rate){ 1, 0 }, 0, 1, &missed, &err));
	assert_int_equal(err.code, ERR_SYS);
	assert_int_equal(spool_turn(spool, 2), -1);
	if (spool_list(spool, &all, &err))
		assert_int_equal(all.count, 0);
	assert_null(spool_open_folder(path, false, &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

/* A name that is taken by a link stays what it is. */
static void test_led_astray(void **state)
{
	AUTO(spool_close) struct spool *spool = open_spool();
	char path[128], elsewhere[sizeof(folder) + 16];
	struct err err;
	struct stat st;
	(void)state;

	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", folder);
	snprintf(path, sizeof(path), "%s/20261124T161357636-astray-4711.json.zst", place);
	assert_int_equal(symlink(elsewhere, path), 0);
	snprintf(path, sizeof(path), "%s/.rate", place);
	unlink(path);
	assert_int_equal(symlink(elsewhere, path), 0);
	char *id = put(spool, "astray", INSTANT_NS);
	assert_string_equal(id, "20261124T161357636-astray-4711-1");
	xfree(id);
	uint64_t missed;
	assert_false(
		spool_rate(spool, &(struct spool_rate){ 1, 0 }, 0, 1, &missed, &err));
	assert_int_equal(err.code, ERR_SYS);
	assert_non_null(strstr(err.text, strerror(ELOOP)));
	assert_true(stat(elsewhere, &st) < 0);
	unlink(path);
	assert_int_equal(symlink(place, elsewhere), 0);
	assert_null(spool_open_folder(elsewhere, true, &err));
	assert_int_equal(chmod(place, 0770), 0);
	assert_null(spool_open_folder(place, false, &err));
	assert_int_equal(err.code, ERR_PERMISSION);
	assert_int_equal(chmod(place, 0700), 0);
}

static uint64_t missed_then;

/* Of a user who may have so many in an hour; 0: no bound. */
static bool rates(struct spool *spool, uid_t uid, uint64_t program, uint64_t most)
{
	const struct spool_rate rate = { 3600 * SECOND_NS, most };
	struct err err;
	const bool ok = spool_rate(spool, &rate, uid, program, &missed_then, &err);

	assert_true(ok || err_is(&err, ERR_LIMIT));
	return ok;
}

static void test_rate(void **state)
{
	AUTO(spool_close) struct spool *spool = open_spool();
	struct err err;
	(void)state;

	assert_true(rates(spool, 7, 1, 0));
	for (int i = 0; i < 3; i++)
		assert_false(rates(spool, 7, 1, 0));
	assert_true(rates(spool, 7, 2, 0));
	assert_int_equal(missed_then, 0);
	assert_true(spool_rate(spool, &(struct spool_rate){ 0, 0 }, 7, 1, &missed_then,
			       &err));
	assert_int_equal(missed_then, 3);
	/* Many programs: the one that crashed longest ago is forgotten. */
	for (uint64_t program = 1000; program < 1200; program++)
		assert_true(rates(spool, 7, program, 0));
	assert_true(rates(spool, 7, 2, 0));
	assert_false(rates(spool, 7, 1199, 0));
}

/* Another user's crash of the same program hides none, and a user who changes his program has few. */
static void test_rate_of_users(void **state)
{
	AUTO(spool_close) struct spool *spool = open_spool();
	(void)state;

	assert_true(rates(spool, 1000, 5000, 10));
	assert_true(rates(spool, 1001, 5000, 10));
	assert_false(rates(spool, 1000, 5000, 10));
	for (uint64_t program = 5001; program < 5010; program++)
		assert_true(rates(spool, 1000, program, 10));
	for (uint64_t program = 5010; program < 5032; program++)
		assert_false(rates(spool, 1000, program, 10));
	assert_true(rates(spool, 1001, 5031, 10));
	assert_true(rates(spool, 1000, 5032, 0));
}

static int open_copy(const char *name, const char *text, size_t size)
{
	char path[sizeof(folder) + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

/* Copies are one program, whatever they are called, and another build is another. */
static void test_program(void **state)
{
	enum { SIZE = 10000 };
	const int one = open_copy("one", "a build", SIZE),
		  copy = open_copy("copy", "a build", SIZE),
		  other = open_copy("other", "b build", SIZE),
		  longer = open_copy("longer", "a build", SIZE + 1);
	(void)state;

	const uint64_t program = spool_program(one);
	if (!program) {
		print_message("this file system does not read without waiting\n");
		skip();
	}
	assert_true(spool_program(copy) == program);
	assert_true(spool_program(other) != program);
	assert_true(spool_program(longer) != program);
	assert_true(spool_program(-1) == 0);
	close(one);
	close(copy);
	close(other);
	close(longer);
}

/* Does it wait for a file that another has locked? (proc_locks(5)) */
static bool is_blocked(pid_t pid)
{
	FILE *f = fopen("/proc/locks", "re");
	char line[256];
	bool found = false;
	int waiting;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s -> FLOCK %*s %*s %d", &waiting) == 1 &&
			waiting == pid;
	if (f)
		fclose(f);
	return found;
}

/* Two crashes at once are counted one after the other. */
static void test_rate_waits(void **state)
{
	AUTO(spool_close) struct spool *spool = open_spool();
	const int lock = openat(spool_descriptor(spool), ".rate",
				O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	uint64_t missed;
	struct err err;
	int status;
	(void)state;

	if (access("/proc/locks", R_OK) < 0)
		skip();
	assert_int_equal(flock(lock, LOCK_EX), 0);
	const pid_t pid = fork();
	if (pid == 0)
		_exit(!spool_rate(spool, &(struct spool_rate){ 1, 0 }, 0, 7, &missed,
				  &err));
	while (!is_blocked(pid)) {
		assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
		sched_yield();
	}
	flock(lock, LOCK_UN); /* the child has it open, too */
	close(lock);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_turns(void **state)
{
	AUTO(spool_close) struct spool *spool = open_spool();
	int first = spool_turn(spool, 2), second = spool_turn(spool, 2);
	(void)state;

	assert_true(first >= 0 && second >= 0);
	assert_int_equal(spool_turn(spool, 2), -1);
	close(first);
	first = spool_turn(spool, 2);
	assert_true(first >= 0);
	close(first);
	close(second);
}

static void count_removed(void *arg, const struct spool_entry *entry)
{
	(void)entry;
	++*(size_t *)arg;
}

/* As many as a dry run says. */
static size_t removed(struct spool *spool, struct spool_quota quota)
{
	size_t would_be = 0, n = 0;
	struct err err;

	assert_true(spool_prune(spool, &quota, true, count_removed, &would_be, &err));
	assert_true(spool_prune(spool, &quota, false, count_removed, &n, &err));
	assert_int_equal(would_be, n);
	return n;
}

static void test_quota(void **state)
{
	AUTO(spool_close) struct spool *spool = open_spool();
	struct spool_entries all;
	struct err err;
	(void)state;

	removed(spool, (struct spool_quota){ .age_ns = 1 });
	for (uint64_t i = 0; i < 5; i++)
		xfree(put(spool, "shop", INSTANT_NS + i * SECOND_NS));
	assert_int_equal(removed(spool, (struct spool_quota){ 0 }), 0);
	assert_int_equal(removed(spool, (struct spool_quota){ .files = 5 }), 0);
	assert_int_equal(removed(spool, (struct spool_quota){ .files = 3 }), 2);
	assert_true(spool_list(spool, &all, &err));
	assert_int_equal(all.count, 3);
	assert_true(all.list[0].realtime_ns == INSTANT_NS + 2 * SECOND_NS);
	const uint64_t each = all.list[0].bytes;
	spool_entries_done(&all);
	assert_int_equal(removed(spool, (struct spool_quota){ .bytes = 2 * each }), 1);
	char *found = spool_find(spool, "latest", &err);
	assert_non_null(found);
	assert_non_null(strstr(found, "161401"));
	xfree(found);
	assert_null(spool_find(spool, "2026", &err));
	assert_int_equal(err.code, ERR_LIMIT);
}

static size_t count_of(struct spool *spool, uid_t uid)
{
	struct spool_entries all;
	struct err err;
	size_t n = 0;

	assert_true(spool_list(spool, &all, &err));
	for (size_t i = 0; i < all.count; i++)
		n += all.list[i].owner == uid;
	spool_entries_done(&all);
	return n;
}

static void put_of(struct spool *spool, uid_t uid, uint64_t number)
{
	struct err err;
	char *id =
		try_to_put_of(spool, uid, "shop", INSTANT_NS + number * SECOND_NS, &err);

	assert_non_null(id);
	xfree(id);
}

/* The snapshots of a user who crashes again and again push out his own, and no others, older as they are. */
static void test_quota_of_users(void **state)
{
	enum { ATTACKER = 4001, VICTIM, OTHER };
	AUTO(spool_close) struct spool *spool = open_spool();
	const struct spool_quota ten = { .files = 10 };
	uint64_t number = 0;
	(void)state;

	if (geteuid() != 0)
		skip(); /* nobody else has files of several users */
	removed(spool, (struct spool_quota){ .age_ns = 1 });
	put_of(spool, VICTIM, number++);
	put_of(spool, OTHER, number++);
	put_of(spool, OTHER, number++);
	for (int i = 0; i < 22; i++) {
		put_of(spool, ATTACKER, number++);
		removed(spool, ten);
	}
	assert_int_equal(count_of(spool, VICTIM), 1);
	assert_int_equal(count_of(spool, OTHER), 2);
	assert_int_equal(count_of(spool, ATTACKER), 7);
	/* Up to their shares, the others get room. */
	for (int i = 0; i < 10; i++) {
		put_of(spool, VICTIM, number++);
		removed(spool, ten);
	}
	assert_int_equal(count_of(spool, VICTIM), 4);
	assert_int_equal(count_of(spool, OTHER), 2);
	assert_int_equal(count_of(spool, ATTACKER), 4);
	struct spool_entries all;
	struct err err;
	assert_true(spool_list(spool, &all, &err));
	removed(spool, (struct spool_quota){ .bytes = 3 * all.list[0].bytes });
	spool_entries_done(&all);
	assert_int_equal(count_of(spool, VICTIM), 1);
	assert_int_equal(count_of(spool, OTHER), 1);
	assert_int_equal(count_of(spool, ATTACKER), 1);
	removed(spool, (struct spool_quota){ .age_ns = 1 });
	assert_int_equal(count_of(spool, VICTIM) + count_of(spool, OTHER), 0);
}

/* Whoever has 65,536 of them for his containers has one share all the same. */
static void test_lent_users(void **state)
{
	static const char lent[] = "lea:100000:65536\nnonsense\nmax:165536:65536\n:x:9\n"
				   "1000:400000:2";
	(void)state;

	assert_int_equal(spool_user(lent, 0), 0);
	assert_int_equal(spool_user(lent, 1000), 1000);
	assert_int_equal(spool_user(lent, 100000), 100000);
	assert_int_equal(spool_user(lent, 165535), 100000);
	assert_int_equal(spool_user(lent, 165536), 165536);
	assert_int_equal(spool_user(lent, 200000), 165536);
	assert_int_equal(spool_user(lent, 231072), 231072);
	assert_int_equal(spool_user(lent, 400001), 400000);
	assert_int_equal(spool_user(lent, 400002), 400002);
	assert_int_equal(spool_user(NULL, 400001), 400001);
}

static int make_place(void **state)
{
	if (make_folder(state))
		return -1;
	snprintf(place, sizeof(place), "%s/spool", folder);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_same_name),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_led_astray),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_rate_of_users),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_rate_waits),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_quota_of_users),
		cmocka_unit_test(test_lent_users),
	};

	return unit_run(argc, argv, tests, make_place, remove_folder);
}
