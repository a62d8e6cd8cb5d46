/* SPDX-License-Identifier: Apache-2.0 */
/* spool_quota.c - which snapshots are removed when there are too many. First, all that are too old. Then, until the
 * rest fits, the oldest of the user that has the most. So a user that has no more than his share, which is the
 * quota divided by the number of users, loses none, whatever others do. It costs a pass over the users
 * for each snapshot that is removed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/spool/spool_priv.h"

/* What is left of a user's. */
struct share {
	uid_t user;    /* see spool_user() */
	size_t oldest; /* of the entries */
	uint64_t files, bytes;
};

struct pruning {
	struct spool *spool;
	const struct spool_quota *quota;
	bool dry;
	spool_removed_fn *removed;
	void *arg;
	struct spool_entries all;
	uid_t *users;	  /* of each entry */
	bool *is_removed; /* each entry */
	struct share *shares;
	size_t share_count, share_cap;
	uint64_t files, bytes; /* of all that is left */
};

static void quota_done(struct pruning *p)
{
	spool_entries_done(&p->all);
	xfree(p->users);
	xfree(p->is_removed);
	xfree(p->shares);
}

static struct share *quota_share_of(struct pruning *p, uid_t user)
{
	for (size_t i = 0; i < p->share_count; i++)
		if (p->shares[i].user == user)
			return &p->shares[i];
	GROW(p->shares, p->share_count, p->share_cap);
	p->shares[p->share_count] = (struct share){ .user = user, .oldest = SIZE_MAX };
	return &p->shares[p->share_count++];
}

static void quota_count(struct pruning *p)
{
	AUTO(xfree) char *lent = spool_lent_users();

	p->users = xcalloc(p->all.count, sizeof(*p->users));
	p->is_removed = xcalloc(p->all.count, sizeof(*p->is_removed));
	for (size_t i = 0; i < p->all.count; i++) {
		const struct spool_entry *e = &p->all.list[i];
		p->users[i] = spool_user(lent, e->owner);
		struct share *share = quota_share_of(p, p->users[i]);
		if (share->oldest == SIZE_MAX)
			share->oldest = i;
		share->files++;
		share->bytes += e->bytes;
		p->files++;
		p->bytes += e->bytes;
	}
}

/* The name was read from this folder, and is no path. */
static bool quota_unlink(const struct pruning *p, const struct spool_entry *e)
{
	const char *slash = strrchr(e->path, '/');

	return p->dry || unlinkat(p->spool->fd, slash + 1, 0) == 0 || errno == ENOENT;
}

static bool quota_remove(struct pruning *p, size_t i, struct err *err)
{
	const struct spool_entry *e = &p->all.list[i];
	struct share *share = quota_share_of(p, p->users[i]);

	p->is_removed[i] = true;
	p->files--;
	p->bytes -= e->bytes;
	share->files--;
	share->bytes -= e->bytes;
	while (share->oldest < p->all.count &&
	       (p->is_removed[share->oldest] || p->users[share->oldest] != share->user))
		share->oldest++;
	if (!quota_unlink(p, e))
		return err_sys(err, "cannot remove %.200s", e->path);
	if (p->removed)
		p->removed(p->arg, e);
	return true;
}

static bool quota_is_too_old(const struct pruning *p, const struct spool_entry *e)
{
	const uint64_t now = realtime_ns();

	return p->quota->age_ns && now > e->realtime_ns &&
	       now - e->realtime_ns > p->quota->age_ns;
}

static bool quota_has_too_many(const struct pruning *p)
{
	return p->quota->files && p->files > p->quota->files;
}

static bool quota_has_too_much(const struct pruning *p)
{
	return p->quota->bytes && p->bytes > p->quota->bytes;
}

/* Of several that have as much, the one with the oldest snapshot. */
static size_t quota_next(const struct pruning *p)
{
	const bool by_files = quota_has_too_many(p);
	const struct share *fullest = NULL;

	for (size_t i = 0; i < p->share_count; i++) {
		const struct share *s = &p->shares[i];
		const uint64_t has = by_files ? s->files : s->bytes;
		const uint64_t most = !fullest	 ? 0
				      : by_files ? fullest->files
						 : fullest->bytes;
		if (s->files && (!fullest || has > most ||
				 (has == most && s->oldest < fullest->oldest)))
			fullest = s;
	}
	return fullest ? fullest->oldest : SIZE_MAX;
}

static bool quota_keep(struct pruning *p, struct err *err)
{
	for (size_t i = 0; i < p->all.count; i++)
		if (quota_is_too_old(p, &p->all.list[i]) && !quota_remove(p, i, err))
			return false;
	while (quota_has_too_many(p) || quota_has_too_much(p)) {
		const size_t next = quota_next(p);
		if (next == SIZE_MAX)
			return true;
		if (!quota_remove(p, next, err))
			return false;
	}
	return true;
}

bool spool_prune(struct spool *spool, const struct spool_quota *quota, bool dry,
		 spool_removed_fn *removed, void *arg, struct err *err)
{
	struct pruning p = {
		.spool = spool, .quota = quota, .dry = dry, .removed = removed, .arg = arg
	};

	if (!spool_list(spool, &p.all, err))
		return false;
	quota_count(&p);
	const bool ok = quota_keep(&p, err);
	quota_done(&p);
	return ok;
}
