/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - fields of protocol buffers, in memory. */
#ifndef GOSNAP_WIRE_H
#define GOSNAP_WIRE_H

#include "lib/base/util.h"

struct wire {
	uint8_t *bytes;
	size_t len, cap;
};

/* A field with a number; none if that is 0, as readers suppose it to be. */
void wire_number(struct wire *w, unsigned field, uint64_t value);
/* A field with text, or with a message. */
void wire_bytes(struct wire *w, unsigned field, const void *bytes, size_t len);
/* A field with a message, which is emptied. */
void wire_message(struct wire *w, unsigned field, struct wire *message);
/* A field with numbers, 0 or not. */
void wire_numbers(struct wire *w, unsigned field, const uint64_t *values, size_t n);
/* Fields as they are. */
void wire_append(struct wire *w, const struct wire *fields);
void wire_done(struct wire *w);

#endif
