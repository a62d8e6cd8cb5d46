/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/util.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/limit.h"

enum {
	GROW_FIRST = 16,
	SLURP_FIRST = 4096,
};

static void (*end_of_memory)(void) = abort;

void on_out_of_memory(void (*end)(void))
{
	end_of_memory = end;
}

void out_of_memory(void)
{
	end_of_memory();
	abort();
}

static void *checked(void *p)
{
	if (!p)
		out_of_memory();
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return checked(reallocarray(p, n ? n : 1, size ? size : 1));
}

void *xshared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		out_of_memory();
	return memory;
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return checked(strndup(s, n));
}

char *xrealpath(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : xstrdup(path);
}

char *xreadlink(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target));

	return n < 0 ? NULL : xstrndup(target, (size_t)n);
}

char *xasprintf(const char *format, ...)
{
	char *s;
	va_list ap;

	va_start(ap, format);
	int n = vasprintf(&s, format, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : s);
}

void xfree(void *p)
{
	free(p);
}

void *grow_(void *array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return array;
	*cap = *cap ? *cap * 2 : GROW_FIRST;
	return xreallocarray(array, *cap, size);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

bool is_common_window(const uint8_t bytes[static 4])
{
	const uint8_t a = bytes[0], b = bytes[1], c = bytes[2], d = bytes[3];

	return !a || !b || !c || !d || (a == b && (a == c || a == d)) ||
	       (c == d && (c == a || c == b));
}

bool is_common_word(uint64_t word)
{
	uint8_t bytes[sizeof(word)];

	memcpy(bytes, &word, sizeof(word));
	for (size_t i = 0; i + 4 <= sizeof(bytes); i++)
		if (!is_common_window(bytes + i))
			return false;
	return true;
}

void shortest_real(char ret[static REAL_BYTES], double value, bool single)
{
	const int enough = single ? 9 : 17;
	bool same = false;

	for (int digits = 1; !same && digits <= enough; digits++) {
		snprintf(ret, REAL_BYTES, "%.*g", digits, value);
		same = single ? strtof(ret, NULL) == (float)value
			      : strtod(ret, NULL) == value;
	}
}

uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

uint64_t processor_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Files in /proc report no size: read until end of file. */
static char *slurp_fd(int fd, size_t limit, size_t *ret_len)
{
	size_t cap = limit < SLURP_FIRST ? limit : SLURP_FIRST;
	char *buf = xmalloc(cap + 1);
	size_t len = 0;

	for (;;) {
		if (len == cap) {
			if (cap == limit)
				break;
			cap = cap > limit / 2 ? limit : cap * 2;
			buf = xreallocarray(buf, cap + 1, 1);
		}
		ssize_t n = read(fd, buf + len, cap - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			xfree(buf);
			return NULL;
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	buf[len] = 0;
	if (ret_len)
		*ret_len = len;
	return buf;
}

char *trim_text(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

char *slurp(const char *path, size_t limit, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	char *s = slurp_fd(fd, limit, ret_len);
	int saved = errno;
	close(fd);
	errno = saved;
	return s;
}

bool write_fully(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len > 0) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

bool read_fully(int fd, void *bytes, size_t len)
{
	char *p = bytes;

	while (len > 0) {
		ssize_t n = read(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

void memory_file_seal(int fd)
{
	fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

int spool_open(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	dir = dir && *dir ? dir : "/tmp";
	int fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	AUTO(xfree) char *path = xasprintf("%s/gosnap-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		err_sys(err, "cannot create a temporary file %s", path);
	else
		unlink(path);
	return fd;
}

uint64_t spool_quota(int fd)
{
	struct statfs st;

	if (fstatfs(fd, &st) < 0)
		return 0;
	/* A file system without a limit has no blocks. */
	return st.f_blocks ? (uint64_t)st.f_bavail * (uint64_t)st.f_bsize / 2
			   : UINT64_MAX;
}

bool unpacks_to_too_much(uint64_t packed, uint64_t unpacked)
{
	return unpacked > LIMIT_UNPACKED_BYTES &&
	       unpacked / LIMIT_UNPACKED_TIMES > packed;
}

bool new_uuid(char ret[static UUID_TEXT])
{
	uint8_t b[16];
	char *at = ret;

	if (getrandom(b, sizeof(b), 0) != sizeof(b))
		return false;
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	for (size_t i = 0; i < sizeof(b); i++)
		at += sprintf(at, "%s%02x",
			      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
	return true;
}
