/* SPDX-License-Identifier: Apache-2.0 */
/* held_context.h - finds contexts that are done and that a goroutine still works for, in
 * the variables that its frames still use. Private to src/findings/program. Knows one
 * goroutine at a time, and no sentences. */
#ifndef GOSNAP_HELD_CONTEXT_H
#define GOSNAP_HELD_CONTEXT_H

#include "src/findings/own_code.h"
#include "src/findings/program/program.h"

/* How sure it is that the goroutine should have ended: the surest first. */
enum held_form {
	HELD_NONE,
	/* The deadline of a context in a variable, or of a request that it handles, has passed. */
	HELD_DEADLINE,
	/* It handles an HTTP request, and waits, and the client has gone. */
	HELD_CLIENT_GONE,
	/* A context in a variable, or of a request that it handles, was cancelled. */
	HELD_CANCELLED,
	/* The same of a context in a struct: a struct that will be used again may not use
	 * this field again. */
	HELD_DEADLINE_IN_STRUCT,
	HELD_CANCELLED_IN_STRUCT,
};

struct held_context {
	enum held_form form;
	/* The time since the deadline, or for which it has waited or was seen to stay. 0:
	 * not known yet, and another look may show it. */
	uint64_t ns;
	const char *holder; /* type of the struct; borrowed until runtimes_close() */
	bool handles;	    /* an HTTP request of a server of net/http */
};

#define HELD_LATE_NS (UINT64_C(10) * 1000 * 1000 * 1000)

/* Looks at all frames of a goroutine. ret->form HELD_NONE: no such context was found. */
void held_context_of(const struct finder *f, const struct own_code *own,
		     uint32_t goroutine, struct held_context *ret);

#endif
