/* SPDX-License-Identifier: Apache-2.0 */
#include "extras_printers.h"

void print_rest(struct sink *out, const struct runtime *rt, uint32_t unreadable,
		uint64_t elided)
{
	if (unreadable) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "unreadable", runtime_reason(rt, unreadable));
		sink_end(out);
	}
	if (elided) {
		sink_begin(out, SINK_OBJECT);
		sink_named_uint(out, "elided", elided);
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

static void print_label(struct sink *out, const struct runtime *rt,
			const struct label *label)
{
	uint64_t elided = label->key.elided + label->value.elided;

	sink_begin(out, SINK_OBJECT);
	print_text(out, rt, "key", &label->key);
	if (!label->key.unreadable)
		print_text(out, rt, "value", &label->value);
	if (elided)
		sink_named_uint(out, "elided", elided);
	sink_end(out);
}

void print_labels(struct sink *out, struct runtime *rt, const struct goroutine *g)
{
	const struct label_set *set = runtime_labels(rt, g);

	if (!set)
		return;
	sink_named_begin(out, "labels", SINK_ARRAY);
	for (size_t i = 0; i < set->count; i++)
		print_label(out, rt, &set->list[i]);
	print_rest(out, rt, set->unreadable, set->elided);
	sink_end(out);
}
