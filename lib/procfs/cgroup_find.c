/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/cgroup_find.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/procfs/cgroup.h"
#include "lib/procfs/proc_file.h"
#include "lib/procfs/process.h"

enum {
	MOUNTS_MAX = 1 << 20, /* bytes */
	DEPTH_MAX = 32,	      /* nested groups */
	ID_DIGITS = 64,
	ID_LEAST = 12,
};

#define HEX "0123456789abcdef"

char *cgroup_top(void)
{
	size_t ignored;
	AUTO(xfree) char *mounts = slurp("/proc/self/mountinfo", MOUNTS_MAX, &ignored);

	return mounts ? cgroup_folder(mounts, "0::/\n", "", &ignored) : NULL;
}

typedef bool match_fn(const char *folder, const char *wanted);

static bool is_unit(const char *folder, const char *unit)
{
	const size_t n = strlen(unit);

	return strncmp(folder, unit, n) == 0 &&
	       (!folder[n] ||
		(!strchr(unit, '.') && strcmp(folder + n, ".service") == 0));
}

/* "ID", "docker-ID.scope", "cri-containerd-ID.scope", "libpod-ID". */
static bool is_container(const char *folder, const char *id)
{
	const char *dash = strrchr(folder, '-'), *own = dash ? dash + 1 : folder;
	const size_t digits = strspn(own, HEX);

	return digits == ID_DIGITS &&
	       (!own[digits] || strcmp(own + digits, ".scope") == 0) &&
	       strncmp(own, id, strlen(id)) == 0;
}

static char *find(const char *top, const char *wanted, match_fn *match, const char *what,
		  struct err *err)
{
	char *roots[] = { (char *)(uintptr_t)top, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
	AUTO(xfree) char *found = NULL;
	bool several = false;

	for (FTSENT *e; tree && !several && (e = fts_read(tree));) {
		if (e->fts_info != FTS_D)
			continue;
		if (e->fts_level > DEPTH_MAX) {
			fts_set(tree, e, FTS_SKIP);
		} else if (match(e->fts_name, wanted)) {
			several = found;
			if (!several)
				found = xstrdup(e->fts_path);
			/* Groups within it are its own. */
			fts_set(tree, e, FTS_SKIP);
		}
	}
	if (tree)
		fts_close(tree);
	if (several)
		err_set(err, ERR_LIMIT,
			"several %ss are called %.100s: name the folder of one "
			"(--cgroup)",
			what, wanted);
	else if (!found)
		err_set(err, ERR_NOT_FOUND,
			"no %s %.100s is running: there is no group of it below %.100s",
			what, wanted, top);
	return several ? NULL : TAKE(found);
}

char *cgroup_of_unit(const char *top, const char *unit, struct err *err)
{
	return find(top, unit, is_unit, "unit", err);
}

char *cgroup_of_container(const char *top, const char *id, struct err *err)
{
	const size_t n = strspn(id, HEX);

	if (!id[n] && n >= ID_LEAST && n <= ID_DIGITS)
		return find(top, id, is_container, "container", err);
	err_set(err, ERR_USAGE,
		"the id of a container is at least %d hexadecimal digits: %.100s",
		ID_LEAST, id);
	return NULL;
}

bool cgroup_number(const char *folder, uint64_t *ret_id, uint32_t *ret_level,
		   struct err *err)
{
	AUTO(xfree) char *path = realpath(folder, NULL), *top = cgroup_top();
	const size_t n = top ? strlen(top) : 0;
	struct stat st;

	if (!top)
		return err_set(err, ERR_UNSUPPORTED,
			       "control groups of version 2 are not mounted here");
	if (!path || strncmp(path, top, n) != 0 || path[n] != '/' ||
	    stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE,
			       "--cgroup requires a folder below %s, not %.200s", top,
			       folder);
	*ret_id = st.st_ino;
	*ret_level = 0;
	for (const char *c = path + n; *c; c++)
		*ret_level += *c == '/';
	return true;
}

bool cgroup_has(const char *top, const char *group, pid_t pid)
{
	AUTO(xfree) char *text = proc_file(pid, "cgroup");
	AUTO(xfree) char *path = text ? process_cgroup(text) : NULL;
	AUTO(xfree) char *folder = path ? xasprintf("%s%s", top, path) : NULL;
	const size_t n = strlen(group);

	return folder && strncmp(folder, group, n) == 0 &&
	       (folder[n] == '\0' || folder[n] == '/');
}
