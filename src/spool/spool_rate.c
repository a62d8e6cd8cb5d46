/* SPDX-License-Identifier: Apache-2.0 */
/* spool_rate.c - how often, and how many at once. All handlers of the machine share one small file,
 * which has a place for each of the programs that crashed last, and of the users whose; and files to lock.
 * A program is what its file has, so that copies of it are one program; but of each user another, so
 * that nobody's crashes keep those of others from being seen. A user can change a program as often as he
 * likes: that is what the bound of all his programs is for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/spool/spool_priv.h"

enum { PROGRAMS = 128, USERS = 64, PAGE = 4096 };

struct program {
	uint64_t key; /* 0: free */
	uint64_t realtime_ns;
	uint64_t missed;
};

struct user {
	uint64_t number;      /* and one; 0: free */
	uint64_t realtime_ns; /* when it was first counted */
	uint64_t count;
};

struct rates {
	struct program programs[PROGRAMS];
	struct user users[USERS];
};

/* Goes on with what was hashed before, FNV-1a as hash_text() makes. */
static uint64_t rate_hash(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

uint64_t spool_program(int exe)
{
	uint8_t page[PAGE];
	struct iovec where = { page, sizeof(page) };
	struct stat st;

	if (exe < 0 || fstat(exe, &st) < 0)
		return 0;
	/* It runs, so that its first page is in memory, as a rule. */
	ssize_t n = preadv2(exe, &where, 1, 0, RWF_NOWAIT);
	if (n <= 0)
		return st.st_ino * UINT64_C(0x9e3779b97f4a7c15) ^ st.st_dev;
	const uint64_t size = (uint64_t)st.st_size;
	return rate_hash(rate_hash(HASH_BEGIN, page, (size_t)n), &size, sizeof(size));
}

static int open_file(const struct spool *spool, const char *name)
{
	return openat(spool->fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Its place, or the one that was not used for longest. */
static struct program *place_of(struct program all[static PROGRAMS], uint64_t key)
{
	struct program *oldest = &all[0];

	for (size_t i = 0; i < PROGRAMS; i++) {
		if (all[i].key == key)
			return &all[i];
		if (all[i].realtime_ns < oldest->realtime_ns)
			oldest = &all[i];
	}
	*oldest = (struct program){ .key = key };
	return oldest;
}

/* Likewise. */
static struct user *user_of(struct user all[static USERS], uint64_t number)
{
	struct user *oldest = &all[0];

	for (size_t i = 0; i < USERS; i++) {
		if (all[i].number == number)
			return &all[i];
		if (all[i].realtime_ns < oldest->realtime_ns)
			oldest = &all[i];
	}
	*oldest = (struct user){ .number = number };
	return oldest;
}

/* A clock that was set back lets it pass. */
static bool is_within(uint64_t since_ns, uint64_t now, uint64_t interval_ns)
{
	return since_ns <= now && now - since_ns < interval_ns;
}

static bool take_user(struct user *u, const struct spool_rate *rate, uint64_t now)
{
	if (!is_within(u->realtime_ns, now, rate->interval_ns)) {
		u->realtime_ns = now;
		u->count = 0;
	}
	if (rate->most_of_user && rate->interval_ns && u->count >= rate->most_of_user)
		return false;
	u->count++;
	return true;
}

static bool take(struct program *p, struct user *u, const struct spool_rate *rate,
		 uint64_t *ret_missed)
{
	const uint64_t now = realtime_ns();

	if (is_within(p->realtime_ns, now, rate->interval_ns) ||
	    !take_user(u, rate, now)) {
		p->missed++;
		return false;
	}
	*ret_missed = p->missed;
	p->missed = 0;
	p->realtime_ns = now;
	return true;
}

bool spool_rate(struct spool *spool, const struct spool_rate *rate, uid_t uid,
		uint64_t program, uint64_t *ret_missed, struct err *err)
{
	struct rates all = { .programs = { { 0 } } };
	AUTO(xfree) char *lent = spool_lent_users();
	const uint64_t user = spool_user(lent, uid) + UINT64_C(1);
	int fd = open_file(spool, ".rate");

	*ret_missed = 0;
	if (fd < 0 || flock(fd, LOCK_EX) < 0 || pread(fd, &all, sizeof(all), 0) < 0) {
		if (fd >= 0)
			close(fd);
		return err_sys(err, "cannot read %.200s/.rate", spool->path);
	}
	const uint64_t hash = rate_hash(rate_hash(HASH_BEGIN, &program, sizeof(program)),
					&user, sizeof(user)),
		       key = hash ? hash : 1;
	const bool allowed = take(place_of(all.programs, key), user_of(all.users, user),
				  rate, ret_missed);
	const bool kept = pwrite(fd, &all, sizeof(all), 0) == sizeof(all);
	close(fd);
	if (!kept)
		return err_sys(err, "cannot write %.200s/.rate", spool->path);
	return allowed || err_set(err, ERR_LIMIT, "there was one a moment ago");
}

int spool_turn(struct spool *spool, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char name[32];
		snprintf(name, sizeof(name), ".turn-%u", i);
		int fd = open_file(spool, name);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}
