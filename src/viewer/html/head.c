/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/head.h"

#include "lib/base/util.h"
#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/html/shared.h"

void head_write_group(struct sink *head, const struct reader_node *group,
		      struct shared *texts)
{
	static const char *const members[] = { "id", "runtime", "count", "fingerprint" };
	const struct reader_node *frames = node_get(group, "frames");

	sink_begin(head, SINK_OBJECT);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const struct reader_node *node = node_get(group, members[i]);
		if (!node)
			continue;
		sink_name(head, members[i]);
		node_write(head, node);
	}
	sink_named_begin(head, "frames", SINK_ARRAY);
	for (size_t i = 0; i < node_count(frames); i++)
		sink_uint(head, shared_add(texts, node_at(frames, i)));
	sink_end(head);
	sink_end(head);
}

void head_write_page(struct sink *head, const struct head_page *page)
{
	sink_named_begin(head, "page", SINK_OBJECT);
	sink_named_string(head, "name", page->name);
	sink_named_bool(head, "whole", page->whole);
	if (!page->whole)
		sink_named_uint(head, "values_max_bytes", page->values_max);
	if (page->of_folder)
		sink_named_bool(head, "of_folder", true);
	sink_named_string(head, "damage", page->damage);
	sink_end(head);
}
