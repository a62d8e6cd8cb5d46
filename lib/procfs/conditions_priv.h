/* SPDX-License-Identifier: Apache-2.0 */
/* conditions_priv.h - shared by conditions*.c only. */
#ifndef GOSNAP_CONDITIONS_PRIV_H
#define GOSNAP_CONDITIONS_PRIV_H

#include "lib/procfs/conditions.h"

/* Sets c->mappings, and c->huge from c->anonymous by looking at some hundred pages. pid: of
 * a thread that has memory. */
void conditions_mappings(struct conditions *c, pid_t pid);

struct page {
	bool found, huge, of_file;
	uint64_t addr;
};

/* Asks the kernel for the first present page in [start, end) of an open /proc/PID/pagemap;
 * end is that of a page. False: it cannot be asked. */
bool page_scan(int pagemap, uint64_t start, uint64_t end, struct page *ret);

/* Are we, or is that process, in the first user namespace, where capabilities count for
 * all? */
bool in_first_user_namespace(const char *uid_map);

enum capability {
	CAPABILITY_SYS_PTRACE = 19,
	CAPABILITY_SYS_ADMIN = 21,
	CAPABILITY_SYS_NICE = 23,
	CAPABILITY_SYS_RESOURCE = 24,
};
static inline bool has_capability(uint64_t set, enum capability capability)
{
	return set >> capability & 1;
}

#endif
