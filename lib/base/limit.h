/* SPDX-License-Identifier: Apache-2.0 */
/* limit.h - every cap on what a subject can make us do, with unit and reason. */
#ifndef GOSNAP_LIMIT_H
#define GOSNAP_LIMIT_H

#include <stdint.h>

/* bytes; pieces of one read of the subject's memory: no string or table we want is larger */
#define LIMIT_READ_BYTES (UINT64_C(1) << 30)
/* count; ELF objects that are opened, one descriptor each: 1,024 is the usual maximum */
#define LIMIT_IMAGES 512
/* bytes of all objects that are read from memory because their files cannot be opened */
#define LIMIT_MAPPED_BYTES (UINT64_C(512) << 20)
/* bytes of the tables of symbols and of names of all objects: Chrome has some 300 MB */
#define LIMIT_SYMBOL_BYTES (UINT64_C(1) << 30)
/* bytes of one object's debugging information, unpacked: Kubernetes has some 100 MB; and of that of
 * all objects that a process has */
#define LIMIT_DEBUG_BYTES (UINT64_C(1) << 30)
#define LIMIT_DEBUG_BYTES_RUN (UINT64_C(4) << 30)
/* bytes of all indexes of names that are kept on disk: some hundred large programs */
#define LIMIT_CACHE_BYTES (UINT64_C(128) << 20)
/* count; units of one object's debugging information: Chrome has some 30,000 */
#define LIMIT_DEBUG_UNITS (1 << 18)
/* entries, attributes and items of lists of one object's debugging information, all look-ups:
 * a pc takes some 200, all entries of Kubernetes 2^27; ten seconds at worst */
#define LIMIT_DEBUG_STEPS (UINT64_C(1) << 30)
/* count; abbreviations and their attributes that are kept: some million for Chrome */
#define LIMIT_DEBUG_ABBREVS (UINT64_C(1) << 22)
/* count; ranges of code of one object's units and functions: a large program has 2^20 */
#define LIMIT_DEBUG_RANGES (1 << 22)
/* ranges that cover the same place and are looked at */
#define LIMIT_DEBUG_OVERLAPS 64
/* count; variables of one pc, each of which is compared with all others, which takes a second; and
 * how deep blocks and inlined calls may be nested */
#define LIMIT_SCOPE_VARIABLES (1 << 13)
#define LIMIT_SCOPE_DEPTH 512
/* typedefs and qualifiers between a variable and a type that has a size */
#define LIMIT_TYPE_NAMES 16
/* bytes and comparisons that indexing one object's symbols by name may take: five million
 * long C++ names take 2^29 */
#define LIMIT_SYMBOL_STEPS (UINT64_C(1) << 31)
/* bytes of an .eh_frame without its table: Chrome's has some 20 MB */
#define LIMIT_EH_FRAME_BYTES (UINT64_C(64) << 20)
/* count; mappings, threads: vm.max_map_count and threads-max rarely exceed it */
#define LIMIT_MAPPINGS (UINT64_C(1) << 20)
#define LIMIT_THREADS (UINT64_C(1) << 18)
/* bytes of one of the runtime's structs, and how far its fields may be: runtime.g has some 450,
 * fields of runtime.m are at 1,100 */
#define LIMIT_STRUCT_BYTES 4096
/* count; elements of allgs we are ready to look at: some ten million is the largest seen */
#define LIMIT_GOROUTINES (UINT64_C(1) << 24)
/* frames of one stack: more is a runaway recursion that its ends explain */
#define LIMIT_FRAMES (UINT64_C(1) << 17)
/* bytes of one goroutine's stack that are copied; Go's own maximum is 1 GB */
#define LIMIT_STACK_BYTES (UINT64_C(64) << 20)
/* bytes copied out of the subject in all */
#define LIMIT_EXTENT_BYTES (UINT64_C(4) << 30)
/* bytes of the data segments that are searched for a global variable */
#define LIMIT_SCAN_BYTES (UINT64_C(16) << 30)
/* bytes of one pclntab, and of all tables that are read from memory: Kubernetes has 40 MB */
#define LIMIT_PCLNTAB_BYTES (UINT64_C(512) << 20)
/* steps in the tables of a pclntab, all look-ups: 100,000 pcs of large functions take 2^28 */
#define LIMIT_PCLNTAB_STEPS (UINT64_C(1) << 33)
/* bytes of a function's or file's name: instantiated generics reach some thousand */
#define LIMIT_NAME_BYTES (UINT64_C(1) << 16)
/* count; different pcs that are looked up */
#define LIMIT_PCS (UINT64_C(1) << 22)
/* frames of all distinct stacks */
#define LIMIT_FRAMES_RUN (UINT64_C(1) << 26)
/* bytes of one object's data that are searched for Go's moduledata when nothing else says that it is
 * Go: some ten milliseconds; before it there are tens of megabytes in the largest programs */
#define LIMIT_MODULE_SCAN_BYTES (UINT64_C(128) << 20)
/* places there that look like moduledata and are tried */
#define LIMIT_MODULE_HEADS 64
/* count; modules: a plugin each */
#define LIMIT_MODULES 4096
/* inlined calls in one pc; the compiler's own budget keeps real ones below 100 */
#define LIMIT_INLINE_DEPTH 512
/* reads and steps: the whole run; one goroutine or thread, or finding the runtime. A read
 * costs about half a microsecond: minutes and seconds at worst. */
#define LIMIT_BUDGET_RUN (UINT64_C(1) << 29)
#define LIMIT_BUDGET_UNIT (UINT64_C(1) << 22)
/* count; types that are looked at, and fields of one of them: Kubernetes has 200,000 types */
#define LIMIT_TYPES (1 << 22)
#define LIMIT_FIELDS (1 << 16)
/* of one walk over what a type consists of: how deep, and how many types and fields; the largest
 * structs of Kubernetes have some 1,000 fields. And of all walks over the types of one object that
 * are for all of their values: seconds at worst. */
#define LIMIT_TYPE_DEPTH 256
#define LIMIT_TYPE_STEPS (1 << 13)
#define LIMIT_TYPE_WALKS (UINT64_C(1) << 29)
/* of a map, eight entries each: two reads for one of them, so less than the budget of a unit */
#define LIMIT_MAP_GROUPS (3 << 19)
/* count; file descriptors that are looked at: fs.nr_open is 2^20 */
#define LIMIT_DESCRIPTORS (UINT64_C(1) << 20)
/* cases of one select (reflect.Select takes no more), and of all that are waiting */
#define LIMIT_SELECT_CASES (UINT64_C(1) << 16)
#define LIMIT_WAIT_CASES (UINT64_C(1) << 22)
/* bytes of the symbol, path and argument strings we copy */
#define LIMIT_STRING_BYTES (UINT64_C(1) << 20)
/* bytes of one string of the subject that are shown */
#define LIMIT_TEXT_BYTES (UINT64_C(4) << 10)
/* count; panics in progress in one goroutine, one inside the other */
#define LIMIT_PANICS 100
/* count; deferred calls of one goroutine */
#define LIMIT_DEFERS 1000
/* count; goroutines in whose frames deferred closures are looked for while the process is
 * held: some 10 ms */
#define LIMIT_OPEN_DEFERS (1 << 15)
/* count; nodes of a sync.Map that are looked at, which takes a fraction of a second */
#define LIMIT_SYNC_MAP (1 << 18)
/* count; contexts, each made from the next */
#define LIMIT_CONTEXTS 256
/* count; goroutines that one descends from */
#define LIMIT_ANCESTORS 1000
/* count; profiler labels of one goroutine */
#define LIMIT_LABELS 1024
/* warnings that are written out one by one; the rest is counted */
#define LIMIT_WARNINGS 1000
/* nanoseconds that a thread gets to reach its stop before it is listed without registers */
#define LIMIT_STOP_NS (UINT64_C(500) * 1000 * 1000)
/* nanoseconds to wait for another gosnap on the same process */
#define LIMIT_TURN_NS (UINT64_C(10) * 1000 * 1000 * 1000)
/* nanoseconds that a tracer, or those who read what it holds, may stand still when nothing was
 * promised; where it is more, some times what the hold should take */
#define LIMIT_STILL_NS (UINT64_C(1) * 1000 * 1000 * 1000)
#define LIMIT_STILL_TIMES 10
/* nanoseconds of a hold when nothing was promised: ten million goroutines are read in place
 * in less */
#define LIMIT_HOLD_NS (UINT64_C(30) * 1000 * 1000 * 1000)

#endif
