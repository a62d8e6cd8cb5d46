/* SPDX-License-Identifier: Apache-2.0 */
#include "src/install/boot_settings.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/install/install.h"

enum { FILES_MAX = 1024, TEXT_MAX = 1 << 20 };

/* Of files of the same name, the first is read. Older releases of procps look into /run first. */
static const char *const folders[] = { "/etc/sysctl.d", "/run/sysctl.d",
				       "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d",
				       "/lib/sysctl.d" };

/* Read last by sysctl --system of procps, and not at all by systemd-sysctl. */
static const char last_file[] = "/etc/sysctl.conf";

struct files {
	char *paths[FILES_MAX];
	size_t count;
};

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static void files_done(struct files *f)
{
	while (f->count)
		xfree(f->paths[--f->count]);
}

static bool has(const struct files *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(name_of(f->paths[i]), name) == 0)
			return true;
	return false;
}

static bool is_settings(const char *name)
{
	const size_t len = strlen(name);

	return len > 5 && strcmp(name + len - 5, ".conf") == 0;
}

static void add_folder(struct files *f, const char *folder)
{
	DIR *dir = opendir(folder);

	for (struct dirent *e; dir && (e = readdir(dir));)
		if (f->count < FILES_MAX && is_settings(e->d_name) && !has(f, e->d_name))
			f->paths[f->count++] = xasprintf("%s/%s", folder, e->d_name);
	if (dir)
		closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(name_of(*(char *const *)a), name_of(*(char *const *)b));
}

/* In the order in which they are read. */
static void list(struct files *ret)
{
	ret->count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		add_folder(ret, folders[i]);
	qsort(ret->paths, ret->count, sizeof(*ret->paths), by_name);
}

/* The value, if the line, which is changed, sets core_pattern; else NULL. "-" before a name: a failure is no
 * error. */
static const char *value_in(char *line)
{
	char *value = strchr(line, '=');

	if (!value)
		return NULL;
	*value++ = '\0';
	const char *name = trim_text(line);
	name += *name == '-';
	if (strcmp(name, "kernel.core_pattern") != 0 &&
	    strcmp(name, "kernel/core_pattern") != 0)
		return NULL;
	return trim_text(value);
}

/* The last one counts. Allocated; NULL: the file does not set it. */
static char *set_by(const char *path)
{
	AUTO(xfree) char *text = slurp(path, TEXT_MAX, NULL);
	char *value = NULL;

	for (char *rest = text, *line; rest && (line = strsep(&rest, "\n"));) {
		const char *found = value_in(line);
		if (!found)
			continue;
		xfree(value);
		value = xstrdup(found);
	}
	return value;
}

/* What is said if the file changes what was found so far. Takes and returns an allocated sentence, or NULL. */
static char *judge(const char *path, const char *pattern, const char *when, char *before)
{
	AUTO(xfree) char *value = set_by(path);

	if (!value)
		return before;
	xfree(before);
	return strcmp(value, pattern) == 0
		       ? NULL
		       : xasprintf("%s, %s sets core_pattern to %s: from then on no "
				   "snapshots are taken of crashes",
				   when, path, value);
}

static bool boots_by_systemd(void)
{
	return access("/run/systemd/system", F_OK) == 0;
}

char *boot_settings_trouble(const char *pattern)
{
	static const char at_boot[] = "at the next boot",
			  at_reload[] = "by sysctl --system";
	struct files files;
	char *trouble = NULL;

	list(&files);
	for (size_t i = 0; i < files.count; i++)
		if (strcmp(name_of(files.paths[i]), name_of(INSTALL_SYSCTL)) > 0)
			trouble = judge(files.paths[i], pattern, at_boot, trouble);
	files_done(&files);
	if (!boots_by_systemd())
		return judge(last_file, pattern, at_boot, trouble);
	return trouble ? trouble : judge(last_file, pattern, at_reload, NULL);
}
