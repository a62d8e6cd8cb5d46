/* SPDX-License-Identifier: Apache-2.0 */
/* conditions.h - all that decides in which way a process can be captured, and what that
 * would cost it. Read from /proc while it runs: nothing is stopped or changed. plan.h judges;
 * whether we may examine it at all is refusal.h's. */
#ifndef GOSNAP_CONDITIONS_H
#define GOSNAP_CONDITIONS_H

#include <sys/types.h>

#include "lib/base/util.h"
#include "lib/procfs/cgroup.h"

/* What this kernel can do, found out by trying. */
struct kernel_features {
	char release[65];
	bool close_range;      /* 5.9: a copy can let go of the subject's open files */
	bool process_vm_readv; /* several pieces of memory in one call */
	bool pagemap;	       /* which pages are present */
	bool pagemap_scan;     /* 6.7: and which of them are huge */
};
void kernel_features_probe(struct kernel_features *ret);

/* Ourselves: what we run as. */
struct our_rights {
	uid_t uid;
	bool ptrace; /* CAP_SYS_PTRACE */
	/* These two count only in the first user namespace, and say so. */
	bool admin;    /* CAP_SYS_ADMIN */
	bool resource; /* CAP_SYS_RESOURCE */
	bool realtime; /* SCHED_FIFO: CAP_SYS_NICE, or RLIMIT_RTPRIO */
	bool seccomp;  /* a filter is on ourselves */
};
void our_rights_read(struct our_rights *ret);

/* Bytes, and tasks: processes and threads. 0: not known. */
struct machine {
	uint64_t memory_available;
	int overcommit; /* vm.overcommit_memory */
	uint64_t commit_limit, committed;
	uint64_t tasks, tasks_max;
	uint64_t page_ns; /* conditions_price(), where it was asked; 0: it was not */
};
void machine_read(struct machine *ret);

struct conditions {
	struct kernel_features kernel;
	struct our_rights ours;
	struct machine machine;

	pid_t pid; /* 0: of no process, what follows is empty */
	bool exists;
	char name[64];
	pid_t tracer; /* 0: none */
	char tracer_name[64];
	bool group_stopped; /* by SIGSTOP and the like */
	int seccomp;	    /* of its first thread: 0 none, 1 strict, 2 a filter */
	int elf_class;	    /* 1 = 32 bits, 2 = 64, 0 unknown */
	bool vfork; /* a thread waits for a child that still runs in the same memory */
	uint64_t threads, mappings;
	/* Bytes: present private memory; of that in huge pages; swapped out; shared; page
	 * tables; mlock'ed; what writable private mappings commit to. */
	uint64_t anonymous, huge, swapped, shared, page_tables, locked, committed;
	/* RLIMIT_NPROC, counted when it is near; not set: it does not apply. */
	struct cgroup_limit processes;
	struct cgroup cgroup;
};

/* For most processes a millisecond, for 1,000 threads some ten. page_ns is left 0. */
void conditions_read(pid_t pid, struct conditions *ret);

/* Nanoseconds that fork takes for each page of 4 KB, now on this machine; measured on
 * ourselves within some ten milliseconds. 0: it could not be. */
uint64_t conditions_price(void);

/* May we trace anything at all? Tried on a child of ours. */
bool conditions_may_trace(void);

/* Does it stand still without our doing? */
bool conditions_stand_still(const struct conditions *c);

/* What a gosnap that was killed leaves of the copy of pid: zombies that nobody is told of.
 * At most max pids. False: not all could be looked at, errno says why. */
bool conditions_leftovers(pid_t pid, pid_t *ret, size_t max, size_t *ret_n);

#endif
