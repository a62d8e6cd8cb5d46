/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - what the threads of the process do for Go. */
#ifndef GOSNAP_THREADS_H
#define GOSNAP_THREADS_H

#include <stdbool.h>

#include "goruntime/runtime/stack.h"

struct runtime;
struct runtimes;

enum stack_kind { ON_UNKNOWN, ON_GOROUTINE, ON_G0, ON_SIGNAL, ON_C };

struct thread_state {
	struct runtime *runtime; /* the innermost runtime the thread is in, which the rest
				  * is about; NULL: no runtime knows it */
	bool has_machine, has_processor, has_goroutine;
	int64_t machine, processor;
	uint64_t goroutine; /* id */
	enum stack_kind stack_kind;
	uint32_t stack, reason;
	uint8_t state;
};

/* Of target_threads(frozen)[i]. Borrowed until runtimes_close(). */
const struct thread_state *runtimes_thread(const struct runtimes *all, size_t i);

/* Bytes of code around the pc of each thread, which are captured with its stack. */
enum { THREAD_CODE_BEFORE = 16, THREAD_CODE_AFTER = 16 };

#endif
