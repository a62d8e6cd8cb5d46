/* SPDX-License-Identifier: Apache-2.0 */
/* handler.h - what happens when the kernel hands over a core: a snapshot into the spool, and then the core to
 * whom it went before. The main header of src/handler.
 *
 * Nothing that goes wrong with the snapshot may cost that core. So the process that the kernel
 * started does next to nothing: it forks, waits for so long and no longer, and becomes the program that
 * the core is for, with the stream as the kernel wrote it; its child only looks at the stream
 * (head.h). It never attaches to the process that dies: that would end the dump (ptrace(2), group-stops).
 *
 * Knows the kernel's side of crashes. What a snapshot is, its caller knows. */
#ifndef GOSNAP_HANDLER_H
#define GOSNAP_HANDLER_H

#include "src/handler/crash.h"

struct core_source;
struct dying;
struct settings;

/* Writes a document of dying to file, compressed, of no more than max_bytes (0: no bound). False: err says
 * why there is none. True: err is ERR_NONE, or says why it is incomplete. */
typedef bool handler_snapshot_fn(void *arg, const struct settings *settings,
				 const struct dying *dying, uint64_t max_bytes, int file,
				 struct err *err);

struct handler {
	const char *folder; /* settings.h */
	const char *source; /* of the document */
	handler_snapshot_fn *snapshot;
	void *arg;
};

/* source NULL: standard input is the core, from its beginning. */
void handler_run(const struct handler *handler, struct crash *crash,
		 struct core_source *source);

#endif
