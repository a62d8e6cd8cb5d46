/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h - where a document that was cut off can be closed: behind the last whole member, or the last
 * whole element of an array that is one. It reads JSON byte by byte, strictly, with a stack of fixed
 * depth, whatever the text is. Knows JSON and one member: what follows "end" would be no document. */
#ifndef GOSNAP_CUT_H
#define GOSNAP_CUT_H

#include "lib/base/util.h"

enum { CUT_DEPTH_MAX = 600 };

struct cut {
	uint64_t place; /* length of what can be kept; 0: nothing can be */
	unsigned depth; /* of the place: what has to be closed; 0: it is complete */
	bool failed;	/* the text is no JSON from here on */
	/* Private: */
	uint64_t taken;
	uint8_t state;
	unsigned open;
	uint8_t kinds[CUT_DEPTH_MAX];
	bool is_key;
	const char *word;	   /* the rest of true, false or null */
	unsigned digits;	   /* of \u that are missing */
	uint8_t more, least, most; /* bytes of a character; bounds of the next one */
	char key[8];
	size_t key_len;
};

void cut_init(struct cut *c);
/* False: it failed, and more text changes nothing. */
bool cut_take(struct cut *c, const char *text, size_t len);

#endif
