/* SPDX-License-Identifier: Apache-2.0 */
/* last_words.h - whether what a Go program writes to standard error are the words of a runtime that
 * ends it. Before 1.23 the runtime writes them nowhere else. It writes each piece of a line by a
 * call of its own (gwrite in runtime/print.go), where programs write whole lines: a packet that is
 * "panic: " and no more is the runtime's. */
#ifndef GOSNAP_LAST_WORDS_H
#define GOSNAP_LAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct last_words {
	bool dying; /* the runtime counts a thread as dying, or will before its next word */
	bool fatal; /* private: in the line after "fatal error: " */
};

/* The next packet of the pipe. */
void last_words_hear(struct last_words *w, const char *packet, size_t len);

#endif
