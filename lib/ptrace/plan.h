/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - in which way to capture a process, and how long that will hold it. Pure functions
 * over what conditions.h read, so that what one machine cannot set up is tested with
 * recorded facts.
 *   copy  its memory is cloned copy-on-write while it stands, and read afterwards
 *   stop  it is read while it stands
 *   live  it is read while it runs; registers of running threads are missing
 * The costs are measured ones: constants in plan.c, with where they come from. */
#ifndef GOSNAP_PLAN_H
#define GOSNAP_PLAN_H

#include "lib/base/err.h"
#include "lib/procfs/conditions.h"

/* In the order of the words of --capture. */
enum capture_way {
	CAPTURE_AUTO,
	CAPTURE_COPY,
	CAPTURE_STOP,
	CAPTURE_LIVE,
	CAPTURE_WAYS,
};
#define CAPTURE_WORDS "auto|copy|stop|live"

/* "copy", a static string. */
const char *capture_way_name(enum capture_way way);

struct plan_demand {
	enum capture_way wanted;
	uint64_t max_pause_ns; /* 0: no promise */
	uint64_t goroutines, stack_bytes;
	bool values;	    /* memory beyond the stacks is wanted, too */
	bool values_anyway; /* ... even if it is held meanwhile */
	/* What turned out on the way and stands against a copy: "no thread of it can be
	 * borrowed". NULL: nothing. */
	const char *no_copy;
};

struct plan_way {
	bool possible;	/* and within the promise */
	bool passing;	/* impossible only for a moment: ask again */
	char why[240];	/* why not, or what speaks against it; "": nothing does */
	char mend[120]; /* what would make it possible; "": nothing that we know */
	uint64_t estimate_ns;
};

struct plan {
	enum capture_way way;		  /* never CAPTURE_AUTO */
	char why[320];			  /* why this one */
	uint64_t estimate_ns;		  /* of this one */
	struct plan_way of[CAPTURE_WAYS]; /* by way; that of auto is empty */
	bool stands_still; /* without us: nothing can be injected, threads are as they are */
};

/* False: what is wanted is not possible, err says why and what would help (ERR_CANNOT);
 * ret->of is filled in all the same. */
MUST_CHECK bool plan_make(const struct conditions *conditions,
			  const struct plan_demand *demand, struct plan *ret,
			  struct err *err);

/* Each thing that stands against a copy, where plan_make() names the first only. what:
 * "seccomp", "cgroup_memory", ..., a static string; obstacle: why and mend of it. */
typedef void plan_obstacle_fn(void *arg, const char *what,
			      const struct plan_way *obstacle);
void plan_each_obstacle(const struct conditions *conditions, plan_obstacle_fn *fn,
			void *arg);

/* "0.4 ms", "34 ms", "1.2 s" */
void plan_duration(uint64_t ns, char *ret, size_t size);

/* How much memory a copy may come to need while it lives: its page tables, and the pages
 * that are written meanwhile. */
uint64_t plan_copy_bytes(const struct conditions *conditions);

#endif
