/* SPDX-License-Identifier: Apache-2.0 */
/* crashed.h - the process of a crash. It stays until its core was read to the end, unless somebody kills it
 * as it dumps; with core_pipe_limit 0 it may be gone right after. From then on its pid can be another's, so
 * all that is read of /proc by pid is believed only if crashed_is_there() afterwards.
 *
 * Threads are those of the notes, with all their registers. /proc/TID/syscall has the same sp and pc of each,
 * and no more (compared on Linux 6.18: 1,404 threads of 1,404, with notes of 4.7 MB), so it is not read. It could
 * only help if there were a process without notes, and there is none: elf_core_dump() makes the
 * notes of every thread that coredump_wait() has stopped before it writes a byte (fs/binfmt_elf.c),
 * core_file_note_size_limit bounds NT_FILE only, and a stream that ends within its notes is of a process that
 * was killed, of which /proc has no more either. What is left is a kernel without memory for the notes: its
 * stream is empty, which is reported.
 *
 * Allocates nothing, but in crashed_is_other(). */
#ifndef GOSNAP_CRASHED_H
#define GOSNAP_CRASHED_H

#include "src/handler/crash.h"

/* Before anything else: sets crash->folder, if /proc/PID is what the kernel's words, and the descriptor of
 * the process, if there is one, say that it is. */
void crashed_open(struct crash *crash);

/* With memory and files. Once false, it stays so. */
bool crashed_is_there(const struct crash *crash);

/* A file of /proc/PID, never of another process. -1: none. */
int crashed_file(const struct crash *crash, const char *name, int flags);

/* Text of the status of the thread that died, or else of the first, until the next call of any of these. NULL:
 * none. */
const char *crashed_status(const struct crash *crash);

/* To whom its documents belong. Root, if it had rights that its user has not, or nobody knows. */
void crashed_owner(const struct crash *crash, uid_t *ret_uid, gid_t *ret_gid);

/* Its executable is there, and has no mark of the Go linker: for those who do not believe what else was
 * found in it. Nothing is parsed. A Go library in a C program has no such mark. */
bool crashed_is_other(const struct crash *crash);

#endif
