/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/baseline_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/document/sink.h"

enum { NAME_BYTES = FINGERPRINT_TEXT + 8, COPY_BYTES = 64 * 1024 };

static void file_name(const char *key, char ret[static NAME_BYTES])
{
	snprintf(ret, NAME_BYTES, "%.16s.json", key);
}

/* Allocated; NULL: err. */
static char *default_folder(struct err *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		return xasprintf("%s/gosnap/baselines", state);
	if (home && *home == '/')
		return xasprintf("%s/.local/state/gosnap/baselines", home);
	err_set(err, ERR_USAGE, "there is no HOME: name a folder with --store");
	return NULL;
}

static void make_folders(const char *path)
{
	AUTO(xfree) char *part = xstrdup(path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0700);
		*slash = '/';
	}
	mkdir(part, 0700);
}

/* What others may write, they could let us take for normal. */
static bool is_ours(int folder, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(folder, &st) < 0)
		return err_sys(err, "cannot look at %.200s", path);
	if ((st.st_uid != geteuid() && st.st_uid != 0) ||
	    st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, ERR_PERMISSION,
			       "others may write to the folder %.200s", path);
	return true;
}

bool baseline_store_open(struct baseline_store *ret, const char *path, bool create,
			 struct err *err)
{
	AUTO(xfree) char *folder = path ? xstrdup(path) : default_folder(err);

	*ret = (struct baseline_store){ .folder = -1, .writable = create };
	if (!folder)
		return false;
	if (create)
		make_folders(folder);
	ret->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->folder < 0 && errno == ENOENT)
		return err_set(
			err, ERR_CANNOT,
			"there are no baselines in %.200s: see gosnap baseline add",
			folder);
	if (ret->folder < 0)
		return err_sys(err, "cannot open the folder %.200s", folder);
	if (!is_ours(ret->folder, folder, err))
		return false;
	return !create || flock(ret->folder, LOCK_EX) == 0 ||
	       err_sys(err, "cannot lock the folder %.200s", folder);
}

void baseline_store_close(struct baseline_store *store)
{
	if (store->folder >= 0)
		close(store->folder);
}

static int open_one(const struct baseline_store *store, const char *key)
{
	char name[NAME_BYTES];

	if (!fingerprint_is(key)) {
		errno = EINVAL;
		return -1;
	}
	file_name(key, name);
	return openat(store->folder, name,
		      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static bool copy_bytes(int from, int to)
{
	AUTO(xfree) char *bytes = xmalloc(COPY_BYTES);
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, bytes, COPY_BYTES, at)) > 0 && at <= BASELINE_BYTES) {
		if (!write_fully(to, bytes, (size_t)n))
			return false;
		at += n;
	}
	if (n > 0)
		errno = EFBIG;
	return n == 0;
}

/* 0, or an error number. */
static int replace(const struct baseline_store *store, const char *key, int content)
{
	static const char temporary[] = "new";
	char name[NAME_BYTES];
	struct stat st;

	if (!store->writable || !fingerprint_is(key) || fstat(content, &st) < 0 ||
	    !S_ISREG(st.st_mode) || st.st_size > BASELINE_BYTES)
		return EINVAL;
	/* The folder is locked: what is there was left by one that died. */
	unlinkat(store->folder, temporary, 0);
	const int fd = openat(store->folder, temporary,
			      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	file_name(key, name);
	int ret = copy_bytes(content, fd) && fsync(fd) == 0 ? 0 : errno;
	close(fd);
	if (!ret && renameat(store->folder, temporary, store->folder, name) < 0)
		ret = errno;
	if (ret)
		unlinkat(store->folder, temporary, 0);
	return ret;
}

static void serve(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	const struct baseline_store *store = arg;
	char key[FINGERPRINT_TEXT];

	snprintf(key, sizeof(key), "%.*s", (int)q->len, q->text);
	if (q->kind == ASK_BASELINE_KEEP) {
		ret->result = fd < 0 ? -EINVAL : -replace(store, key, fd);
		return;
	}
	*ret_fd = open_one(store, key);
	ret->result = *ret_fd < 0 ? -errno : 0;
}

const struct sandbox_service *baseline_store_services(struct baseline_store *store)
{
	store->services[0] = (struct sandbox_service){ ASK_BASELINE, serve, store, NULL };
	store->services[1] =
		(struct sandbox_service){ ASK_BASELINE_KEEP, serve, store, NULL };
	return store->services;
}

/* *ret_fd NULL: none is expected. 0, or an error number. */
static int ask(enum question_kind kind, const char *key, int send, int *ret_fd)
{
	struct question q = { .kind = kind, .len = (uint32_t)strlen(key) };
	struct answer answer;

	memcpy(q.text, key, q.len);
	if (!sandbox_ask(&q, send, &answer, ret_fd))
		return EIO;
	return answer.result < 0 ? -answer.result : 0;
}

static int find(struct baseline_store *store, const char *key)
{
	int fd = -1;

	if (!sandbox_is_closed())
		return open_one(store, key);
	errno = ask(ASK_BASELINE, key, -1, &fd);
	return fd;
}

bool baseline_load(struct baseline_store *store, const char *key, struct baseline *ret,
		   struct err *err)
{
	const int fd = find(store, key);
	struct stat st;
	bool ok;

	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_NOT_FOUND, "there is no baseline of it");
	if (fd < 0)
		return err_sys(err, "cannot open the baseline");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > BASELINE_BYTES) {
		close(fd);
		return err_set(err, ERR_BAD_DATA, "%s.json is no baseline", key);
	}
	AUTO(xfree) char *text = xmalloc((size_t)st.st_size + 1);
	ok = read_fully(fd, text, (size_t)st.st_size);
	if (!ok)
		err_sys(err, "cannot read the baseline");
	close(fd);
	if (ok && !baseline_parse(text, (size_t)st.st_size, ret, err)) {
		err_prefix(err, "%s.json", key);
		ok = false;
	}
	return ok;
}

bool baseline_keep(struct baseline_store *store, const char *key,
		   const struct baseline *b, struct err *err)
{
	const int fd = spool_open(err);

	if (fd < 0)
		return false;
	AUTO(sink_free) struct sink *out = sink_json_new(fd, false);
	baseline_write(out, b);
	if (!sink_finish(out, NULL, err)) {
		close(fd);
		return false;
	}
	errno = sandbox_is_closed() ? ask(ASK_BASELINE_KEEP, key, fd, NULL)
				    : replace(store, key, fd);
	const bool ok = errno == 0 || err_sys(err, "cannot write the baseline");
	close(fd);
	return ok;
}
