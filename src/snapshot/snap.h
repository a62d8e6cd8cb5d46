/* SPDX-License-Identifier: Apache-2.0 */
/* snap.h - turns one live process into one document: capture, walk, print. Keeps the
 * captured process until the document is written. Knows the order of the document and
 * how much of it fits, nothing of command lines; output.h knows files. */
#ifndef GOSNAP_SNAP_H
#define GOSNAP_SNAP_H

#include "src/capture/capture.h"
#include "src/snapshot/progress.h"
#include "src/snapshot/trigger.h"

struct output;
struct redaction;
struct sink;

enum { SNAP_PANIC_WORDS = 4 };

/* Strings are borrowed. */
struct snap_options {
	struct capture_options capture;
	uint32_t inline_depth; /* 0: objects have an array of their own */
	const char *output;    /* NULL: standard output */
	struct trigger trigger;
	struct series {
		const char *id;		      /* NULL: in none */
		uint64_t index, of, every_ns; /* from 1; of 0: without an end */
	} series;
	bool no_system;	   /* omit the runtime's own goroutines */
	bool dead;	   /* also goroutines that exited and wait to be reused */
	bool full_frames;  /* frames in every goroutine, not only in its group */
	bool compiler;	   /* also variables that only the compiler declares */
	bool full;	   /* values with the bounds of value_bounds_full */
	uint64_t max_size; /* of the document: omits values; 0: see the bounds */
	unsigned jobs;	   /* processes that print values; 0: by the number of CPUs */
	const struct value_rules *rules; /* NULL: none */
	bool environment;		 /* also its values */
	bool vector_registers;		 /* of threads */
	bool raw_stacks;		 /* of goroutines, word by word */
	uint64_t raw_stack_of;		 /* only of the one with this id; 0: of all */
	struct redaction *redaction;
	const char *core_output; /* of a core file; NULL: none */
	struct output *core;	 /* that, open, with capture.core_file */
	bool only_core;		 /* no document */
	bool only_findings;  /* of the document, what comes before groups, and its end */
	bool globals_if_any; /* nobody asked for capture.globals */
	/* Called with each warning, at the end. NULL: the document has them. */
	void (*warn)(const char *where, const char *what);
	const char *
		values_failed; /* why none are read, although they were wanted; NULL: nothing */
	bool only_of_fault; /* none of a process that nothing ended */
	/* Shared memory, or NULL: which panic it was of. */
	uint64_t *panic;  /* SNAP_PANIC_WORDS: a struct noted_panic */
	bool no_values;	  /* none is printed, although memory is read for the analysis */
	bool heap;	  /* what is in it, by type; read of a copy or a core */
	bool no_analysis; /* neither who waits for whom nor findings */
	uint64_t look_again_ns;	       /* see struct analysis_of; 0: once is enough */
	struct earlier_looks *earlier; /* likewise; NULL: none */
	bool no_sandbox;
	bool strict; /* warnings affect the exit status */
	enum progress_when progress;
};

struct snap_result {
	size_t warnings;
	char partial
		[256]; /* why it is incomplete, which the document says, too; "": it is not */
	bool has_core; /* options->core was written */
	bool no_fault; /* with only_of_fault: discard what was written */
	bool noted;    /* by the process, of this fault: likewise */
	bool no_core;  /* why says why; discard what was written */
	struct err why;
	char *verdict; /* of the fault; NULL: none. xfree() it */
};

/* Writes one complete document. False: err says why there is none; discard what was
 * written. */
MUST_CHECK bool snap_take(const struct snap_options *options, struct sink *out,
			  struct snap_result *ret, struct err *err);
/* The same of a capture that was opened, which is given up. */
MUST_CHECK bool snap_take_opened(const struct capture *opened,
				 const struct snap_options *options, struct sink *out,
				 struct snap_result *ret, struct err *err);

#endif
