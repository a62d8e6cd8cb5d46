/* SPDX-License-Identifier: Apache-2.0 */
/* profile_stack.h - stacks as runtime/pprof has them: inlined calls expanded, wrappers and
 * runtime.goexit left out. */
#ifndef GOSNAP_PROFILE_STACK_H
#define GOSNAP_PROFILE_STACK_H

#include "goruntime/runtime/goroutine.h"
#include "lib/base/util.h"

/* Names are borrowed until runtimes_close(); NULL and 0: not known. */
struct profile_frame {
	uint64_t pc;	/* of the call, or of the mark of an inlined one */
	uint64_t entry; /* of the function it was compiled into */
	const char *function, *file;
	uint32_t line, start_line; /* start_line: where the function begins */
	bool inlined;
};
typedef void profile_frame_fn(void *arg, const struct profile_frame *frame);

/* Of a record, innermost first. */
void runtime_each_recorded_frame(struct runtime *rt, const uint64_t *pcs, size_t n,
				 profile_frame_fn *fn, void *arg);
/* Of a goroutine. In a system call it is where it told the runtime of that: goroutines with equal
 * stacks differ in nothing else. 0: it is in none. */
uint64_t runtime_syscall_pc(const struct runtime *rt, const struct goroutine *g);
void runtime_each_profile_frame(struct runtime *rt, const struct goroutine *g,
				profile_frame_fn *fn, void *arg);
/* How many pcs of a record begin with the allocator, which profiles of memory leave out. 0 if that
 * would be all. */
size_t runtime_allocator_depth(struct runtime *rt, const uint64_t *pcs, size_t n);

#endif
