/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

struct reserve {
	unsigned count;
	int fds[];
};

enum { FIRST = 3 };

/* Up to the hard limit, or beyond it for root. */
static bool raise_limit(unsigned more)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	struct rlimit wanted = { limit.rlim_cur + more, limit.rlim_max };
	if (wanted.rlim_max < wanted.rlim_cur)
		wanted.rlim_max = wanted.rlim_cur;
	if (setrlimit(RLIMIT_NOFILE, &wanted) == 0)
		return true;
	wanted = (struct rlimit){ limit.rlim_max, limit.rlim_max };
	return limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &wanted) == 0;
}

/* Any descriptor will do; in the sandbox nothing can be opened. */
static int open_first(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, FIRST);

	return fd < 0 && errno == EBADF ? open("/", O_PATH | O_CLOEXEC) : fd;
}

struct reserve *reserve_new(unsigned n, struct err *err)
{
	AUTO(reserve_free)
	struct reserve *r = xcalloc(1, sizeof(*r) + n * sizeof(r->fds[0]));
	struct rlimit limit = { 0, 0 };
	int first = open_first();

	while (first < 0 && errno == EMFILE && raise_limit(n))
		first = open_first();
	if (first >= 0)
		r->fds[r->count++] = first;
	while (first >= 0 && r->count < n) {
		int fd = fcntl(first, F_DUPFD_CLOEXEC, FIRST);
		if (fd >= 0)
			r->fds[r->count++] = fd;
		else if (errno != EMFILE || !raise_limit(n))
			break;
	}
	if (r->count == n)
		return TAKE(r);
	getrlimit(RLIMIT_NOFILE, &limit);
	err_set(err, ERR_SYS,
		"RLIMIT_NOFILE is %" PRIu64
		", too low to capture a process: raise that limit (ulimit -n 64)",
		(uint64_t)limit.rlim_cur);
	return NULL;
}

void reserve_free(struct reserve *r)
{
	if (!r)
		return;
	while (r->count)
		close(r->fds[--r->count]);
	xfree(r);
}
