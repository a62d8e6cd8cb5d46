/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/lookup/source_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sandbox/broker.h"

struct source_files {
	const char *folder; /* NULL: none */
	struct sandbox_service services[2];
};

/* So that no document names a file that is none of its program. */
static bool is_source_name(const char *path)
{
	static const char *const ends[] = {
		".go", ".s", ".c", ".h", ".cc", ".cpp", ".S"
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(ends); i++)
		if (strcmp(dot, ends[i]) == 0)
			return !strstr(path, "/../") && strncmp(path, "../", 3) != 0;
	return false;
}

/* -1: there is no such regular file. */
static int open_regular(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SOURCE_BYTES_MAX)
		return fd;
	close(fd);
	return -1;
}

static int open_below(const char *folder, const char *within, const char *path)
{
	AUTO(xfree) char *whole = xasprintf("%s%s/%s", folder, within, path);

	return open_regular(whole);
}

/* With as many of its last elements as there are below the folder. */
static int open_in_folder(const char *folder, const char *path)
{
	int fd = -1;

	while (folder && path && fd < 0) {
		path += *path == '/';
		fd = open_below(folder, "", path);
		path = strchr(path, '/');
	}
	return fd;
}

/* "runtime/proc.go" of -trimpath, and "/usr/lib/go-1.19/src/runtime/proc.go" of another machine. */
static int open_in_goroot(const char *path)
{
	static const char *const usual[] = { "/usr/lib/go", "/usr/local/go" };
	const char *root = getenv("GOROOT"), *src = strstr(path, "/src/");
	int fd = -1;

	if (src)
		path = src + strlen("/src/");
	if (*path == '/')
		return -1;
	if (root)
		fd = open_below(root, "/src", path);
	for (size_t i = 0; i < ARRAY_SIZE(usual) && fd < 0; i++)
		fd = open_below(usual[i], "/src", path);
	return fd;
}

/* "github.com/acme/ledger@v1.4.2/book.go", with anything before it. */
static int open_in_cache(const char *path)
{
	static const char cache[] = "/pkg/mod/";
	const char *own = getenv("GOMODCACHE"), *home = getenv("HOME"),
		   *gopath = getenv("GOPATH"), *within = strstr(path, cache);
	int fd = -1;

	if (within)
		path = within + strlen(cache);
	if (!strchr(path, '@') || *path == '/')
		return -1;
	if (own)
		fd = open_below(own, "", path);
	if (fd < 0 && gopath)
		fd = open_below(gopath, "/pkg/mod", path);
	if (fd < 0 && home)
		fd = open_below(home, "/go/pkg/mod", path);
	return fd;
}

static int open_source(const struct source_files *files, const char *path)
{
	int fd = -1;

	if (!is_source_name(path))
		return -1;
	fd = open_in_folder(files->folder, path);
	if (fd < 0 && *path == '/')
		fd = open_regular(path);
	if (fd < 0)
		fd = open_in_cache(path);
	return fd < 0 ? open_in_goroot(path) : fd;
}

static void serve(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	const struct source_files *files = arg;

	(void)fd;
	/* A path with a NUL in it is shorter than it says. */
	*ret_fd = strlen(q->text) == q->len ? open_source(files, q->text) : -1;
	ret->result = *ret_fd < 0 ? -ENOENT : 0;
}

struct source_files *source_files_new(const char *folder)
{
	struct source_files *files = xcalloc(1, sizeof(*files));

	files->folder = folder;
	files->services[0] = (struct sandbox_service){ ASK_SOURCE, serve, files, NULL };
	return files;
}

void source_files_free(struct source_files *files)
{
	xfree(files);
}

const struct sandbox_service *source_files_services(const struct source_files *files)
{
	return files->services;
}

static int ask_for(const char *path)
{
	struct question q = { .kind = ASK_SOURCE };
	struct answer answer;
	int fd = -1;

	q.len = (uint32_t)strlen(path);
	if (q.len >= sizeof(q.text))
		return -1;
	memcpy(q.text, path, q.len);
	return sandbox_ask(&q, -1, &answer, &fd) && answer.result == 0 ? fd : -1;
}

char *source_files_read(const struct source_files *files, const char *path)
{
	const int fd = sandbox_is_closed() ? ask_for(path) : open_source(files, path);
	char *text = fd < 0 ? NULL : xmalloc(SOURCE_BYTES_MAX + 1);
	size_t len = 0;

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
