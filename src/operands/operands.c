/* SPDX-License-Identifier: Apache-2.0 */
#include "src/operands/operands.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/corefile/target_core.h"
#include "lib/sandbox/sandbox.h"
#include "src/capture/capture.h"
#include "src/capture/sandboxed.h"
#include "src/capture/systemd_core.h"
#include "src/options/command.h"

enum { BEGIN = 64 /* bytes, in which a document has begun */ };

static int unpack_begin(void *arg)
{
	return core_begins_packed(*(const int *)arg);
}

/* What could take over who unpacks it is unpacked in a sandbox. */
static bool has_packed_core(int fd, bool no_sandbox)
{
	const struct sandbox sandbox = { .keep = { fd }, .keep_count = 1 };
	struct err ignored;
	int is_core = 0;

	return sandboxed_run(no_sandbox, &sandbox, unpack_begin, &fd, &is_core,
			     &ignored) &&
	       is_core == 1;
}

/* -1: it is no regular file, or cannot be read. Others may do something when they are opened. */
static int open_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode)
		       ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
		       : -1;
}

bool operand_is_core(const char *path, bool no_sandbox)
{
	const int fd = open_regular(path);
	const enum core_beginning begin = fd >= 0 ? core_begins(fd) : CORE_BEGINS_NOT;
	const bool ret = begin == CORE_BEGINS ||
			 ((begin == CORE_BEGINS_PACKED || begin == CORE_BEGINS_ZSTD) &&
			  has_packed_core(fd, no_sandbox));

	if (fd >= 0)
		close(fd);
	return ret;
}

bool operand_is_program(const char *path)
{
	const int fd = open_regular(path);
	const bool ret = fd >= 0 && core_begins(fd) == CORE_BEGINS_PROGRAM;

	if (fd >= 0)
		close(fd);
	return ret;
}

static const char *words_for(const struct operand *o)
{
	return strcmp(o->name, "-") == 0 ? "standard input" : o->name;
}

/* A document is an object. Of nothing, its reader says what is the matter. */
static bool may_be_document(int fd)
{
	char begin[BEGIN];
	const ssize_t n = pread(fd, begin, sizeof(begin), lseek(fd, 0, SEEK_CUR));

	for (ssize_t i = 0; i < n; i++)
		if (!memchr(" \t\r\n", begin[i], 4))
			return begin[i] == '{';
	return true;
}

/* Sets o->kind. False: err says what it is instead. */
static bool tell_content(const struct operand_form *form, bool no_sandbox,
			 struct operand *o, int fd, struct err *err)
{
	const enum core_beginning begin = core_begins(fd);

	/* Nothing of ours but cores is compressed by others than zstd: their reader says what is wrong. */
	if (begin == CORE_BEGINS || begin == CORE_BEGINS_PACKED ||
	    (begin == CORE_BEGINS_ZSTD && has_packed_core(fd, no_sandbox)))
		o->kind = OPERAND_CORE;
	else if (begin == CORE_BEGINS_PROGRAM)
		o->kind = OPERAND_PROGRAM;
	if (form->kinds & OPERAND_PROGRAM || o->kind == OPERAND_CORE ||
	    (o->kind == OPERAND_FILE &&
	     (begin == CORE_BEGINS_ZSTD || may_be_document(fd))))
		return true;
	if (o->kind == OPERAND_PROGRAM)
		return err_set(err, ERR_CANNOT,
			       "%.200s is a program, neither a core nor a snapshot",
			       words_for(o));
	return err_set(err, ERR_BAD_DATA,
		       "%.200s: neither a core nor a snapshot: it does not begin with "
		       "\"format\": \"gosnap\"",
		       words_for(o));
}

/* A pipe cannot be read twice: the copy takes its place. */
static bool take_copy(struct operand *o, int fd, int copy, struct err *err)
{
	const bool is_stdin = strcmp(o->name, "-") == 0;

	if (!core_copy(fd, copy, words_for(o), err))
		return false;
	if (lseek(copy, 0, SEEK_SET) < 0 || (is_stdin && dup2(copy, STDIN_FILENO) < 0))
		return err_sys(err, "cannot read %.200s", words_for(o));
	if (!is_stdin) {
		o->owned = xasprintf("/dev/fd/%d", copy);
		o->name = o->owned;
	}
	return true;
}

/* Opens it. copy: of a pipe, what is in it from now on; -1: it is no pipe. */
static bool open_and_tell(const struct operand_form *form, bool no_sandbox,
			  struct operand *o, int copy, struct err *err)
{
	const int fd = strcmp(o->name, "-") == 0
			       ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			       : open(o->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool ok = fd >= 0 || err_sys(err, "cannot open %.200s", words_for(o));

	if (ok && copy >= 0)
		ok = take_copy(o, fd, copy, err);
	ok = ok && tell_content(form, no_sandbox, o, copy >= 0 ? copy : fd, err);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* A name that no file has is of another kind: see show_find(). */
static bool tell_file(const struct operand_form *form, bool no_sandbox, struct operand *o,
		      struct err *err)
{
	const bool is_stdin = strcmp(o->name, "-") == 0;
	struct err ignored;
	struct stat st;
	int copy = -1;

	o->kind = OPERAND_FILE;
	if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(o->name, &st)) < 0)
		return true;
	const bool is_pipe = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	/* Documents can be read where there is no room for a copy. */
	if (is_pipe ? (copy = spool_open(&ignored)) < 0 : !S_ISREG(st.st_mode))
		return true;
	const bool ok = open_and_tell(form, no_sandbox, o, copy, err);
	/* Its name may lead to the copy. */
	if (copy >= 0 && !o->owned)
		close(copy);
	return ok;
}

static bool find_systemd(struct operand *o, struct err *err)
{
	o->owned = systemd_core_find(o->name, err);
	o->name = o->owned;
	o->kind = OPERAND_CORE;
	return o->owned;
}

static bool find_kind(const struct operand_form *form, bool systemd, bool no_sandbox,
		      struct operand *o, struct err *err)
{
	if (systemd)
		return find_systemd(o, err);
	if (form->kinds & OPERAND_PROCESS && cmd_parse_pid(o->name, &o->pid)) {
		o->kind = OPERAND_PROCESS;
		return true;
	}
	if (form->kinds & (OPERAND_FILE | OPERAND_PROGRAM))
		return tell_file(form, no_sandbox, o, err);
	o->kind = OPERAND_CORE;
	return true;
}

/* Only a core has one: of a process it is known, and a document needs none. */
static int refuse_executable(const struct operand_form *form, const struct operand *o,
			     bool by_option)
{
	if (o->kind == OPERAND_PROCESS)
		return cmd_misused(form->command,
				   "an executable belongs to a core, not to a PID");
	if (by_option)
		return cmd_misused(form->command,
				   "an executable belongs to a core, and %.200s is none",
				   o->name);
	if (strcmp(o->name, "-") != 0 && access(o->name, F_OK) < 0)
		return cmd_misused(form->command, "%s (%.200s: %s)", form->too_many,
				   o->name, strerror(errno));
	return cmd_misused(form->command, "%s (%.200s is not a core)", form->too_many,
			   o->name);
}

bool operand_read(const struct operand_form *form, int argc, char **argv, bool no_sandbox,
		  struct core_options *core, struct operand *ret, int *ret_status)
{
	const int count = argc - optind;
	const bool has_exe = count == 2 && !form->others_follow;
	struct err err;

	*ret = (struct operand){ .name = count ? argv[optind] : "latest" };
	*ret_status = EXIT_DONE;
	if (!count && !core->systemd)
		*ret_status = cmd_misused(form->command, "%s", form->missing);
	else if (count > 2 && !form->others_follow)
		*ret_status = cmd_misused(form->command, "%s", form->too_many);
	else if (!find_kind(form, core->systemd, no_sandbox, ret, &err))
		*ret_status = cmd_failed(&err);
	else if (ret->kind != OPERAND_CORE && (has_exe || core->search.executable))
		*ret_status = refuse_executable(form, ret, !has_exe);
	if (*ret_status == EXIT_DONE && ret->kind == OPERAND_CORE) {
		core->path = ret->name;
		if (has_exe)
			core->search.executable = argv[optind + 1];
	}
	return *ret_status == EXIT_DONE;
}

void operand_done(struct operand *operand)
{
	xfree(operand->owned);
}
