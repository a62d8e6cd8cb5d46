/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/process_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCKS_MAX = 1 << 20, NAP_NS = 5 * 1000 * 1000 };

/* Lines of /proc/locks: "1: FLOCK ADVISORY WRITE 4711 00:15:123 0 EOF". The device can
 * differ from that of stat(), but for this kind of lock the inode suffices. */
static pid_t holder(int fd)
{
	AUTO(xfree) char *text = slurp("/proc/locks", LOCKS_MAX, NULL);
	uint64_t inode;
	struct stat st;
	int pid;

	if (!text || fstat(fd, &st))
		return 0;
	for (const char *line = text; *line;
	     line += strcspn(line, "\n"), line += *line != 0)
		if (sscanf(line, "%*d: FLOCK ADVISORY WRITE %d %*x:%*x:%" SCNu64, &pid,
			   &inode) == 2 &&
		    inode == st.st_ino)
			return pid;
	return 0;
}

bool process_lock_take(pid_t pid, uint64_t wait_ns, int *ret, struct err *err)
{
	uint64_t limit = monotonic_ns() + wait_ns;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	*ret = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (*ret >= 0 && flock(*ret, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK)
			return true; /* not supported here: but ptrace allows only one */
		if (monotonic_ns() >= limit) {
			pid_t other = holder(*ret);
			close(*ret);
			*ret = -1;
			return err_set(err, ERR_CANNOT,
				       "process %d is being captured by another gosnap "
				       "(process %d): try again when it has finished",
				       (int)pid, (int)other);
		}
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	}
	return true;
}
