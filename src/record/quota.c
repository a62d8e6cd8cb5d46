/* SPDX-License-Identifier: Apache-2.0 */
#include "src/record/quota.h"

#include <dirent.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* src/record/series.c file_pattern */
static const char names[] =
	"^gosnap-.*-[0-9]+-[0-9]{8}T[0-9]{6}Z-[0-9]+\\.json(\\.zst)?$";

struct recording {
	char *name;
	uint64_t bytes;
	struct timespec time;
};

struct recordings {
	struct recording *list;
	size_t count, cap;
	uint64_t bytes;
};

static int by_age(const void *a, const void *b)
{
	const struct recording *x = a, *y = b;

	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
	if (x->time.tv_nsec != y->time.tv_nsec)
		return x->time.tv_nsec < y->time.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void add(struct recordings *all, int folder, const char *name)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid())
		return;
	GROW(all->list, all->count, all->cap);
	all->list[all->count++] = (struct recording){
		.name = xstrdup(name),
		.bytes = (uint64_t)st.st_size,
		.time = st.st_mtim,
	};
	all->bytes += (uint64_t)st.st_size;
}

static void list(struct recordings *all, DIR *dir)
{
	regex_t pattern;

	if (regcomp(&pattern, names, REG_EXTENDED | REG_NOSUB))
		out_of_memory();
	for (struct dirent *e; (e = readdir(dir));)
		if (regexec(&pattern, e->d_name, 0, NULL, 0) == 0)
			add(all, dirfd(dir), e->d_name);
	regfree(&pattern);
	if (all->count)
		qsort(all->list, all->count, sizeof(*all->list), by_age);
}

bool quota_enforce(const char *folder, const struct quota *quota, struct err *err)
{
	DIR *dir = opendir(folder);
	struct recordings all = { .list = NULL };
	size_t gone = 0;
	bool ok = true;

	if (!dir)
		return err_sys(err, "cannot list %s", folder);
	list(&all, dir);
	while (ok && gone + 1 < all.count &&
	       ((quota->files && all.count - gone > quota->files) ||
		(quota->bytes && all.bytes > quota->bytes))) {
		ok = unlinkat(dirfd(dir), all.list[gone].name, 0) == 0 ||
		     err_sys(err, "cannot delete %s/%s", folder, all.list[gone].name);
		all.bytes -= all.list[gone++].bytes;
	}
	for (size_t i = 0; i < all.count; i++)
		xfree(all.list[i].name);
	xfree(all.list);
	closedir(dir);
	return ok;
}
