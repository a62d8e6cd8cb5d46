/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/documents.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/document/reader.h"

static bool ends(const char *name, const char *end)
{
	const size_t len = strlen(name), n = strlen(end);

	return len > n && strcmp(name + len - n, end) == 0;
}

static int is_document(const struct dirent *entry)
{
	return *entry->d_name != '.' &&
	       (ends(entry->d_name, ".json") || ends(entry->d_name, ".json.zst"));
}

static void add(struct documents *all, char *path)
{
	GROW(all->paths, all->count, all->cap);
	all->paths[all->count++] = path;
}

static bool add_folder(struct documents *all, const char *path, struct err *err)
{
	struct dirent **entries;
	const int n = scandir(path, &entries, is_document, alphasort);
	const char *slash = ends(path, "/") ? "" : "/";

	if (n < 0)
		return err_sys(err, "cannot read the folder %.200s", path);
	for (int i = 0; i < n; i++) {
		add(all, xasprintf("%s%s%s", path, slash, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	return true;
}

bool documents_add(struct documents *all, const char *path, struct err *err)
{
	struct stat st;

	if (strcmp(path, "-") == 0) {
		add(all, xstrdup(path));
		return true;
	}
	if (stat(path, &st) < 0)
		return err_sys(err, "cannot open %.200s", path);
	if (S_ISDIR(st.st_mode))
		return add_folder(all, path, err);
	add(all, xstrdup(path));
	return true;
}

void documents_done(struct documents *all)
{
	for (size_t i = 0; i < all->count; i++)
		xfree(all->paths[i]);
	xfree(all->paths);
}

/* A pipe could keep the parent waiting. -1: errno. */
static int open_file(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static void serve(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	const struct documents *all = arg;

	(void)fd;
	if (q->number < 0 || (size_t)q->number >= all->count) {
		ret->result = -EINVAL;
		return;
	}
	*ret_fd = open_file(all->paths[q->number]);
	ret->result = *ret_fd < 0 ? -errno : 0;
}

const struct sandbox_service *documents_service(struct documents *all)
{
	all->service[0] = (struct sandbox_service){ ASK_DOCUMENT, serve, all, NULL };
	return all->service;
}

struct reader *documents_open(const struct documents *all, size_t i, struct err *err)
{
	const char *path = all->paths[i], *name = path;
	int fd;

	if (strcmp(path, "-") == 0) {
		fd = reader_find(path, &name, err);
		return fd < 0 ? NULL : reader_open_fd(fd, name, err);
	}
	fd = sandbox_is_closed() ? sandbox_ask_for_file(ASK_DOCUMENT, i)
				 : open_file(path);
	if (fd < 0 && errno == EINVAL) {
		err_set(err, ERR_SYS, "%.200s is not a file", path);
		return NULL;
	}
	if (fd < 0) {
		err_sys(err, "cannot open %.200s", path);
		return NULL;
	}
	return reader_open_fd(fd, name, err);
}
