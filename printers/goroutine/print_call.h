/* SPDX-License-Identifier: Apache-2.0 */
/* print_call.h - one call of a function, as gosnap trace tells it: when and by whom, arguments, stack. */
#ifndef GOSNAP_PRINT_CALL_H
#define GOSNAP_PRINT_CALL_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"
#include "printers/values/print_values.h"

struct traced_call {
	struct calls *calls;
	const struct goroutine *goroutine; /* of calls_set() */
	uint64_t number;		   /* of the call; 0: not known */
	bool is_return;			   /* of that call */
	uint64_t took_ns;		   /* since the call, if its number is known */
	pid_t pid, tid;
	struct snapshot_time moment;
	const struct value_bounds *bounds;
	struct redaction *redaction;
};
/* An object: of a call, with arguments and stack, or of a return, with results. */
void print_call(struct sink *out, const struct traced_call *call);

/* How much a probe copies. */
extern const struct value_bounds value_bounds_traced;

#endif
