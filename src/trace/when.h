/* SPDX-License-Identifier: Apache-2.0 */
/* when.h - which calls are meant: --when. */
#ifndef GOSNAP_TRACE_WHEN_H
#define GOSNAP_TRACE_WHEN_H

#include "goruntime/goruntime.h"
#include "src/bpf/trace.h"

struct when;

/* "id == 4711 && len(name) > 3 && r.Path == \"/\"". The caller frees it. NULL: ERR_USAGE, what is wrong. */
struct when *when_parse(const char *text, struct err *err);
void when_free(struct when *w);
DEFINE_AUTO(struct when, when_free)

/* For the kernel, for the function at entry. False: err says which of it the kernel cannot decide. */
MUST_CHECK bool when_compile(const struct when *w, struct calls *calls, uint64_t entry,
			     const struct call_plan *plan, struct trace_conditions *ret,
			     struct err *err);

#endif
