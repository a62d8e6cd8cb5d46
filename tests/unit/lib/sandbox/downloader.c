/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/downloader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static const uint64_t second = 1000000000;

/* The first byte of the build-id is what it does. */
enum { NOTHING, PROGRAM, TEXT, SILENT, CRASH, WRITE };
/* It ends if we ask only seconds for it. */
enum { LONG_S = 600 };

static char *folder;

static int give(const char *path, char *ret_path, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	snprintf(ret_path, size, "%s", path);
	return fd < 0 ? -errno : fd;
}

static int write_into(const char *place, char *ret_path, size_t size)
{
	AUTO(xfree) char *path = xasprintf("%s/file", place);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (write(fd, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\0\0", 20) != 20)
		return -EIO;
	snprintf(ret_path, size, "%s", path);
	return fd;
}

static int get(const struct download *wanted, char *ret_path, size_t size)
{
	switch (wanted->id[0]) {
	case PROGRAM:
		return write_into(folder, ret_path, size);
	case TEXT:
		return give("/etc/nsswitch.conf", ret_path, size);
	case SILENT:
		for (;;)
			poll(NULL, 0, -1);
	case CRASH:
		abort();
	case WRITE:
		return write_into("/tmp", ret_path, size);
	default:
		return -ENOENT;
	}
}

/* What it says, in words if there are any; *ret_fd: the file. */
static struct answer ask(struct downloader *d, int what, uint32_t seconds, int *ret_fd)
{
	struct download wanted = { .kind = ASK_DEBUG_FILE,
				   .seconds = seconds,
				   .id_len = 20,
				   .id = { (unsigned char)what } };
	struct answer a = { .result = 0, .len = 0 };
	struct answer_wait wait = { .fd = -1 };

	*ret_fd = -1;
	downloader_ask(d, &wanted, &a);
	if (a.result != ANSWER_LATER)
		return a;
	a.result = 0;
	while (!downloader_finish(d, &a, ret_fd, &wait)) {
		struct pollfd p = { .fd = wait.fd, .events = POLLIN };
		uint64_t now = monotonic_ns();
		poll(&p, 1,
		     wait.until_ns > now ? (int)((wait.until_ns - now) / 1000000) + 1
					 : 0);
	}
	a.bytes[a.len] = 0;
	return a;
}

static void refused(struct downloader *d, int what, int error, const char *words)
{
	int fd;
	const struct answer a = ask(d, what, what == SILENT ? 1 : LONG_S, &fd);

	assert_int_equal(a.result, -error);
	assert_int_equal(fd, -1);
	if (!strstr(a.bytes, words))
		fail_msg("not %s, but %s", words, a.bytes);
}

static void accepted(struct downloader *d)
{
	int fd;
	char head[4];
	const struct answer a = ask(d, PROGRAM, LONG_S, &fd);

	if (fd < 0)
		fail_msg("%d: %s", a.result, a.bytes);
	assert_int_equal(a.result, 0);
	assert_non_null(strstr(a.bytes, folder));
	assert_int_equal(pread(fd, head, 4, 0), 4);
	assert_int_equal(write(fd, head, 4), -1); /* nobody changes what others get */
	close(fd);
}

/* What is no file that it may give costs that one only. */
static void test_answers(void **state)
{
	AUTO(downloader_free)
	struct downloader *d = downloader_new(folder, get, LONG_S * second);

	(void)state;
	accepted(d);
	refused(d, NOTHING, ENOENT, "");
	refused(d, TEXT, ENOEXEC, "not an ELF file");
	refused(d, WRITE, EACCES, "");
	refused(d, CRASH, EIO, "was killed by signal");
	accepted(d);
	refused(d, SILENT, ETIME, "no answer in 1 seconds");
	accepted(d);
}

static void test_number(void **state)
{
	AUTO(downloader_free)
	struct downloader *d = downloader_new(folder, get, LONG_S * second);

	(void)state;
	for (int i = 0; i < DOWNLOADS_MAX; i++)
		refused(d, NOTHING, ENOENT, "");
	refused(d, PROGRAM, EDQUOT, "at most 16 files");
}

static void test_time(void **state)
{
	AUTO(downloader_free)
	struct downloader *d = downloader_new(folder, get, second);

	(void)state;
	refused(d, SILENT, ETIME, "no answer in 1 seconds");
	refused(d, PROGRAM, ETIME, "the time for all downloads is over");
}

static void test_build_ids(void **state)
{
	AUTO(downloader_free)
	struct downloader *d = downloader_new(folder, get, LONG_S * second);
	static const uint32_t bad[] = { 0, 1, 7, 33, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct download wanted = { .id_len = bad[i], .seconds = LONG_S };
		struct answer a = { .result = 0 };
		downloader_ask(d, &wanted, &a);
		assert_int_equal(a.result, -EINVAL);
	}
}

/* One at a time: the other is told so at once. */
static void test_busy(void **state)
{
	AUTO(downloader_free)
	struct downloader *d = downloader_new(folder, get, LONG_S * second);
	const struct download wanted = { .seconds = LONG_S,
					 .id_len = 8,
					 .id = { SILENT } };
	struct answer a = { .result = 0 };

	(void)state;
	downloader_ask(d, &wanted, &a);
	assert_int_equal(a.result, ANSWER_LATER);
	downloader_ask(d, &wanted, &a);
	assert_int_equal(a.result, -EBUSY);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers), cmocka_unit_test(test_number),
		cmocka_unit_test(test_time),	cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_busy),
	};
	char place[] = "/tmp/gosnap-downloader-XXXXXX";

	if (sandbox_missing()) {
		printf("1..0 # SKIP %s; run the tests without them\n", sandbox_missing());
		return 0;
	}
	if (!mkdtemp(place))
		return 1;
	folder = xasprintf("%s/cache/below", place);
	int failed = unit_run(argc, argv, tests, NULL, NULL);
	AUTO(xfree) char *clean = xasprintf("rm -rf %s", place);
	failed += system(clean) != 0;
	xfree(folder);
	return failed;
}
