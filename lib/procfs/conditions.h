/* SPDX-License-Identifier: Apache-2.0 */
/* conditions.h - the facts that decide how a process can be captured and what that costs
 * it. Read from /proc while the process runs: nothing is stopped or changed. plan.h
 * evaluates them; access_check.h decides whether we may examine the process at all. */
#ifndef GOSNAP_CONDITIONS_H
#define GOSNAP_CONDITIONS_H

#include <sys/types.h>

#include "lib/base/util.h"
#include "lib/procfs/cgroup.h"

/* Kernel features, found by trying them. */
struct kernel_features {
	char release[65];
	bool close_range;      /* 5.9: a copy can drop the subject's open files */
	bool process_vm_readv; /* reads several pieces of memory in one call */
	bool pagemap;	       /* shows which pages are present */
	bool pagemap_scan;     /* 6.7: also shows which of them are huge */
};
void kernel_features_probe(struct kernel_features *ret);

/* What we ourselves are allowed to do. */
struct our_rights {
	uid_t uid;
	bool ptrace; /* CAP_SYS_PTRACE */
	/* Only true in the initial user namespace, where they count. */
	bool admin;    /* CAP_SYS_ADMIN */
	bool resource; /* CAP_SYS_RESOURCE */
	bool realtime; /* may use SCHED_FIFO: CAP_SYS_NICE, or RLIMIT_RTPRIO */
	bool seccomp;  /* we run under a filter */
};
void our_rights_read(struct our_rights *ret);

/* Bytes; tasks are processes and threads. 0: unknown. */
struct host_resources {
	uint64_t memory_available;
	int overcommit; /* vm.overcommit_memory */
	uint64_t commit_limit, committed;
	uint64_t tasks, tasks_max;
	uint64_t page_ns; /* conditions_price() if it was called, else 0 */
};
void machine_read(struct host_resources *ret);

struct conditions {
	struct kernel_features kernel;
	struct our_rights ours;
	struct host_resources machine;

	pid_t pid; /* 0: no process; the rest is empty */
	bool exists;
	char name[64];
	pid_t tracer; /* 0: none */
	char tracer_name[64];
	bool group_stopped; /* by SIGSTOP or the like */
	int seccomp;	    /* of its first thread: 0 none, 1 strict, 2 a filter */
	int elf_class;	    /* 1 = 32 bits, 2 = 64, 0 unknown */
	bool vfork; /* a thread waits for a vfork child that still shares the memory */
	uint64_t threads, mappings;
	/* Bytes: present private memory; of it, huge pages; swapped out; shared; page
	 * tables; mlocked; committed by writable private mappings. */
	uint64_t anonymous, huge, swapped, shared, page_tables, locked, committed;
	/* RLIMIT_NPROC, counted only when usage is close; not set if it does not
	 * apply. */
	struct cgroup_limit processes;
	struct cgroup cgroup;
};

/* Takes a millisecond for most processes, some ten for 1,000 threads. page_ns is left
 * 0. */
void conditions_read(pid_t pid, struct conditions *ret);

/* Nanoseconds that fork takes per 4 KB page now on this machine, measured on ourselves in
 * some ten milliseconds. 0: could not be measured. */
uint64_t conditions_price(void);

/* May we trace anything at all? Tested on a child of ours. */
bool conditions_may_trace(void);

/* Is the process stopped already, without us? */
bool conditions_stand_still(const struct conditions *c);

enum { CONDITIONS_LEFTOVERS = 16 }; /* that are counted in a warning */
/* Zombies that a killed gosnap left of its copies of pid, and what will be one in a moment;
 * the kernel signals nobody about them. At most max pids. False: not all could be checked;
 * errno says why. */
bool conditions_leftovers(pid_t pid, pid_t *ret, size_t max, size_t *ret_n);

#endif
