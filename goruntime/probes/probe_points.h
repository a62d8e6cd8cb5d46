/* SPDX-License-Identifier: Apache-2.0 */
/* probe_points.h - where in the file of a Go program a probe sees that a process of it begins to die, that
 * it recovers from a panic, or that it calls a function.
 * The main header of goruntime/probes. From the file alone: symbols, else the tables that every Go
 * program has, of Go 1.15 to 1.27. Knows functions of the runtime, and nothing of processes or of the
 * kernel's probes. */
#ifndef GOSNAP_PROBE_POINTS_H
#define GOSNAP_PROBE_POINTS_H

#include "lib/base/err.h"
#include "lib/base/util.h"

/* What has happened when the first instruction of the function is reached. */
enum probe_kind {
	PROBE_PANIC, /* nothing recovered a panic */
	PROBE_THROW, /* the runtime gives up; the first argument is the text */
	PROBE_DYING, /* of a signal, unless one of the others came before */
	PROBE_EXIT,  /* the process ends itself; the status is an argument on the stack */
	PROBE_FOREIGN, /* likewise, of a thread that Go does not know */
	/* A panic is about to be recovered: before Go 1.22 if the argument of recover() is that of the
	 * panic, else in any case. */
	PROBE_RECOVER,
	PROBE_RECOVERED,
	PROBE_FUNCTION, /* one that was asked for is called */
};

struct probe_point {
	uint64_t offset; /* in the file */
	enum probe_kind kind;
	uint32_t function; /* of PROBE_FUNCTION: its index */
};

/* Functions that may be asked for, and all points. */
enum { PROBE_FUNCTIONS = 32, PROBE_POINTS = PROBE_FUNCTIONS + 16 };

struct probe_points {
	struct probe_point list[PROBE_POINTS];
	size_t count;
	bool stack_arguments; /* as before Go 1.17, not in registers */
	int release;	      /* 24 of Go 1.24 */
	/* Offsets of g._panic and _panic.recovered. */
	uint16_t panic_offset, recovered_offset;
};

/* Functions by their exact names. Strings are borrowed. */
struct probe_wanted {
	const char *const *functions;
	size_t function_count; /* PROBE_FUNCTIONS at most */
};

/* file: open; name is for messages. A function that is not there has no point. ERR_NOT_FOUND: it is no Go program; ERR_UNSUPPORTED: it has no runtime of its own, or one without
 * these functions; ERR_CANNOT: no ELF file of this processor; ERR_SYS. */
MUST_CHECK bool probe_points_find(int file, const char *name,
				  const struct probe_wanted *wanted,
				  struct probe_points *ret, struct err *err);
/* Calls fn with the name of each function of the program until it returns false. */
void probe_points_each_name(int file, bool (*fn)(void *arg, const char *name), void *arg);

#endif
