/* SPDX-License-Identifier: Apache-2.0 */
/* fault.h - what ended the process, or is ending it: the thread, the goroutine, the signal, what
 * the runtime printed, and the call that is to blame. The main header of goruntime/fault. Evidence
 * comes from three places: the chain of panics (runtime/panic.go), the runtime's memory of what it
 * printed (recordForPanic in runtime/print.go), and the frames of signals on the stacks of threads.
 * Knows what happened; finds no variables and writes no sentences. */
#ifndef GOSNAP_FAULT_H
#define GOSNAP_FAULT_H

#include <signal.h>

#include "goruntime/runtime/goroutine.h"
#include "lib/target/arch.h"

struct runtimes;

enum fault_kind {
	FAULT_PANIC,	   /* that nothing recovered, unless it says so */
	FAULT_FATAL_ERROR, /* the runtime gave up: throw, fatal */
	FAULT_SIGNAL,
};

struct fault_signal {
	int number, code;
	bool has_address, has_pc, has_sender;
	uint64_t address; /* what is in its place if it has none */
	uint64_t pc;
	int64_t sender, sender_user; /* process and user id */
};

/* A call. Texts are borrowed until runtimes_close(). */
struct fault_place {
	const char *function, *file; /* NULL: not known */
	uint32_t line;
	bool known, c;
	bool of_thread; /* frame counts the frames of the thread, not of the goroutine */
	uint32_t frame; /* from 0, the innermost, inlined calls expanded */
};

/* Which panic it is. The same in every snapshot of it: while deferred functions run, and as the runtime
 * ends the process. */
struct noted_panic {
	uint64_t goroutine; /* id */
	uint64_t value[2];  /* type and data: the words of panic's argument */
	uint64_t calls;	    /* hash of the calls that led to panic */
};

struct fault {
	enum fault_kind kind;
	bool recovered; /* or about to be, so that the process goes on */
	int thread;	/* index in target_threads(); -1: none, the goroutine waits */
	struct runtime *runtime;	   /* that knows the thread; NULL: none */
	const struct goroutine *goroutine; /* that ran on it; NULL: none */
	bool has_signal;
	struct fault_signal signal;
	struct regs registers; /* when the signal came; valid 0: not known (any more) */
	char *message; /* as the runtime prints it, without the last newline; NULL */
	uint64_t message_omitted; /* bytes */
	/* Which of the goroutine's panics is to blame, from 0, the innermost: not one that panics
	 * again with what it recovered. */
	size_t panic;
	uint32_t reports;	    /* how many calls of gopanic there are up to it */
	bool by_runtime, by_signal; /* who panicked, if not the program; why */
	char *variable; /* what was nil, closed or too short: "x.seen"; NULL: not known */
	/* Of concurrent uses of a map: ids of goroutines that are using it, too, or any map if it is
	 * not known of one that it is the same. */
	uint64_t *others;
	size_t other_count;
	bool same_map;
	bool ended_on_thread;	  /* the goroutine's stack has nothing of what followed */
	struct fault_place place; /* what failed, outside the runtime */
	/* The first of its callers that is of the program, not of a library, if that is
	 * another frame. */
	struct fault_place caller;
	/* Of a fatal error: the goroutine had panicked, and this is the call in which making the text
	 * of a panic's value, by its method Error or String, failed. Place, caller and panic are
	 * those of the panic. */
	struct fault_place printing;
	uint32_t printing_panics;    /* how many panics there, all inside the others */
	struct noted_panic identity; /* all 0: no panic, or not all of it is known */
	/* The process itself noted that there is a snapshot of this panic already. */
	bool noted;
};

/* What the process dies of, read while it is captured: at the end of runtimes_capture(). Private to
 * goruntime. */
void fault_capture(struct runtimes *all);
void fault_free(struct fault *fault);

enum { NOTED_PANICS = 16 };
#define NOTED_ANY UINT64_MAX /* as a word of what is noted: any */

/* Before runtimes_capture(): where the process notes the NOTED_PANICS panics that it had snapshots
 * taken of. */
void runtimes_set_noted(struct runtimes *all, uint64_t addr);

/* Before runtimes_capture(): a thread that a probe in the runtime found about to end the process. It has not
 * said so to anyone yet. Copied. */
enum { SIGHTED_TEXT = 256 };
struct fault_sighted {
	int thread; /* id; 0: none */
	char text
		[SIGHTED_TEXT]; /* what the runtime is about to print as a fatal error; "": nothing */
};
void runtimes_set_sighted(struct runtimes *all, const struct fault_sighted *sighted);

struct fault_question {
	/* The process is dead, so signals that its threads have are what ended it. */
	bool ended;
	/* The id of a goroutine that is about to end it by a panic, as it said itself while its deferred
	 * functions ran: nothing will recover the panic, or recovered. 0: none. */
	uint64_t panicking;
	bool recovered; /* something is about to */
};

/* After runtimes_decode(): NULL if there was no fault. The goroutine becomes the first of its
 * runtime's. Borrowed until runtimes_close(). */
const struct fault *runtimes_fault(struct runtimes *all,
				   const struct fault_question *question);

/* The runtime's words, up to the end of a line, for a map that several use without a lock; NULL: the process died of
 * something else. */
const char *fault_misused_map(const struct fault *fault);

/* The goroutine becomes the first of its runtime's, as that of a fault does. */
void runtimes_make_first(struct runtimes *all, uint64_t id);

void fault_take_signal(const siginfo_t *info, struct fault_signal *ret);
/* "SIGSEGV: segmentation violation", as the runtime names it; NULL: a signal without a name. */
const char *fault_signal_text(int number);

#endif
