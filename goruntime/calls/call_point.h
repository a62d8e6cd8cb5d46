/* SPDX-License-Identifier: Apache-2.0 */
/* call_point.h - where in the code of a function probes are. Private to goruntime/calls. */
#ifndef GOSNAP_CALL_POINT_H
#define GOSNAP_CALL_POINT_H

#include "goruntime/calls/calls.h"

/* See calls_point() and calls_returns(). */
bool call_point_find(struct runtime *rt, uint64_t entry, uint64_t end,
		     struct call_point *ret);
void call_returns_find(struct runtime *rt, uint64_t entry, uint64_t end,
		       struct call_returns *ret);

#endif
