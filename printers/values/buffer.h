/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.h - which part of a buffer is used. The rest holds what was there before. With
 * REDACT_NOTHING all of every buffer is used. Private to printers. */
#ifndef GOSNAP_BUFFER_H
#define GOSNAP_BUFFER_H

#include "printers/values/value_printers.h"

enum {
	BUFFER_NOTED =
		64
		<< 10, /* bytes past what is shown, in which others point into a buffer */
	SECRETS_BEFORE = 1024, /* how far before what is used to look for a secret */
};

/* A type of the standard library that has a buffer; NULL: none. */
struct buffer_type;
const struct buffer_type *buffer_type_of(const struct type *type);
/* Is it the field with the buffer's bytes? buffer: may be NULL. */
bool is_buffer_field(const struct buffer_type *buffer, const struct type_field *field);
/* Notes what is not used of the buffer in v; buffer NULL: does nothing. Returns how many bytes precede
 * those that are used. */
uint64_t note_buffer(struct printing *p, const struct value *v,
		     const struct buffer_type *buffer);

/* Notes all bytes of a slice. */
void note_unused_slice(struct printing *p, const struct value *v);

/* [begin, end) of n bytes. */
struct buffer_use {
	uint64_t begin, end;
};
/* For n bytes at addr, which may be a buffer's, or part of one. Resets p->consumed. */
struct buffer_use take_buffer_use(struct printing *p, uint64_t addr, uint64_t n);
/* Learns the secrets in what is not used. */
void search_unused(struct printing *p, uint64_t addr, const struct buffer_use *use,
		   uint64_t n);
/* Members skipped, omitted and limited_by, where `len` bytes of the used ones are shown. */
void print_other_bytes(struct printing *p, const struct buffer_use *use, uint64_t len,
		       uint64_t n);
/* The same for a text that was redacted: rounded, as lengths of secrets are. */
void print_unused(struct printing *p, const struct buffer_use *use, uint64_t n);

#endif
