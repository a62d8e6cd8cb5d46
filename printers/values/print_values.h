/* SPDX-License-Identifier: Apache-2.0 */
/* print_values.h - how much of values is printed, and how. */
#ifndef GOSNAP_PRINT_VALUES_H
#define GOSNAP_PRINT_VALUES_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"
#include "printers/rules/rules.h"

struct redaction;

/* How much of a value is shown, and by which rules. */
struct value_bounds {
	uint32_t string, elements, entries; /* bytes, and of each sequence or map */
	uint32_t depth, pointers;	    /* values inside values; pointers followed */
	uint64_t bytes;			    /* of the document, for one variable */
	uint64_t goroutine_bytes;	    /* ..., for all of a goroutine */
	bool compiler;			    /* variables that only it declares, too */
	uint64_t document_bytes;	    /* ..., which values do not make larger */
	bool hidden;			    /* of frames that are hidden, too */
	const struct value_rules *rules;    /* borrowed; NULL: none */
};
/* What a snapshot has unless told, and with --full: that much is never exceeded. */
extern const struct value_bounds value_bounds_default, value_bounds_full;

struct sockets;

/* When the snapshot was of, and what was not in memory then. */
struct moment {
	uint64_t now_ns;	       /* CLOCK_MONOTONIC; 0: not known */
	uint64_t realtime_ns;	       /* the same moment, CLOCK_REALTIME */
	const struct sockets *sockets; /* NULL: not known */
};

/* Which way a value was reached: what is said there of what is inside holds for it, too. */
struct value_step {
	struct value of;       /* a pointer; or a struct, an array, a slice */
	uint64_t first, count; /* of those: where its elements are, and how many */
	uint64_t index;	       /* the field or element that is next */
};
struct value_path {
	size_t name_len; /* of the variable that it begins with */
	struct value_step *steps;
	size_t count, cap;
};

/* Prints once, and again as long as that taught of secrets in what was printed before, which is
 * taken back. */
typedef void print_again_fn(void *arg);
void print_until_known(struct sink *out, struct redaction *redaction,
		       print_again_fn *print, void *arg);

#endif
