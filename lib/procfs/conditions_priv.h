/* SPDX-License-Identifier: Apache-2.0 */
/* conditions_priv.h - internals shared by conditions*.c. */
#ifndef GOSNAP_CONDITIONS_PRIV_H
#define GOSNAP_CONDITIONS_PRIV_H

#include "lib/procfs/conditions.h"

/* Sets c->mappings, and estimates c->huge from c->anonymous by sampling some hundred
 * pages. pid: a thread that still has memory. */
void conditions_mappings(struct conditions *c, pid_t pid);

struct page {
	bool found, huge, of_file;
	uint64_t addr;
};

/* The first present page in [start, end) of an open /proc/PID/pagemap; end must be
 * page-aligned. False: not supported. */
bool page_scan(int pagemap, uint64_t start, uint64_t end, struct page *ret);

/* Is this the uid_map of the initial user namespace, where capabilities apply to
 * everything? */
bool in_first_user_namespace(const char *uid_map);

#endif
