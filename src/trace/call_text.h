/* SPDX-License-Identifier: Apache-2.0 */
/* call_text.h - a call, or what was lost, as people read it: one block each. */
#ifndef GOSNAP_TRACE_CALL_TEXT_H
#define GOSNAP_TRACE_CALL_TEXT_H

#include <stdio.h>

struct call_text;

struct call_text *call_text_new(FILE *out);
void call_text_free(struct call_text *t); /* NULL is fine */
/* The object of a line of gosnap trace. */
void call_text_print(struct call_text *t, const char *json, size_t len);

#endif
