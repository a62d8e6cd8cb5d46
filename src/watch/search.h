/* SPDX-License-Identifier: Apache-2.0 */
/* search.h - what is in the file of a program: where probes go, and where the runtime has its goroutines. In a
 * sandbox, as files are hostile. Knows files. */
#ifndef GOSNAP_WATCH_SEARCH_H
#define GOSNAP_WATCH_SEARCH_H

#include "goruntime/goruntime.h"

struct search {
	struct probe_wanted calls; /* of these functions, too; borrowed */
	bool goroutines;	   /* also where they are */
	bool no_sandbox;
};
struct found {
	struct probe_points points;
	struct goroutine_list goroutines;
	bool has_goroutines;
};
/* file: open. False: err says why there is nothing. Else it is ERR_NOT_FOUND if a function is missing. */
MUST_CHECK bool search(const struct search *how, int file, const char *name,
		       struct found *ret, struct err *err);

/* The i-th of the functions that were asked for. */
bool points_have_function(const struct probe_points *points, size_t i);

#endif
