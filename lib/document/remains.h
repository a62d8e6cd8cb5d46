/* SPDX-License-Identifier: Apache-2.0 */
/* remains.h - the end of a document that a child writes, in memory that its parent has, too: when the
 * child dies, what it had not given to the kernel yet is not lost with it (mend.h). The child may have
 * written anything into it. Knows bytes and offsets in the text, before compression. */
#ifndef GOSNAP_REMAINS_H
#define GOSNAP_REMAINS_H

#include "lib/base/util.h"

struct remains;

/* To be called before the fork. NULL: there is no memory for it. */
struct remains *remains_new(void);
void remains_free(struct remains *r);
DEFINE_AUTO(struct remains, remains_free)

/* The child: what follows in the text. */
void remains_add(struct remains *r, const char *text, size_t len);
/* What was added ends behind a whole member of the document, or a whole element of an array that is
 * one (depth 2), or is all of it (depth 0). */
void remains_whole(struct remains *r, unsigned depth);
/* So much of it is going to be written at most; so much was. */
void remains_writing(struct remains *r, uint64_t bytes);
void remains_written(struct remains *r, uint64_t bytes);

/* What the parent finds, when nobody writes to it any more. */
struct remains_state {
	uint64_t first, end; /* offsets of what is here */
	uint64_t whole, written;
	unsigned depth; /* at whole; 0 also if nothing is */
	bool writing;	/* more than written may have been */
};
void remains_clear(struct remains *r);
void remains_look(const struct remains *r, struct remains_state *ret);
/* Copies from an offset between first and end; returns how much, at most size; 0: no more. */
size_t remains_read(const struct remains *r, const struct remains_state *state,
		    uint64_t offset, char *ret, size_t size);

#endif
