/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - a made-up process for tests of findings: it answers what findings ask of goruntime. Which
 * goroutines there are, where they are and what they wait for is set by the test. */
#ifndef TESTS_UNIT_SRC_FINDINGS_PROCESS_H
#define TESTS_UNIT_SRC_FINDINGS_PROCESS_H

#include "src/findings/finding.h"
#include "src/findings/state/state.h"

#define NOW_NS (1000 * SECOND_NS)
#define REAL_NS (5000 * SECOND_NS)
#define LONG_AGO (10 * SECOND_NS)
/* A millisecond: just too short is 10 s less that. */
#define JUST_NS (SECOND_NS / 1000)
/* The address of a function, by which its name is found. */
#define CODE(name) ((uint64_t)(uintptr_t)(name))

enum {
	GOROUTINES_MAX = 12000,
	THINGS_MAX = 16, /* of each kind in one runtime, or one process */
	RUNTIMES = 2,
	OTHER = 1, /* the number of the runtime in which nothing is wrong */
};

struct process {
	struct goroutine goroutines[GOROUTINES_MAX];
	size_t runtime_of[GOROUTINES_MAX];
	const char *in[GOROUTINES_MAX]; /* the function that it is in; NULL: not known */
	struct wait waits[GOROUTINES_MAX];
	bool is_waiting[GOROUTINES_MAX];
	uint64_t lock_wait_since[GOROUTINES_MAX];
	const char *reason; /* why all wait that have the wait reason 1 */
	size_t count;
	struct runtime_state states[RUNTIMES];
	struct processor_state processors[THINGS_MAX];
	struct machine_state machines[THINGS_MAX];
	struct target_thread threads[THINGS_MAX];
	struct wait_object objects[THINGS_MAX];
	struct waiter waiters[THINGS_MAX * THINGS_MAX];
	struct partner partners[THINGS_MAX * THINGS_MAX];
	uint32_t object_of[GOROUTINES_MAX];
	struct wait_graph graph;
	struct group groups[GOROUTINES_MAX];
	uint32_t members[GOROUTINES_MAX];
	struct groups grouped;
	bool leaked[GOROUTINES_MAX];
	struct leaks leaks;
	const char *misused_map;
	const char *c_function; /* innermost on each thread, in C; NULL: there is none */
};
extern struct process process;

/* Nothing: no goroutine, and no state is known. */
void process_begin(void);
/* One more goroutine: in a function, for runtime 0. Its number. Its id is that plus 100. */
uint32_t process_add(uint8_t status, const char *in);
/* It began to wait long ago; also sets when the last collection ended, for all goroutines. */
void process_waits_since(uint32_t goroutine, uint64_t ago);
/* An object that goroutines wait for. */
struct wait_object *process_object(enum wait_kind kind, uint64_t addr);
/* The goroutine waits for the object, which must be the last one. */
void process_waits_for(uint32_t goroutine, struct wait_object *o);
/* The goroutine has to do with the object, which must be the last one. All 0 but the goroutine. */
struct partner *process_partner(uint32_t goroutine, struct wait_object *o);
/* The same, and has locked it for certain, in the given function. */
struct partner *process_holder(uint32_t goroutine, struct wait_object *o, const char *in);
struct state_number known(uint64_t value);
/* P 0 runs goroutine on M 7, since then. */
struct processor_state *process_runs(uint32_t goroutine, uint64_t since);
void process_collected(uint64_t ago);

/* A finder for it, with chains. Ends with process_end(). */
struct finder process_finder(struct findings *findings);
void process_end(struct finder *f);

/* Looks, and asserts what is found: nothing if text is NULL, else one. */
void process_finds(void look(struct finder *), enum severity severity, uint64_t affected,
		   const char *text);
/* Looks, and asserts how many goroutines it shows, the first one, and the first address; 0: none. */
void process_shows(void look(struct finder *), size_t goroutines, uint64_t id,
		   uint64_t addr);

#endif
