/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h - runs what reads hostile bytes in a child of its own, which has no power over the
 * machine: no capabilities, no new privileges, Landlock where the kernel has it, the system calls
 * of syscalls.def and no others, limits on memory, CPU and time, and the descriptors that it is
 * given. What else it needs, it asks its parent for (broker.h), which answers by its own rules and
 * believes nothing.
 *
 * However the child ends, the parent lives on and says so; when the parent ends, the child is
 * killed, and when the child has ended, all its children are. Knows processes and their files,
 * nothing of what the child does. */
#ifndef GOSNAP_SANDBOX_H
#define GOSNAP_SANDBOX_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct sandbox_service;

enum { SANDBOX_DESCRIPTORS = 8, SANDBOX_PATHS = 8, SANDBOX_SERVICES = 4 };

/* Borrowed. */
struct sandbox {
	/* Open in the child, besides 0, 1 and 2. */
	int keep[SANDBOX_DESCRIPTORS];
	size_t keep_count;
	/* Files and folders that the user named: opened for it, whatever they are. NULL: none. */
	const char *named[SANDBOX_PATHS];
	/* Programs, libraries and debug files are opened for it, by any name: regular files of no
	 * kernel file system that begin as one of these does. Of others it is told ENOEXEC. */
	bool programs;
	/* The process that is examined; pid 0: none. folder: /proc/PID, so that it stays this one.
	 * Some files of /proc are opened of it, and of what is_copy() says is its copy (NULL: nothing
	 * is): see files_proc.c. */
	struct sandbox_subject {
		pid_t pid;
		int folder;
		bool (*is_copy)(void *arg, pid_t pid);
		void *arg;
	} subject;
	bool cache; /* it may use the cache of names */
	/* See broker.h. NULL: none. */
	const struct sandbox_service *services[SANDBOX_SERVICES];
	uint64_t max_ns; /* how long it may take; 0: as long as it likes, but CPU time */
	/* How large each file may become that it writes to; writing beyond is an error, EFBIG. 0: as
	 * large as it likes. Pipes and devices are no files. */
	uint64_t max_file_bytes;
};

void sandbox_add_services(struct sandbox *how, const struct sandbox_service *services);

/* Runs work(arg) in the sandbox; what it returns, a small number, becomes *ret, and nothing else
 * that it changes is seen here. False: it did not return. ERR_SYS: err says what happened to it; *ret is
 * the signal that ended it, or 0. */
MUST_CHECK bool sandbox_run(const struct sandbox *how, int (*work)(void *arg), void *arg,
			    int *ret, struct err *err);

/* For tests, in a place named so: does what GOSNAP_TRESPASS=WHAT@PLACE says. */
void sandbox_trespass(const char *place);

/* Are we in one? */
bool sandbox_is_closed(void);

/* NULL: a sandbox is possible; else why this build has none. */
const char *sandbox_missing(void);

#endif
