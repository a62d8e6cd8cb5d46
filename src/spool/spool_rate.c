/* SPDX-License-Identifier: Apache-2.0 */
/* spool_rate.c - how often, and how many at once. All handlers of the machine share one small file,
 * which has a place for each of the programs that crashed last; and files to lock. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "src/spool/spool_priv.h"

enum { PROGRAMS = 128 };

struct program {
	uint64_t key; /* 0: free */
	uint64_t realtime_ns;
	uint64_t missed;
};

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

/* A clock that was set back lets it pass. */
static bool take(struct program *p, uint64_t interval_ns, uint64_t *ret_missed)
{
	const uint64_t now = realtime_ns();

	if (p->realtime_ns <= now && now - p->realtime_ns < interval_ns) {
		p->missed++;
		return false;
	}
	*ret_missed = p->missed;
	p->missed = 0;
	p->realtime_ns = now;
	return true;
}

bool spool_rate(struct spool *spool, uint64_t key, uint64_t interval_ns,
		uint64_t *ret_missed, struct err *err)
{
	struct program all[PROGRAMS] = { { 0 } };
	int fd = open_file(spool, ".rate");

	*ret_missed = 0;
	if (fd < 0 || flock(fd, LOCK_EX) < 0 || pread(fd, all, sizeof(all), 0) < 0) {
		if (fd >= 0)
			close(fd);
		return err_sys(err, "cannot read %.200s/.rate", spool->path);
	}
	const bool allowed = take(place_of(all, key ? key : 1), interval_ns, ret_missed);
	const bool kept = pwrite(fd, all, sizeof(all), 0) == sizeof(all);
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
