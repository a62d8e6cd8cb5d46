/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/procfs/root_file.h"
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

static bool is_named(const struct sandbox *how, const char *path)
{
	for (size_t i = 0; i < SANDBOX_PATHS; i++)
		if (how->named[i] && strcmp(path, how->named[i]) == 0)
			return true;
	return false;
}

static int opened(int fd)
{
	return fd < 0 ? -errno : fd;
}

/* For reading, even if only a path was asked for: that is opened next, and has no name by then. */
static int open_named(const char *path, int flags)
{
	if (flags & O_DIRECTORY)
		return opened(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
	return opened(
		open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
				   (flags & (O_PATH | O_NONBLOCK) ? O_NONBLOCK : 0)));
}

static int open_spool(void)
{
	struct err ignored;
	int fd = spool_open(&ignored);

	return fd < 0 ? -EACCES : fd;
}

/* Not a core, which has the secrets of its process. */
bool files_is_program(int fd)
{
	Elf64_Ehdr head;
	struct stat st;
	const size_t len = offsetof(Elf64_Ehdr, e_machine);

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    pread(fd, &head, len, 0) != (ssize_t)len ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	return head.e_type != ET_CORE && head.e_type != __builtin_bswap16(ET_CORE);
}

/* Takes fd. What is no program is none of its business. */
static int only_program(int fd)
{
	if (fd < 0)
		return -errno;
	if (files_is_program(fd))
		return fd;
	close(fd);
	return -ENOEXEC;
}

bool files_is_temporary(int flags)
{
	return flags != BELOW_ROOT && (flags & O_TMPFILE) == O_TMPFILE;
}

int files_open(const struct sandbox *how, int folder, const char *path, int flags)
{
	bool other;

	if (flags == BELOW_ROOT)
		return how->programs && folder >= 0
			       ? only_program(root_file_open(folder, path))
			       : -EACCES;
	if (folder < 0 && files_is_temporary(flags))
		return open_spool(); /* wherever it asked for */
	if ((flags & O_ACCMODE) != O_RDONLY)
		return -EACCES;
	int fd = proc_open(how, folder, path, flags, &other);
	if (fd >= 0 || !other)
		return fd;
	if (folder >= 0)
		return -EACCES;
	if (is_harmless(path))
		return opened(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	if (is_named(how, path))
		return open_named(path, flags);
	return how->programs && !(flags & O_DIRECTORY)
		       ? only_program(root_file_open(-1, path))
		       : -EACCES;
}

int files_read_link(const struct sandbox *how, int folder, const char *path, char *ret,
		    size_t size)
{
	bool other;
	int len = proc_read_link(how, folder, path, ret, size, &other);

	if (len >= 0 || !other)
		return len;
	if (!how->programs || folder >= 0)
		return -EACCES;
	ssize_t n = root_link_read(path, ret, size);
	return n < 0 ? -errno : (int)n;
}

int files_status(const struct sandbox *how, int folder, const char *path, int flags,
		 struct stat *ret)
{
	bool other;
	int fd = proc_open(how, folder, path, O_RDONLY | O_DIRECTORY, &other);

	(void)flags;
	if (fd < 0)
		return fd;
	int result = fstat(fd, ret) == 0 ? 0 : -errno;
	close(fd);
	return result;
}
