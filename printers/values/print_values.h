/* SPDX-License-Identifier: Apache-2.0 */
/* print_values.h - how much of each value is printed, and how. The main header of
 * printers/values. Values are read as they are printed and nothing is kept between
 * goroutines but what holds for a whole type (notes.h). Knows all kinds of Go and
 * asks redaction before it writes; what is special about a type is in printers/known. */
#ifndef GOSNAP_PRINT_VALUES_H
#define GOSNAP_PRINT_VALUES_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"
#include "printers/rules/rules.h"

struct redaction;

struct value_bounds {
	uint32_t string, elements, entries; /* bytes; per sequence; per map */
	uint32_t depth, pointers;	    /* nesting; pointers followed */
	uint32_t levels;		    /* of objects: references from a frame */
	uint64_t bytes;			    /* of the document, for one variable */
	uint64_t goroutine_bytes;	    /* the same, for all of a goroutine */
	bool compiler;			    /* include those declared by the compiler */
	uint64_t document_bytes;	    /* of the document; past that, no values */
	bool hidden;			    /* include hidden frames */
	const struct value_rules *rules;    /* borrowed; NULL: none */
};
/* The default bounds, and those of --full, which are never exceeded. */
extern const struct value_bounds value_bounds_default, value_bounds_full;

struct sockets;

/* The time of the snapshot, and what memory did not have then. */
struct snapshot_time {
	uint64_t now_ns;	       /* CLOCK_MONOTONIC; 0: not known */
	uint64_t realtime_ns;	       /* the same instant, CLOCK_REALTIME */
	const struct sockets *sockets; /* NULL: not known */
};

/* How a value was reached: what is said of a value on the path also applies to what is
 * inside it. */
struct value_step {
	struct value of;       /* a pointer, struct, array or slice */
	uint64_t first, count; /* of array or slice elements: address, number */
	uint64_t index;	       /* of the next field or element */
};
struct value_path {
	size_t name_len; /* of the variable at the start of the path */
	struct value_step *steps;
	size_t count, cap;
};

/* Prints, and prints again as long as that reveals secrets in what was already printed,
 * which is taken back. If memory was missed, so may be what tells that a value is secret:
 * then all text is redacted. */
struct print_again {
	struct sink *out;
	struct redaction *redaction;
	const struct target *memory; /* NULL: no values are read from it */
	void (*print)(void *arg);
	void *arg;
};
void print_to_fixpoint(const struct print_again *again);

#endif
