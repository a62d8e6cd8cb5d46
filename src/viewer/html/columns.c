/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/columns.h"

#include "lib/base/util.h"
#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/html/block.h"
#include "src/viewer/html/shared.h"

static int64_t flags_of(const struct reader_node *goroutine)
{
	return (node_bool(node_get(goroutine, "system"), false) ? ROW_SYSTEM : 0) |
	       (node_bool(node_get(goroutine, "locked"), false) ? ROW_LOCKED : 0) |
	       (node_count(node_get(goroutine, "panics")) > 0 ? ROW_PANICS : 0);
}

void columns_append(struct columns *rows, const struct html_row *row)
{
	GROW(rows->all, rows->count, rows->cap);
	rows->all[rows->count++] = *row;
}

void columns_add(struct columns *rows, const struct reader_node *goroutine,
		 struct shared *texts)
{
	const struct reader_node *wait = node_get(goroutine, "waiting_for");
	const struct reader_node *creator = node_get(goroutine, "created_by");
	const struct reader_node *stack = node_get(goroutine, "stack");

	columns_append(
		rows,
		&(struct html_row){
			.id = node_int(node_get(goroutine, "id"), -1),
			.group = node_int(node_get(goroutine, "group"), -1),
			.waiting_ns = node_int(node_get(goroutine, "waiting_ns"), -1),
			.thread = node_int(node_get(goroutine, "thread"), -1),
			.flags = flags_of(goroutine),
			.stack_bytes = node_int(node_get(stack, "size_bytes"), -1),
			.runtime = shared_add(texts, node_get(goroutine, "runtime")),
			.status = shared_add(texts, node_get(goroutine, "status")),
			.wait_reason =
				shared_add(texts, node_get(goroutine, "wait_reason")),
			.wait_kind = shared_add(texts, node_get(wait, "kind")),
			.wait_address = shared_add(texts, node_get(wait, "address")),
			.created_by = shared_add(texts, node_get(creator, "function")),
			.labels = shared_add(texts, node_get(goroutine, "labels")),
		});
}

void columns_print(const struct columns *rows, struct sink *out)
{
#define COLUMN(name)                                                                     \
	sink_begin(out, SINK_ARRAY);                                                     \
	for (size_t i = 0; i < rows->count; i++)                                         \
		sink_int(out, rows->all[i].name);                                        \
	sink_end(out);
	ROW_COLUMNS(COLUMN)
	ROW_TEXTS(COLUMN)
#undef COLUMN
}

void columns_write(const struct columns *rows, const struct page_out *out)
{
	AUTO(sink_free) struct sink *part = sink_part_new();

	columns_print(rows, part);
	block_write_part(out, "rows", part);
}

void columns_done(struct columns *rows)
{
	xfree(rows->all);
}
