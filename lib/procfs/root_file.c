/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/root_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/util.h"

enum {
	/* Finds a file without opening it: opening a pipe unblocks its writer, and
	 * opening a device can do anything. */
	FIND = O_PATH | O_CLOEXEC,
	/* Non-blocking: the owner may hold a lease (F_SETLEASE). */
	HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
};

int root_open(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* For Linux before 5.6, and under seccomp filters: follows no links at all. */
static int walk(int root, const char *path)
{
	AUTO(xfree) char *copy = xstrdup(path);
	int at = openat(root, ".", FIND | O_DIRECTORY);

	for (char *rest = copy, *name; at >= 0 && (name = strsep(&rest, "/"));) {
		if (!*name || strcmp(name, ".") == 0)
			continue;
		int flags = FIND | O_NOFOLLOW | (rest ? O_DIRECTORY : 0);
		int next = strcmp(name, "..") == 0 ? -1 : openat(at, name, flags);
		int why = errno;
		close(at);
		errno = why;
		at = next;
	}
	return at;
}

static int find_below(int root, const char *path)
{
	struct open_how how = { .flags = FIND,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return walk(root, path);
	return fd;
}

/* Is it on a kernel file system? Reading there can have side effects (/proc/kmsg,
 * trace_pipe). */
static bool is_of_kernel(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return true;
	switch ((unsigned long)fs.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
		return true;
	}
	return false;
}

/* Takes ownership of found. */
static int open_found(int found)
{
	struct stat st;
	char path[64];
	int fd = -1;

	if (fstat(found, &st) < 0 || !S_ISREG(st.st_mode) || is_of_kernel(found)) {
		errno = EINVAL;
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
		fd = open(path, HOW);
	}
	int why = errno;
	close(found);
	errno = why;
	return fd;
}

int root_file_open(int root, const char *path)
{
	int found = root < 0 ? open(path, FIND) : find_below(root, path);

	return found < 0 ? -1 : open_found(found);
}

ssize_t root_link_read(const char *path, char *ret, size_t size)
{
	int fd = open(path, FIND | O_NOFOLLOW);
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	struct stat st;
	if (fstat(fd, &st) < 0 || !S_ISLNK(st.st_mode) || is_of_kernel(fd))
		errno = EINVAL;
	else
		n = readlinkat(fd, "", ret, size);
	int why = errno;
	close(fd);
	errno = why;
	return n;
}
