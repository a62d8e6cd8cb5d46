/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - a line on standard error that tells how far work has come, when that is a
 * terminal and the work lasts longer than a second; erased at its end. A thread of its own
 * draws it, so that those who work only count. Starts none before it is asked to, and has
 * nothing to do with the time in which a process is held. */
#ifndef GOSNAP_PROGRESS_H
#define GOSNAP_PROGRESS_H

#include <stdint.h>

#include "lib/base/util.h"

enum progress_when {
	PROGRESS_AUTO,
	PROGRESS_ALWAYS, /* at once, and to files too: each phase at its beginning and end */
	PROGRESS_NEVER,
};

struct progress;
typedef _Atomic uint64_t progress_count;

struct progress *progress_begin(enum progress_when when);
/* "gosnap: <done> 400,000 of 1,000,000 <things>, 3 s". Strings and count are borrowed to
 * the next phase or the end. */
void progress_phase(struct progress *p, const char *done, const char *things,
		    const progress_count *count, uint64_t total);
/* Erases the line. */
void progress_end(struct progress *p);
DEFINE_AUTO(struct progress, progress_end)

#endif
