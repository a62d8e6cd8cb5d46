/* SPDX-License-Identifier: Apache-2.0 */
/* file_name.h - names of files with %p and the like. Knows no files. */
#ifndef GOSNAP_FILE_NAME_H
#define GOSNAP_FILE_NAME_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct file_name {
	const char *
		program; /* %e: without its folder, and without what is special in names */
	pid_t pid;	 /* %p */
	uint64_t time_ns; /* %t: 20261124T161500Z; the realtime clock */
	uint64_t number;  /* %n */
};
/* %% is a %. option is for messages. */
MUST_CHECK bool file_name_check(const char *option, const char *pattern, struct err *err);
/* Is it another for each snapshot of a process? pattern has been checked. */
bool file_name_differs(const char *pattern);
/* Allocated. pattern has been checked. */
char *file_name_make(const char *pattern, const struct file_name *name);

#endif
