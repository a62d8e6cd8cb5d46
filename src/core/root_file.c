/* SPDX-License-Identifier: Apache-2.0 */
#include "root_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util.h"

/* Not blocking: a name may be that of a pipe. */
enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

int root_open(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Linux before 5.6, and filters of system calls: then no link is followed at all. */
static int walk(int root, const char *path)
{
	AUTO(xfree) char *copy = xstrdup(path);
	int at = root;

	for (char *rest = copy, *name; (name = strsep(&rest, "/"));) {
		if (!*name || strcmp(name, ".") == 0)
			continue;
		int next = strcmp(name, "..") == 0
				   ? -1
				   : openat(at, name,
					    rest ? O_PATH | O_DIRECTORY | O_NOFOLLOW |
							    O_CLOEXEC
						 : HOW | O_NOFOLLOW);
		int why = errno;
		if (at != root)
			close(at);
		if (next < 0) {
			errno = why;
			return -1;
		}
		at = next;
	}
	return at;
}

static int open_below(int root, const char *path)
{
	struct open_how how = { .flags = HOW,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return walk(root, path);
	return fd;
}

int root_file_open(int root, const char *path)
{
	int fd = root < 0 ? open(path, HOW) : open_below(root, path);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}
