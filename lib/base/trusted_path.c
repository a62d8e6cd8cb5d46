/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/trusted_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC,
	LINKS_MAX = 40, /* as in the kernel */
};

static bool cannot(const char *path, struct err *err)
{
	return err_set(err, ERR_SYS,
		       "cannot create %s: %s: choose a file in a directory that you can "
		       "write to",
		       path, strerror(errno));
}

/* Ours or root's: root can do anything anyway. */
static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

static bool only_owner_writes(const struct stat *folder)
{
	return !(folder->st_mode & (S_IWGRP | S_IWOTH));
}

/* No other user can have put it there. */
static bool is_trusted(const struct stat *st, const struct stat *folder)
{
	return is_ours(st) || (is_ours(folder) && only_owner_writes(folder));
}

/* Its links are the kernel's own, and do not lead where their text says. */
static bool is_in_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* -1: not a name for one of our descriptors. */
static int descriptor_named(const char *path)
{
	static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(path, names[i]) == 0)
			return (int)i;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		size_t len = strlen(folders[i]);
		if (strncmp(path, folders[i], len) != 0 ||
		    strspn(path + len, "0123456789") != strlen(path + len) || !path[len])
			continue;
		long n = strtol(path + len, &end, 10);
		return n <= INT_MAX ? (int)n : -1;
	}
	return -1;
}

static char *link_text(int fd)
{
	char text[PATH_MAX + 1];
	ssize_t n = readlinkat(fd, "", text, PATH_MAX);

	return n < 0 ? NULL : xstrndup(text, (size_t)n);
}

struct walk {
	struct trusted_path *to;
	const char *path; /* for messages */
	char *rest;	  /* the unresolved rest */
	unsigned links;
	struct err *err;
};

static void refuse(const struct walk *w, const char *name, const char *what)
{
	err_set(w->err, ERR_SYS,
		"cannot create %s: %s %s and belongs to another user: choose another "
		"file",
		w->path, name, what);
}

static bool is_special(const struct stat *st)
{
	return !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode);
}

/* Replaces the name of a link with its text. */
static bool follow(struct walk *w, const char *text, const char *after)
{
	char *rest = *after ? xasprintf("%s/%s", text, after) : xstrdup(text);

	xfree(w->rest);
	w->rest = rest;
	if (*rest != '/')
		return true;
	close(w->to->folder);
	w->to->folder = open("/", FOLDER);
	return w->to->folder >= 0 || cannot(w->path, w->err);
}

enum step { STEP_ON, STEP_END, STEP_FAILED };

static enum step take_link(struct walk *w, int fd, const char *name, const char *after,
			   bool trusted)
{
	AUTO(xfree) char *text = link_text(fd);

	if (!text || ++w->links > LINKS_MAX) {
		errno = text ? ELOOP : errno;
		cannot(w->path, w->err);
		return STEP_FAILED;
	}
	if (!trusted) {
		refuse(w, name, "is a symbolic link");
		return STEP_FAILED;
	}
	if (!*after)
		w->to->descriptor = descriptor_named(text);
	if (w->to->descriptor >= 0)
		return STEP_END;
	return follow(w, text, after) ? STEP_ON : STEP_FAILED;
}

/* Takes ownership of fd. */
static enum step take_found(struct walk *w, int fd, const char *name, const char *after)
{
	struct stat st, folder;
	enum step next = STEP_FAILED;

	if (fstat(fd, &st) < 0 || fstat(w->to->folder, &folder) < 0) {
		cannot(w->path, w->err);
	} else if (S_ISLNK(st.st_mode)) {
		next = take_link(w, fd, name, after, is_trusted(&st, &folder));
	} else if (*after) {
		close(w->to->folder);
		w->to->folder = fd; /* if it is not a folder, the next step fails */
		xfree(w->rest);
		w->rest = xstrdup(after);
		return STEP_ON;
	} else if (is_special(&st) && !is_trusted(&st, &folder)) {
		refuse(w, name, "is not a regular file");
	} else {
		w->to->found = fd;
		w->to->mode = st.st_mode;
		w->to->name = xstrdup(name);
		return STEP_END;
	}
	close(fd);
	return next;
}

/* Resolves one path component. */
static enum step step(struct walk *w)
{
	const char *begin = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(begin, "/");
	AUTO(xfree) char *name = xstrndup(begin, len);
	AUTO(xfree) char *after = xstrdup(begin + len + strspn(begin + len, "/"));

	int fd =
		openat(w->to->folder, name,
		       O_PATH | O_CLOEXEC | (is_in_proc(w->to->folder) ? 0 : O_NOFOLLOW));
	if (fd >= 0)
		return take_found(w, fd, name, after);
	if (errno == ENOENT && !*after) {
		w->to->name = TAKE(name);
		return STEP_END;
	}
	cannot(w->path, w->err);
	return STEP_FAILED;
}

bool trusted_path_find(const char *path, struct trusted_path *ret, struct err *err)
{
	struct walk w = { .to = ret, .path = path, .err = err };
	enum step next = STEP_ON;

	*ret = (struct trusted_path){ .descriptor = descriptor_named(path),
				      .folder = -1,
				      .found = -1 };
	if (ret->descriptor >= 0)
		return true;
	/* A path that ends in a slash names a folder. */
	w.rest = xasprintf("%s%s", path, path[strlen(path) - 1] == '/' ? "." : "");
	ret->folder = open(*path == '/' ? "/" : ".", FOLDER);
	if (ret->folder < 0) {
		cannot(path, err);
		next = STEP_FAILED;
	}
	while (next == STEP_ON)
		next = step(&w);
	xfree(w.rest);
	if (next == STEP_FAILED)
		trusted_path_done(ret);
	return next == STEP_END;
}

bool trusted_path_folder_is_ours(const struct trusted_path *path)
{
	struct stat st;

	return fstat(path->folder, &st) == 0 && is_ours(&st);
}

void trusted_path_done(struct trusted_path *path)
{
	if (path->folder >= 0)
		close(path->folder);
	if (path->found >= 0)
		close(path->found);
	xfree(path->name);
	*path = (struct trusted_path){ .descriptor = -1, .folder = -1, .found = -1 };
}
