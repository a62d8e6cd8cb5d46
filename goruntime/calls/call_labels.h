/* SPDX-License-Identifier: Apache-2.0 */
/* call_labels.h - the profiler labels of a goroutine that calls a function. Private to goruntime/calls. */
#ifndef GOSNAP_CALL_LABELS_H
#define GOSNAP_CALL_LABELS_H

#include "goruntime/calls/call_plan.h"
#include "goruntime/runtime/runtime_priv.h"

void call_plan_labels(const struct layout *l, struct call_planner *p);
/* labels: what the g has. Returns how many were copied. */
size_t call_labels_read(struct runtime *rt, uint64_t labels,
			struct call_label ret[CALL_LABELS]);

#endif
