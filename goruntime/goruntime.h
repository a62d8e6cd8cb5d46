/* SPDX-License-Identifier: Apache-2.0 */
/* goruntime.h - the Go runtimes inside a target: goroutines, threads, their true stacks, their
 * values. For those outside, who see no more of this folder; within, each file includes what it
 * needs. Prints nothing. Works on stripped binaries; also takes a process without Go, whose
 * threads it unwinds as C. */
#ifndef GOSNAP_GORUNTIME_H
#define GOSNAP_GORUNTIME_H

#include "goruntime/frames/frames.h"
#include "goruntime/frames/verify.h"
#include "goruntime/frames/words.h"
#include "goruntime/goroutines/extras.h"
#include "goruntime/layout/build_info.h"
#include "goruntime/runtime/go_text.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/runtime/lookup.h"
#include "goruntime/runtime/stack.h"
#include "goruntime/sched/threads.h"
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
