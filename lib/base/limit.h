/* SPDX-License-Identifier: Apache-2.0 */
/* limit.h - every limit on the work that a subject can cause, with unit and reason. */
#ifndef GOSNAP_LIMIT_H
#define GOSNAP_LIMIT_H

#include <stdint.h>

/* bytes in one read of the subject's memory: no string or table that we need is larger */
#define LIMIT_READ_BYTES (UINT64_C(1) << 30)
/* count; open ELF objects, one descriptor each: RLIMIT_NOFILE is usually 1,024 */
#define LIMIT_IMAGES 512
/* bytes of all objects that are read from memory because their files cannot be opened */
#define LIMIT_MAPPED_BYTES (UINT64_C(512) << 20)
/* bytes of the symbol and string tables of all objects: Chrome has some 300 MB */
#define LIMIT_SYMBOL_BYTES (UINT64_C(1) << 30)
/* bytes of debug info, uncompressed, of one object and of all objects of a process:
 * Kubernetes has some 100 MB */
#define LIMIT_DEBUG_BYTES (UINT64_C(1) << 30)
#define LIMIT_DEBUG_BYTES_RUN (UINT64_C(4) << 30)
/* bytes of all cached name indexes: enough for some hundred large programs */
#define LIMIT_CACHE_BYTES (UINT64_C(128) << 20)
/* count; units in one object's debug info: Chrome has some 30,000 */
#define LIMIT_DEBUG_UNITS (1 << 18)
/* entries, attributes and list items read from one object's debug info, over all
 * look-ups: a pc takes some 200, all entries of Kubernetes 2^27; ten seconds at worst */
#define LIMIT_DEBUG_STEPS (UINT64_C(1) << 30)
/* count; abbreviations and attributes kept in memory: some million for Chrome */
#define LIMIT_DEBUG_ABBREVS (UINT64_C(1) << 22)
/* count; code ranges of one object's units and functions: a large program has 2^20 */
#define LIMIT_DEBUG_RANGES (1 << 22)
/* overlapping ranges that are tried for one address */
#define LIMIT_DEBUG_OVERLAPS 64
/* count; variables in scope at one pc (each is compared with all others, a second at
 * worst), and nesting depth of blocks and inlined calls */
#define LIMIT_SCOPE_VARIABLES (1 << 13)
#define LIMIT_SCOPE_DEPTH 512
/* typedefs and qualifiers between a variable and a type with a size */
#define LIMIT_TYPE_NAMES 16
/* bytes and comparisons to index one object's symbols by name: five million long C++
 * names take 2^29 */
#define LIMIT_SYMBOL_STEPS (UINT64_C(1) << 31)
/* bytes of an .eh_frame that has no search table: Chrome's has some 20 MB */
#define LIMIT_EH_FRAME_BYTES (UINT64_C(64) << 20)
/* count; mappings, threads: vm.max_map_count and threads-max rarely exceed it */
#define LIMIT_MAPPINGS (UINT64_C(1) << 20)
#define LIMIT_THREADS (UINT64_C(1) << 18)
/* bytes of the notes of a core: 4 KB a thread, and the names of the mapped files */
#define LIMIT_NOTE_BYTES (UINT64_C(256) << 20)
/* bytes of one runtime struct, and the largest field offset: runtime.g has some 450,
 * runtime.m has fields at 1,100 */
#define LIMIT_STRUCT_BYTES 4096
/* the same for what no release reads whole: runtime.mheap has fields at 70,000, runtime.heapArena at two
 * million */
#define LIMIT_FAR_BYTES (1 << 22)
/* count; elements of allgs that are examined: the largest seen is some ten million */
#define LIMIT_GOROUTINES (UINT64_C(1) << 24)
/* frames of one stack: more is runaway recursion, which both ends of the stack explain */
#define LIMIT_FRAMES (UINT64_C(1) << 17)
/* bytes copied from one goroutine's stack; Go's own maximum is 1 GB */
#define LIMIT_STACK_BYTES (UINT64_C(64) << 20)
/* bytes copied from the subject in total */
#define LIMIT_EXTENT_BYTES (UINT64_C(4) << 30)
/* bytes of data segments searched for a global variable */
#define LIMIT_SCAN_BYTES (UINT64_C(16) << 30)
/* bytes of one pclntab, and of all tables read from memory: Kubernetes has 40 MB */
#define LIMIT_PCLNTAB_BYTES (UINT64_C(512) << 20)
/* bytes of the table of relocations of a file */
#define LIMIT_RELOCATION_BYTES (UINT64_C(256) << 20)
/* steps in the pclntab's tables, over all look-ups: 100,000 pcs of large functions take
 * 2^28 */
#define LIMIT_PCLNTAB_STEPS (UINT64_C(1) << 33)
/* bytes of a function or file name: instantiated generics reach some thousand */
#define LIMIT_NAME_BYTES (UINT64_C(1) << 16)
/* count; spans of the heap, 8 KB at least each; arenas of 64 MB that its addresses extend over; what
 * hangs on the objects of one span */
#define LIMIT_HEAP_SPANS (UINT64_C(1) << 24)
#define LIMIT_HEAP_ARENAS (UINT64_C(1) << 16)
#define LIMIT_SPECIALS (1 << 16)
/* nanoseconds of processor time that reading the heap may take: 1 GB of small objects takes some six seconds */
#define LIMIT_HEAP_NS (UINT64_C(600) * 1000 * 1000 * 1000)
/* count; distinct pcs that are looked up */
#define LIMIT_PCS (UINT64_C(1) << 22)
/* frames of all distinct stacks */
#define LIMIT_FRAMES_RUN (UINT64_C(1) << 26)
/* bytes of one object's data searched for Go's moduledata when nothing else identifies it
 * as Go: some ten milliseconds; in the largest programs tens of megabytes precede it */
#define LIMIT_MODULE_SCAN_BYTES (UINT64_C(128) << 20)
/* candidates for moduledata that are checked there */
#define LIMIT_MODULE_HEADS 64
/* count; modules: one for each plugin */
#define LIMIT_MODULES 4096
/* inlined calls at one pc; the compiler's own budget keeps real ones below 100 */
#define LIMIT_INLINE_DEPTH 512
/* reads and steps: of the whole run; of one goroutine or thread, or of finding the
 * runtime. A read costs about half a microsecond: minutes and seconds at worst. */
#define LIMIT_BUDGET_RUN (UINT64_C(1) << 30)
#define LIMIT_BUDGET_UNIT (UINT64_C(1) << 22)
/* count; types that are examined, and fields of one type: Kubernetes has 200,000 types */
#define LIMIT_TYPES (1 << 22)
#define LIMIT_FIELDS (1 << 16)
/* depth of one walk over the parts of a type, and the types and fields it visits: the
 * largest structs of Kubernetes have some 1,000 fields. LIMIT_TYPE_WALKS: all walks over
 * the types of one object whose results serve all values: seconds at worst. */
#define LIMIT_TYPE_DEPTH 256
#define LIMIT_TYPE_STEPS (1 << 13)
#define LIMIT_TYPE_WALKS (UINT64_C(1) << 29)
/* groups of a map, eight entries each: reading one takes two reads, which keeps a whole
 * map below LIMIT_BUDGET_UNIT */
#define LIMIT_MAP_GROUPS (3 << 19)
/* count; file descriptors that are examined: fs.nr_open is 2^20 */
#define LIMIT_DESCRIPTORS (UINT64_C(1) << 20)
/* cases of one select (the maximum of reflect.Select), and of all selects that wait */
#define LIMIT_SELECT_CASES (UINT64_C(1) << 16)
#define LIMIT_WAIT_CASES (UINT64_C(1) << 22)
/* count; Ps and Ms of one runtime: more than one machine has processors, and as many as
 * threads-max usually allows */
#define LIMIT_PROCESSORS (1 << 12)
#define LIMIT_MACHINES (1 << 16)
/* count; goroutines listed of one queue of the scheduler: a P's own has 256 */
#define LIMIT_QUEUE (1 << 10)
/* count; timers that are shown, and that are read to find the next ones while the process is
 * stopped: less than a millisecond */
#define LIMIT_TIMERS 64
#define LIMIT_TIMERS_READ 320
/* count; of sync.Pools that are shown, and read while the process is stopped */
#define LIMIT_POOLS 100
/* count; blocks of finalizers, each with 101, and of cleanups */
#define LIMIT_CALL_BLOCKS 256
/* count; of so many on, a sample says what kinds of timers there are; its size; and of kinds */
#define LIMIT_TIMERS_FEW 1000
#define LIMIT_TIMERS_SAMPLED 256
#define LIMIT_TIMER_KINDS 8
/* count; pauses of the garbage collector that are shown, of the 256 that a runtime keeps */
#define LIMIT_PAUSES 16
/* count; locks, channels, ... that the document lists with who waits for them */
#define LIMIT_WAIT_OBJECTS 10000
/* ns of processor time, and bytes of memory read, to find out which goroutines have leaked: for a snapshot,
 * and if only that is asked */
#define LIMIT_LEAKS_QUICK_NS (UINT64_C(300) * 1000 * 1000)
#define LIMIT_LEAKS_QUICK_BYTES (UINT64_C(256) << 20)
#define LIMIT_LEAKS_NS (UINT64_C(15) * 1000 * 1000 * 1000)
#define LIMIT_LEAKS_BYTES (UINT64_C(16) << 30)
/* bytes of the symbol, path and argument strings we copy */
#define LIMIT_STRING_BYTES (UINT64_C(1) << 20)
/* bytes shown of one string of the subject */
#define LIMIT_TEXT_BYTES (UINT64_C(4) << 10)
/* count; nested panics in progress in one goroutine */
#define LIMIT_PANICS 100
/* count; deferred calls of one goroutine */
#define LIMIT_DEFERS 1000
/* count; goroutines whose frames are searched for deferred closures while the process is
 * stopped: some 10 ms */
#define LIMIT_OPEN_DEFERS (1 << 15)
/* count; nodes of a sync.Map that are visited: a fraction of a second */
#define LIMIT_SYNC_MAP (1 << 18)
/* count; contexts in one chain of parents */
#define LIMIT_CONTEXTS 256
/* count; ancestors of one goroutine */
#define LIMIT_ANCESTORS 1000
/* count; profiler labels of one goroutine */
#define LIMIT_LABELS 1024
/* count; records of one of the runtime's profiles, pcs of one of them (maxProfStackDepth) and of all:
 * large programs have some 100,000 records */
#define LIMIT_PROFILE_RECORDS (1 << 20)
#define LIMIT_PROFILE_DEPTH 1024
#define LIMIT_PROFILE_PCS (1 << 24)
/* warnings reported one by one; the rest are counted */
#define LIMIT_WARNINGS 1000
/* nanoseconds that a thread gets to stop before it is listed without registers */
#define LIMIT_STOP_NS (UINT64_C(500) * 1000 * 1000)
/* nanoseconds to wait for another gosnap to finish with the same process */
#define LIMIT_PROCESS_LOCK_NS (UINT64_C(10) * 1000 * 1000 * 1000)
/* the same of one that is about to stop, but waits for a processor, and of a tracer that does, once that is known */
#define LIMIT_STARVED_NS (UINT64_C(10) * 1000 * 1000 * 1000)
/* how many times its age a copy may have by the clock: time in which its readers wait for a processor does not
 * count */
#define LIMIT_COPY_TIMES 40
/* nanoseconds without progress that a tracer, or the readers of the process it stopped,
 * are allowed when no limit was promised; LIMIT_STILL_TIMES the estimated stop if that is
 * longer */
#define LIMIT_STILL_NS (UINT64_C(1) * 1000 * 1000 * 1000)
#define LIMIT_STILL_TIMES 10
/* nanoseconds that a process stays stopped when no limit was promised: reading ten
 * million goroutines in place takes less */
#define LIMIT_HOLD_NS (UINT64_C(30) * 1000 * 1000 * 1000)
/* bytes of memory that a process in the sandbox may have for writing, or half of the machine's if that
 * is more: a million goroutines take less than one GB */
#define LIMIT_SANDBOX_BYTES (UINT64_C(4) << 30)
/* how much more address space, of which files and what it only reads are a part: page tables, which
 * nothing else bounds, then take at most half as much as that memory */
#define LIMIT_SANDBOX_SPACE_TIMES 256
/* descriptors that it may have open, as the kernel has memory for each socket and pipe */
#define LIMIT_SANDBOX_DESCRIPTORS 4096
/* bytes of its stack: 8 MB are usual */
#define LIMIT_SANDBOX_STACK (UINT64_C(64) << 20)
/* seconds of CPU time of each process in there: a core of 20 GB takes some ten */
#define LIMIT_SANDBOX_CPU_S 900
/* the same of one that serves a browser, for days perhaps, and ends when its user wants it */
#define LIMIT_SANDBOX_SERVER_CPU_S 86400
/* nanoseconds that it may take if nobody can keep it waiting: what it writes is a file */
#define LIMIT_SANDBOX_NS (UINT64_C(3600) * 1000 * 1000 * 1000)
/* nanoseconds for which it may be idle, unless it waits for another process */
#define LIMIT_SANDBOX_STILL_NS (UINT64_C(60) * 1000 * 1000 * 1000)
/* The process that downloads: bytes of memory, CPU seconds, and bytes of each file. */
#define LIMIT_DOWNLOADER_BYTES (UINT64_C(1) << 30)
#define LIMIT_DOWNLOADER_CPU_S 60
#define LIMIT_DOWNLOAD_BYTES (UINT64_C(4) << 30)

/* The unpacked bytes of a document or a core, without holes. BYTES are always permitted; beyond, a file may
 * become TIMES as large as what was read of it. A million goroutines are ten to forty times as large; zstd allows 30,000 times. */
#define LIMIT_UNPACKED_BYTES (UINT64_C(256) << 20)
#define LIMIT_UNPACKED_TIMES 500

/* counts; what is loaded of a document: elements, objects likewise; and frames of all groups */
#define LIMIT_MODEL_ROWS (UINT32_C(16) << 20)
#define LIMIT_MODEL_FRAMES (UINT32_C(50) << 20)
/* bytes of the members of a document that are kept parsed: parsed, they take up to a hundred times as much */
#define LIMIT_MODEL_HEADS (UINT64_C(8) << 20)

#endif
