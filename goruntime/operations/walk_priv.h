/* SPDX-License-Identifier: Apache-2.0 */
/* walk_priv.h - the walker, for the files of walk.h: walk.c finds events, walk_ways.c asks about ways
 * between them, walk_slots.c about values of the frame. */
#ifndef GOSNAP_WALK_PRIV_H
#define GOSNAP_WALK_PRIV_H

#include "goruntime/operations/machine_state.h"
#include "goruntime/operations/walk.h"

/* A place where ways part: to be followed later. */
struct branch_point {
	size_t index;
	struct machine_state state;
};

/* Places in a frame that may change from an instruction on. They are counted from the CFA
 * on. */
enum { SLOTS_MAX = 512 };
struct slot_range {
	int64_t begin, end;
};
struct slots {
	const struct routine *of; /* NULL: of none yet */
	uint64_t begin;
	bool is_full; /* there are more */
	size_t count;
	struct slot_range list[SLOTS_MAX];
};

struct walker {
	struct runtime *rt;
	struct routines *routines;
	struct branch_point *points;
	size_t point_count, point_cap;
	int64_t budget;
	bool registers; /* arguments are in registers: from 1.17 on */
	struct slots slots;
};

/* The state of a walk through one function. */
struct following {
	struct walker *w;
	const struct walk_of *of;
	struct routine *r;
	struct event_list *events;
	uint8_t *seen;
	size_t first_point;
	unsigned depth;
	/* For walks that look for hidden effects: the last function whose address was
	 * loaded, the last that was called, and the last load of a pointer into a
	 * register. NULL: none. */
	struct routine *loaded, *called;
	const struct instruction *load;
	size_t first_read; /* of struct walk_hidden */
};

void walk_add_event(struct following *f, enum operation operation, uint64_t addr,
		    uint64_t pc, bool surely);
/* Follows a callee, whose events count at pc. */
void walk_enter(struct following *f, const struct machine_state *s, struct routine *to,
		uint64_t sp, uint64_t pc);
/* The following are in walk_hidden.c, for of->hidden. Notes a call that is not followed.
 * to NULL: the callee is not known. */
void walk_note_call(struct following *f, const struct machine_state *s,
		    struct routine *to, uint64_t sp, const struct instruction *in);
/* Notes a callee that was followed, whose events are those from events_before on. Adds
 * its effects that these do not show: deferred calls, as after a panic, are not
 * followed. */
void walk_note_followed(struct following *f, struct routine *to, uint64_t pc,
			size_t events_before);
/* Notes a call through a func value or an interface. Although the function is known, its
 * receiver may be left from something else, so its effects on any lock are added. */
void walk_note_receiver(struct following *f, struct routine *to, uint64_t pc);
/* Notes which of the words that this function has loaded lead to the lock. */
void walk_note_locked(struct following *f, uint64_t lock);
/* Notes the word from which an instruction loads a pointer, and the word that it
 * changes. */
void walk_note_words(struct following *f, struct machine_state *s,
		     const struct instruction *in, uint64_t sp);
/* Finds the instructions that may run after instruction i, the target of its jump first.
 * Returns how many there are. */
size_t walk_next(struct routines *all, const struct routine *r, size_t i, size_t next[2]);
/* Is there a way from instruction `from` to `to`, past instructions other than `except`? */
bool walk_avoids(struct walker *w, const struct walk_of *of, size_t from, uint64_t to,
		 uint64_t except);
/* Returns, by instruction, whether it can run after the one at begin. The caller frees
 * it. */
uint8_t *walk_reached(struct walker *w, const struct routine *r, uint64_t begin);
/* Has an operand of instruction i, in the frame, one and the same value whenever it runs?
 * Sets *ret to it. */
bool walk_slot(struct walker *w, const struct walk_of *of, size_t i,
	       const struct operand *o, uint64_t *ret);

#endif
