/* SPDX-License-Identifier: Apache-2.0 */
/* frame_words.h - the argument words of a frame, with secrets redacted. Private to
 * printers. */
#ifndef GOSNAP_FRAME_WORDS_H
#define GOSNAP_FRAME_WORDS_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"
#include "redaction/redaction.h"

bool has_argument_words(const struct argument_words *words);
/* The words as a value; null when there are none. */
void print_argument_words(struct sink *out, struct redaction *r,
			  const struct argument_words *words);

#endif
