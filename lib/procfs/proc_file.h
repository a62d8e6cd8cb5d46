/* SPDX-License-Identifier: Apache-2.0 */
/* proc_file.h - reads and parses small text files of /proc. */
#ifndef GOSNAP_PROC_FILE_H
#define GOSNAP_PROC_FILE_H

#include <sys/types.h>

#include "lib/base/util.h"

/* Contents of /proc/PID/NAME; the caller frees them. NULL: errno says why. */
char *proc_file(pid_t pid, const char *name);

/* The value after "key:" and blanks. NULL: no such line, or no text. */
const char *proc_line(const char *text, const char *key);
/* The same as a number; 0: missing. */
uint64_t proc_number(const char *text, const char *key, int base);
/* The process name from a status file, with the kernel's escapes. */
void proc_name(const char *status, char *ret, size_t size);

/* Field number field (3 or more) of a stat file, counted from the end of comm, which may
 * contain any bytes. NULL: missing. */
const char *proc_stat_field(const char *stat, unsigned field);

/* The first len bytes of the executable. False also when it is not an ELF file. */
bool proc_elf_head(pid_t pid, unsigned char *ret, size_t len);

#endif
