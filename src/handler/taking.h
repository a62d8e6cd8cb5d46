/* SPDX-License-Identifier: Apache-2.0 */
/* taking.h - the snapshot of a crash: whether there is to be one, and its way into the spool. Runs in a child
 * of the handler, whose death costs nobody anything. */
#ifndef GOSNAP_TAKING_H
#define GOSNAP_TAKING_H

#include "src/handler/handler.h"
#include "src/handler/settings.h"

enum taking {
	TAKING_DONE,	     /* or there is to be none */
	TAKING_FAILED,	     /* reported */
	TAKING_BROKEN,	     /* likewise: there should have been one */
	TAKING_PARTIAL,	     /* likewise: there is a part of one */
	TAKING_WANTS_STREAM, /* there is no memory but that in the stream */
};

/* From the head of the core, if that was read already, or else from a pipe, which keeps it; and from the
 * memory of the process. */
enum taking taking_run(const struct handler *handler, const struct settings *settings,
		       const struct crash *crash, const struct core_source *source,
		       uint64_t until_ns);
/* After TAKING_WANTS_STREAM: from all of the core, which comes through a pipe. */
enum taking taking_receive(const struct handler *handler, const struct settings *settings,
			   const struct crash *crash, int pipe, uint64_t until_ns);

#endif
