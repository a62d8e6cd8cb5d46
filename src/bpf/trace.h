/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* trace.h - what the program of trace.bpf.c and its loader share. */
#ifndef GOSNAP_BPF_TRACE_H
#define GOSNAP_BPF_TRACE_H

#include <linux/types.h>

enum {
	TRACE_POINTS = 1024,
	TRACE_PAIRS = 64,
	TRACE_REGISTERS = 16,
	TRACE_STACK = 256,				     /* bytes */
	TRACE_LABELS_AT = TRACE_REGISTERS * 8 + TRACE_STACK, /* in the record */
	TRACE_RECORD = 2560,				     /* bytes */
	TRACE_STEPS = 32,
	TRACE_STEP_MAX = 512, /* bytes */
	TRACE_OFFSETS = 2048, /* steps write to no offset beyond; a power of two */
	TRACE_NO_LENGTH = 0xffff,
	/* A probe's cookie: a point, and behind it, of its returns, the number from 1 on. */
	TRACE_COOKIE_POINT = 0xffff,
	TRACE_COOKIE_SHIFT = 16,
	/* Of times: bucket n has those below 2^(n + TRACE_FIRST) ns, the last also those beyond. */
	TRACE_BUCKETS = 32,
	TRACE_FIRST = 8,
};

/* Copies what a word of the record points to, behind it. */
struct trace_step {
	__u16 addr_at, length_at; /* in the record; TRACE_NO_LENGTH: one element */
	__u16 size, max;	  /* of an element; in bytes */
	__u16 to;
};

struct trace_plan {
	__u32 count;
	struct trace_step step[TRACE_STEPS];
};

/* Compares what a record has at `at` with a value. */
enum trace_comparison {
	TRACE_EQUAL,
	TRACE_UNEQUAL,
	TRACE_LESS,
	TRACE_LESS_OR_EQUAL,
	TRACE_GREATER,
	TRACE_GREATER_OR_EQUAL,
};
enum {
	TRACE_CONDITIONS = 8,
	TRACE_TEXT_WORDS = 8,
	TRACE_NO_STEP = 0xffff,
	TRACE_NO_NIL = 0xffff,
};
struct trace_condition {
	__u16 at;
	__u16 step,
		need; /* at least so many bytes that this step copied; TRACE_NO_STEP */
	__u8 size, is_signed, comparison;
	__u8 is_text; /* the value is a length; its bytes, too: */
	__u16 text_at, text_step;
	/* The pointer that leads to it, which counts as 0 if it is nil; as `at`, `step` and `need` of that.
	 * TRACE_NO_NIL: none. */
	__u16 nil_at, nil_step, nil_need;
	__u64 value;
	__u64 text[TRACE_TEXT_WORDS], mask[TRACE_TEXT_WORDS];
};
/* All of them. */
struct trace_conditions {
	__u32 count;
	struct trace_condition list[TRACE_CONDITIONS];
};

/* Of a function: returns whose call was seen, by the time between; and others. */
struct trace_times {
	__u64 bucket[TRACE_BUCKETS];
	__u64 total_ns, unmatched;
};

/* A call at which the process is to be stopped. Its thread is kept until then. */
struct trace_stop {
	__u64 number; /* from 1; what releases the thread */
	__u64 call;   /* as struct trace_hit.number */
	__u64 at_ns;
	__u32 point, pid, tid, padding;
};

struct trace_hit {
	__u32 point, pid, tid, pairs;
	__u64 at_ns; /* CLOCK_MONOTONIC */
	__u64 ip;
	__u64 g, goid, stack_low, stack_high; /* g 0: not known */
	__u64 number;			      /* of the call; 0: a return without one */
	__u64 took_ns;			      /* of a return with one */
	__u32 stack;			      /* bytes of it that were copied */
	__u32 is_return; /* the number of the return, from 1 on; 0: it is a call */
	__u16 copied[TRACE_STEPS]; /* bytes, by step */
	/* By frame pointers: what is where the register of the record points to, and so on. */
	__u64 pair[TRACE_PAIRS][2];
	__u8 record
		[TRACE_RECORD]; /* registers, the top of the stack, what steps copied */
};

#endif
