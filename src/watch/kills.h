/* SPDX-License-Identifier: Apache-2.0 */
/* kills.h - snapshots of processes that were killed: nothing stopped them, so there are goroutines and stacks
 * only, as the kernel copied them at the exit of the last thread. The document is written by a child. */
#ifndef GOSNAP_WATCH_KILLS_H
#define GOSNAP_WATCH_KILLS_H

#include "goruntime/goruntime.h"
#include "src/watch/catch.h"
#include "src/killed/killed.h"

/* What is known of a program. Its id is that of struct kill_program. */
struct kill_source {
	int file; /* open */
	struct goroutine_list goroutines;
};

/* As struct kill_program. */
struct kill_program kill_program_of(const struct goroutine_list *goroutines, uint32_t id);

/* Returns a child, as catch_start(). -1: there is none. */
pid_t kills_start(const struct catching *how, const struct killed *killed,
		  const struct kill_source *source, struct caught *ret);

#endif
