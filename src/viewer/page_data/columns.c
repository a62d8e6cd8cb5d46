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

static int64_t flags(struct shared *texts, const struct model_goroutine *g)
{
	(void)texts;
	return (g->system ? ROW_SYSTEM : 0) | (g->locked ? ROW_LOCKED : 0) |
	       (g->panics ? ROW_PANICS : 0);
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

/* model.js reads them in this order: numbers, -1 if they are not known, and then numbers of texts. */
static column_fn *const columns[] = { id,	   group,	waiting_ns,   thread,
				      flags,	   stack_bytes, runtime,      status,
				      wait_reason, wait_kind,	wait_address, created_by,
				      labels };

void columns_write(struct sink *out, struct shared *texts, const bool *whole)
{
	size_t count;
	const struct model_goroutine *all = model_goroutines(texts->m, &count);

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		sink_begin(out, SINK_ARRAY);
		for (size_t row = 0; row < count; row++) {
			int64_t value = columns[i](texts, &all[row]);
			if (columns[i] == flags && (!whole || whole[row]))
				value |= ROW_WHOLE;
			sink_int(out, value);
		}
		sink_end(out);
	}
}
