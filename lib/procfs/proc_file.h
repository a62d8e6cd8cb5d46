/* SPDX-License-Identifier: Apache-2.0 */
/* proc_file.h - reads and parses small text files of /proc. */
#ifndef GOSNAP_PROC_FILE_H
#define GOSNAP_PROC_FILE_H

#include <linux/capability.h>
#include <sys/types.h>

#include "lib/base/util.h"

/* Contents of /proc/PID/NAME; the caller frees them. NULL: errno says why. */
char *proc_file(pid_t pid, const char *name);

/* The value after "key:" and blanks. NULL: no such line, or no text. */
const char *proc_line(const char *text, const char *key);
/* The same as a number; 0: missing. */
uint64_t proc_number(const char *text, const char *key, int base);
/* The IDs that a process or thread has in pid namespaces, by a status file: from ours inwards.
 * Returns how many; writes at most max. */
enum {
	PROC_NAMESPACES = 33
}; /* MAX_PID_NS_LEVEL (linux/pid_namespace.h), and the first */
size_t proc_ids(const char *status, pid_t *ret, size_t max);
/* The process name from a status file, with the kernel's escapes. */
void proc_name(const char *status, char *ret, size_t size);

/* A field of a stat file (proc_pid_stat(5)), counted from the end of comm, which may contain
 * any bytes. NULL: missing. */
enum proc_stat {
	PROC_STAT_STATE = 3,
	PROC_STAT_PARENT = 4,
	PROC_STAT_FLAGS = 9,
	PROC_STAT_USER_TIME = 14, /* in ticks; the next one is that in the kernel */
	PROC_STAT_START = 22,
	PROC_STAT_PENDING = 31, /* signals of this thread, the first in the lowest bit */
	PROC_STAT_EXIT_SIGNAL = 38,
};
const char *proc_stat_field(const char *stat, enum proc_stat field);
/* The same as a number; 0: missing. */
uint64_t proc_stat_number(const char *stat, enum proc_stat field);
/* Has the thread of that stat file exited, or begun to exit? True also if a field is missing. */
bool proc_stat_is_exiting(const char *stat);
/* When it began, in ticks since the machine did; 0: there is no such process. */
uint64_t proc_started(pid_t pid);
/* Is it the process that began then, in nanoseconds as the kernel's programs have it? */
bool proc_is_of(pid_t pid, uint64_t start_boottime_ns);

/* set: CapEff of a status file; capability: CAP_SYS_ADMIN, ... */
static inline bool has_capability(uint64_t set, unsigned capability)
{
	return set >> capability & 1;
}

/* The first len bytes of the executable. False also when it is not an ELF file. */
bool proc_elf_head(pid_t pid, unsigned char *ret, size_t len);

#endif
