/* SPDX-License-Identifier: Apache-2.0 */
/* scene.h - a process without memory or code: what src/analysis asks of the rooms below it is answered by
 * what a test says of each goroutine. */
#ifndef TESTS_UNIT_SRC_ANALYSIS_SCENE_H
#define TESTS_UNIT_SRC_ANALYSIS_SCENE_H

#include "src/analysis/wait_graph.h"

enum {
	SCENE_GOROUTINES = 10100,
	SCENE_OPERATIONS = 6, /* of a goroutine */
	SCENE_CASES = 8,
	SCENE_FIRST_ID = 100, /* the id of goroutine 0 */
	SCENE_STACKS = 200,
	NO_CODE = 999,	    /* a pc in no function */
	SCENE_IN_WAIT = 77, /* a pc in sync.(*Cond).Wait */
};

struct scene {
	struct scene_goroutine {
		struct goroutine record;
		size_t runtime;
		bool waits;
		struct wait wait;
		struct operation_at operations[SCENE_OPERATIONS];
		size_t operation_count;
		struct operation_doubt doubt;
		uint64_t started_by; /* the id; 0: nobody */
	} goroutines[SCENE_GOROUTINES];
	size_t count;
	size_t runtimes;
	struct scene_case {
		enum wait_operation operation;
		struct wait_channel channel;
	} cases[SCENE_CASES];
	size_t allowed; /* how many goroutines may be asked what they do */
	size_t asked;	/* how many were */
	uint32_t first_asked;
	size_t known; /* operations_new() without operations_free() */
};
extern struct scene scene;

/* One runtime without goroutines. */
void scene_begin(void);
/* Returns its index; each has a stack of its own, as long as there are some. */
uint32_t scene_add(void);
uint32_t scene_waiter(enum wait_kind kind, uint64_t addr);
void scene_says(uint32_t goroutine, enum operation operation, enum operation_when when,
		uint64_t addr);
/* Likewise, at this call in that frame. */
void scene_says_at(uint32_t goroutine, const struct operation_at *at);

/* The goroutines that are not on stack 0, or all. */
bool scene_not_first_stack(void *arg, const struct goroutine *g);
bool scene_everybody(void *arg, const struct goroutine *g);

/* Who waits for whom, until wait_graph_done(). */
void scene_look(struct wait_graph *ret);
/* NULL: it is none. */
const struct partner *scene_partner(const struct wait_graph *w, uint64_t addr,
				    uint32_t goroutine);

#endif
