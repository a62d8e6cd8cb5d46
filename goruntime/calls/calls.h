/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h - calls of Go functions, as a probe sees them: where in a file it has to be, what it must copy
 * for the arguments and the stack to be known, and what it copied, as memory that the rooms below read.
 * The main header of goruntime/calls. Reads the file of the program and what was copied, and no process;
 * knows nothing of the kernel's probes. */
#ifndef GOSNAP_CALLS_H
#define GOSNAP_CALLS_H

#include "goruntime/runtime/goroutine.h"
#include "goruntime/session/runtimes.h"
#include "goruntime/variables/variables.h"

struct calls;

/* The program with this descriptor, which stays the caller's; name is for messages. bias: where a process
 * has it. NULL: ERR_UNSUPPORTED, no Go runtime in it that gosnap knows; else as images_open_descriptor(). */
struct calls *calls_open(int file, const char *name, uint64_t bias,
			 struct warnings *warnings, struct err *err);
void calls_close(struct calls *c);
DEFINE_AUTO(struct calls, calls_close)

struct runtimes *calls_runtimes(const struct calls *c); /* of one runtime; borrowed */

/* What a probe needs to know of the runtime: offsets in its g. */
struct call_facts {
	uint32_t goid, stack_low, stack_high;
	uint32_t labels; /* 0: it has none that are copied */
	bool has_g;	 /* functions have the g in r14: from Go 1.17 on */
};
struct call_facts calls_facts(const struct calls *c);

/* Calls fn for each function by name until it returns false. Several may have one name. */
typedef bool call_function_fn(void *arg, const char *name, uint64_t entry, uint64_t end);
void calls_each_function(const struct calls *c, call_function_fn *fn, void *arg);

/* Where a probe meets each call of a function once, with registers and stack as at its entry: behind the
 * check of the stack, which may begin the function again. */
struct call_point {
	uint64_t entry, addr;
	uint64_t offset; /* of addr, in the file */
	bool repeated;	 /* a loop of the function leads there, too */
	bool wrapper;	 /* made by the compiler, to call another */
};
/* False: it is not in the file, or its code cannot be read. */
bool calls_point(const struct calls *c, uint64_t entry, uint64_t end,
		 struct call_point *ret);

/* Where it returns: at instructions that do, before they do. */
enum { CALL_RETURNS = 32 };
struct call_returns {
	uint64_t offset[CALL_RETURNS]; /* in the file */
	uint32_t count;
	bool others; /* it may also return elsewhere: there are more, or it jumps to another function */
};
void calls_returns(const struct calls *c, uint64_t entry, uint64_t end,
		   struct call_returns *ret);

/* What is copied of a call is one record: the registers 0 to 15, the top of the stack, and behind these
 * what steps copy. Each copies what a word of the record points to. */
enum {
	CALL_REGISTERS = 16,
	CALL_STACK_AT = CALL_REGISTERS * 8,
	CALL_STACK_BYTES = 256,
	CALL_LABELS_AT = CALL_STACK_AT + CALL_STACK_BYTES, /* a word: where labels are */
	CALL_COPIES_AT = CALL_LABELS_AT + 8,
	CALL_RECORD_BYTES = 2560,
	CALL_STEP_MAX = 512, /* bytes */
	CALL_OFFSETS =
		CALL_RECORD_BYTES -
		CALL_STEP_MAX, /* what steps read and where they write begins before it */
	CALL_STEPS = 32,
	CALL_NO_LENGTH = UINT16_MAX,
};
struct call_step {
	uint16_t addr_at;   /* in the record: the address */
	uint16_t length_at; /* the number of elements; CALL_NO_LENGTH: one */
	uint16_t size;	    /* of an element */
	uint16_t max;	    /* bytes */
	uint16_t to;	    /* in the record */
};
struct call_plan {
	struct call_step step[CALL_STEPS];
	uint32_t count;
};
/* For the arguments of the function at entry. Without debugging information there are no steps. */
void calls_plan(struct calls *c, uint64_t entry, struct call_plan *ret);
/* For its results, where it returns. */
void calls_plan_results(struct calls *c, uint64_t entry, struct call_plan *ret);

/* What was copied. Borrowed until the next calls_set(). */
struct call_record {
	const uint8_t *bytes;	      /* CALL_RECORD_BYTES */
	const struct call_plan *plan; /* that it was copied by */
	const uint16_t *copied;	      /* of each step, how many bytes; 0: it failed */
	const uint64_t (*pairs)
		[2]; /* by frame pointers, from that register on: what is at each */
	size_t pair_count;
	bool more_pairs;      /* were not copied */
	uint64_t stack_bytes; /* of CALL_STACK_BYTES, how many were copied */
	uint64_t entry;	      /* of the function, in the process */
	uint64_t g, goid, stack_low, stack_high; /* g 0: not known */
	pid_t tid;
};
/* Where the record has an argument, or a field behind it: "r.ID", copied by that plan. With length: that of
 * a string, slice, map or channel. False: err says why a probe cannot tell. */
enum { CALL_NO_STEP = UINT32_MAX };
struct call_word {
	uint16_t at;
	uint8_t size; /* bytes: 1, 2, 4 or 8 */
	bool is_signed;
	uint32_t
		step; /* copies it, if at least `need` bytes; CALL_NO_STEP: it is always there */
	uint16_t need;
	bool is_text; /* a string: the word is its length, the bytes are at text_at, by text_step */
	uint16_t text_at;
	uint32_t text_step;
	/* What leads to the length of a map or channel, which is 0 if that is nil. */
	bool may_be_nil;
	uint16_t nil_at, nil_need;
	uint32_t nil_step;
};
MUST_CHECK bool calls_word(struct calls *c, uint64_t entry, const struct call_plan *plan,
			   const char *path, bool length, struct call_word *ret,
			   struct err *err);
/* The profiler labels of the goroutine that was set, up to so many bytes of each text. Returns how many.
 * Before Go 1.24, of more than eight some of any. */
enum { CALL_LABELS = 3, CALL_LABEL_MAX = 32 };
struct call_label {
	char key[CALL_LABEL_MAX], value[CALL_LABEL_MAX];
	size_t key_len, value_len;
	uint64_t omitted; /* bytes of both */
};
size_t calls_labels(struct calls *c, struct call_label ret[CALL_LABELS]);
/* Calls fn for each result of the function that was set, where it returns. */
void calls_each_result(struct calls *c, variable_fn *fn, void *arg);
/* From now on this is what memory has. Returns the goroutine, its stack unwound; borrowed. */
const struct goroutine *calls_set(struct calls *c, const struct call_record *record);

#endif
