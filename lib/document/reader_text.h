/* SPDX-License-Identifier: Apache-2.0 */
/* reader_text.h - values as a document has them written, read without parsing more than is asked for.
 * For what is read once for each of a million goroutines. Texts are untrusted: what is not
 * found, or is no value of this type, is the fallback. */
#ifndef GOSNAP_READER_TEXT_H
#define GOSNAP_READER_TEXT_H

#include "lib/document/reader.h"

/* The members of an object, READER_MEMBERS at most; returns how many. */
size_t text_members(const char *object, size_t bytes, struct reader_member *ret);
/* The member of that name, the last one; NULL: there is none. */
const struct reader_member *text_member(const struct reader_member *members, size_t n,
					const char *name);
/* Calls fn for each element of an array, until it returns false. */
typedef bool text_element_fn(void *arg, const char *value, size_t bytes);
void text_elements(const char *array, size_t bytes, text_element_fn *fn, void *arg);

/* Is it one value, as node_of_text() takes it? That refuses more: numbers that are too large, and names with NUL.
 * For what is passed on as it is written; builds nothing of it. */
bool text_is_json(const char *text, size_t bytes);

/* member: may be NULL. */
int64_t text_int(const struct reader_member *member, int64_t fallback);
bool text_bool(const struct reader_member *member, bool fallback);
uint64_t text_address(const struct reader_member *member, uint64_t fallback);

#endif
