/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - a progress line on standard error, shown if that is a terminal and the
 * work takes longer than a second, and erased at the end. A thread of its own draws it,
 * so the workers only increment a counter. progress_begin() starts that thread; nothing
 * here runs before. */
#ifndef GOSNAP_PROGRESS_H
#define GOSNAP_PROGRESS_H

#include <stdint.h>

#include "lib/base/util.h"

enum progress_when {
	PROGRESS_AUTO,
	PROGRESS_ALWAYS, /* at once, and to files too: each phase at start and end */
	PROGRESS_NEVER,
};

struct progress;
typedef _Atomic uint64_t progress_count;

/* Is there going to be a line, which a thread draws? */
bool progress_is_wanted(enum progress_when when);
struct progress *progress_begin(enum progress_when when);
/* "gosnap: <done> 400,000 of 1,000,000 <things>, 3 s"; total 0: it is not known. The strings and count are borrowed
 * until the next phase or the end. */
void progress_phase(struct progress *p, const char *done, const char *things,
		    const progress_count *count, uint64_t total);
/* Erases the line. */
void progress_end(struct progress *p);
DEFINE_AUTO(struct progress, progress_end)

#endif
