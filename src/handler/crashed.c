/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/crashed.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"

enum { TEXT_MAX = 1 << 16, CHUNK = 1 << 20, SEARCHED_MAX = 1 << 28 };

/* Of a small file of /proc. NULL: it cannot be read. */
static const char *read_text(const char *path)
{
	static char text[TEXT_MAX];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	for (ssize_t n;
	     fd >= 0 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0;)
		len += (size_t)n;
	if (fd >= 0)
		close(fd);
	text[len] = '\0';
	return len ? text : NULL;
}

/* Does the descriptor that the kernel gave us agree? */
static bool is_same(const struct crash *crash)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", crash->pidfd);
	const char *text = crash->pidfd < 0 ? NULL : read_text(path);
	const char *pid = text ? proc_line(text, "Pid") : NULL;

	return !pid || strtol(pid, NULL, 10) == crash->pid;
}

int crashed_file(const struct crash *crash, const char *name, int flags)
{
	return crash->folder < 0 ? -1 : openat(crash->folder, name, flags | O_CLOEXEC);
}

/* Of its first thread, which may have ended. */
static const char *leader_status(const struct crash *crash)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/status", crash->folder);
	return crash->folder < 0 ? NULL : read_text(path);
}

const char *crashed_status(const struct crash *crash)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/task/%d/status", crash->folder,
		 (int)crash->tid);
	const char *status = crash->folder < 0 ? NULL : read_text(path);
	/* The coredump socket tells the number that the process itself has for it. */
	return status ? status : leader_status(crash);
}

/* The real ID, which the kernel's word has, too. */
static bool has_id(const struct crash *crash, const char *line, char letter)
{
	const char *word = crash->word[(unsigned char)letter];

	return !word || !*word ||
	       (line && strtoul(line, NULL, 10) == strtoul(word, NULL, 10));
}

/* CoreDumping: since Linux 4.15, of a thread that has memory still. */
static bool is_as_told(const struct crash *crash)
{
	const char *status = crashed_status(crash);
	const char *dumps = status ? proc_line(status, "CoreDumping") : NULL;

	return status && (!dumps || *dumps == '1') &&
	       has_id(crash, proc_line(status, "Uid"), 'u') &&
	       has_id(crash, proc_line(status, "Gid"), 'g');
}

void crashed_open(struct crash *crash)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)crash->pid);
	crash->folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (crash->folder < 0 || (is_same(crash) && is_as_told(crash)))
		return;
	close(crash->folder);
	crash->folder = -1;
}

bool crashed_is_there(const struct crash *crash)
{
	char path[PATH_MAX];

	return crash->folder >= 0 && is_same(crash) &&
	       readlinkat(crash->folder, "exe", path, sizeof(path)) > 0;
}

/* All four of a line: real, effective, saved, of the file system. */
static bool all_are(const char *line, unsigned long id)
{
	enum { IDS = 4 };
	char *end = (char *)(uintptr_t)line;

	for (unsigned i = 0; i < IDS; i++)
		if (!line || strtoul(end, &end, 10) != id)
			return false;
	return true;
}

static bool is_of(const char *status, unsigned long uid, unsigned long gid)
{
	return status && all_are(proc_line(status, "Uid"), uid) &&
	       all_are(proc_line(status, "Gid"), gid);
}

void crashed_owner(const struct crash *crash, uid_t *ret_uid, gid_t *ret_gid)
{
	const char *status = crashed_status(crash);
	const char *user = status ? proc_line(status, "Uid") : NULL;
	const char *group = status ? proc_line(status, "Gid") : NULL;
	const unsigned long uid = user ? strtoul(user, NULL, 10) : 0;
	const unsigned long gid = group ? strtoul(group, NULL, 10) : 0;
	/* Threads can have users of their own. */
	const bool known = !crash->guarded && is_of(status, uid, gid) &&
			   is_of(leader_status(crash), uid, gid);

	*ret_uid = known ? (uid_t)uid : 0;
	*ret_gid = known ? (gid_t)gid : 0;
}

bool crashed_is_other(const struct crash *crash)
{
	static const char mark[] = "\xff Go buildinf:";
	enum { OVERLAP = sizeof(mark) - 2 };
	AUTO(xfree) char *chunk = xmalloc(CHUNK);
	const int fd = crashed_file(crash, "exe", O_RDONLY | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	bool found = false;

	if (fd < 0)
		return false;
	const bool searchable = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
				st.st_size > 0 && st.st_size <= SEARCHED_MAX;
	off_t at = 0;
	while (searchable && !found && at < st.st_size) {
		const ssize_t n = pread(fd, chunk, CHUNK, at);
		if (n <= 0)
			break;
		found = memmem(chunk, (size_t)n, mark, sizeof(mark) - 1) != NULL;
		at += n > OVERLAP && at + n < st.st_size ? n - OVERLAP : n;
	}
	close(fd);
	return searchable && !found && at >= st.st_size;
}
