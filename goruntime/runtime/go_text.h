/* SPDX-License-Identifier: Apache-2.0 */
/* go_text.h - a string of the subject. */
#ifndef GOSNAP_GO_TEXT_H
#define GOSNAP_GO_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Any bytes; not NUL-terminated. */
struct go_text {
	const char *bytes; /* NULL: unreadable */
	size_t len;
	uint64_t omitted;    /* bytes left out after these */
	uint32_t unreadable; /* for runtime_reason(); 0: readable */
};

#endif
