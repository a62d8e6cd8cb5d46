/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/trusted_path.h"
#include "lib/document/mend.h"
#include "lib/document/remains.h"
#include "lib/document/sink.h"
#include "lib/document/writer.h"
#include "lib/sandbox/sandbox.h"

struct output {
	int fd;
	bool owns_fd;
	struct trusted_path path; /* final path of the document; no name: none */
	char *asked;		  /* as given by the user; NULL: none */
	char *temporary;	  /* name in the same folder until then; NULL: none */
	bool zstd;
	struct remains *remains; /* NULL: they are not kept */
	bool owns_remains;
	uint64_t start; /* offset of the document in the file */
	/* One of them, by what is written. */
	struct sink *sink;
	struct writer *writer;
	char *buffer; /* the writer's */
	size_t used;
	int error;
};

enum { RANDOM_LEN = 6, TRIES = 100 };

static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* Static, since a signal handler gets no arguments to find the file by. Only the process
 * that created the file removes it: the tracer inherits these too. */
static const char *volatile doomed[OUTPUTS];
static volatile int doomed_in[OUTPUTS];
static volatile pid_t owner;

static void remove_doomed(void)
{
	for (size_t i = 0; i < OUTPUTS; i++) {
		const char *name = doomed[i];
		if (name && owner == getpid())
			unlinkat(doomed_in[i], name, 0);
	}
}

/* To be called with deadly signals blocked, as the next one. */
static void doom(const char *name, int folder)
{
	for (size_t i = 0; i < OUTPUTS; i++) {
		if (doomed[i])
			continue;
		doomed_in[i] = folder;
		doomed[i] = name;
		return;
	}
}

static void spare(const char *name)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		if (doomed[i] == name)
			doomed[i] = NULL;
}

static void remove_and_die(int signo)
{
	remove_doomed();
	raise(signo); /* SA_RESETHAND: the default action, once this returns */
}

static void block_deadly(sigset_t *ret_before)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		sigaddset(&set, deadly[i]);
	pthread_sigmask(SIG_BLOCK, &set, ret_before);
}

static void unblock_deadly(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Signals that are ignored (nohup) or handled elsewhere stay so. Running out of memory
 * calls exit(), wherever we are. */
static void watch_deadly(void)
{
	struct sigaction ours = { .sa_handler = remove_and_die,
				  .sa_flags = (int)SA_RESETHAND };
	owner = getpid();
	atexit(remove_doomed);
	sigfillset(&ours.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
		struct sigaction before;
		if (sigaction(deadly[i], NULL, &before) == 0 &&
		    before.sa_handler == SIG_DFL)
			sigaction(deadly[i], &ours, NULL);
	}
}

static struct output *output_new(int fd, bool owns_fd, bool zstd)
{
	struct output *out = xcalloc(1, sizeof(*out));
	out->fd = fd;
	out->owns_fd = owns_fd;
	out->path.folder = out->path.found = -1;
	out->zstd = zstd;
	return out;
}

static void drop_temporary(struct output *out)
{
	spare(out->temporary);
	unlinkat(out->path.folder, out->temporary, 0);
	xfree(TAKE(out->temporary));
}

void output_close(struct output *out)
{
	sigset_t before;
	if (!out)
		return;
	block_deadly(&before);
	if (out->temporary)
		drop_temporary(out);
	unblock_deadly(&before);
	if (out->owns_fd)
		close(out->fd);
	sink_free(out->sink);
	writer_free(out->writer);
	if (out->owns_remains)
		remains_free(out->remains);
	trusted_path_done(&out->path);
	xfree(out->asked);
	xfree(out);
}

/* Prefix of the temporary name, before the random part. A name may have maximum length
 * already, so truncate it. */
static char *temporary_prefix(const char *name)
{
	return xasprintf(".%.200s.gosnap-", name);
}

static char *temporary_name(const char *name)
{
	static const char letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	AUTO(xfree) char *prefix = temporary_prefix(name);
	uint8_t random[RANDOM_LEN];
	char end[RANDOM_LEN + 1] = "";
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		memset(random, 0, sizeof(random));
	for (size_t i = 0; i < RANDOM_LEN; i++)
		end[i] = letters[random[i] % (sizeof(letters) - 1)];
	return xasprintf("%s%s", prefix, end);
}

/* A run that is killed cannot remove its temporary file. A live run keeps its file
 * locked. */
static void remove_if_left(int folder, const char *name)
{
	struct stat st;
	char path[64];
	int found = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd = -1;
	if (found >= 0 && fstat(found, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid()) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	}
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder, name, 0);
	if (fd >= 0)
		close(fd);
	if (found >= 0)
		close(found);
}

static void remove_left_behind(const struct trusted_path *path)
{
	AUTO(xfree) char *prefix = temporary_prefix(path->name);
	size_t len = strlen(prefix);
	int fd = openat(path->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (strncmp(e->d_name, prefix, len) == 0 &&
		    strlen(e->d_name) == len + RANDOM_LEN)
			remove_if_left(path->folder, e->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

static bool ends_in_zst(const char *path)
{
	size_t len = strlen(path);
	return len > 4 && strcmp(path + len - 4, ".zst") == 0;
}

/* False: another run found the file before we locked it, and removes it as a leftover.
 * File systems without locks have no such removals. */
static bool lock(int fd)
{
	struct stat st;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno != EWOULDBLOCK;
	return fstat(fd, &st) < 0 || st.st_nlink > 0;
}

/* For file systems without anonymous files (NFS, FAT): a named one, removed on
 * failure. */
static int create_named(const struct trusted_path *path, char **ret_name)
{
	for (int i = 0; i < TRIES; i++) {
		AUTO(xfree) char *name = temporary_name(path->name);
		int fd = openat(path->folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
				0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
		if (fd >= 0 && lock(fd)) {
			*ret_name = TAKE(name);
			return fd;
		}
		if (fd >= 0)
			close(fd);
	}
	errno = EEXIST;
	return -1;
}

/* Takes ownership of path. An anonymous file is never left behind, however we exit; it is
 * locked for the time when it has a temporary name. */
static struct output *open_replacing(struct trusted_path *path, const char *asked,
				     struct err *err)
{
	struct output *out = NULL;
	char *temporary = NULL;
	sigset_t before;
	remove_left_behind(path);
	if (path->found >= 0)
		close(path->found);
	path->found = -1;
	block_deadly(&before);
	int fd = openat(path->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = create_named(path, &temporary);
	else
		flock(fd, LOCK_EX | LOCK_NB);
	if (fd >= 0) {
		out = output_new(fd, true, ends_in_zst(path->name));
		out->path = *path;
		out->asked = xstrdup(asked);
		out->temporary = temporary;
		if (temporary)
			doom(temporary, path->folder);
		watch_deadly();
	} else {
		err_set(err, ERR_SYS,
			"cannot create %s: %s: choose a file in a directory that you can "
			"write to",
			asked, strerror(errno));
		trusted_path_done(path);
	}
	unblock_deadly(&before);
	return out;
}

/* Releases path. */
static struct output *open_as_is(struct trusted_path *path, const char *asked, bool waits,
				 struct err *err)
{
	char name[64];
	snprintf(name, sizeof(name), "/proc/self/fd/%d", path->found);
	int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK));
	if (fd < 0 && errno == ENXIO && S_ISFIFO(path->mode))
		err_set(err, ERR_SYS, "cannot open %s: nobody reads this pipe", asked);
	else if (fd < 0)
		err_sys(err, "cannot open %s", asked);
	else if (!waits)
		fcntl(fd, F_SETFL, 0);
	trusted_path_done(path);
	return fd < 0 ? NULL : output_new(fd, true, ends_in_zst(asked));
}

/* Releases to. */
static struct output *open_descriptor(struct trusted_path *to, const char *asked,
				      struct err *err)
{
	int flags = fcntl(to->descriptor, F_GETFL);
	int fd = -1;
	if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
		errno = EBADF;
	else if (flags >= 0)
		fd = fcntl(to->descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		err_sys(err, "cannot write to %s", asked);
	trusted_path_done(to);
	return fd < 0 ? NULL : output_new(fd, true, false);
}

static struct output *open_path(const char *path, bool waits, struct err *err)
{
	struct trusted_path to;
	if (!path || strcmp(path, "-") == 0)
		return output_new(STDOUT_FILENO, false, false);
	if (!*path) {
		err_set(err, ERR_USAGE, "-o requires a file name");
		return NULL;
	}
	if (!trusted_path_find(path, &to, err))
		return NULL;
	if (to.descriptor >= 0)
		return open_descriptor(&to, path, err);
	if (to.found < 0 || S_ISREG(to.mode))
		return open_replacing(&to, path, err);
	if (!S_ISDIR(to.mode))
		return open_as_is(&to, path, waits, err);
	trusted_path_done(&to);
	err_set(err, ERR_SYS, "%s is a directory: choose a file in it", path);
	return NULL;
}

struct output *output_open(const char *path, struct err *err)
{
	return open_path(path, true, err);
}

struct output *output_open_at_once(const char *path, struct err *err)
{
	return open_path(path, false, err);
}

struct output *output_open_file(int fd, bool zstd)
{
	return output_new(fd, false, zstd);
}

struct output *output_open_spool(struct err *err)
{
	int fd = spool_open(err);
	return fd < 0 ? NULL : output_new(fd, true, false);
}

struct sink *output_sink(struct output *out)
{
	if (out->sink)
		return out->sink;
	out->sink = sink_json_new(out->fd, out->zstd);
	if (out->remains)
		sink_keep_remains(out->sink, out->remains);
	return out->sink;
}

void output_keep_remains(struct output *out)
{
	const off_t start = lseek(out->fd, 0, SEEK_CUR);

	out->remains = remains_new();
	out->owns_remains = true;
	out->start = start > 0 ? (uint64_t)start : 0;
}

void output_keep_remains_in(struct output *out, struct remains *remains)
{
	out->remains = remains;
}

struct mending {
	struct broken broken;
	const char *why;
	struct err *err; /* of the sandbox, shared with its parent */
};

enum { MENDED, MENDS_NOT };

static int mend_inside(void *arg)
{
	const struct mending *m = arg;

	return mend(&m->broken, m->why, m->err) ? MENDED : MENDS_NOT;
}

static bool mend_in_sandbox(struct mending *m, struct err *err)
{
	const struct sandbox sandbox = { .keep = { m->broken.fd },
					 .keep_count = 1,
					 .max_ns = m->broken.counted ? LIMIT_SANDBOX_NS
								     : 0 };
	int status = MENDS_NOT;

	if (sandbox_missing())
		return mend(&m->broken, m->why, err);
	m->err = mmap(NULL, sizeof(*m->err), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (m->err == MAP_FAILED)
		return err_sys(err, "cannot allocate memory");
	bool ran = sandbox_run(&sandbox, mend_inside, m, &status, err);
	if (ran && status != MENDED) {
		*err = *m->err;
		err->text[sizeof(err->text) - 1] = 0;
	}
	munmap(m->err, sizeof(*m->err));
	return ran && status == MENDED;
}

bool output_begin_again(const struct output *out)
{
	struct remains_state state = { .whole = 0 };

	if (out->remains)
		remains_look(out->remains, &state);
	if (!out->remains || state.whole)
		return false;
	remains_clear(out->remains);
	if (!writer_has_offset(out->fd))
		return !state.written && !state.writing && !out->zstd;
	return ftruncate(out->fd, (off_t)out->start) == 0 &&
	       lseek(out->fd, (off_t)out->start, SEEK_SET) >= 0;
}

bool output_mend(const struct output *out, const char *why, struct err *err)
{
	const bool has = writer_has_offset(out->fd);
	struct mending m = {
		.why = why,
		.broken = { .fd = out->fd,
			    .start = out->start,
			    .whole_file = has &&
					  (fcntl(out->fd, F_GETFL) & O_ACCMODE) == O_RDWR,
			    .counted = has,
			    .zstd = out->zstd,
			    .remains = out->remains },
	};

	struct remains_state state;

	if (!out->remains)
		return err_set(err, ERR_SYS, "cannot allocate memory");
	remains_look(out->remains, &state);
	if (!state.whole)
		return err_set(err, ERR_NOT_FOUND, "nothing had been written");
	return mend_in_sandbox(&m, err);
}

void output_write(struct output *out, const void *bytes, size_t len)
{
	if (!out->writer) {
		out->writer = writer_new(out->fd, out->zstd);
		out->buffer = writer_buffer(out->writer);
	}
	for (size_t done = 0, n; done < len; done += n) {
		n = WRITER_BUFFER - out->used;
		if (n > len - done)
			n = len - done;
		memcpy(out->buffer + out->used, (const char *)bytes + done, n);
		out->used += n;
		if (out->used < WRITER_BUFFER)
			continue;
		out->buffer = writer_next(out->writer, out->used);
		out->used = 0;
	}
}

static bool finish(struct output *out, struct err *err)
{
	if (!out->writer)
		return sink_finish(output_sink(out), &out->error, err);
	out->error = writer_finish(out->writer, out->used);
	errno = out->error;
	return !out->error || err_sys(err, "cannot write the file");
}

/* Network file systems report write errors on close; the original descriptor keeps the
 * lock. */
static bool is_written(int fd)
{
	int same = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return same >= 0 && close(same) == 0;
}

/* Some file systems have anonymous files but no hard links. */
static bool copy_to_named(struct output *out)
{
	struct stat st;
	off_t done = 0;
	int fd = create_named(&out->path, &out->temporary);
	bool ok = fd >= 0 && fstat(out->fd, &st) == 0;
	while (ok && done < st.st_size)
		ok = sendfile(fd, out->fd, &done, (size_t)(st.st_size - done)) > 0;
	if (fd < 0)
		return false;
	close(out->fd);
	out->fd = fd; /* open, and so locked, until it has its name */
	return ok && is_written(fd);
}

/* linkat() cannot replace a file: if the name exists, use a temporary name first. */
static bool name_it(struct output *out)
{
	const struct trusted_path *to = &out->path;
	char file[64];
	if (!out->temporary) {
		snprintf(file, sizeof(file), "/proc/self/fd/%d", out->fd);
		if (linkat(AT_FDCWD, file, to->folder, to->name, AT_SYMLINK_FOLLOW) == 0)
			return true;
		AUTO(xfree) char *name = temporary_name(to->name);
		if (errno == EEXIST &&
		    linkat(AT_FDCWD, file, to->folder, name, AT_SYMLINK_FOLLOW) == 0)
			out->temporary = TAKE(name);
		else if (!copy_to_named(out))
			return false;
	}
	if (renameat(to->folder, out->temporary, to->folder, to->name) < 0)
		return false;
	spare(out->temporary);
	xfree(TAKE(out->temporary));
	return true;
}

static bool give_name(struct output *out, struct err *err)
{
	sigset_t before;
	block_deadly(&before);
	bool named = name_it(out);
	if (!named)
		err_sys(err, "cannot rename to %s", out->asked);
	if (out->temporary)
		drop_temporary(out);
	unblock_deadly(&before);
	return named;
}

bool output_finish(struct output *out, struct err *err)
{
	if (finish(out, err))
		return true;
	if (out->asked)
		err_prefix(err, "%s", out->asked);
	return false;
}

bool output_commit(struct output *out, struct err *err)
{
	return !out->path.name || give_name(out, err);
}

bool output_pipe_closed(const struct output *out)
{
	return out->error == EPIPE;
}

int output_fd(const struct output *out)
{
	return out->fd;
}

int output_take_fd(struct output *out)
{
	lseek(out->fd, 0, SEEK_SET);
	out->owns_fd = false;
	return out->fd;
}
