/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod.h - debugging information from a server, by build id. The only network there is,
 * and only when asked for; the process is not held meanwhile. */
#ifndef GOSNAP_DEBUGINFOD_H
#define GOSNAP_DEBUGINFOD_H

#include "goruntime/goruntime.h"

/* For each part of Go that has a build id and no debugging information. It ends after until_ns
 * of CLOCK_MONOTONIC. What cannot be had is a warning. */
void debuginfod_fetch(const struct runtimes *all, struct images *images,
		      uint64_t until_ns, struct warnings *warnings);

#endif
