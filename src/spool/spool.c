/* SPDX-License-Identifier: Apache-2.0 */
#include "src/spool/spool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/spool/spool_priv.h"

#define AHEAD_NS (60 * SECOND_NS) /* a clock may be set by less */

enum {
	PROGRAM_MAX = 40,
	TRIES = 100,
	TIME_LEN = 18, /* 20261124T160501678 */
	BLOCK = 512,   /* of st_blocks */
};

static const char *const endings[SPOOL_KINDS] = {
	[SPOOL_DOCUMENT] = ".json.zst",
	[SPOOL_NOTES] = ".core",
};

static struct spool *refuse(struct spool *spool, const char *why, struct err *err)
{
	err_set(err, ERR_PERMISSION, "the spool %.200s %s", spool->path, why);
	spool_close(spool);
	return NULL;
}

struct spool *spool_open_folder(const char *path, bool create, struct err *err)
{
	struct stat st;

	if (create && mkdir(path, 0700) < 0 && errno != EEXIST) {
		err_sys(err, "cannot create the spool %.200s", path);
		return NULL;
	}
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_set(err,
			errno == ENOENT	  ? ERR_NOT_FOUND
			: errno == EACCES ? ERR_PERMISSION
					  : ERR_SYS,
			"cannot open the spool %.200s: %s%s", path, strerror(errno),
			errno == EACCES ? " (run gosnap as root)" : "");
		return NULL;
	}
	struct spool *spool = xcalloc(1, sizeof(*spool));
	spool->fd = fd;
	spool->path = xstrdup(path);
	if (create && st.st_uid != geteuid())
		return refuse(spool, "belongs to another user", err);
	if (st.st_mode & 022)
		return refuse(spool, "can be written to by others: chmod 0700", err);
	return spool;
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	close(spool->fd);
	xfree(spool->path);
	xfree(spool);
}

int spool_descriptor(const struct spool *spool)
{
	return spool->fd;
}

int spool_create(struct spool *spool, struct err *err)
{
	int fd = openat(spool->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		err_sys(err, "cannot create a file in the spool %.200s", spool->path);
	return fd;
}

/* Letters, digits, and what shells take as it is. A leading dot would hide it. */
static void harmless(const char *program, char ret[static PROGRAM_MAX + 1])
{
	size_t n = 0;

	for (; program[n] && n < PROGRAM_MAX; n++) {
		const unsigned char c = (unsigned char)program[n];
		ret[n] = (char)(isascii(c) && (isalnum(c) || c == '.' || c == '_' ||
					       c == '+')
					? c
					: '_');
	}
	ret[n] = '\0';
	if (!n)
		memcpy(ret, "unknown", sizeof("unknown"));
	else if (ret[0] == '.')
		ret[0] = '_';
}

/* Sorted as text is sorted by time. */
static char *id_of(const struct spool_name *name, unsigned number)
{
	const time_t seconds = (time_t)(name->realtime_ns / SECOND_NS);
	char program[PROGRAM_MAX + 1], date[32] = "", more[16] = "";
	struct tm tm;

	harmless(name->program, program);
	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y%m%dT%H%M%S", &tm);
	if (number)
		snprintf(more, sizeof(more), "-%u", number);
	return xasprintf("%s%03u-%s-%d%s", date,
			 (unsigned)(name->realtime_ns % SECOND_NS / 1000000), program,
			 (int)name->pid, more);
}

static bool link_as(const struct spool *spool, int fd, const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, file, spool->fd, name, AT_SYMLINK_FOLLOW) == 0;
}

bool spool_keep(struct spool *spool, int fd, enum spool_kind kind,
		const struct spool_name *name, uid_t uid, gid_t gid, char **ret_id,
		struct err *err)
{
	if (fsync(fd) < 0 || (geteuid() == 0 && fchown(fd, uid, gid) < 0))
		return err_sys(err, "cannot keep a snapshot in %.200s", spool->path);
	for (unsigned i = 0; i < TRIES; i++) {
		AUTO(xfree) char *id = id_of(name, i);
		AUTO(xfree) char *file = xasprintf("%s%s", id, endings[kind]);
		if (link_as(spool, fd, file)) {
			if (ret_id)
				*ret_id = TAKE(id);
			return true;
		}
		if (errno != EEXIST)
			break;
	}
	return err_sys(err, "cannot keep a snapshot in %.200s", spool->path);
}

static bool digits(const char *text, size_t n)
{
	return strspn(text, "0123456789") >= n;
}

static unsigned number(const char *text, size_t n)
{
	unsigned value = 0;

	while (n-- > 0)
		value = value * 10 + (unsigned)(*text++ - '0');
	return value;
}

/* Of "20261124T160501678-". */
static bool read_time(const char *id, uint64_t *ret_ns)
{
	if (!digits(id, 8) || id[8] != 'T' || !digits(id + 9, 9) || id[TIME_LEN] != '-')
		return false;
	struct tm tm = {
		.tm_year = (int)number(id, 4) - 1900,
		.tm_mon = (int)number(id + 4, 2) - 1,
		.tm_mday = (int)number(id + 6, 2),
		.tm_hour = (int)number(id + 9, 2),
		.tm_min = (int)number(id + 11, 2),
		.tm_sec = (int)number(id + 13, 2),
	};
	*ret_ns = (uint64_t)timegm(&tm) * SECOND_NS + number(id + 15, 3) * 1000000ULL;
	return true;
}

/* program-PID or program-PID-NUMBER; a program has no "-". */
static bool read_name(const char *name, struct spool_entry *ret)
{
	const size_t len = strlen(name);
	enum spool_kind kind = SPOOL_DOCUMENT;
	size_t end = 0;

	for (; kind < SPOOL_KINDS; kind++) {
		end = strlen(endings[kind]);
		if (len > end && strcmp(name + len - end, endings[kind]) == 0)
			break;
	}
	if (kind == SPOOL_KINDS || !read_time(name, &ret->realtime_ns))
		return false;
	const char *program = name + TIME_LEN + 1, *dash = strchr(program, '-');
	if (!dash || !isdigit((unsigned char)dash[1]))
		return false;
	ret->kind = kind;
	ret->pid = (pid_t)strtol(dash + 1, NULL, 10);
	ret->program = xstrndup(program, (size_t)(dash - program));
	ret->id = xstrndup(name, len - end);
	return true;
}

static void entry_done(struct spool_entry *entry)
{
	xfree(entry->id);
	xfree(entry->path);
	xfree(entry->program);
}

void spool_entries_done(struct spool_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		entry_done(&entries->list[i]);
	xfree(entries->list);
	*entries = (struct spool_entries){ 0 };
}

/* Otherwise, once the clock was wrong, the oldest to be removed would be each new one. */
static int by_age(const void *a, const void *b)
{
	const struct spool_entry *one = a, *other = b;

	if (one->is_ahead != other->is_ahead)
		return other->is_ahead - one->is_ahead;
	return strcmp(one->id, other->id);
}

static void take_entry(const struct spool *spool, const char *name,
		       struct spool_entries *ret)
{
	struct spool_entry entry = { .id = NULL };
	struct stat st;

	if (fstatat(spool->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode) || !read_name(name, &entry))
		return;
	entry.bytes = (uint64_t)st.st_blocks * BLOCK;
	entry.owner = st.st_uid;
	entry.is_ahead = entry.realtime_ns > realtime_ns() + AHEAD_NS;
	entry.path = xasprintf("%s/%s", spool->path, name);
	GROW(ret->list, ret->count, ret->cap);
	ret->list[ret->count++] = entry;
}

bool spool_list(const struct spool *spool, struct spool_entries *ret, struct err *err)
{
	*ret = (struct spool_entries){ 0 };
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return err_sys(err, "cannot read the spool %.200s", spool->path);
	}
	for (struct dirent *e; (e = readdir(dir));)
		take_entry(spool, e->d_name, ret);
	closedir(dir);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), by_age);
	return true;
}

/* The one that begins so, or is named so. */
static const struct spool_entry *find(const struct spool_entries *all, const char *which,
				      size_t *ret_matches)
{
	const struct spool_entry *found = NULL;
	const size_t len = strlen(which);

	*ret_matches = 0;
	for (size_t i = all->count; i-- > 0;) {
		const struct spool_entry *e = &all->list[i];
		const bool whole = strcmp(e->id, which) == 0;
		if (e->kind != SPOOL_DOCUMENT)
			continue;
		if (whole || strcmp(which, "latest") == 0) {
			*ret_matches = 1;
			return e;
		}
		if (strncmp(e->id, which, len) == 0) {
			found = e;
			++*ret_matches;
		}
	}
	return found;
}

char *spool_find(const struct spool *spool, const char *which, struct err *err)
{
	struct spool_entries all;
	size_t matches;
	char *path = NULL;

	if (!spool_list(spool, &all, err))
		return NULL;
	const struct spool_entry *found = find(&all, which, &matches);
	if (matches == 1)
		path = xstrdup(found->path);
	else if (matches)
		err_set(err, ERR_LIMIT,
			"%zu snapshots begin with %.100s: see gosnap list", matches,
			which);
	else if (strcmp(which, "latest") == 0)
		err_set(err, ERR_NOT_FOUND, "no snapshot in %.200s yet", spool->path);
	else
		err_set(err, ERR_NOT_FOUND,
			"no such file, and no such snapshot in %.200s: %.100s (see "
			"gosnap list)",
			spool->path, which);
	spool_entries_done(&all);
	return path;
}
