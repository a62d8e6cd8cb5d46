/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/trusted_path.h"

enum {
	FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
	FILES_MAX = 4096, /* examined at most */
	UNFINISHED_S = 3600,
};

/* Prefix of files being written; no key starts with it. */
static const char unfinished[] = ".new-";

struct cache {
	int folder;
	char *kind; /* for hands */
	int file; /* that they get, one after another: the parent gives few; -1: none yet */
	pid_t user; /* of it: a fork must not write to the same */
};

static const struct cache_hands *hands; /* NULL: our own */

void cache_use_hands(const struct cache_hands *use)
{
	hands = use;
}

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Takes ownership of fd. -1: not exclusively ours. */
static int only_ours(int fd)
{
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && is_ours(&st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* HOME may belong to another user, with that user's links, and a folder of ours would be
 * in the way. */
static int open_trusted(const char *path)
{
	size_t len = strlen(path);
	struct trusted_path base;
	struct err ignored;

	while (len > 1 && path[len - 1] == '/')
		len--;
	AUTO(xfree) char *name = xstrndup(path, len);
	if (!trusted_path_find(name, &base, &ignored))
		return -1;
	if (base.name && base.found < 0 && trusted_path_folder_is_ours(&base))
		mkdirat(base.folder, base.name, 0700);
	int fd = base.name ? openat(base.folder, base.name, FOLDER | O_NOFOLLOW) : -1;
	trusted_path_done(&base);
	return only_ours(fd);
}

static int open_base(void)
{
	const char *base = secure_getenv("XDG_CACHE_HOME"), *home;

	if (base && base[0] == '/')
		return open_trusted(base);
	home = secure_getenv("HOME");
	if (!home || home[0] != '/')
		return -1;
	AUTO(xfree) char *path = xasprintf("%s/.cache", home);
	return open_trusted(path);
}

static int open_below(int at, const char *name)
{
	mkdirat(at, name, 0700);
	return only_ours(openat(at, name, FOLDER | O_NOFOLLOW));
}

struct cache *cache_open(const char *kind)
{
	AUTO(xfree) char *path = xasprintf("gosnap/%s", kind);
	int at = hands ? -1 : open_base();

	for (char *rest = path, *name; at >= 0 && (name = strsep(&rest, "/"));) {
		int next = open_below(at, name);
		close(at);
		at = next;
	}
	if (at < 0 && !hands)
		return NULL;
	struct cache *c = xcalloc(1, sizeof(*c));
	c->folder = at;
	c->file = -1;
	c->kind = xstrdup(kind);
	return c;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	if (c->folder >= 0)
		close(c->folder);
	if (c->file >= 0)
		close(c->file);
	xfree(c->kind);
	xfree(c);
}

/* Not mapped: truncating the file would kill us with SIGBUS. NULL: unreadable. */
void *cache_read(int fd, size_t *ret_len)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uint64_t)st.st_size > LIMIT_CACHE_BYTES)
		return NULL;
	*ret_len = (size_t)st.st_size;
	AUTO(xfree) void *bytes = xmalloc(*ret_len);
	return lseek(fd, 0, SEEK_SET) == 0 && read_fully(fd, bytes, *ret_len)
		       ? TAKE(bytes)
		       : NULL;
}

int cache_get_file(struct cache *c, const char *key)
{
	static const struct timespec now[] = { { .tv_nsec = UTIME_NOW },
					       { .tv_nsec = UTIME_NOW } };
	if (c->folder < 0)
		return hands->get(c->kind, key);
	int fd = only_ours(
		openat(c->folder, key, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
	/* The least recently used files are removed first. */
	if (fd >= 0 && futimens(fd, now) < 0)
		errno = 0;
	return fd;
}

bool cache_get(struct cache *c, const char *key, struct cache_file *ret)
{
	int fd = cache_get_file(c, key);

	if (fd < 0)
		return false;
	*ret = (struct cache_file){ .len = 0 };
	ret->bytes = cache_read(fd, &ret->len);
	close(fd);
	return ret->bytes;
}

void cache_release(struct cache_file *file)
{
	xfree((void *)(uintptr_t)file->bytes);
	file->bytes = NULL;
}

struct kept {
	char *name;
	uint64_t bytes;
	struct timespec used;
};

struct kept_list {
	struct kept *list;
	size_t count, cap;
	uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static bool is_left_behind(const char *name, const struct stat *st)
{
	return strncmp(name, unfinished, strlen(unfinished)) == 0 &&
	       st->st_mtim.tv_sec + UNFINISHED_S < time(NULL);
}

static void list_files(const struct cache *c, DIR *dir, struct kept_list *ret)
{
	const struct dirent *e;
	struct stat st;

	while (ret->count < FILES_MAX && (e = readdir(dir))) {
		if (fstatat(c->folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (is_left_behind(e->d_name, &st)) {
			unlinkat(c->folder, e->d_name, 0);
			continue;
		}
		GROW(ret->list, ret->count, ret->cap);
		ret->list[ret->count++] =
			(struct kept){ xstrdup(e->d_name), (uint64_t)st.st_size,
				       st.st_mtim };
		ret->bytes += (uint64_t)st.st_size;
	}
}

static void trim(const struct cache *c)
{
	int fd = openat(c->folder, ".", FOLDER);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct kept_list files = { 0 };

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	list_files(c, dir, &files);
	closedir(dir);
	if (files.bytes > LIMIT_CACHE_BYTES)
		qsort(files.list, files.count, sizeof(*files.list), by_use);
	for (size_t i = 0; i < files.count; i++) {
		if (files.bytes > LIMIT_CACHE_BYTES &&
		    unlinkat(c->folder, files.list[i].name, 0) == 0)
			files.bytes -= files.list[i].bytes;
		xfree(files.list[i].name);
	}
	xfree(files.list);
}

static bool write_parts(int fd, const struct iovec *parts, int n)
{
	bool ok = true;

	for (int i = 0; ok && i < n; i++)
		ok = write_fully(fd, parts[i].iov_base, parts[i].iov_len);
	return ok;
}

/* Empty. */
static bool has_file(struct cache *c)
{
	struct err ignored;

	if (c->file >= 0 && c->user != getpid()) {
		close(c->file);
		c->file = -1;
	}
	if (c->file < 0)
		c->file = spool_open(&ignored);
	c->user = getpid();
	return c->file >= 0 && lseek(c->file, 0, SEEK_SET) == 0 &&
	       ftruncate(c->file, 0) == 0;
}

/* They have copied it when they return. */
static void hand_over(struct cache *c, const char *key, const struct iovec *parts, int n)
{
	if (has_file(c) && write_parts(c->file, parts, n))
		hands->put(c->kind, key, c->file);
}

void cache_put(struct cache *c, const char *key, const struct iovec *parts, int n)
{
	char name[64];

	if (c->folder < 0) {
		hand_over(c, key, parts, n);
		return;
	}

	/* Unique: two processes differ in pid or time. */
	snprintf(name, sizeof(name), "%s%d-%llx", unfinished, (int)getpid(),
		 (unsigned long long)monotonic_ns());
	int fd = openat(c->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	bool ok = write_parts(fd, parts, n);
	ok = close(fd) == 0 && ok;
	if (!ok || renameat(c->folder, name, c->folder, key) < 0)
		unlinkat(c->folder, name, 0);
	else
		trim(c);
}
