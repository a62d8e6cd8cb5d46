/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_find.h - the control group of version 2 of a systemd unit or of a container, by the names that
 * systemd, Docker, Podman, containerd and CRI-O give to folders. */
#ifndef GOSNAP_CGROUP_FIND_H
#define GOSNAP_CGROUP_FIND_H

#include "lib/base/err.h"
#include "lib/base/util.h"

/* Where version 2 is mounted; allocated. NULL: nowhere that we see. */
char *cgroup_top(void);

/* "shop.service", or "shop"; also of a user's manager, if only one has it. The folder, allocated. NULL:
 * ERR_NOT_FOUND; ERR_LIMIT: several. */
char *cgroup_of_unit(const char *top, const char *unit, struct err *err);
/* An id, or its first twelve digits or more. */
char *cgroup_of_container(const char *top, const char *id, struct err *err);

#endif
