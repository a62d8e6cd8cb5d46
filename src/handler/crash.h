/* SPDX-License-Identifier: Apache-2.0 */
/* crash.h - one crash as the kernel describes it, and the names that it makes of that for core files
 * and handlers. Knows core(5) and fs/coredump.c of Linux 6.18. */
#ifndef GOSNAP_CRASH_H
#define GOSNAP_CRASH_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

/* What core-pipe is given, in this order: a kernel that does not know one leaves it empty. CRASH_PIDFD
 * only where the kernel passes one. */
#define CRASH_WORDS "%P %I %s %c %d %t %p %i %u %g %C %h %e %f %E"
#define CRASH_PIDFD " %F"
#define CRASH_ARGUMENTS CRASH_WORDS CRASH_PIDFD

enum { CRASH_LETTERS = 128, CRASH_TEXT = 4096 };

struct crash {
	uint64_t realtime_ns; /* when we heard of it */
	pid_t pid, tid;	      /* in our namespace */
	int signal;
	uint64_t limit;			 /* RLIMIT_CORE */
	bool guarded;			 /* set-uid and the like: the core is root's */
	int pidfd;			 /* -1: none */
	int folder;			 /* /proc/PID; -1: not there. See crashed.h */
	const char *word[CRASH_LETTERS]; /* of each specifier; NULL: none */
};

/* From the words of the command line, which are borrowed. ERR_USAGE. */
MUST_CHECK bool crash_read(int n, char *const *words, struct crash *ret, struct err *err);

/* A pattern of core_pattern, without its "|", as one word: at most CRASH_TEXT bytes with the zero.
 * False: it is longer. */
bool crash_expand(const struct crash *crash, const char *pattern,
		  char ret[static CRASH_TEXT]);
/* The name of a core file: also with core_uses_pid. */
bool crash_core_name(const struct crash *crash, const char *pattern, bool uses_pid,
		     char ret[static CRASH_TEXT]);

#endif
