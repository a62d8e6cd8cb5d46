/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the subject in /proc, and of its copy. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/sandbox/broker_priv.h"

enum { PATH_BYTES = 512 };

enum what { A_FILE, A_FOLDER, A_PLACE, A_LINK };

/* T stands for the number of a thread, or of a descriptor. */
struct place {
	const char *name;
	enum what what;
	const char *reason;
};

static const struct place permitted[] = {
	{ "", A_FOLDER, "keeps referring to this process if the pid is reused" },
	{ "task", A_FOLDER, "its threads" },
	{ "stat", A_FILE, "is it alive, and of which thread" },
	{ "status", A_FILE, "likewise" },
	{ "mem", A_FILE, "its memory" },
	{ "maps", A_FILE, "its mappings" },
	{ "pagemap", A_FILE, "pages that nobody has touched" },
	{ "root", A_PLACE, "its files are opened below it, by the parent" },
	{ "exe", A_LINK, "the path of its executable" },
	{ "root", A_LINK, "the path of its root" },
	{ "task/T/stat", A_FILE, "state and CPU time of a thread" },
	{ "task/T/status", A_FILE, "its ids" },
	{ "task/T/schedstat", A_FILE, "its CPU time" },
	{ "task/T/wchan", A_FILE, "what it waits for in the kernel" },
	{ "task/T/stack", A_FILE, "likewise" },
	{ "task/T/syscall", A_FILE, "likewise" },
	{ "task/T/maps", A_FILE, "mappings, if the first thread has exited" },
	{ "task/T/smaps", A_FILE, "memory that a copy lacks" },
	{ "task/T/auxv", A_FILE, "where the executable is mapped" },
	{ "task/T/mem", A_FILE, "memory, if the first thread has exited" },
	{ "net/tcp", A_FILE, "addresses of its sockets" },
	{ "net/tcp6", A_FILE, "likewise" },
	{ "net/udp", A_FILE, "likewise" },
	{ "net/udp6", A_FILE, "likewise" },
	{ "net/unix", A_FILE, "likewise" },
};

/* For others, that is read before the sandbox is closed. */
static const struct place permitted_to_series[] = {
	{ "cwd", A_LINK, "its folder" },
	{ "fd", A_FOLDER, "its open files" },
	{ "fd/T", A_LINK, "likewise" },
	{ "statm", A_FILE, "how much memory it has" },
	{ "cgroup", A_FILE, "its control group" },
	{ "limits", A_FILE, "its limits" },
	{ "cmdline", A_FILE, "its arguments, which are in its memory" },
	{ "environ", A_FILE, "likewise" },
};

/* Compares with a pattern, in which a T is any number. */
static bool matches(const char *pattern, const char *name)
{
	for (; *pattern; pattern++) {
		if (*pattern != 'T') {
			if (*name++ != *pattern)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*name))
			return false;
		while (isdigit((unsigned char)*name))
			name++;
	}
	return !*name;
}

static bool is_listed(const struct place *list, size_t n, const char *name,
		      enum what what)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].what == what && matches(list[i].name, name))
			return true;
	return false;
}

static bool is_permitted(const struct sandbox *how, const char *name, enum what what)
{
	return is_listed(permitted, ARRAY_SIZE(permitted), name, what) ||
	       (how->subject.of_series &&
		is_listed(permitted_to_series, ARRAY_SIZE(permitted_to_series), name,
			  what));
}

/* Descriptors of the sandbox may only come from here: then this is what they were opened by. */
static bool path_of(int folder, char *ret, size_t size)
{
	char link[64];
	struct statfs fs;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	ssize_t n = readlink(link, ret, size - 1);
	if (n <= 0 || (size_t)n >= size - 1 || fstatfs(folder, &fs) < 0 ||
	    fs.f_type != PROC_SUPER_MAGIC)
		return false;
	ret[n] = 0;
	return true;
}

/* "/proc/PID/name": the process, and the name, in ret. */
static bool take_apart(int folder, const char *path, char ret[static PATH_BYTES],
		       pid_t *ret_pid, const char **ret_name)
{
	static const char proc[] = "/proc/";
	char base[PATH_BYTES] = "";

	if (folder >= 0 && !path_of(folder, base, sizeof(base)))
		return false;
	int n = snprintf(ret, PATH_BYTES, "%s%s%s", base, folder >= 0 && *path ? "/" : "",
			 path);
	if (n < 0 || n >= PATH_BYTES || strncmp(ret, proc, sizeof(proc) - 1) ||
	    !isdigit((unsigned char)ret[sizeof(proc) - 1]))
		return false;
	char *rest;
	long pid = strtol(ret + sizeof(proc) - 1, &rest, 10);
	if (pid <= 0 || pid > INT_MAX || (*rest && *rest != '/'))
		return false;
	*ret_pid = (pid_t)pid;
	*ret_name = *rest ? rest + 1 : rest;
	return true;
}

/* A thread has files under its own number, too. */
static bool is_thread_of(const struct sandbox_subject *subject, pid_t pid)
{
	char name[32];

	snprintf(name, sizeof(name), "task/%d", (int)pid);
	return faccessat(subject->folder, name, F_OK, 0) == 0;
}

/* The folder of a process that it may look at; the caller closes it. */
static int folder_of(const struct sandbox_subject *subject, pid_t pid)
{
	char path[32];

	if (!subject->pid)
		return -1;
	if (pid == subject->pid)
		return fcntl(subject->folder, F_DUPFD_CLOEXEC, 0);
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* Asked when the folder is open: it will not be another's. */
	if (fd >= 0 && !is_thread_of(subject, pid) &&
	    !(subject->is_copy && subject->is_copy(subject->arg, pid))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A folder of a process that is gone has no name any more, but nothing of it is withheld. */
static bool is_gone(int folder)
{
	struct statfs fs;

	return folder >= 0 && fstatfs(folder, &fs) == 0 &&
	       fs.f_type == PROC_SUPER_MAGIC && faccessat(folder, "stat", F_OK, 0) < 0 &&
	       errno == ESRCH;
}

static int refusal(int folder, bool *ret_other)
{
	*ret_other = !is_gone(folder);
	return *ret_other ? -EACCES : -ESRCH;
}

static int with_errno(int folder, int result)
{
	int why = errno;

	close(folder);
	return result < 0 ? -why : result;
}

int proc_open(const struct sandbox *how, int folder, const char *path, int flags,
	      bool *ret_other)
{
	char whole[PATH_BYTES];
	const char *name;
	pid_t pid;
	int at = -1, mode = O_CLOEXEC | O_NOCTTY | (flags & O_NONBLOCK);

	*ret_other = true;
	if (take_apart(folder, path, whole, &pid, &name))
		at = folder_of(&how->subject, pid);
	if (at < 0)
		return refusal(folder, ret_other);
	if (flags & O_DIRECTORY && is_permitted(how, name, A_FOLDER))
		mode |= O_DIRECTORY | (flags & O_PATH ? O_PATH : O_RDONLY);
	else if (flags & O_DIRECTORY && flags & O_PATH &&
		 is_permitted(how, name, A_PLACE))
		mode |= O_DIRECTORY | O_PATH;
	else if (!(flags & O_PATH) && is_permitted(how, name, A_FILE))
		mode |= O_RDONLY;
	else
		return with_errno(at, (errno = EACCES, -1));
	*ret_other = false;
	return with_errno(at, openat(at, *name ? name : ".", mode));
}

int proc_read_link(const struct sandbox *how, int folder, const char *path, char *ret,
		   size_t size, bool *ret_other)
{
	char whole[PATH_BYTES];
	const char *name;
	pid_t pid;
	int at = -1;

	*ret_other = true;
	if (take_apart(folder, path, whole, &pid, &name) &&
	    is_permitted(how, name, A_LINK))
		at = folder_of(&how->subject, pid);
	if (at < 0)
		return refusal(folder, ret_other);
	*ret_other = false;
	return with_errno(at, (int)readlinkat(at, name, ret, size));
}
