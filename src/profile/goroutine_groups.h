/* SPDX-License-Identifier: Apache-2.0 */
/* goroutine_groups.h - goroutines with equal stacks and labels, as a profile counts them. */
#ifndef GOSNAP_GOROUTINE_GROUPS_H
#define GOSNAP_GOROUTINE_GROUPS_H

#include "goruntime/goruntime.h"

struct goroutine_groups;
struct pprof;
struct redaction;

/* Those of the program, without the runtime's own; labels without secrets. *ret_incomplete: of how many
 * the stack or the labels are not complete. */
struct goroutine_groups *goroutine_groups_new(struct runtimes *all, struct runtime *rt,
					      struct redaction *redaction,
					      size_t *ret_incomplete);
void goroutine_groups_free(struct goroutine_groups *groups);
/* The largest first. */
void goroutine_groups_encode(const struct goroutine_groups *groups, struct pprof *to);

#endif
