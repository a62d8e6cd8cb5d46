/* SPDX-License-Identifier: Apache-2.0 */
/* raw_stack.h - a goroutine's own stack as words: which frame each belongs to, where
 * return addresses, frame pointers, variables and arguments lie, and which words are
 * addresses of code. Looks into no value and judges no word: whether one may be shown is
 * for others to say. */
#ifndef GOSNAP_RAW_STACK_H
#define GOSNAP_RAW_STACK_H

#include "goruntime/frames/frames.h"
#include "goruntime/runtime/goroutine.h"
#include "goruntime/types/type.h"
#include "lib/target/arch.h"

struct runtimes;

/* Bytes kept of a stack, from its innermost frame on. */
enum { RAW_STACK_BYTES_MAX = 256 << 10 };

/* A function's frame; calls inlined in it have none. Addresses that are not known are 0. */
struct raw_bounds {
	uint32_t frame;	      /* index in the stack, inlined calls counted */
	const char *function; /* NULL: not known */
	uint64_t low, high;   /* [low, high): its words, the return address among them */
	/* Where these words are. */
	uint64_t return_address, frame_pointer;
};

enum raw_place_kind {
	RAW_VARIABLE, /* or a piece of one */
	RAW_POINTER,  /* to a variable on the heap, whose name begins with "&" */
	RAW_ARGUMENT, /* an argument word; of an argument passed in a register: where it
		       * may have been saved */
	RAW_DEFER,    /* a record of a deferred call; name: its function */
	RAW_CLOSURE,  /* the func value of a deferred call */
	RAW_PLACE_KINDS
};

/* What lies in [addr, addr + size). */
struct raw_place {
	enum raw_place_kind kind;
	uint32_t frame;		 /* index in the stack, inlined calls counted */
	const char *name;	 /* NULL: not known; valid until fn returns */
	const struct type *type; /* of the whole variable; NULL: not known */
	uint64_t addr, size;
	uint64_t offset; /* in the variable */
	bool argument, result, compiler, dead, may_be_unset;
};

struct raw_stack {
	struct runtimes *all;
	struct runtime *rt;
	const struct goroutine *g;
	const struct arch *arch;
	uint64_t low; /* of the first word, where the innermost frame begins */
	uint64_t *words;
	bool *unreadable; /* for each word */
	size_t count;
	uint64_t left_out;	   /* bytes beyond RAW_STACK_BYTES_MAX */
	struct raw_bounds *frames; /* innermost first; those that begin in the words */
	size_t frame_count, frame_cap;
	struct regs regs; /* known ones that point into the stack */
};

/* NULL: there is none. */
struct raw_stack *raw_stack_new(struct runtimes *all, struct runtime *rt,
				const struct goroutine *g);
void raw_stack_free(struct raw_stack *s);
DEFINE_AUTO(struct raw_stack, raw_stack_free)

/* raw_places.c: calls fn for each place in the words, frame by frame; several may overlap. */
typedef void raw_place_fn(void *arg, const struct raw_place *place);
void raw_stack_each_place(const struct raw_stack *s, raw_place_fn *fn, void *arg);

/* Is there anything at this address? */
bool raw_stack_is_address(const struct raw_stack *s, uint64_t word);

struct raw_code {
	struct code_frame frame; /* of the function itself, with the line of the call */
	const char *inlined;	 /* the innermost call inlined there; NULL: none */
	bool is_return;		 /* right after a call */
};
/* False: not an address of code. */
bool raw_stack_code(const struct raw_stack *s, uint64_t word, struct raw_code *ret);

#endif
