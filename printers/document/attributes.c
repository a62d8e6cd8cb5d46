/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "printers/document/print_document.h"
#include "printers/values/redacted.h"

static struct bytes_of_text bytes_of(const char *text)
{
	return (struct bytes_of_text){ text, strlen(text) };
}

void print_attributes(struct sink *out, struct redaction *r, const struct attribute *list,
		      size_t count)
{
	sink_begin(out, SINK_ARRAY);
	for (size_t i = 0; i < count; i++) {
		const char *key = list[i].key;
		sink_begin(out, SINK_OBJECT);
		sink_name(out, "key");
		print_item_without_secrets(out, r, NULL, bytes_of(key));
		print_text_without_secrets(out, r, "value",
					   redaction_of_name(r, key, strlen(key)),
					   bytes_of(list[i].value));
		sink_end(out);
	}
	sink_end(out);
}
