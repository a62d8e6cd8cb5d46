/* SPDX-License-Identifier: Apache-2.0 */
/* proc_file.h - the small text files of /proc and what stands in them. */
#ifndef GOSNAP_PROC_FILE_H
#define GOSNAP_PROC_FILE_H

#include <sys/types.h>

#include "lib/base/util.h"

/* /proc/PID/NAME, the caller's. NULL and errno: it cannot be read. */
char *proc_file(pid_t pid, const char *name);

/* What follows "key:" and blanks in its line. NULL: no such line, or no text. */
const char *proc_line(const char *text, const char *key);
/* The same as a number; 0: there is none. */
uint64_t proc_number(const char *text, const char *key, int base);
/* The name of the process in a status text, with the kernel's escapes in it. */
void proc_name(const char *status, char *ret, size_t size);

/* Field number field, 3 or more, of a stat text: comm, the second, holds any bytes. NULL:
 * there is none. */
const char *proc_stat_field(const char *stat, unsigned field);

/* The first len bytes of its executable, when that is an ELF file. */
bool proc_elf_head(pid_t pid, unsigned char *ret, size_t len);

#endif
