/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_priv.h - the state that the files of goruntime share. */
#ifndef GOSNAP_RUNTIME_PRIV_H
#define GOSNAP_RUNTIME_PRIV_H

#include "build_info.h"
#include "code.h"
#include "extras.h"
#include "goruntime.h"
#include "layout.h"
#include "module.h"
#include "stacks.h"
#include "unwind.h"

struct go_stack {
	uint64_t low, high; /* [low, high) */
};

static inline bool on_stack(struct go_stack s, uint64_t sp)
{
	return sp >= s.low && sp < s.high;
}

/* The M of a thread and what unwinding wants of it; all zero when it has none. */
struct machine {
	uint64_t m, g0, gsignal, curg;
	struct go_stack g0_stack, signal_stack, curg_stack;
	uint64_t g0_sched_sp; /* where the innermost callback left the thread's stack */
	uint64_t sched_sp, sched_pc; /* of curg */
	uint64_t vdso_sp, vdso_pc;
};

/* Where a thread's stack passes over to its goroutine's. */
enum handover {
	HANDOVER_NONE,	  /* it did not: the goroutine is as the scheduler left it */
	HANDOVER_CONTEXT, /* at pc, sp */
	HANDOVER_SCHED,	  /* at what g.sched says: systemstack, morestack, mcall */
	HANDOVER_CGO,	  /* in asmcgocall */
};

struct walk {
	struct raw_frame *frames;
	size_t count;
	enum stack_state state;
	uint32_t reason;
	enum handover handover;
	uint64_t pc, sp; /* of HANDOVER_CONTEXT */
	bool exact;
};

struct runtime {
	struct target
		*target; /* the live one until runtime_capture(), then the frozen one */
	const struct images *images;
	struct warnings *warnings;
	struct build_info *build;
	struct layout layout;
	struct modules *modules; /* NULL: no Go, or none that we can read */
	struct code_table *code;
	bool landing_pad; /* asmcgocall calls C from there (1.22) */
	struct stacks *stacks;
	struct unwind *cfi;
	char *unusable;

	uint64_t allgs; /* address of the slice header */
	const char *allgs_how;
	struct goroutine *goroutines;
	size_t goroutine_count, goroutine_cap;

	struct thread_state *threads; /* of target_threads() */
	struct machine *machines;     /* the same order */
	struct walk *walks;	      /* the same order: how each thread hands over */
	size_t thread_count;

	struct extras extras;
	char **wait_reasons;
	size_t wait_reason_count;
	char **reasons; /* 0 is unused */
	size_t reason_count, reason_cap;
	struct raw_frame *scratch; /* LIMIT_FRAMES of them */
};

/* Interned: a hostile stack can fail in as many ways as there are addresses, so only so
 * many different ones are kept; then one that says so. */
uint32_t reason_add(struct runtime *rt, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* allgs.c: finds allgs for rt->layout and believes it only when the goroutines agree. */
bool allgs_find(struct runtime *rt, const struct image *img, struct err *err);
/* Reads every g struct, of the target as it stands. */
bool goroutines_read(struct runtime *rt, struct err *err);
void goroutines_sort(struct runtime *rt);
struct goroutine *goroutine_by_addr(struct runtime *rt,
				    uint64_t addr); /* before the sort */

/* wait_reason.c */
void wait_reasons_read(struct runtime *rt, const struct image *img);

/* machine.c: the M of each thread. */
void machines_read(struct runtime *rt);

/* unwind_thread.c: from a thread's registers over its own stacks (C, g0, gsignal) to where
 * its goroutine's stack begins. Frames are appended to rt->scratch + w->count. */
void walk_thread(struct runtime *rt, const struct machine *m, const struct regs *regs,
		 bool exact, struct walk *w);

/* unwind_go.c: a goroutine's own stack, from g->pc, g->sp. m is that of its thread or the
 * thread it is locked to, for the C frames below a callback; NULL when none. Sets stack,
 * state, reason. */
void unwind_goroutine(struct runtime *rt, struct goroutine *g, const struct machine *m);

#endif
