/* SPDX-License-Identifier: Apache-2.0 */
/* call_word.h - where in the record of a call a part of an argument is. Private to goruntime/calls. */
#ifndef GOSNAP_CALL_WORD_H
#define GOSNAP_CALL_WORD_H

#include "goruntime/calls/calls.h"

/* See calls_word(). */
MUST_CHECK bool call_word_find(struct runtime *rt, uint64_t entry,
			       const struct call_plan *plan, const char *path,
			       bool length, struct call_word *ret, struct err *err);

#endif
