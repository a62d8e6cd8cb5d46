/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/procfs/proc_file.h"

enum {
	MOUNTS_MAX = 1 << 20, /* bytes */
	FILE_MAX = 1 << 16,
	DEPTH_MAX = 256, /* nested groups */
};

/* Version 1 writes a little less than 2^63 for "no limit". */
#define NO_LIMIT (UINT64_C(1) << 62)

/* The n-th blank-separated word, from 0, with octal escapes (\040 for a blank) decoded;
 * the caller frees it. */
static char *word(const char *line, const char *eol, unsigned n)
{
	while (n-- && line < eol) {
		line += strcspn(line, " \n");
		line += line < eol;
	}
	size_t len = line < eol ? strcspn(line, " \n") : 0, to = 0;
	char *ret = xstrndup(line, len);
	for (size_t i = 0; i < len; i++) {
		char octal[4] = "";
		if (ret[i] == '\\' && len - i > 3 &&
		    strspn(ret + i + 1, "01234567") >= 3) {
			memcpy(octal, ret + i + 1, 3);
			ret[to++] = (char)strtoul(octal, NULL, 8);
			i += 3;
		} else {
			ret[to++] = ret[i];
		}
	}
	ret[to] = 0;
	return ret;
}

/* Is name in the list "a,b,c"? */
static bool lists(const char *list, const char *end, const char *name)
{
	size_t len = strlen(name);

	while (list < end) {
		size_t n = strcspn(list, ",: \n");
		if (n == len && strncmp(list, name, n) == 0)
			return true;
		list += n + 1;
	}
	return false;
}

/* The path in "4:memory:/path" or "0::/path"; the caller frees it. */
static char *group_path(const char *groups, const char *controller)
{
	for (const char *line = groups; line && *line;) {
		const char *eol = strchrnul(line, '\n'), *names = strchr(line, ':');
		const char *path = names ? strchr(names + 1, ':') : NULL;
		bool version2 = path && path == names + 1;
		if (path && path < eol &&
		    (*controller ? lists(names + 1, path, controller) : version2))
			return xstrndup(path + 1, (size_t)(eol - path - 1));
		line = *eol ? eol + 1 : eol;
	}
	return NULL;
}

/* "31 23 0:28 /root /mount rw,relatime shared:9 - cgroup cgroup rw,memory": after the
 * dash come type, source and options. */
static bool is_mount_of(const char *line, const char *eol, const char *controller)
{
	const char *dash = strstr(line, " - ");

	if (!dash || dash >= eol)
		return false;
	AUTO(xfree) char *type = word(dash + 3, eol, 0);
	AUTO(xfree) char *options = word(dash + 3, eol, 2);
	if (!*controller)
		return strcmp(type, "cgroup2") == 0;
	return strcmp(type, "cgroup") == 0 &&
	       lists(options, options + strlen(options), controller);
}

/* path relative to root: "/a/b" below "/a" is "/b". NULL: not below it. */
static const char *below(const char *path, const char *root)
{
	size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);

	if (strncmp(path, root, len) || (path[len] && path[len] != '/') ||
	    strstr(path, "/.."))
		return NULL;
	return path + len;
}

char *cgroup_folder(const char *mounts, const char *groups, const char *controller,
		    size_t *ret_top)
{
	AUTO(xfree) char *path = group_path(groups, controller);

	for (const char *line = mounts; path && line && *line;) {
		const char *eol = strchrnul(line, '\n');
		AUTO(xfree) char *root = word(line, eol, 3);
		AUTO(xfree) char *mount = word(line, eol, 4);
		const char *rest = below(path, root);
		if (rest && is_mount_of(line, eol, controller)) {
			*ret_top = strlen(mount);
			return xasprintf("%s%s", mount, strcmp(rest, "/") ? rest : "");
		}
		line = *eol ? eol + 1 : eol;
	}
	return NULL;
}

uint64_t cgroup_room(const struct cgroup_limit *limit)
{
	if (!limit->set)
		return UINT64_MAX;
	return limit->max > limit->used ? limit->max - limit->used : 0;
}

static char *group_file(const char *folder, const char *name)
{
	AUTO(xfree) char *path = xasprintf("%s/%s", folder, name);

	return slurp(path, FILE_MAX, NULL);
}

/* "max", or a missing file, means no limit. */
static uint64_t group_number(const char *folder, const char *name)
{
	AUTO(xfree) char *text = group_file(folder, name);
	char *end;

	uint64_t n = text ? strtoull(text, &end, 10) : UINT64_MAX;
	return text && end == text ? UINT64_MAX : n;
}

/* A value from a file of "key number" lines; 0: no such line. */
static uint64_t group_line(const char *folder, const char *name, const char *key)
{
	AUTO(xfree) char *text = group_file(folder, name);
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n'), line += !!line)
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return strtoull(line + len, NULL, 10);
	return 0;
}

static void take_limit(struct cgroup_limit *limit, const char *group, uint64_t used,
		       uint64_t max)
{
	struct cgroup_limit found = { .set = true, .used = used, .max = max };
	size_t len = strlen(group), most = sizeof(found.group) - 1;

	if (max >= NO_LIMIT || used >= NO_LIMIT ||
	    (limit->set && cgroup_room(limit) <= cgroup_room(&found)))
		return;
	snprintf(found.group, sizeof(found.group), "%s",
		 len > most ? group + len - most
		 : len	    ? group
			    : "/");
	*limit = found;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* File names for one version. */
struct names {
	const char *max, *high, *used, *droppable, *oom_group;
};

static void take_memory(struct cgroup *ret, const char *folder, const char *group,
			const struct names *names)
{
	uint64_t max = group_number(folder, names->max);

	if (names->oom_group && group_number(folder, names->oom_group) == 1)
		ret->oom_group = true;
	if (names->high)
		max = less(max, group_number(folder, names->high));
	if (max >= NO_LIMIT)
		return;
	uint64_t used = group_number(folder, names->used);
	uint64_t droppable = group_line(folder, "memory.stat", names->droppable);
	take_limit(&ret->memory, group, used - less(used, droppable), max);
}

static const struct names version1 = {
	.max = "memory.limit_in_bytes",
	.used = "memory.usage_in_bytes",
	.droppable = "total_inactive_file",
};
static const struct names version2 = {
	.max = "memory.max",
	.high = "memory.high",
	.used = "memory.current",
	.droppable = "inactive_file",
	.oom_group = "memory.oom.group",
};

static void visit(struct cgroup *ret, const char *folder, const char *group,
		  const char *controller)
{
	bool all = !*controller;

	if (all || strcmp(controller, "pids") == 0)
		take_limit(&ret->pids, group, group_number(folder, "pids.current"),
			   group_number(folder, "pids.max"));
	if (all || strcmp(controller, "memory") == 0)
		take_memory(ret, folder, group, all ? &version2 : &version1);
	if (all && group_number(folder, "cgroup.freeze") == 1)
		ret->frozen = CGROUP_FROZEN_V2;
}

/* Visits the group and all its ancestors. */
static void climb(struct cgroup *ret, char *folder, size_t top, const char *controller)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		visit(ret, folder, folder + top, controller);
		if (!folder[top])
			break;
		*strrchr(folder, '/') = 0;
	}
}

static bool is_frozen_v1(const char *folder)
{
	AUTO(xfree) char *state = group_file(folder, "freezer.state");

	return state && strncmp(state, "FR", 2) == 0; /* FROZEN, FREEZING */
}

void cgroup_read(pid_t pid, struct cgroup *ret)
{
	static const char *const controllers[] = { "pids", "memory", "" };
	AUTO(xfree) char *mounts = slurp("/proc/self/mountinfo", MOUNTS_MAX, NULL);
	AUTO(xfree) char *groups = proc_file(pid, "cgroup");
	size_t top;

	*ret = (struct cgroup){ .oom_group = false };
	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++) {
		AUTO(xfree)
		char *folder = cgroup_folder(mounts, groups, controllers[i], &top);
		if (folder)
			climb(ret, folder, top, controllers[i]);
	}
	/* The state includes that of all ancestors. */
	AUTO(xfree) char *freezer = cgroup_folder(mounts, groups, "freezer", &top);
	if (freezer && is_frozen_v1(freezer))
		ret->frozen = CGROUP_FROZEN_V1;
}
