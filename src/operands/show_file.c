/* SPDX-License-Identifier: Apache-2.0 */
#include "src/operands/show_file.h"

#include <string.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/sandbox/sandbox.h"
#include "src/options/command.h"
#include "src/options/options.h"
#include "src/options/show_options.h"
#include "src/options/spool_options.h"

static bool is_pid(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* A file of that name comes first. */
static bool may_be_id(const char *name)
{
	return strcmp(name, "-") != 0 && !strchr(name, '/') && access(name, F_OK) < 0;
}

/* Its path. NULL: err says why there is none. */
static char *find_in_spool(const char *name, struct err *err)
{
	struct spool_arguments arguments = { .spool = NULL };
	AUTO(spool_close) struct spool *spool = spool_of(&arguments, err);
	char *path = spool ? spool_find(spool, name, err) : NULL;

	if (path)
		return path;
	/* Most people who mistype the name of a file have no spool. */
	if (!spool && strcmp(name, "latest") != 0)
		err_set(err, ERR_SYS, "no such file: %.200s", name);
	if (is_pid(name) && !err_is(err, ERR_LIMIT))
		err_set(err, ERR_SYS,
			"no such file: %.20s (for the process with that PID, run gosnap "
			"%.20s)",
			name, name);
	if (err_is(err, ERR_NOT_FOUND) || err_is(err, ERR_LIMIT))
		err->code = ERR_SYS;
	return NULL;
}

int show_find(const char *path, char **ret_name, struct err *err)
{
	const char *name;
	AUTO(xfree)
	char *found = may_be_id(path) ? find_in_spool(path, err) : xstrdup(path);
	const int fd = found ? reader_find(found, &name, err) : -1;

	if (fd >= 0)
		*ret_name = xstrdup(name);
	return fd;
}

struct showing {
	int fd;
	const char *name;
	const struct view *view;
};

static int show_document(void *arg)
{
	const struct showing *showing = arg;
	struct err err;
	int status;
	struct reader *reader = reader_open_fd(showing->fd, showing->name, &err);
	if (!reader || !view_print(showing->view, reader, &status, &err))
		return cmd_failed(&err);
	return status;
}

int show_file(const char *path, const struct view *view, bool no_sandbox)
{
	struct showing showing = { .view = view };
	struct sandbox sandbox = { .keep_count = 1 };
	AUTO(xfree) char *name = NULL;
	struct err err;

	showing.fd = show_find(path, &name, &err);
	if (showing.fd < 0)
		return cmd_failed(&err);
	showing.name = name;
	sandbox.keep[0] = showing.fd;
	return view_in_sandbox(view, no_sandbox, &sandbox, show_document, &showing);
}
