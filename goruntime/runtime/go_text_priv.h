/* SPDX-License-Identifier: Apache-2.0 */
/* go_text_priv.h - reads strings of the subject. Private to goruntime. */
#ifndef GOSNAP_GO_TEXT_PRIV_H
#define GOSNAP_GO_TEXT_PRIV_H

#include "goruntime/runtime/go_text.h"

struct runtime;

/* A string header, as Go has it in memory. */
struct go_string {
	uint64_t addr, len;
};

/* How much of it is shown. */
size_t text_room(struct go_string s);
/* Reads it to buf, which has text_room() bytes and outlives the text. */
struct go_text text_read(struct runtime *rt, struct go_string s, char *buf);

#endif
