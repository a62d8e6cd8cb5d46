/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - a series of snapshots of one process, until it ends. What stays the same, its files,
 * layout and names, is looked at once. Knows nothing of command lines. */
#ifndef GOSNAP_RECORD_H
#define GOSNAP_RECORD_H

#include "src/record/condition.h"
#include "src/record/quota.h"
#include "src/snapshot/snap.h"

/* Strings are borrowed. */
struct record_options {
	const char *folder;
	uint64_t every_ns;
	uint32_t count;			   /* 0: until the process ends */
	const struct condition *condition; /* NULL: none */
	struct quota quota;
	struct snap_options snap; /* not: output, trigger, series */
	/* Called after each snapshot with its path, or with what went wrong; both if there is a part of it. */
	void (*taken)(const char *path);
	void (*failed)(const struct err *err);
};

/* How many were taken. The process ends: that is no error. False: err, and no snapshot was
 * tried. */
MUST_CHECK bool record(const struct record_options *options, uint64_t *ret_count,
		       struct err *err);

#endif
