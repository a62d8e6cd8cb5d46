/* SPDX-License-Identifier: Apache-2.0 */
/* fault_backlog.h - finds a fatal error in what the runtime printed last. Reads bytes, which may be anything, and no
 * process. The last 512 bytes that the runtime printed before it panicked are in the ring printBacklog
 * (runtime/print.go), Go 1.15 to 1.27. */
#ifndef GOSNAP_FAULT_BACKLOG_H
#define GOSNAP_FAULT_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct panic_message;

#define BACKLOG_ERROR "fatal error: "
enum {
	BACKLOG_BYTES = 512,
	BACKLOG_ALIGNMENT =
		32, /* of a variable of that size: symalign in cmd/link/internal/ld/data.go */
};

/* Adds the last fatal error in text, the ring in the order in which it was written, and the lines that explain it.
 * False: there is none, or text is not what the runtime printed last. */
bool backlog_fatal_error(const char *text, size_t len, struct panic_message *w);
/* Adds an error that several threads wrote at once, as when all of them write one map. Each thread prints the words,
 * the error, and the end of the line by itself (fatal in runtime/panic.go). These may come in any order, and only one
 * thread has surely printed all of them. len: at most BACKLOG_BYTES. */
bool backlog_interleaved(const char *text, size_t len, struct panic_message *w);
/* Searches the len bytes at addr for the ring, whose index is not known, and adds the last error of it. The first byte
 * is not part of the ring. False: there is none, or there are several. */
bool backlog_search(const uint8_t *bytes, uint64_t addr, size_t len,
		    struct panic_message *w);
/* Returns the begin of the lines before error in which the runtime explains it; error: there are none. */
const char *backlog_explanation(const char *text, const char *error);

#endif
