/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - memory, mappings and threads of the examined process. Addresses are the
 * subject's: never dereference them. All data is untrusted: a subject can write
 * anything into its own memory. Whoever opens a target closes it, after everything
 * that reads it. Knows processors (arch.h), but nothing of ptrace, ELF or Go: the
 * functions that read are in the target. */
#ifndef GOSNAP_TARGET_H
#define GOSNAP_TARGET_H

#include <signal.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "lib/target/arch.h"

struct memory_set;
struct target;

struct target_mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* of start, in the file */
	uint64_t inode;	     /* 0: not a file */
	uint32_t device_major, device_minor;
	bool readable, writable, executable, shared;
	const char *path; /* as the subject sees it, "" if anonymous; " (deleted)" kept */
};

/* One piece of a vectored read. */
struct target_span {
	uint64_t addr;
	void *buf;
	size_t len;
	bool done; /* set by the read: buf is complete */
};

struct target_thread {
	pid_t tid;	  /* in our pid namespace */
	pid_t tid_inside; /* in the subject's: the Go runtime's procid */
	char name[32];
	char state;	    /* from /proc, before we stopped it; 0: unknown */
	char wchan[64];	    /* "" if unknown or not blocked */
	char *kernel_stack; /* NULL: not readable */
	bool has_cpu;
	uint64_t cpu_ns;
	uint64_t ran_ns; /* CLOCK_MONOTONIC, when it was last given a processor, before we
			  * stopped it; 0: unknown */
	bool filtered;	 /* its system calls are, by seccomp */
	bool stopped;	 /* registers below are known; otherwise sp and pc may be */
	bool blocked; /* not stopped: in the kernel, and stops before it leaves it at pc */
	const char *why; /* if not stopped, a static sentence */
	struct regs regs;
	struct vector_regs vectors;
	bool in_syscall;
	int64_t syscall_number;
	uint64_t syscall_args[6];
	bool has_siginfo; /* in a signal-delivery stop */
	siginfo_t siginfo;
};

static inline bool target_thread_sleeps(const struct target_thread *th)
{
	return th->state == 'S' || th->state == 'D';
}

/* At sp and pc of its registers. */
static inline bool target_thread_stands_still(const struct target_thread *th)
{
	return th->stopped || th->blocked;
}

/* A backend is one const table in one file. */
struct target_ops {
	const char *name; /* "live", "copy", "extents", "image"; others in tests */
	/* Copies exactly len bytes, or none. */
	bool (*read)(void *self, uint64_t addr, void *buf, size_t len, struct err *err);
	/* Sorted spans are faster. Sets done on each span. NULL: reads them one by
	 * one. */
	void (*read_many)(void *self, struct target_span *spans, size_t n);
	void (*close)(void *self);
};

/* For backends. The target takes ownership of self and closes it. */
struct target *target_new(const struct target_ops *ops, void *self, pid_t pid,
			  const struct arch *arch);
void target_close(struct target *t); /* NULL is fine */
DEFINE_AUTO(struct target, target_close)

/* For backends: replaces the lists. The target takes ownership of the arrays, mapping
 * paths and kernel stacks (all from the x-allocators). */
void target_set_mappings(struct target *t, struct target_mapping *mappings, size_t n);
void target_set_threads(struct target *t, struct target_thread *threads, size_t n);
/* For backends: copies the mappings, threads and auxiliary vector of another target. */
void target_set_lists(struct target *to, const struct target *from);
/* For backends: copies the auxiliary vector, pairs of type (AT_*) and value. */
void target_set_auxv(struct target *t, const uint64_t *pairs, size_t n);

pid_t target_pid(const struct target *t);
const struct arch *target_arch(const struct target *t);
void *target_self(const struct target *t,
		  const struct target_ops *ops); /* NULL: has other ops */

/* Copies exactly len bytes, or none. ERR_FAULT names the first unreadable address, if
 * target_may_name() addr; ERR_LIMIT: the work budget is exhausted. */
MUST_CHECK bool target_read(struct target *t, uint64_t addr, void *buf, size_t len,
			    struct err *err);
/* The same for memory in which something is looked for, or that is read ahead of it. */
MUST_CHECK bool target_search(struct target *t, uint64_t addr, void *buf, size_t len,
			      struct err *err);
/* Adds what is read from now on, what is searched, and words that may be older than what they
 * belong to, to these sets (memory_set.h, borrowed; NULL: to none). Returns those from before. */
struct target_record {
	struct memory_set *read, *searched, *words;
};
struct target_record target_record(struct target *t, struct target_record record);
bool target_is_recorded(const struct target *t);
/* While it is set, all that is read is searched. Returns what it was before. */
bool target_set_searching(struct target *t, bool searching);
/* This was found there, and counts as read. */
void target_found(struct target *t, uint64_t addr, size_t len);
void target_found_words(struct target *t, uint64_t addr, size_t len);
/* What was found is part of this, which is searched, too, if that is recorded: other readers read it
 * as a whole. */
void target_found_in(struct target *t, uint64_t addr, size_t len);
/* A little-endian word of 1 to 8 bytes, zero extended. */
MUST_CHECK bool target_read_uint(struct target *t, uint64_t addr, size_t size,
				 uint64_t *ret, struct err *err);
/* The end for a search of [start, end): at most LIMIT_SCAN_BYTES on, and low enough that
 * no step overflows the address space. */
uint64_t target_scan_end(uint64_t start, uint64_t end);
/* Spans need not be sorted. Each counts as one read in the budget. */
void target_read_many(struct target *t, struct target_span *spans, size_t n);

/* Sorted by address; borrowed, valid until the lists are replaced or the target
 * closed. */
const struct target_mapping *target_mappings(const struct target *t, size_t *ret_n);
const struct target_mapping *target_mapping_at(const struct target *t, uint64_t addr);
/* May messages contain this address? Outside of mappings it may not be an address but any
 * eight bytes, such as a secret's. */
bool target_may_name(const struct target *t, uint64_t addr);
const struct target_thread *target_threads(const struct target *t, size_t *ret_n);
/* An entry of the auxiliary vector: AT_ENTRY, AT_PHDR, ... False: unknown. */
bool target_auxv(const struct target *t, uint64_t type, uint64_t *ret);
/* All of it, in its order: pairs of type and value. Borrowed. */
const uint64_t *target_auxv_pairs(const struct target *t, size_t *ret_n);

/* How many reads failed though something is there, or may be: it was not captured in time,
 * or the process has exited. */
uint64_t target_missed(const struct target *t);
/* Forgets those since there were that many: nothing depends on what they were to read. */
void target_forget_missed(struct target *t, uint64_t before);

/* The work budget: one counter of reads and steps for the whole run, and one for the
 * current unit (a goroutine, a thread). It bounds hostile counts and cycles. */
void target_budget_unit(struct target *t); /* starts a new unit */
MUST_CHECK bool target_spend(struct target *t, uint64_t steps, struct err *err);

#endif
