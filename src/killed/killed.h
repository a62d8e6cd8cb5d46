/* SPDX-License-Identifier: Apache-2.0 */
/* killed.h - killed processes, put together from the pieces that the kernel's program sends.
 * Several at a time, within bounds. Knows nothing of what is in the pieces. */
#ifndef GOSNAP_KILLED_H
#define GOSNAP_KILLED_H

#include "src/bpf/kill.h"
#include "lib/base/util.h"

/* All that there will be of one. */
struct killed {
	struct kill_end end;
	int pieces; /* a file of them, at multiples of 8, each behind its length, a uint64_t */
	uint64_t left_out; /* pieces for which there was no room here */
};
void killed_done(struct killed *killed);

struct killed_list;

struct killed_list *killed_list_new(void);
void killed_list_free(struct killed_list *list);
/* Takes a record. True: that was the last one of a process, which is the caller's now. */
bool killed_list_add(struct killed_list *list, const struct kill_record *record,
		     size_t len, struct killed *ret);
/* How many records of processes there was no room for, as too many ended at once. */
uint64_t killed_list_lost(const struct killed_list *list);

#endif
