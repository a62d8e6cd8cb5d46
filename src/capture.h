/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h - the part of a snapshot for which the process must be there: looked at while
 * it runs, held, copied, let go. What comes out needs the process no more.
 * It all happens on a thread of its own: the kernel then releases whatever that thread
 * traced when it ends, also threads that never reached their stop (state D). */
#ifndef GOSNAP_CAPTURE_H
#define GOSNAP_CAPTURE_H

#include "goruntime.h"
#include "process.h"
#include "snap.h"
#include "target_live.h"

struct capture {
	const struct snap_options *options;
	struct warnings *warnings;
	struct process *process;
	struct images *images;
	struct target *live,
		*frozen; /* frozen: NULL when the process ended before its stop */
	struct runtimes *runtimes;
	struct sockets *sockets; /* NULL: nobody waits for a file descriptor */
	struct live_pause pause;
	uint64_t monotonic_ns, realtime_ns; /* of the instant that the document shows */
	char *partial; /* why the document is not whole; NULL: it is */
};

/* False: err says why there is no snapshot. */
MUST_CHECK bool capture_take(struct capture *c, const struct snap_options *options,
			     struct err *err);
void capture_done(struct capture *c);

#endif
