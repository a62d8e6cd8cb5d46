/* SPDX-License-Identifier: Apache-2.0 */
#include "src/install/install_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 16 };

bool install_read(const char *path, char *ret, size_t size, struct err *err)
{
	AUTO(xfree) char *text = slurp(path, TEXT_MAX, NULL);

	if (!text)
		return err_sys(err, "cannot read %.200s", path);
	text[strcspn(text, "\n")] = '\0';
	return snprintf(ret, size, "%s", text) < (int)size ||
	       err_set(err, ERR_CANNOT, "%.200s is too long: %.200s", path, text);
}

bool install_set(const char *path, const char *value, struct err *err)
{
	AUTO(xfree) char *line = xasprintf("%s\n", value);
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	const bool ok = fd >= 0 && write_fully(fd, line, strlen(line));

	if (!ok)
		err_sys(err, "cannot set %.200s to %.200s", path, value);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Under which a file is written before it is complete. */
static char *temporary_name(const char *path)
{
	return xasprintf("%s.new", path);
}

static bool make_folder_of(const char *path, struct err *err)
{
	AUTO(xfree) char *folder = xstrdup(path);

	*strrchr(folder, '/') = '\0';
	return mkdir(folder, 0755) == 0 || errno == EEXIST ||
	       err_sys(err, "cannot create %.200s", folder);
}

bool install_write(const char *path, const char *text, mode_t mode, struct err *err)
{
	AUTO(xfree) char *temporary = temporary_name(path);

	if (!make_folder_of(path, err))
		return false;
	unlink(temporary);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      mode);
	const bool ok = fd >= 0 && fchmod(fd, mode) == 0 &&
			write_fully(fd, text, strlen(text)) && fsync(fd) == 0 &&
			rename(temporary, path) == 0;
	if (!ok)
		err_sys(err, "cannot write %.200s", path);
	if (fd >= 0)
		close(fd);
	if (!ok)
		unlink(temporary);
	return ok;
}

bool install_has(const char *path, const char *text)
{
	AUTO(xfree) char *now = slurp(path, TEXT_MAX, NULL);

	return now && strcmp(now, text) == 0;
}

bool install_remove(const char *path, bool dry_run, install_say_fn *say, struct err *err)
{
	AUTO(xfree) char *temporary = temporary_name(path);
	AUTO(xfree) char *sentence = xasprintf("remove %s", path);

	if (!dry_run)
		unlink(temporary);
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return true;
	say(sentence);
	return dry_run || unlink(path) == 0 || err_sys(err, "cannot remove %.200s", path);
}
