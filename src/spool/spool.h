/* SPDX-License-Identifier: Apache-2.0 */
/* spool.h - the folder of the snapshots that crash handlers take: names, owners, quota. A snapshot
 * appears complete, or not at all; a file that is deleted by hand is missed by nobody, as there is no
 * index: a name tells the time, the program and the process, the beginning of the document the rest
 * (spool_head.h). The main header of src/spool. Knows folders and names, and nothing of what
 * is in a document. Names and contents are untrusted: other programs' crashes chose them. */
#ifndef GOSNAP_SPOOL_H
#define GOSNAP_SPOOL_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

#define SPOOL_FOLDER "/var/lib/gosnap"

struct spool;

/* create: makes the folder, mode 0700, if there is none. The folder must be ours, and nobody else
 * may write to it. ERR_NOT_FOUND: there is none; ERR_PERMISSION. */
struct spool *spool_open_folder(const char *path, bool create, struct err *err);
/* Of the folder, to be kept open in forks. Borrowed. */
int spool_descriptor(const struct spool *spool);
void spool_close(struct spool *spool);
DEFINE_AUTO(struct spool, spool_close)

/* What a name is made of. program may be any bytes; a harmless word remains of it. */
struct spool_name {
	uint64_t realtime_ns;
	const char *program;
	pid_t pid;
};
enum spool_kind {
	SPOOL_DOCUMENT, /* ID.json.zst */
	SPOOL_NOTES, /* ID.core: headers and notes of a core, of which there is no document */
	SPOOL_KINDS
};

/* An anonymous file, mode 0600. -1: err says why. */
int spool_create(struct spool *spool, struct err *err);
/* Gives it an owner and a name; *ret_id, unless NULL, is allocated. It stays open. */
MUST_CHECK bool spool_keep(struct spool *spool, int fd, enum spool_kind kind,
			   const struct spool_name *name, uid_t uid, gid_t gid,
			   char **ret_id, struct err *err);

struct spool_entry {
	char *id, *path;
	enum spool_kind kind;
	uint64_t bytes; /* on the disk */
	uint64_t realtime_ns;
	bool is_ahead; /* of a time to come: the clock was wrong then, or is now */
	char *program;
	pid_t pid;
	uid_t owner;
};
struct spool_entries {
	struct spool_entry *list; /* oldest first; before them, what is ahead */
	size_t count, cap;
};
MUST_CHECK bool spool_list(const struct spool *spool, struct spool_entries *ret,
			   struct err *err);
void spool_entries_done(struct spool_entries *entries);

/* "latest", an ID, or the beginning of only one: its path, allocated. NULL: ERR_NOT_FOUND;
 * ERR_LIMIT: several begin so. */
char *spool_find(const struct spool *spool, const char *which, struct err *err);

/* 0: no bound. */
struct spool_quota {
	uint64_t bytes, files, age_ns;
};
/* Removes what is too old; then, until the rest fits, the oldest of the user that has the most. So a user
 * that has no more than his share of the quota loses none. Calls removed, unless NULL, for each. dry:
 * removes nothing. */
typedef void spool_removed_fn(void *arg, const struct spool_entry *entry);
MUST_CHECK bool spool_prune(struct spool *spool, const struct spool_quota *quota,
			    bool dry, spool_removed_fn *removed, void *arg,
			    struct err *err);

/* Identifies an executable, wherever it lies, by its size and its first page, which has the build IDs. If that
 * page is not in memory, by device and inode: this does not wait for the file system. Returns 0 if there is no
 * file. */
uint64_t spool_program(int exe);

struct spool_rate {
	uint64_t interval_ns;  /* 0: no bound */
	uint64_t most_of_user; /* in that time; 0: no bound */
};
/* May a snapshot be taken now of this program of this user? ERR_LIMIT: there was one less than interval_ns
 * ago, or the user had most_of_user of all programs since. *ret_missed: how many of the program were
 * refused since the last one. */
MUST_CHECK bool spool_rate(struct spool *spool, const struct spool_rate *rate, uid_t uid,
			   uint64_t program, uint64_t *ret_missed, struct err *err);
/* One of n turns, held until the descriptor is closed. -1: all are taken. */
int spool_turn(struct spool *spool, unsigned n);

#endif
