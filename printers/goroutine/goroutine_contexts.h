/* SPDX-License-Identifier: Apache-2.0 */
/* goroutine_contexts.h - what all contexts that a goroutine's frames lead to say, printed
 * or not. Private to printers. */
#ifndef GOSNAP_GOROUTINE_CONTEXTS_H
#define GOSNAP_GOROUTINE_CONTEXTS_H

#include "printers/values/value_printers.h"

struct contexts_found {
	bool has_span, done;
	bool span_settled;	/* from an inner frame; keep it */
	struct trace_span span; /* of the innermost frame with one */
	uint64_t span_at;	/* the context that carries it */
	uint64_t done_ns;	/* since the first of them ended; 0: not known */
	uint64_t looked_at[8];	/* recent contexts: most frames have the same */
	unsigned next;
	const char *why; /* "context canceled"; NULL: not known */
};

/* Looks at a variable. Call from the innermost frame outwards. */
void contexts_look(struct contexts_found *found, struct printing *p,
		   const struct value *v);
/* Call before the variables of each frame. */
void contexts_next_frame(struct contexts_found *found);
/* Members trace, context_error and context_done_for_ns. */
void contexts_print(struct sink *out, const struct contexts_found *found);

#endif
