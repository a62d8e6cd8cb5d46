/* SPDX-License-Identifier: Apache-2.0 */
/* reading.h - the side of a series that reads the process, in the sandbox: looks at it once, then has each
 * snapshot made by a fork, so that what a snapshot learns ends with it, and a failure costs no more than
 * that. Asks series.h when. */
#ifndef GOSNAP_READING_H
#define GOSNAP_READING_H

#include "src/record/series.h"

/* What reading_work() returns: there is no further snapshot; the process has other code now, or much time was
 * used, so it has to be looked at anew; series->why says why it cannot be. */
enum reading_end { READING_OVER, READING_ANEW, READING_FAILED };

struct reading {
	struct series_host *series;
	const struct capture_options *capture; /* with the process that was opened */
};

/* To be run in the sandbox, with a struct reading. */
int reading_work(void *arg);

#endif
