/* SPDX-License-Identifier: Apache-2.0 */
#include "src/strict/mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/procfs/proc_file.h"

/* Those of this machine. Where a file is another machine's, or a process's, to open it may take for ever, and
 * may be refused to us; and what the kernel cannot open for us, it denies. */
static const char *const types[] = {
	"aufs",	    "bcachefs", "btrfs",   "erofs", "exfat", "ext2",	"ext3",
	"ext4",	    "f2fs",	"iso9660", "jfs",   "ntfs3", "overlay", "ramfs",
	"reiserfs", "squashfs", "tmpfs",   "udf",   "vfat",  "xfs",	"zfs",
};

struct mount {
	unsigned id;
	dev_t device;
	char *place, *type;
};

static bool can_hold(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

/* In place: "\040" and the like. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned byte;
		if (*from == '\\' && sscanf(from + 1, "%3o", &byte) == 1) {
			*to = (char)byte;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* proc_pid_mountinfo(5). Strings are in the line. */
static bool parse(char *line, struct mount *ret)
{
	unsigned major, minor;
	int at = -1;
	char *rest;

	if (sscanf(line, "%u %*u %u:%u %*s %n", &ret->id, &major, &minor, &at) < 3 ||
	    at < 0)
		return false;
	ret->device = makedev(major, minor);
	ret->place = strtok_r(line + at, " ", &rest);
	char *type = rest ? strstr(rest, " - ") : NULL;
	if (!type)
		return false;
	ret->type = strtok_r(type + 3, " ", &rest);
	unescape(ret->place);
	return ret->type != NULL;
}

static char *read_mounts(pid_t pid)
{
	enum { LIMIT = 16 << 20 };
	size_t len;

	return pid ? proc_file(pid, "mountinfo")
		   : slurp("/proc/self/mountinfo", LIMIT, &len);
}

void mounts_each(pid_t pid, mounts_fn *fn, void *arg)
{
	AUTO(xfree) char *text = read_mounts(pid);
	AUTO(xfree)
	char *root = pid ? xasprintf("/proc/%d/root", (int)pid) : xstrdup("");
	struct mount mount;
	char *rest;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (!parse(line, &mount) || !can_hold(mount.type))
			continue;
		AUTO(xfree) char *place = xasprintf("%s%s", root, mount.place);
		fn(arg, mount.device, place);
	}
}

bool mounts_can_hold(int folder, struct err *err)
{
	AUTO(xfree) char *text = read_mounts(0);
	struct statx st;
	struct mount mount;
	char *rest;

	if (statx(folder, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) != 0)
		return err_sys(err, "cannot find the file system");
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		if (parse(line, &mount) && mount.id == st.stx_mnt_id)
			return can_hold(mount.type) ||
			       err_set(err, ERR_UNSUPPORTED,
				       "programs cannot be held on a file system of type "
				       "%.40s (--strict)",
				       mount.type);
	return err_set(err, ERR_NOT_FOUND, "the file system is not mounted here");
}
