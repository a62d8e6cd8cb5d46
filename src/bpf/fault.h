/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* fault.h - what the programs of fault.bpf.c and their loader share. */
#ifndef GOSNAP_BPF_FAULT_H
#define GOSNAP_BPF_FAULT_H

#include <linux/types.h>
#include <stdbool.h>

/* Where a Go process was when it began to die, which tells what the words there mean. */
enum fault_hook {
	FAULT_HOOK_PANIC = 1, /* runtime.fatalpanic: nothing recovered a panic */
	FAULT_HOOK_THROW, /* runtime.throw, runtime.fatal: the first argument is the text */
	FAULT_HOOK_DYING, /* runtime.startpanic_m: of a signal, if none of the others came before */
	FAULT_HOOK_EXIT, /* runtime.exit: with a status */
	FAULT_HOOK_FOREIGN, /* runtime.raisebadsignal: of a signal of a thread that Go does not know */
	/* What follows happens again and again, and the process goes on. */
	FAULT_HOOK_AGAIN,
	FAULT_HOOK_FUNCTION = FAULT_HOOK_AGAIN, /* any that was asked for */
	FAULT_HOOK_RECOVERED,			/* runtime.recovery */
	FAULT_HOOK_RECOVER, /* runtime.gorecover, with the frame of the caller as its argument */
	FAULT_HOOKS
};

/* A probe's cookie: a hook, and where arguments are; then, of FAULT_HOOK_FUNCTION, which one, or of
 * FAULT_HOOK_RECOVER the offsets of g._panic and _panic.recovered; then the number of the program. */
enum {
	FAULT_COOKIE_HOOK = 0xff,
	FAULT_COOKIE_STACK = 0x100,
	FAULT_COOKIE_FUNCTION_SHIFT = 16,
	FAULT_COOKIE_RECOVERED_SHIFT = 24,
	FAULT_COOKIE_PROGRAM_SHIFT = 32,
	FAULT_COOKIE_BYTE = 0xff,
};

enum {
	FAULT_TEXT = 256,
	FAULT_STATUSES = 256,
	FAULT_SLOTS = 256, /* threads that are held at once */
};

/* How a process is kept until its threads are stopped. */
enum fault_hold {
	FAULT_HOLD_ABLE, /* as well as the kernel can */
	FAULT_HOLD_SPIN, /* the thread waits in the kernel */
	FAULT_HOLD_STOP, /* by SIGSTOP, of which its parent hears */
};

/* Of FAULT_HOLD_STOP: who is stopped is known before the signal is sent, to all that have this memory, so
 * that somebody lets the process go, whatever becomes of those that read events. */
enum { FAULT_STOP_SENT = 1, FAULT_STOP_SHIFT = 1 };
struct fault_stop {
	__u64 state; /* 0: free. Else the number of the event, shifted, and whether the signal was sent */
	/* Stays when it is free again. */
	__u64 at_ns, start_boottime_ns; /* as in the event */
	__u64 parent_start_boottime_ns;
	__u32 pid, parent; /* 0: none, or it was stopped before */
};
struct fault_stops {
	struct fault_stop list[FAULT_SLOTS]; /* by numbers of events */
	__u64 heard; /* by user space: the number of the event that was read last */
	__u32 none; /* by user space: nothing is to be stopped, as nobody would let it go */
	__u32 padding;
};

/* What is told, of whom. Changes while probes stay where they are. */
struct fault_settings {
	__u64 hold_ns;	    /* how long a thread is kept at most */
	__u64 again_ns;	    /* of what happens again and again, each kind in each program
				 * is told once in this time */
	__u64 cgroup_id;    /* inode of a folder of cgroup v2; 0: any */
	__u32 cgroup_level; /* its depth; 0: the root */
	__u32 one_recovered_of;	    /* so many is told; not 0 */
	bool only_pids;		    /* of fault_probes_add_pid() */
	bool with_terminals;	    /* also processes with a controlling terminal */
	bool exits[FAULT_STATUSES]; /* statuses with which exits are told */
};

enum fault_event_kind { FAULT_EVENT_DYING = 1, FAULT_EVENT_EXEC };

/* FAULT_EVENT_EXEC: a process runs another program. */
struct fault_exec {
	__u32 kind, pid;
};

struct fault_event {
	__u32 kind, pid, tid, uid;
	__u64 at_ns;		 /* CLOCK_MONOTONIC */
	__u64 number;		 /* from 1; what releases the thread */
	__u64 start_boottime_ns; /* of the process */
	__u32 hook, text_len;
	__u32 status;	/* of FAULT_HOOK_EXIT */
	__u32 function; /* of FAULT_HOOK_FUNCTION: as in its cookie */
	__u32 program;	/* as fault_probes_attach() had it */
	char text[FAULT_TEXT];
};

#endif
