/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/extras_printers.h"
#include "printers/values/redacted.h"

void print_rest(struct sink *out, const struct runtime *rt, uint32_t unreadable,
		uint64_t omitted)
{
	if (unreadable) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "unreadable", runtime_reason(rt, unreadable));
		sink_end(out);
	}
	if (omitted) {
		sink_begin(out, SINK_OBJECT);
		sink_named_uint(out, "omitted", omitted);
		sink_end(out);
	}
}

void print_text(struct sink *out, const struct runtime *rt, const char *key,
		const struct go_text *text)
{
	if (text->unreadable) {
		sink_named_string(out, "unreadable",
				  runtime_reason(rt, text->unreadable));
		return;
	}
	sink_name(out, key);
	sink_text(out, text->bytes, text->len);
}

void print_text_masked(struct sink *out, const struct goroutine_printing *p,
		       const char *key, const struct go_text *text, const char *rule)
{
	if (text->unreadable)
		print_text(out, p->runtime, key, text);
	else
		print_text_without_secrets(
			out, p->redaction, key, rule,
			(struct bytes_of_text){ text->bytes, text->len });
}

/* The key names the value, whose own members say why it is missing. */
static void print_key(struct sink *out, const struct goroutine_printing *p,
		      const struct go_text *key)
{
	if (key->unreadable) {
		print_text(out, p->runtime, "key", key);
		return;
	}
	sink_name(out, "key");
	print_item_without_secrets(out, p->redaction, NULL,
				   (struct bytes_of_text){ key->bytes, key->len });
}

static void print_label(struct sink *out, const struct goroutine_printing *p,
			const struct label *label)
{
	uint64_t omitted = label->key.omitted + label->value.omitted;

	sink_begin(out, SINK_OBJECT);
	print_key(out, p, &label->key);
	if (!label->key.unreadable)
		print_text_masked(out, p, "value", &label->value,
				  redaction_of_name(p->redaction, label->key.bytes,
						    label->key.len));
	if (omitted)
		sink_named_uint(out, "omitted", omitted);
	sink_end(out);
}

void print_labels(struct sink *out, const struct goroutine_printing *p,
		  const struct goroutine *g)
{
	const struct label_set *set = runtime_labels(p->runtime, g);

	if (!set)
		return;
	sink_named_begin(out, "labels", SINK_ARRAY);
	for (size_t i = 0; i < set->count; i++)
		print_label(out, p, &set->list[i]);
	print_rest(out, p->runtime, set->unreadable, set->omitted);
	sink_end(out);
}
