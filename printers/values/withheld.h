/* SPDX-License-Identifier: Apache-2.0 */
/* withheld.h - text of the process that is no value, without secrets. Private to printers. */
#ifndef GOSNAP_WITHHELD_H
#define GOSNAP_WITHHELD_H

#include "lib/document/sink.h"
#include "redaction/redaction.h"

struct bytes_of_text {
	const char *bytes;
	size_t len;
};

/* Member key, with masks; and redacted and same where there are some. rule: what withholds all of
 * it; NULL: nothing. */
void print_text_without_secrets(struct sink *out, struct redaction *r, const char *key,
				const char *rule, struct bytes_of_text text);
/* The same as an item of an array: a text, with masks. */
void print_item_without_secrets(struct sink *out, struct redaction *r, const char *rule,
				struct bytes_of_text text);

/* Member key, a text that may be there with masks only: of what is no value, as a path. NULL: left
 * out. */
void print_masked_member(struct sink *out, struct redaction *r, const char *key,
			 const char *text);

#endif
