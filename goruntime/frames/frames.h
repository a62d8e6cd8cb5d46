/* SPDX-License-Identifier: Apache-2.0 */
/* frames.h - frames as people read them: inlined calls expanded, C functions named,
 * with the variables of each. Made for one frame at a time and lent to the caller's
 * function. Knows how to put together what rooms below found; unwinds nothing. */
#ifndef GOSNAP_FRAMES_H
#define GOSNAP_FRAMES_H

#include "goruntime/frames/words.h"
#include "goruntime/runtime/goroutine.h"

struct runtimes;

/* Names and paths are borrowed until runtimes_close(), everything else until fn returns.
 * NULL and 0 when not known. */
struct code_frame {
	const char *function, *file, *kind, *object_file;
	uint32_t line;
	uint64_t pc, entry;
	uint64_t
		object_address; /* of pc, in the addresses of object_file; if there is no function */
	bool c, inlined, hidden;
	uint32_t unwound; /* which of the stack's frames it is of, before inlined calls
				* were expanded */
	bool by_frame_pointer; /* else by the function table, or as C is unwound */
	uint32_t
		range_parent; /* loop body: how many frames further out its function is; 0 */
	/* This frame and those before it, so many in all, have been there so many more
	 * times. 0: just once. */
	uint32_t repeated_frames;
	uint64_t repeated_times;
	struct argument_words
		argument_words; /* runtimes_each_frame_of() only; valid until fn returns */
	struct frame_variables
		*variables; /* likewise; for frame_each_variable(). NULL: none, see
			     * why_none */
	const char *why_none;
};

/* Calls fn for each frame of a stack, innermost first, inlined calls expanded. fn may
 * call it too. */
typedef void code_frame_fn(void *arg, const struct code_frame *frame);
void runtimes_each_frame(struct runtimes *all, uint32_t stack, code_frame_fn *fn,
			 void *arg);
/* Returns when the goroutine began to wait for a sync.Mutex, by CLOCK_MONOTONIC, although others may have had it
 * in between. 0: it does not wait for one, or that is not known. */
uint64_t runtimes_lock_wait_since(struct runtimes *all, struct runtime *rt,
				  const struct goroutine *g);
/* The same for a goroutine's own stack, with argument words and, if requested,
 * variables. */
enum variables_of {
	VARIABLES_OF_NONE,
	VARIABLES_OF_SHOWN, /* only in frames that are not hidden */
	VARIABLES_OF_ALL,
};
void runtimes_each_frame_of(struct runtimes *all, const struct goroutine *g,
			    enum variables_of variables, code_frame_fn *fn, void *arg);
/* Calls fn once: for the function that g is in, not a call inlined in it, with variables. */
void runtimes_called_function(struct runtimes *all, const struct goroutine *g,
			      code_frame_fn *fn, void *arg);
/* The same for a thread's stack, with the variables of C functions, hidden or not, as far
 * as the images of Go's own modules have debugging information. */
void runtimes_each_frame_of_thread(struct runtimes *all, size_t thread,
				   enum variables_of variables, code_frame_fn *fn,
				   void *arg);
/* Calls fn with the argument words of each frame; they are borrowed until fn returns. */
typedef void argument_words_fn(void *arg, const struct argument_words *words);
void runtimes_each_argument_words(struct runtimes *all, const struct goroutine *g,
				  argument_words_fn *fn, void *arg);
/* The function at pc itself, not a call inlined in it. False: not Go. */
bool runtime_code_at(struct runtime *rt, uint64_t pc, struct code_frame *ret);
/* The call before the return address pc, such as the go statement that created a
 * goroutine. */
bool runtime_call_before(struct runtime *rt, uint64_t pc, struct code_frame *ret);
/* The innermost call at the return address pc, as runtime.Callers records it. */
bool runtime_recorded_call(struct runtime *rt, uint64_t pc, struct code_frame *ret);

#endif
