/* SPDX-License-Identifier: Apache-2.0 */
/* goruntime.h - the Go runtimes inside a target: goroutines, threads, their true stacks, their
 * values. For those outside, who see no more of this folder; within, each file includes what it
 * needs. Prints nothing. Works on stripped binaries; also takes a process without Go, whose
 * threads it unwinds as C. */
#ifndef GOSNAP_GORUNTIME_H
#define GOSNAP_GORUNTIME_H

#include "build_info.h"
#include "extras.h"
#include "frames.h"
#include "globals.h"
#include "goroutine.h"
#include "go_text.h"
#include "layout_report.h"
#include "lock.h"
#include "lookup.h"
#include "runtimes.h"
#include "stack.h"
#include "stdlib_values.h"
#include "threads.h"
#include "type.h"
#include "values.h"
#include "variables.h"
#include "verify.h"
#include "wait.h"
#include "words.h"

#endif
