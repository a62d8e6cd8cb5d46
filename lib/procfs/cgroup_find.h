/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_find.h - the control group of version 2 of a systemd unit or of a container, by the names that
 * systemd, Docker, Podman, containerd and CRI-O give to folders. */
#ifndef GOSNAP_CGROUP_FIND_H
#define GOSNAP_CGROUP_FIND_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

/* Where version 2 is mounted; allocated. NULL: nowhere that we see. */
char *cgroup_top(void);

/* "shop.service", or "shop"; also of a user's manager, if only one has it. The folder, allocated. NULL:
 * ERR_NOT_FOUND; ERR_LIMIT: several. */
char *cgroup_of_unit(const char *top, const char *unit, struct err *err);
/* As programs of the kernel know the group of this folder: by a number, and its depth. ERR_USAGE: it has none. */
MUST_CHECK bool cgroup_number(const char *folder, uint64_t *ret_id, uint32_t *ret_level,
			      struct err *err);
/* Is it in this group, or in one below? group: a folder without a slash at its end. */
bool cgroup_has(const char *top, const char *group, pid_t pid);
/* An id, or its first twelve digits or more. */
char *cgroup_of_container(const char *top, const char *id, struct err *err);

#endif
