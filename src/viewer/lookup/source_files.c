/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/lookup/source_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/procfs/root_file.h"
#include "lib/sandbox/broker.h"
#include "src/viewer/lookup/source_paths.h"

struct source_files {
	const struct source_places *places;
	struct go_folders go;
	struct sandbox_service services[2];
};

/* A link with the name of a source to a file that is none is not followed. */
static bool is_source(int fd)
{
	AUTO(xfree) char *self = xasprintf("/proc/self/fd/%d", fd);
	AUTO(xfree) char *real = xreadlink(self);
	struct stat st;

	return real && source_path_is_one(real) && fstat(fd, &st) == 0 &&
	       st.st_size <= SOURCE_BYTES_MAX;
}

/* -1: there is no such source. Below our own root, so that no path leads through a process to another's. */
static int open_one(const char *path)
{
	AUTO(xfree) char *here = *path == '/' ? NULL : xrealpath(".");
	AUTO(xfree) char *whole = xasprintf("%s/%s", here ? here : "", path);
	const int root = open("/", O_PATH | O_CLOEXEC),
		  fd = root < 0 ? -1 : root_file_open(root, whole);

	if (root >= 0)
		close(root);
	if (fd < 0 || is_source(fd))
		return fd;
	close(fd);
	return -1;
}

/* One more line, if it has room. */
static void note(struct answer *ret, const char *path)
{
	const size_t len = strlen(path) + 1;

	if (ret->len + len >= sizeof(ret->bytes))
		return;
	memcpy(ret->bytes + ret->len, path, len);
	ret->bytes[ret->len + len - 1] = '\n';
	ret->len += (uint32_t)len;
}

static int open_source(const struct source_files *files, const char *path,
		       const char *version, struct answer *ret)
{
	struct source_paths paths = { .all = NULL };
	int fd = -1;

	if (source_path_is_one(path))
		source_paths_fill(&paths, files->places, &files->go, path, version);
	for (size_t i = 0; i < paths.count && fd < 0; i++) {
		fd = open_one(paths.all[i]);
		if (fd >= 0)
			ret->len = 0;
		note(ret, paths.all[i]);
	}
	source_paths_done(&paths);
	ret->result = fd >= 0;
	return fd;
}

static void serve(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	const size_t len = strlen(q->text);

	(void)fd;
	/* Nothing but a version follows the path. */
	if (len < q->len && len + 1 + strlen(q->text + len + 1) == q->len)
		*ret_fd = open_source(arg, q->text, q->text + len + 1, ret);
}

struct source_files *source_files_new(const struct source_places *places)
{
	struct source_files *files = xcalloc(1, sizeof(*files));

	files->places = places;
	go_folders_read(&files->go);
	files->services[0] = (struct sandbox_service){ ASK_SOURCE, serve, files, NULL };
	return files;
}

void source_files_free(struct source_files *files)
{
	if (!files)
		return;
	go_folders_done(&files->go);
	xfree(files);
}

const struct sandbox_service *source_files_services(const struct source_files *files)
{
	return files->services;
}

static int ask_for(const char *path, const char *version, struct answer *ret)
{
	struct question q = { .kind = ASK_SOURCE };
	int fd = -1;

	const int len = snprintf(q.text, sizeof(q.text), "%s%c%s", path, '\0', version);
	if (len < 0 || (size_t)len >= sizeof(q.text))
		return -1;
	q.len = (uint32_t)len;
	return sandbox_ask(&q, -1, ret, &fd) && ret->result > 0 ? fd : -1;
}

char *source_files_read(const struct source_files *files, const char *path,
			const char *version, char **ret_where)
{
	struct answer answer = { .len = 0 };
	const int fd = sandbox_is_closed() ? ask_for(path, version, &answer)
					   : open_source(files, path, version, &answer);
	char *text = fd < 0 ? NULL : xmalloc(SOURCE_BYTES_MAX + 1);
	size_t len = 0;

	*ret_where = xstrndup(answer.bytes, answer.len ? answer.len - 1 : 0);
	if (!text)
		return NULL;
	for (ssize_t n; len < SOURCE_BYTES_MAX; len += (size_t)n) {
		n = read(fd, text + len, SOURCE_BYTES_MAX - len);
		if (n <= 0)
			break;
	}
	text[len] = '\0';
	close(fd);
	return text;
}
