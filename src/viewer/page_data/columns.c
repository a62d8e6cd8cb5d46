/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/columns.h"

#include "lib/base/util.h"
#include "lib/document/sink.h"
#include "src/viewer/page_data/shared.h"

/* As page/data/model.js has them. */
enum { ROW_SYSTEM = 1, ROW_LOCKED = 2, ROW_WHOLE = 4, ROW_PANICS = 8 };

typedef int64_t column_fn(struct shared *texts, const struct model_goroutine *g);

static int64_t id(struct shared *texts, const struct model_goroutine *g)
{
	(void)texts;
	return g->id;
}

static int64_t group(struct shared *texts, const struct model_goroutine *g)
{
	size_t count;

	return g->group == MODEL_NONE ? -1 : model_groups(texts->m, &count)[g->group].id;
}

static int64_t waiting_ns(struct shared *texts, const struct model_goroutine *g)
{
	(void)texts;
	return g->waiting_ns;
}

static int64_t thread(struct shared *texts, const struct model_goroutine *g)
{
	(void)texts;
	return g->thread;
}

static int64_t stack_bytes(struct shared *texts, const struct model_goroutine *g)
{
	(void)texts;
	return g->stack_bytes;
}

static int64_t runtime(struct shared *texts, const struct model_goroutine *g)
{
	return shared_written(texts, g->runtime);
}

static int64_t status(struct shared *texts, const struct model_goroutine *g)
{
	return shared_string(texts, g->status);
}

static int64_t wait_reason(struct shared *texts, const struct model_goroutine *g)
{
	return shared_string(texts, g->reason);
}

static int64_t wait_kind(struct shared *texts, const struct model_goroutine *g)
{
	return shared_string(texts, g->waits_kind);
}

static int64_t wait_address(struct shared *texts, const struct model_goroutine *g)
{
	return shared_address(texts, g->waits_address);
}

static int64_t created_by(struct shared *texts, const struct model_goroutine *g)
{
	return shared_string(texts, g->creator);
}

static int64_t labels(struct shared *texts, const struct model_goroutine *g)
{
	return shared_written(texts, g->labels);
}

/* model.js reads them in this order: numbers, -1 if they are not known, then numbers of texts, then flags. */
static column_fn *const columns[] = { id,	   group,	 waiting_ns, thread,
				      stack_bytes, runtime,	 status,     wait_reason,
				      wait_kind,   wait_address, created_by, labels };

static int64_t flags(const struct model_goroutine *g, bool whole)
{
	return (g->system ? ROW_SYSTEM : 0) | (g->locked ? ROW_LOCKED : 0) |
	       (whole ? ROW_WHOLE : 0) | (g->panics ? ROW_PANICS : 0);
}

bool columns_write(struct sink *out, struct shared *texts, const struct row_list *rows,
		   uint64_t limit)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		sink_begin(out, SINK_ARRAY);
		for (size_t at = 0; at < rows->count; at++)
			sink_int(out, columns[i](texts, row_at(rows, at)));
		sink_end(out);
		if (sink_part_bytes(out) + sink_part_bytes(texts->all) > limit)
			return false;
	}
	return true;
}

void columns_write_flags(struct sink *out, const struct row_list *rows, const bool *whole)
{
	sink_begin(out, SINK_ARRAY);
	for (size_t at = 0; at < rows->count; at++)
		sink_int(out, flags(row_at(rows, at), !whole || whole[at]));
	sink_end(out);
}

static size_t digits_of(int64_t value)
{
	size_t n = value < 0 ? 2 : 1;

	while (value /= 10)
		n++;
	return n;
}

size_t columns_bytes(struct shared *texts, const struct model_goroutine *g)
{
	size_t bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		bytes += digits_of(columns[i](texts, g)) + 1;
	return bytes + COLUMNS_FLAGS_BYTES;
}
