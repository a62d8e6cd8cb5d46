/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.h - the remaining limits of a process's control groups: version 1, 2, or both.
 * Read-only. Groups that our mounts do not show (the host's, in a container) count as
 * unlimited. */
#ifndef GOSNAP_CGROUP_H
#define GOSNAP_CGROUP_H

#include <sys/types.h>

#include "lib/base/util.h"

/* Every group up to the root can limit; this is the one with the least room. */
struct cgroup_limit {
	bool set; /* false: no limit, or none visible */
	uint64_t used, max;
	char group[96]; /* that has it, "/kubepods/pod1"; its end if too long */
};

enum cgroup_frozen { CGROUP_RUNS, CGROUP_FROZEN_V1, CGROUP_FROZEN_V2 };

struct cgroup {
	enum cgroup_frozen frozen; /* or freezing */
	struct cgroup_limit pids;  /* tasks */
	/* Bytes. used excludes what the kernel can reclaim at once: inactive files. max
	 * is the lower of memory.max and memory.high (where throttling begins). */
	struct cgroup_limit memory;
	bool oom_group; /* the OOM killer kills all processes of one of its groups */
};

/* For the thread pid. What is unknown counts as unlimited. */
void cgroup_read(pid_t pid, struct cgroup *ret);

/* What remains; UINT64_MAX: no limit. */
uint64_t cgroup_room(const struct cgroup_limit *limit);

/* The folder of a group. mounts: contents of /proc/self/mountinfo; groups: of
 * /proc/PID/cgroup; controller: "memory", or "" for version 2. The caller frees it.
 * *ret_top is the length of the mount point's part. NULL: not visible from here. */
char *cgroup_folder(const char *mounts, const char *groups, const char *controller,
		    size_t *ret_top);

#endif
