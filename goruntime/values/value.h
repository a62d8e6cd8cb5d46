/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - helpers for the files that decode values. Private to goruntime. */
#ifndef GOSNAP_VALUE_H
#define GOSNAP_VALUE_H

#include "goruntime/layout/layout.h"
#include "goruntime/types/type_priv.h"

/* Reads n words from addr. */
MUST_CHECK bool value_words(struct runtime *rt, uint64_t addr, uint64_t *ret, size_t n,
			    struct err *err);
/* A field of at most 8 bytes in the struct at addr, as an unsigned number.
 * ERR_UNSUPPORTED: no such field. */
MUST_CHECK bool value_number(struct runtime *rt, const struct type *type, uint64_t addr,
			     const char *field, uint64_t *ret, struct err *err);

/* The same for a struct without a known type, if the runtime's layout has the field. */
MUST_CHECK bool value_by_layout(struct runtime *rt, enum layout_slot field, uint64_t addr,
				uint64_t *ret, struct err *err);

/* Memory in which a value of a frame is assembled. Reads of its addresses find it there
 * until the next value_pieces_begin(). Missing parts are unreadable. */
struct value_pieces *value_pieces_begin(struct runtime *rt, struct value *ret);
MUST_CHECK bool value_add_memory(struct runtime *rt, struct value_pieces *to,
				 uint64_t addr, uint64_t size, struct err *err);
void value_add_bytes(struct value_pieces *to, const void *bytes, uint64_t size);
void value_add_hole(struct value_pieces *to, uint64_t size);
/* What is added next is what the value points to: size bytes at *ret.
 * value_pieces_end_target() ends it and takes what this returned. */
size_t value_pieces_begin_target(struct value_pieces *to, uint64_t size, uint64_t *ret);
void value_pieces_end_target(struct value_pieces *to, size_t before);
void value_pieces_free(struct value_pieces *pieces);

#endif
