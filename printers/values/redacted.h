/* SPDX-License-Identifier: Apache-2.0 */
/* redacted.h - text of the process that is not a value, with secrets redacted. Private to
 * printers. */
#ifndef GOSNAP_REDACTED_H
#define GOSNAP_REDACTED_H

#include "lib/document/sink.h"
#include "redaction/redaction.h"

struct bytes_of_text {
	const char *bytes;
	size_t len;
};

/* Member key with secrets masked; if there are any, redacted and redacted_hash. rule:
 * redacts all of it; NULL: none. */
void print_text_without_secrets(struct sink *out, struct redaction *r, const char *key,
				const char *rule, struct bytes_of_text text);
/* The same as an array item: a masked text. */
void print_item_without_secrets(struct sink *out, struct redaction *r, const char *rule,
				struct bytes_of_text text);

/* Member key, a text that is only masked, such as a path, which is not a value. NULL:
 * prints nothing. */
void print_masked_member(struct sink *out, struct redaction *r, const char *key,
			 const char *text);

/* The same, allocated. */
char *text_without_secrets(struct redaction *r, const char *text);

/* A word of memory or of a register: an address, or "redacted". */
void print_word_without_secrets(struct sink *out, struct redaction *r, uint64_t word);

#endif
