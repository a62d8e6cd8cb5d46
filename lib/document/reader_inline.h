/* SPDX-License-Identifier: Apache-2.0 */
/* reader_inline.h - puts the objects of a document in the places of the references to them. Reads
 * each object when it is needed, and keeps none. */
#ifndef GOSNAP_READER_INLINE_H
#define GOSNAP_READER_INLINE_H

#include "lib/document/reader.h"

struct inliner;

/* References followed unless told otherwise, and at most. */
enum { INLINE_DEPTH = 3, INLINE_DEPTH_MAX = 20 };

/* Finds where the objects are, in a pass of its own. r must outlive it. A document that is
 * damaged is read as far as possible. NULL: no space for the unpacked document. */
struct inliner *inliner_new(struct reader *r, struct err *err);
/* The same for who reads the document anyway, and adds its objects in order. */
struct inliner *inliner_empty(struct reader *r, struct err *err);
void inliner_add(struct inliner *in, const struct reader_text *object);
void inliner_free(struct inliner *in);
size_t inliner_count(const struct inliner *in); /* of objects */
/* Where object i is in the document. */
uint64_t inliner_offset(const struct inliner *in, size_t i, size_t *ret_bytes);
DEFINE_AUTO(struct inliner, inliner_free)

/* objects[number], as it is. The caller drops it. NULL: there is none. */
const struct reader_node *inliner_object(struct inliner *in, uint64_t number);

/* A goroutine, thread or variable with what its values refer to, and so on, `depth` references
 * deep; each object only once: then "seen" is its address. After a
 * megabyte of objects, references stay references. The caller drops the node. */
const struct reader_node *inliner_fill(struct inliner *in, const struct reader_node *node,
				       unsigned depth);

/* Writes the document. depth 0: as it is; otherwise without its array of objects, which are
 * where they are referred to. False: err says where the document is damaged; what comes before
 * has been written. */
struct sink;
MUST_CHECK bool inline_write(struct reader *r, unsigned depth, struct sink *out,
			     struct err *err);

#endif
