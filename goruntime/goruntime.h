/* SPDX-License-Identifier: Apache-2.0 */
/* goruntime.h - the Go runtimes inside a target: goroutines, threads, their stacks
 * and values. The only header of this folder for code outside it; files inside
 * include what they need. Works on stripped binaries. A process without Go is
 * accepted too: its threads are unwound as C. Knows Go, and neither the document nor
 * redaction: prints nothing. Everything lives until runtimes_close() unless a header
 * says otherwise. */
#ifndef GOSNAP_GORUNTIME_H
#define GOSNAP_GORUNTIME_H

#include "goruntime/operations/operations.h"
#include "goruntime/operations/spin.h"
#include "goruntime/calls/calls.h"
#include "goruntime/fault/fault.h"
#include "goruntime/frames/frames.h"
#include "goruntime/frames/verify.h"
#include "goruntime/frames/words.h"
#include "goruntime/goroutines/extras.h"
#include "goruntime/goroutines/raw_stack.h"
#include "goruntime/heap/leaks.h"
#include "goruntime/heap/memory_place.h"
#include "goruntime/layout/build_info.h"
#include "goruntime/probes/goroutine_list.h"
#include "goruntime/probes/probe_points.h"
#include "goruntime/profiles/profile_records.h"
#include "goruntime/profiles/profile_stack.h"
#include "goruntime/retention/heap_summary.h"
#include "goruntime/runtime/go_text.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/runtime/lookup.h"
#include "goruntime/runtime/stack.h"
#include "goruntime/sched/runtime_state.h"
#include "goruntime/sched/stays.h"
#include "goruntime/sched/threads.h"
#include "goruntime/session/core_memory.h"
#include "goruntime/session/layout_report.h"
#include "goruntime/session/runtimes.h"
#include "goruntime/stdlib/stdlib_values.h"
#include "goruntime/types/globals.h"
#include "goruntime/types/type.h"
#include "goruntime/values/lock.h"
#include "goruntime/values/values.h"
#include "goruntime/variables/variables.h"
#include "goruntime/waits/wait.h"

#endif
