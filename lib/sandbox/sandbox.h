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

/* What the parent may renew while the sandbox lives, from services of its own. */
struct sandbox_allowance {
	unsigned starts;   /* how many processes it may start from now on */
	uint64_t until_ns; /* monotonic: when it is ended; 0: never */
};

/* Workers that it may start besides, in place of those that die. */
enum { SANDBOX_SPARE_WORKERS = 16 };

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
		bool of_series; /* it is looked at anew in there, before each snapshot */
	} subject;
	bool cache; /* it may use the cache of names */
	/* It may accept connections of a socket that it is given, which listens. It makes none. */
	bool server;
	/* See broker.h. NULL: none. */
	const struct sandbox_service *services[SANDBOX_SERVICES];
	/* How many processes of its own it may have at once, which are to end with it; 0: it can start
	 * none. Where there are some, the process is the leader of a group, and only it starts them. How
	 * much memory they have together is only looked at now and then, and with CAP_SYS_PTRACE; how many
	 * they are, too, if not sandbox_bounds_workers(). */
	unsigned workers;
	/* NULL: of the workers, and of max_ns. */
	struct sandbox_allowance *allowance;
	/* Threads for thread_start(), made before it reads anything: it can start none itself. */
	unsigned threads;
	uint64_t max_ns; /* how long it may take; 0: as long as it likes, but CPU time */
	/* How long it may be idle: still.c. Time does not count while it waits for an answer, for the other end of
	 * a pipe, or for a person at the pager. 0: as long as it likes. */
	uint64_t max_still_ns;
#define SANDBOX_RESTS UINT64_MAX /* likewise, and no default applies */
	/* How large each file may become that it writes to; writing beyond is an error, EFBIG. 0: as
	 * large as it likes. Pipes and devices are no files. */
	uint64_t max_file_bytes;
	/* How many temporary files the parent may open for it, so that it is known how much all of them can
	 * have; more are an error, ENFILE. 0: as many as it likes. */
	unsigned max_files;
};

void sandbox_add_services(struct sandbox *how, const struct sandbox_service *services);

/* Runs work(arg) in the sandbox; what it returns, a small number, becomes *ret, and nothing else
 * that it changes is seen here. False: it did not return. ERR_SYS: err says what happened to it; *ret is
 * the signal that ended it, or 0, or SANDBOX_NONE: it did not begin. */
enum { SANDBOX_NONE = -1 };
MUST_CHECK bool sandbox_run(const struct sandbox *how, int (*work)(void *arg), void *arg,
			    int *ret, struct err *err);

/* Part of that, for who starts one from a process of his own: closes all descriptors but channel, 0 to 2 and
 * those to be kept. */
void sandbox_close_others(const struct sandbox *how, int channel);

/* From now on, no sandbox has this memory, which we share with others outside: whoever took a sandbox over could
 * write what they believe. For as long as this process lives. */
void sandbox_withhold(void *memory, size_t size);
/* Likewise all that is mapped under that name now. */
void sandbox_withhold_mapped(const char *name);

/* For tests, in a place named so: does what GOSNAP_TRESPASS=WHAT@PLACE says. */
void sandbox_trespass(const char *place);

/* Are we in one? */
bool sandbox_is_closed(void);

/* A number that all processes in this sandbox share: they cannot have other memory in common. */
_Atomic uint64_t *sandbox_shared_number(void);

/* Does the kernel bound the workers? It asks us before each, since Linux 5.7; for root, it also counts
 * them: of a user, it would count all processes. */
bool sandbox_bounds_workers(void);

/* NULL: a sandbox is possible; else why this build has none. */
const char *sandbox_missing(void);

#endif
