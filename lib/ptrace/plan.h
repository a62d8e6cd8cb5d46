/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - chooses how to capture a process and estimates how long it is stopped. Pure
 * functions on the facts from conditions.h, so that recorded facts can test what one
 * machine cannot set up.
 * copy clones its memory copy-on-write while it is stopped, reads the clone later
 * stop reads it while it is stopped
 * gather reads it while it is stopped, too, but only what a document made of the running
 *   process has shown to be needed, and for values no longer than PLAN_GATHER_NS or half
 *   of the limit
 * live reads it while it runs; running threads have no registers
 * Costs are measured: see the constants in plan.c and their sources. */
#ifndef GOSNAP_PLAN_H
#define GOSNAP_PLAN_H

#include "lib/base/err.h"
#include "lib/procfs/conditions.h"

/* In the order of the words for --capture. */
enum capture_way {
	CAPTURE_AUTO,
	CAPTURE_COPY,
	CAPTURE_STOP,
	CAPTURE_GATHER,
	CAPTURE_LIVE,
	CAPTURE_WAYS,
};
#define CAPTURE_WORDS "auto|copy|stop|gather|live"
/* What gather may add to a stop for values, unless a limit is promised. */
#define PLAN_GATHER_NS (UINT64_C(50) * 1000 * 1000)

/* "copy"; a static string. */
const char *capture_way_name(enum capture_way way);

struct plan_demand {
	enum capture_way wanted;
	uint64_t max_pause_ns; /* 0: no limit promised */
	uint64_t goroutines, stack_bytes;
	uint64_t value_pages; /* with values, as counted by a rehearsal; 0: not counted */
	bool values;	      /* memory beyond the stacks is needed */
	bool values_anyway;   /* ... even if the process is stopped meanwhile */
	/* A document can be made of the running process first; else gather is like stop. */
	bool can_gather;
	/* A reason against a copy that was found at run time, "no thread of it can be
	 * borrowed". NULL: none. */
	const char *no_copy;
};

struct plan_way {
	bool possible;	      /* and within the promised limit */
	bool passing;	      /* only temporarily impossible: retry */
	char why[240];	      /* why not, or what is a drawback; "": nothing */
	char remedy[120];     /* what would make it possible; "": nothing known */
	uint64_t estimate_ns; /* with values if it would have them, or: */
	uint64_t stacks_ns, values_ns; /* without them, and with them */
};

struct plan {
	enum capture_way way;		  /* never CAPTURE_AUTO */
	char why[320];			  /* why this was chosen */
	uint64_t estimate_ns;		  /* for way */
	struct plan_way of[CAPTURE_WAYS]; /* indexed by way; that of auto is empty */
	bool stands_still;		  /* stopped already: nothing can be injected */
};

/* False: the wanted way is impossible; err says why and what would help (ERR_CANNOT).
 * ret->of is filled in even then. */
MUST_CHECK bool plan_make(const struct conditions *conditions,
			  const struct plan_demand *demand, struct plan *ret,
			  struct err *err);

/* Calls fn for every obstacle to a copy (plan_make() reports only the first). what:
 * "seccomp", "cgroup_memory", ..., a static string; obstacle: its why and remedy. */
typedef void plan_obstacle_fn(void *arg, const char *what,
			      const struct plan_way *obstacle);
void plan_each_obstacle(const struct conditions *conditions, plan_obstacle_fn *fn,
			void *arg);

/* How long values may be gathered: of a promised limit, the part that all has together that is read while
 * the threads stand still; without one (0), PLAN_GATHER_NS from the first value on. */
uint64_t plan_values_ns(uint64_t max_pause_ns);

/* "0.4 ms", "34 ms", "1.2 s" */
void plan_duration(uint64_t ns, char *ret, size_t size);

#endif
