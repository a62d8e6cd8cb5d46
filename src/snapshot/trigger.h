/* SPDX-License-Identifier: Apache-2.0 */
/* trigger.h - why a snapshot is taken. Told by who asks for it: a crash handler in the program, a
 * wrapper around it, the kernel. */
#ifndef GOSNAP_TRIGGER_H
#define GOSNAP_TRIGGER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct attribute;
struct redaction;
struct sink;

/* The document's order: of the process's own causes first. */
enum trigger_kind {
	TRIGGER_NONE, /* manual, or a core was read */
	TRIGGER_API,
	TRIGGER_PANIC,
	TRIGGER_SIGNAL,
	TRIGGER_EXIT,
	TRIGGER_TIMEOUT,
	TRIGGER_THRESHOLD,
	TRIGGER_FUNCTION,
	TRIGGER_OOM, /* the kernel killed it for want of memory */
	TRIGGER_KINDS
};

enum { TRIGGER_MEASURES = 8 };

struct trigger {
	enum trigger_kind kind;
	uint64_t goroutine;   /* id of the one that caused it; 0: none */
	uint64_t thread;      /* likewise */
	uint64_t signal;      /* 0: none */
	bool recovered;	      /* of TRIGGER_PANIC: the process goes on */
	const char *function; /* of TRIGGER_FUNCTION: it was called. Borrowed. */
	/* Of a signal: the process that sent it, "": it is not known, or there is none. */
	struct trigger_sender {
		char name[17];
		uint64_t pid, uid;
	} sender;
	struct attribute *attributes;
	size_t attribute_count;
	/* What was met, of TRIGGER_FUNCTION by its arguments, and what was measured. Strings are borrowed. */
	const char *condition; /* NULL: none */
	size_t measure_count;
	struct trigger_measure {
		const char *quantity;
		uint64_t value;
	} measures[TRIGGER_MEASURES];
};

/* From "panic,goroutine=41". Attributes stay. */
MUST_CHECK bool trigger_read(const char *text, struct trigger *ret, struct err *err);
/* One more, from "KEY=VALUE"; text must remain. The list ends with the program. */
MUST_CHECK bool trigger_add_attribute(const char *text, struct trigger *ret,
				      struct err *err);
/* Was it the goroutine of the thread, which is not known yet? */
bool trigger_lacks_goroutine(const struct trigger *trigger);
/* The id of the goroutine that says that it panics; 0: none. */
uint64_t trigger_panicking(const struct trigger *trigger);
/* The document's member. */
void trigger_print(struct sink *out, const struct trigger *trigger,
		   struct redaction *redaction, bool is_core);

#endif
