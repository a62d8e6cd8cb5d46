/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kill.h - what the programs of kill.bpf.c and their loader share. */
#ifndef GOSNAP_BPF_KILL_H
#define GOSNAP_BPF_KILL_H

#include <linux/types.h>
#include <stdbool.h>

enum {
	KILL_RANGES = 4,
	KILL_REGISTERS = 21, /* of struct pt_regs on amd64, in its order */
	KILL_AUXV = 48,	     /* words of the auxiliary vector */
	KILL_NAME = 16,
};

/* As struct fault_settings. */
struct kill_settings {
	__u64 cgroup_id;
	__u32 cgroup_level;
	bool all_kills; /* else only those for want of memory */
	bool only_pids; /* of kill_probes_add_pid() */
};

/* A file, by the kernel's own numbers: those of stat(2) are others on some file systems. */
struct kill_file {
	__u64 inode;
	__u32 device, padding;
};

struct kill_range {
	__u64 addr, size;
};

/* Of a program: addresses are as in its file, offsets are in the runtime's structs. */
struct kill_program {
	__u64 code; /* the lowest address of code */
	__u64 allgs;
	struct kill_range data[KILL_RANGES]; /* variables of the runtime are there */
	__u32 id, g_bytes, m_bytes; /* how much of these structs is of interest */
	__u16 g_stack_lo, g_stack_hi, g_m, g_sched_sp, g_syscallsp, m_g0, m_gsignal;
	__u16 padding;
};

/* What is told of a process, from the exit of its first thread to that of its last. Each begins so. */
enum kill_record_kind { KILL_MEMORY = 1, KILL_THREAD, KILL_END };
struct kill_record {
	__u32 kind, pid;
	__u64 start_boottime_ns; /* of the process */
};

/* KILL_MEMORY: bytes follow, to the end of the record. */
struct kill_memory {
	struct kill_record record;
	__u64 addr;
};

/* KILL_THREAD */
struct kill_thread {
	struct kill_record record;
	__u32 tid, tid_inside; /* as the process itself knows it */
	__u64 registers[KILL_REGISTERS];
	__u64 fs_base;
	char name[KILL_NAME];
};

/* KILL_END: all threads had ended. */
struct kill_end {
	struct kill_record record;
	__u32 program; /* id */
	__u32 uid, gid, parent, pid_inside, padding;
	__u32 by_oom, by_kernel; /* want of memory; else who sent it: */
	__u32 sender, sender_uid;
	char sender_name[KILL_NAME], name[KILL_NAME];
	__u64 at_ns, took_ns;	  /* CLOCK_MONOTONIC */
	__u64 goroutines;	  /* in the list */
	__u64 cut;		  /* of these, not read for want of time */
	__u64 no_room, absent;	  /* pieces of memory that were not copied */
	__u64 array, array_bytes; /* of the list, with what is reserved */
	__u64 bias;		  /* of addresses in memory over those in the file */
	__u64 auxv[KILL_AUXV];
};

#endif
