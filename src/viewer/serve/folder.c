/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES_MAX = 256 };

static bool ends(const char *name, const char *end)
{
	const size_t len = strlen(name), n = strlen(end);

	return len > n && strcmp(name + len - n, end) == 0;
}

/* No path: a name in this folder. */
static bool is_document(const char *name)
{
	return *name != '.' && !strchr(name, '/') &&
	       (ends(name, ".json") || ends(name, ".json.zst"));
}

bool folder_open(struct folder *folder, const char *path, struct err *err)
{
	folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder->fd >= 0 || err_sys(err, "cannot open the folder %.200s", path);
}

/* Negative: of errno. A pipe would keep us waiting, and a link could lead anywhere. */
static int open_file(const struct folder *folder, const char *name)
{
	struct stat st;

	if (!is_document(name))
		return -EACCES;
	const int fd = openat(folder->fd, name,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

static void serve(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	char name[NAME_BYTES_MAX];

	(void)fd;
	if (q->len >= sizeof(name) || memchr(q->text, 0, q->len)) {
		ret->result = -ENAMETOOLONG;
		return;
	}
	memcpy(name, q->text, q->len);
	name[q->len] = 0;
	const int opened = open_file(arg, name);
	ret->result = opened < 0 ? opened : 0;
	*ret_fd = opened < 0 ? -1 : opened;
}

const struct sandbox_service *folder_service(struct folder *folder)
{
	folder->service[0] =
		(struct sandbox_service){ ASK_FOLDER_DOCUMENT, serve, folder, NULL };
	return folder->service;
}

void folder_each(const struct folder *folder, folder_name_fn *fn, void *arg)
{
	const int fd = dup(folder->fd);
	DIR *all = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!all) {
		if (fd >= 0)
			close(fd);
		return;
	}
	rewinddir(all);
	while ((entry = readdir(all)))
		if (is_document(entry->d_name))
			fn(arg, entry->d_name);
	closedir(all);
}

static int ask(const char *name)
{
	struct question q = { .kind = ASK_FOLDER_DOCUMENT,
			      .len = (uint32_t)strlen(name) };
	struct answer answer;
	int fd = -1;

	if (q.len >= NAME_BYTES_MAX)
		return -ENAMETOOLONG;
	memcpy(q.text, name, q.len);
	if (!sandbox_ask(&q, -1, &answer, &fd))
		return -EIO;
	return fd >= 0 ? fd : answer.result < 0 ? answer.result : -EIO;
}

int folder_document(const struct folder *folder, const char *name, struct err *err)
{
	const int fd = sandbox_is_closed() ? ask(name) : open_file(folder, name);

	if (fd >= 0)
		return fd;
	errno = -fd;
	if (errno == EINVAL || errno == ELOOP)
		err_set(err, ERR_SYS, "%.200s is not a regular file", name);
	else
		err_sys(err, "cannot open %.200s", name);
	return -1;
}
