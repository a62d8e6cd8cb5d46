/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink.h"

struct output {
	int fd;
	bool owns_fd;
	char *path;	 /* the name to get; NULL: none */
	char *temporary; /* the name until then; NULL: none */
	struct sink *sink;
	int error;
};

static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* A signal handler is given nothing else to find the file by. It is the process's that made
 * it: the tracer has all of this, too. */
static const char *volatile doomed;
static volatile pid_t owner;

static void remove_doomed(void)
{
	const char *path = doomed;
	if (path && owner == getpid())
		unlink(path);
}

static void remove_and_die(int signo)
{
	remove_doomed();
	raise(signo); /* SA_RESETHAND: the default action, as soon as this returns */
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

/* What is ignored (nohup) or handled by somebody else stays so. Want of memory ends us by
 * exit(), wherever we are. */
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
	out->sink = sink_json_new(fd, zstd);
	return out;
}

void output_close(struct output *out)
{
	sigset_t before;
	if (!out)
		return;
	block_deadly(&before);
	if (out->temporary) {
		doomed = NULL;
		unlink(out->temporary);
	}
	unblock_deadly(&before);
	if (out->owns_fd)
		close(out->fd);
	sink_free(out->sink);
	xfree(out->temporary);
	xfree(out->path);
	xfree(out);
}

/* dir/.name.XXXXXX for dir/name: rename() works within one file system only. */
static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash + 1 - path) : 0;
	/* A name may be as long as names can be: the temporary one is cut. */
	return xasprintf("%.*s.%.200s.XXXXXX", (int)dir, path, path + dir);
}

static bool ends_in_zst(const char *path)
{
	size_t len = strlen(path);
	return len > 4 && strcmp(path + len - 4, ".zst") == 0;
}

static struct output *open_replacing(const char *path, struct err *err)
{
	char *temporary = temporary_name(path);
	struct output *out = NULL;
	sigset_t before;
	int fd;
	block_deadly(&before);
	fd = mkostemp(temporary, O_CLOEXEC); /* O_EXCL, 0600 */
	if (fd >= 0) {
		out = output_new(fd, true, ends_in_zst(path));
		out->path = xstrdup(path);
		doomed = out->temporary = TAKE(temporary);
		watch_deadly();
	} else {
		err_set(err, ERR_SYS,
			"cannot create %s: %s: name a file in a folder that you may "
			"write to",
			path, strerror(errno));
	}
	unblock_deadly(&before);
	xfree(temporary);
	return out;
}

static struct output *open_as_is(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		err_sys(err, "cannot open %s", path);
		return NULL;
	}
	return output_new(fd, true, ends_in_zst(path));
}

struct output *output_open(const char *path, struct err *err)
{
	struct stat st;
	struct output *out;
	char *real;
	if (!path || strcmp(path, "-") == 0)
		return output_new(STDOUT_FILENO, false, false);
	if (!*path) {
		err_set(err, ERR_USAGE, "-o needs the name of a file");
		return NULL;
	}
	if (stat(path, &st) < 0)
		return open_replacing(path, err);
	if (S_ISDIR(st.st_mode)) {
		err_set(err, ERR_SYS, "%s is a folder: name a file in it", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode))
		return open_as_is(path, err);
	/* Replace the file that a symbolic link points to, not the link. */
	real = realpath(path, NULL);
	out = open_replacing(real ? real : path, err);
	free(real);
	return out;
}

struct output *output_open_spool(struct err *err)
{
	int fd = spool_open(err);
	return fd < 0 ? NULL : output_new(fd, true, false);
}

struct sink *output_sink(struct output *out)
{
	return out->sink;
}

static bool give_name(struct output *out, struct err *err)
{
	sigset_t before;
	bool named;
	block_deadly(&before);
	named = rename(out->temporary, out->path) == 0;
	if (named) {
		doomed = NULL;
		xfree(TAKE(out->temporary));
	} else {
		err_sys(err, "cannot rename to %s", out->path);
	}
	unblock_deadly(&before);
	return named;
}

bool output_commit(struct output *out, struct err *err)
{
	if (!sink_finish(out->sink, &out->error, err)) {
		if (out->path)
			err_prefix(err, "%s", out->path);
		return false;
	}
	return !out->temporary || give_name(out, err);
}

bool output_pipe_closed(const struct output *out)
{
	return out->error == EPIPE;
}

int output_take_fd(struct output *out)
{
	lseek(out->fd, 0, SEEK_SET);
	out->owns_fd = false;
	return out->fd;
}
