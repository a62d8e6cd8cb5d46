/* SPDX-License-Identifier: Apache-2.0 */
/* go_text_priv.h - reads strings of the subject. Private to goruntime. */
#ifndef GOSNAP_GO_TEXT_PRIV_H
#define GOSNAP_GO_TEXT_PRIV_H

#include "goruntime/runtime/go_text.h"

struct runtime;

/* A Go string header as it is in memory. */
struct go_string {
	uint64_t addr, len;
};

/* How many bytes of it are shown. */
size_t text_room(struct go_string s);
/* Reads it into buf, which has text_room() bytes and must outlive the result. */
struct go_text text_read(struct runtime *rt, struct go_string s, char *buf);

#endif
