/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.h - what the control groups of a process still allow it, version 1, 2, or both side
 * by side. Only reads. A group that our mounts do not show (in a container, those of the
 * host) says nothing. */
#ifndef GOSNAP_CGROUP_H
#define GOSNAP_CGROUP_H

#include <sys/types.h>

#include "lib/base/util.h"

/* Each group on the way up to the root can limit: this is the one with the least room. */
struct cgroup_limit {
	bool set; /* false: none of them has a limit, or none can be seen */
	uint64_t used, max;
	char group[96]; /* that sets it, "/kubepods/pod1"; its end when it is longer */
};

enum cgroup_frozen { CGROUP_RUNS, CGROUP_FROZEN_V1, CGROUP_FROZEN_V2 };

struct cgroup {
	enum cgroup_frozen frozen; /* or about to be */
	struct cgroup_limit pids;  /* tasks */
	/* Bytes. Used is without what the kernel can drop at once: files not used lately.
	 * The lower one of memory.max and memory.high, at which it is slowed down. */
	struct cgroup_limit memory;
	bool oom_group; /* out of memory, all processes of one of its groups are killed */
};

/* Of the thread pid. What is not known is as if there were no limit. */
void cgroup_read(pid_t pid, struct cgroup *ret);

/* How much may still be used; UINT64_MAX: no limit. */
uint64_t cgroup_room(const struct cgroup_limit *limit);

/* The folder of a group. mounts: text of /proc/self/mountinfo, groups: of /proc/PID/cgroup,
 * controller: "memory", or "" for version 2. The caller's; ret_top is the length of the part
 * that is the mount. NULL: it cannot be seen from here. */
char *cgroup_folder(const char *mounts, const char *groups, const char *controller,
		    size_t *ret_top);

#endif
