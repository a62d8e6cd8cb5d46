/* SPDX-License-Identifier: Apache-2.0 */
/* catch.h - a process that begins to die is caught: a child of ours stops all of its threads, has a snapshot
 * taken, and lets it go. The child holds nothing of the kernel's probes. If it dies, however, the process goes
 * on. */
#ifndef GOSNAP_WATCH_CATCH_H
#define GOSNAP_WATCH_CATCH_H

#include "src/bpf/fault_probes.h"
#include "src/snapshot/snap.h"
#include "src/spool/spool.h"
#include "src/watch/counts.h"
#include "src/watch/log.h"

struct catching {
	const struct snap_options *snap;
	struct spool *spool;
	struct fault_probes *probes;
	const char *const *functions; /* by the numbers that events have */
	uint64_t hold_ns;	      /* how long the kernel keeps a thread */
	uint64_t
		max_pause_ns; /* then the process goes on, whatever became of its snapshot */
	const struct watch_log *log;
};

/* Before: from now on we run before others, as the child does until it has the process in hand. A thread
 * that is kept uses a CPU meanwhile. */
void catch_prepare(void);
/* In memory shared with the child, which has written all of it when it exits with 0 or 1. */
struct caught {
	enum watch_outcome outcome;
	pid_t pid;	      /* whose */
	bool is_past;	      /* by now it no longer matters how fast it is */
	uint64_t stopping_ns; /* from the fault until all threads stood still */
	uint64_t pause_ns;    /* and until it was let go */
	char id[256];	      /* of the document; "": none */
};

struct catcher_life;
/* In a child that exits then, or is ended. */
void catch_now(const struct catching *how, const struct fault_event *event,
	       struct catcher_life *life, struct caught *ret);

/* As what it counts. */
enum watch_trigger catch_trigger(const struct fault_event *event);
/* Returns the child. -1: there is none, and the thread was released. */
pid_t catch_start(const struct catching *how, const struct fault_event *event,
		  struct caught *ret);

#endif
