/* SPDX-License-Identifier: Apache-2.0 */
/* print_goroutine.h - one goroutine: its state, what it waits for, its frames and
 * their variables. Prints it at once and keeps nothing. Knows one goroutine at a
 * time; groups and the rest of the document are of others. */
#ifndef GOSNAP_PRINT_GOROUTINE_H
#define GOSNAP_PRINT_GOROUTINE_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"
#include "printers/values/print_values.h"

/* Member runtime: the runtime something belongs to, unless it is the first. NULL:
 * none. */
void print_whose(struct sink *out, const struct runtimes *all, const struct runtime *rt);

/* Members function, file and line of the open object; without a function, the pc. */
void print_code_location(struct sink *out, const struct code_frame *f);
/* As in waiting_for. */
const char *wait_kind_name(enum wait_kind kind);

/* An array of all frames of a stack; returns how many. */
size_t print_frames(struct sink *out, struct runtimes *all, uint32_t stack);

struct raw_stacks {
	bool wanted;
	uint64_t of;		/* the id of one goroutine; 0: of all */
	const char *omitted_by; /* why they are left out all the same; or NULL */
};

struct goroutine_printing {
	struct runtimes *runtimes;
	struct runtime *runtime; /* of the goroutine */
	const struct target_thread *threads;
	struct snapshot_time moment;
	bool full_frames; /* include what the group of a frame's stack says */
	const struct value_bounds *values; /* NULL: not requested */
	const char *values_omitted_by;	   /* why values is NULL; or NULL */
	struct raw_stacks raw_stacks;
	struct objects *objects; /* NULL: what values refer to is printed in place */
	struct redaction *redaction;
	const struct target *memory; /* that values are read from */
	uint64_t variables;	     /* number printed so far */
	uint64_t redacted;	     /* number of values redacted so far */
	bool has_leads; /* printed variables that may lead to others, or to secrets */
};
/* group: the id of its stack's group in this document. */
void print_goroutine(struct sink *out, struct goroutine_printing *p,
		     const struct goroutine *g, uint64_t group);

#endif
