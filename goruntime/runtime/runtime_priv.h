/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_priv.h - state shared by the files of goruntime: struct runtimes for the
 * process, struct runtime for one Go runtime (what its moduledata, scheduler and
 * goroutines say). The main header of goruntime/runtime, which also has the readers
 * that the rooms above share. Everything lives until runtimes_close(). Interprets
 * nothing: knows where a g and its fields are, not what they mean. */
#ifndef GOSNAP_RUNTIME_PRIV_H
#define GOSNAP_RUNTIME_PRIV_H

#include "goruntime/layout/build_info.h"
#include "goruntime/layout/layout.h"
#include "goruntime/runtime/extra_lists.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/runtime/lookup.h"
#include "goruntime/runtime/reasons.h"
#include "goruntime/runtime/stacks.h"
#include "goruntime/symtab/code.h"
#include "goruntime/symtab/module.h"
#include "lib/document/warnings.h"
#include "lib/unwind/unwind.h"

struct go_stack {
	uint64_t low, high; /* [low, high) */
};

static inline bool on_stack(struct go_stack s, uint64_t sp)
{
	return sp >= s.low && sp < s.high;
}

/* What unwinding needs of the M of a thread; all zero: the thread has none. */
struct go_m {
	uint64_t m, g0, gsignal, curg;
	struct go_stack g0_stack, signal_stack, curg_stack;
	uint64_t g0_sched_sp; /* where the innermost callback left the thread's stack */
	uint64_t sched_sp, sched_pc;	 /* of curg */
	uint64_t syscall_sp, syscall_pc; /* of curg; 0: not in a system call */
	uint64_t vdso_sp, vdso_pc;
};

/* Where a thread's stack hands over to its goroutine's. */
enum stack_switch {
	STACK_SWITCH_NONE,    /* nowhere: the goroutine is as the scheduler left it */
	STACK_SWITCH_CONTEXT, /* at pc, sp */
	STACK_SWITCH_SCHED,   /* at g.sched: systemstack, morestack, mcall */
	STACK_SWITCH_CGO,     /* in asmcgocall */
};

/* In one stack, the frames first to last have been there `times` more times. */
struct stack_fold {
	uint32_t stack, first, last;
	uint64_t times; /* 0: no stack is folded */
};

struct walk {
	struct runtime *runtime; /* the runtime of the goroutine it hands over to, else of
				  * the Go code met last; NULL: no Go */
	struct raw_frame *frames;
	size_t count;
	enum stack_state state;
	uint32_t reason;
	enum stack_switch stack_switch;
	uint64_t pc, sp, frame_pointer; /* of STACK_SWITCH_CONTEXT */
	bool at_instruction, has_frame_pointer;
	bool moves_stack; /* it is in copystack: of its own goroutine, or of one that it scans */
	struct regs *registers; /* of the first frames; NULL: not requested */
	size_t register_room;
};

/* What belongs to the process, however many Go runtimes it has. */
struct runtimes {
	struct target
		*target; /* the live one until runtimes_capture(), then the frozen one */
	const struct images *images;
	struct warnings *warnings;
	struct stacks *stacks; /* of all goroutines and threads */
	struct reasons *reasons;
	struct unwind *cfi;
	struct raw_frame *scratch; /* LIMIT_FRAMES of them */
	char *unusable;		   /* why the executable has no runtime */

	struct runtime **list;
	size_t count, cap;
	_Atomic uint64_t decoded; /* number of goroutines */

	struct fault *fault;	       /* NULL: none */
	struct fault_sighted *sighted; /* runtimes_set_sighted(); NULL: none */
	uint64_t noted_at;	       /* runtimes_set_noted(); 0: nothing is noted */
	struct noted_panic *noted;     /* NOTED_PANICS of them; NULL: none */
	struct stack_fold fold;
	struct thread_state *threads; /* one for each of target_threads() */
	struct walk *walks;	      /* in the same order */
	size_t thread_count;
	bool persistent, streams;      /* see runtimes_capture() */
	struct expansions *expansions; /* frames.c; NULL: no frames requested yet */
};

/* sync_map.c: how many entries a sync.Map has, counted once: a hundred thousand
 * goroutines may share it. */
struct sync_map_count {
	uint64_t addr, most, n;
};

/* state_places.c: addresses of the scheduler's variables. 0: not found. */
struct state_places {
	bool known; /* they were looked for */
	uint64_t sched, allp, allm;
	uint64_t memstats, pacer, work, mheap, phase, percent, limiter;
	uint64_t finalizers, cleanups; /* all blocks of these */
	uint64_t pool_lists[8];	       /* and other variables */
	size_t pool_list_count;
};

struct runtime {
	struct runtimes *shared; /* shared with the other runtimes of the process */
	struct target *target;	 /* these three are copies from shared */
	const struct images *images;
	struct warnings *warnings;
	const struct image *image; /* the image this runtime is in */
	struct build_info *build;
	struct layout layout;
	struct modules *modules; /* NULL: no Go, or none that can be read */
	struct code_table *code;
	uint64_t stack_barrier; /* Go 1.5 to 1.8: return address replacing others; or 0 */
	bool landing_pad;	/* asmcgocall calls C from the landing pad (1.22) */
	uint64_t gopark, gopark_end; /* 0: not known */
	char *unusable;

	uint64_t allgs; /* address of the slice header */
	const char *allgs_how;
	uint64_t allgs_damaged; /* its expected address, when that was rejected; or 0 */
	struct goroutine *goroutines; /* sorted by address */
	size_t goroutine_count, goroutine_cap;
	uint64_t goroutines_missed; /* allgs has them, and they could not be read */
	uint32_t *order;	    /* document order; NULL before runtime_decode() */
	struct go_stack *ranges;    /* of their stacks, sorted; NULL: nobody asked yet */
	size_t range_count;

	/* session/earlier.c: of the first capture, sorted by g; NULL: it is this one. */
	struct earlier_stack *earlier;
	size_t earlier_count;

	struct go_m *machines; /* of target_threads(); zero: the thread has none */
	size_t machine_count;

	uint64_t heap; /* heap/spans.c: the address of runtime.mheap_; or 0 */
	bool heap_sought;
	struct state_places places;
	struct runtime_state *state; /* runtime_state.h; NULL: not read */

	struct extra_lists extra_lists;
	struct extra_caches *extra_caches; /* extras.c; NULL: not requested yet */
	/* debug.c: for each of the runtime's modules; types known by their descriptors
	 * only. NULL: not requested yet. */
	struct debug_info *debug;
	struct types *described;
	struct type_list *type_list;		   /* NULL: not requested yet */
	struct value_pieces *pieces;		   /* value.c */
	struct sync_map_count sync_map_counts[64]; /* by address */
	bool has_clock_start;			   /* time_value.c */
	uint64_t clock_start;
	struct waits *waits; /* wait_priv.h; NULL: no goroutine waits */
	char **wait_reasons;
	size_t wait_reason_count;
};

/* The number of a reason why a stack is incomplete. */
#define reason_add(rt, ...) reasons_add((rt)->shared->reasons, __VA_ARGS__)

/* lookup.c: the code table entry for pc, from the runtime whose text has it; *ret: that
 * runtime. NULL: not Go. */
const struct code *runtimes_code_at(const struct runtimes *all, uint64_t pc,
				    bool at_instruction, struct runtime **ret);

/* lookup.c: the runtime with Go code at pc whose functions are unknown. NULL: none. */
struct runtime *runtimes_unnamed_at(const struct runtimes *all, uint64_t pc);

/* goroutine.c: NULL: no goroutine at that address. */
struct goroutine *goroutine_by_addr(struct runtime *rt, uint64_t addr);

/* lookup.c: the code of a frame with calls filled in, and its runtime. NULL: C. */
const struct code *code_of_frame(const struct runtimes *all,
				 const struct raw_frame *frame, struct runtime **ret);

/* unwind_fp.c: the frame pointer of a goroutine, in the few bits that its record has for
 * it. How far below sp it may point, in bytes: during calls of duffzero and duffcopy, to
 * where they saved the previous one (cmd/internal/obj/x86/obj6.go, 1.15). */
enum { FRAME_POINTER_BELOW = 16 };
void goroutine_set_frame_pointer(struct goroutine *g, bool known, uint64_t value);
/* False: not known. *ret 0: no frame has one. */
bool goroutine_frame_pointer(const struct goroutine *g, uint64_t *ret);

/* lookup.c: the M of g's thread, or of the thread that g is locked to. NULL: none
 * known. */
const struct go_m *runtime_machine_of(const struct runtime *rt,
				      const struct goroutine *g);

#endif
