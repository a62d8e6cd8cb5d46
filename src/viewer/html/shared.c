/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/shared.h"

#include "lib/document/reader.h"
#include "lib/document/sink.h"

void shared_init(struct shared *texts)
{
	*texts = (struct shared){ .all = sink_part_new(), .one = sink_part_new() };
}

void shared_done(struct shared *texts)
{
	sink_free(texts->all);
	sink_free(texts->one);
	table_free(&texts->numbers);
}

/* What texts->one has. */
static uint32_t add(struct shared *texts)
{
	const char *text = sink_part_text(texts->one);
	const size_t len = sink_part_bytes(texts->one);
	const uint64_t hash = table_hash_bytes(text, len);
	uint64_t number = table_get(&texts->numbers, hash, len);

	if (number == 0) {
		number = ++texts->count;
		table_set(&texts->numbers, hash, len, number);
		sink_add_part(texts->all, text, len);
	}
	sink_part_cut(texts->one, 0);
	return (uint32_t)number;
}

uint32_t shared_add(struct shared *texts, const struct reader_node *node)
{
	if (!node)
		return 0;
	node_write(texts->one, node);
	return add(texts);
}

uint32_t shared_add_string(struct shared *texts, const char *text)
{
	sink_string(texts->one, text);
	return add(texts);
}
