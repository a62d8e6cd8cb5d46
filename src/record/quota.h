/* SPDX-License-Identifier: Apache-2.0 */
/* quota.h - keeps a folder of recordings small: the oldest go first. Knows files by the names that
 * record_name() gives, and touches no others. */
#ifndef GOSNAP_QUOTA_H
#define GOSNAP_QUOTA_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct quota {
	uint32_t files; /* 0: no limit */
	uint64_t bytes; /* likewise */
};

/* Deletes what is too much, but not the newest. */
MUST_CHECK bool quota_enforce(const char *folder, const struct quota *quota,
			      struct err *err);

#endif
