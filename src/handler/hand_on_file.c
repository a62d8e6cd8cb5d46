/* SPDX-License-Identifier: Apache-2.0 */
/* As do_coredump() of fs/coredump.c writes a file: below the root and in the folder of the process, as
 * its user, in place of what has that name. Pages of zeros become holes: in the stream nobody sees
 * which of them the process never touched. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "src/handler/crashed.h"
#include "src/handler/hand_on_priv.h"
#include "src/handler/report.h"

enum {
	BLOCK = 4096, /* the smallest core, and the smallest hole */
	GROUPS_MAX = 1024,
	FILE_SYSTEM_ID = 3, /* of the four in a line of /proc/PID/status */
};

struct file {
	int fd;
	uint64_t at, written, limit;
	uint8_t block[BLOCK];
	size_t used;
};

static bool read_text(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	for (ssize_t n; fd >= 0 && (n = read(fd, ret + len, size - 1 - len)) > 0;)
		len += (size_t)n;
	if (fd >= 0)
		close(fd);
	ret[len] = '\0';
	return len > 0;
}

static bool uses_pid(void)
{
	char text[16];

	return read_text("/proc/sys/kernel/core_uses_pid", text, sizeof(text)) &&
	       text[0] != '0';
}

static unsigned long nth_number(const char *text, unsigned n)
{
	char *end = (char *)(uintptr_t)text;
	unsigned long value = 0;

	for (unsigned i = 0; text && i <= n; i++)
		value = strtoul(end, &end, 10);
	return value;
}

static void take_groups(const char *text)
{
	gid_t groups[GROUPS_MAX];
	size_t n = 0;
	char *end = (char *)(uintptr_t)text;

	while (text && n < GROUPS_MAX && *end && *end != '\n') {
		char *before = end;
		const gid_t group = (gid_t)strtoul(before, &end, 10);
		if (end == before)
			break;
		groups[n++] = group;
		end += strspn(end, " \t");
	}
	if (setgroups(n, groups) < 0)
		report("cannot take the groups of the process: %s", strerror(errno));
}

static bool enter(int root, int folder)
{
	return root >= 0 && folder >= 0 && fchdir(root) == 0 && chroot(".") == 0 &&
	       fchdir(folder) == 0;
}

/* These calls only tell what was so before. */
static bool take_ids(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	errno = EPERM;
	return (gid_t)setfsgid((gid_t)-1) == gid && (uid_t)setfsuid((uid_t)-1) == uid;
}

/* Sees and may from now on what the process saw and might. */
static bool stand_in_for(const struct crash *crash)
{
	const char *status = crashed_status(crash);

	if (!status)
		return false;
	int root = crashed_file(crash, "root", O_PATH | O_DIRECTORY);
	int folder = crashed_file(crash, "cwd", O_PATH | O_DIRECTORY);
	const bool entered = enter(root, folder);
	if (root >= 0)
		close(root);
	if (folder >= 0)
		close(folder);
	if (!entered)
		return false;
	take_groups(proc_line(status, "Groups"));
	return take_ids((uid_t)nth_number(proc_line(status, "Uid"), FILE_SYSTEM_ID),
			(gid_t)nth_number(proc_line(status, "Gid"), FILE_SYSTEM_ID));
}

/* Files of the process have this limit, and so has its core. */
static void take_limit(pid_t pid)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_FSIZE, NULL, &limit) == 0) {
		limit.rlim_max = limit.rlim_cur;
		setrlimit(RLIMIT_FSIZE, &limit);
	}
}

static int create(const char *name, bool is_guarded)
{
	struct stat st;

	if (!is_guarded)
		unlink(name);
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

static bool put_block(struct file *f)
{
	const size_t len = f->used;

	f->used = 0;
	f->at += len;
	if (!len || is_zero(f->block, len))
		return true;
	f->written += len;
	if (f->written > f->limit)
		return false;
	for (size_t done = 0; done < len;) {
		const ssize_t n = pwrite(f->fd, f->block + done, len - done,
					 (off_t)(f->at - len + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool put(struct file *f, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		const size_t room = BLOCK - f->used, n = len < room ? len : room;
		memcpy(f->block + f->used, bytes, n);
		f->used += n;
		bytes += n;
		len -= n;
		if (f->used == BLOCK && !put_block(f))
			return false;
	}
	return true;
}

static void write_core(struct file *f, struct core_source *source, const char *name)
{
	const uint8_t *bytes;
	size_t len;
	bool ok = true;

	errno = 0;
	while (ok && source_next(source, &bytes, &len))
		ok = put(f, bytes, len);
	ok = ok && put_block(f) && ftruncate(f->fd, (off_t)f->at) == 0;
	if (!ok)
		report("the core %s is cut: %s", name,
		       f->written > f->limit ? "RLIMIT_CORE" : strerror(errno));
	close(f->fd);
}

/* Of a process that is gone nobody knows what it was allowed to. */
static bool is_guarded(const struct crash *crash)
{
	return crash->guarded || !crashed_is_there(crash);
}

static int open_file(const struct crash *crash, const char *name)
{
	const bool guarded = is_guarded(crash);

	if (guarded && name[0] != '/') {
		report("no core: of a set-uid program it needs an absolute name, not %s",
		       name);
		return -1;
	}
	if (!guarded)
		take_limit(crash->pid);
	if (!guarded && !stand_in_for(crash)) {
		report("the core is lost: cannot enter the folder of the process as its "
		       "user: %s",
		       strerror(errno));
		return -1;
	}
	int fd = create(name, guarded);
	if (fd < 0)
		report("no core: cannot create %s: %s", name, strerror(errno));
	return fd;
}

void hand_on_file(const struct crash *crash, const char *pattern,
		  struct core_source *source)
{
	static char name[CRASH_TEXT];
	static struct file file;
	const bool with_pid = uses_pid();

	if (crash->limit < BLOCK || (!*pattern && !with_pid))
		return;
	if (!crash_core_name(crash, pattern, with_pid, name)) {
		report("the core is lost: its name is too long: %s", pattern);
		return;
	}
	file = (struct file){ .fd = open_file(crash, name), .limit = crash->limit };
	if (file.fd >= 0)
		write_core(&file, source, name);
}
