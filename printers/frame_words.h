/* SPDX-License-Identifier: Apache-2.0 */
/* frame_words.h - the argument words of a frame, without those of secrets. Private to printers. */
#ifndef GOSNAP_FRAME_WORDS_H
#define GOSNAP_FRAME_WORDS_H

#include "goruntime.h"
#include "redaction.h"
#include "sink.h"

/* Which arguments of a frame are secrets by their names and types, or hold one in themselves. */
struct secret_arguments {
	uint64_t which; /* a bit each, the first is the lowest */
	unsigned count;
};
void secret_arguments_add(struct secret_arguments *arguments, struct redaction *r,
			  const struct variable *v);

bool has_words(const struct words *words);
/* Its words as a value: null when there are none. arguments NULL: they are not known. */
void print_words(struct sink *out, struct redaction *r, const struct words *words,
		 const struct secret_arguments *arguments);

#endif
