/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sandbox/broker_priv.h"

/* Files of the machine that anyone may read. */
static const char *const harmless[] = {
	"/sys/devices/system/cpu/online", /* number of workers */
};

static bool is_harmless(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		if (strcmp(path, harmless[i]) == 0)
			return true;
	return false;
}

static int opened(int fd)
{
	return fd < 0 ? -errno : fd;
}

static int open_spool(void)
{
	struct err ignored;
	int fd = spool_open(&ignored);

	return fd < 0 ? -EACCES : fd;
}

int files_open(const struct sandbox *how, int folder, const char *path, int flags)
{
	(void)how;
	if (folder < 0 && (flags & O_TMPFILE) == O_TMPFILE)
		return open_spool(); /* wherever it asked for */
	if ((flags & O_ACCMODE) != O_RDONLY)
		return -EACCES;
	if (folder < 0 && is_harmless(path))
		return opened(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	return -EACCES;
}

int files_read_link(const struct sandbox *how, int folder, const char *path, char *ret,
		    size_t size)
{
	(void)how, (void)folder, (void)path, (void)ret, (void)size;
	return -EACCES;
}

int files_status(const struct sandbox *how, int folder, const char *path, int flags,
		 struct stat *ret)
{
	(void)how, (void)folder, (void)path, (void)flags, (void)ret;
	return -EACCES;
}
