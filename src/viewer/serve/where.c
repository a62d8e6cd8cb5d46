/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/where.h"

#include "lib/base/util.h"
#include "lib/document/sink.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/model/model.h"
#include "src/viewer/serve/reply.h"

/* Nobody else is answered meanwhile. */
#define LOOK_NS (UINT64_C(20) * 1000 * 1000 * 1000)
enum { ROWS_BETWEEN_CLOCKS = 64 };

/* In characters. */
static uint64_t column_of(const char *expr, size_t at)
{
	uint64_t column = 1;

	for (size_t i = 0; i < at && expr[i]; i++)
		column += ((unsigned char)expr[i] & 0xc0) != 0x80;
	return column;
}

static void write_error(const struct filter_error *error, const char *expr,
			struct sink *out)
{
	sink_named_string(out, "error", error->text);
	sink_named_uint(out, "column", column_of(expr, error->at));
	sink_named_bool(out, "unfinished", error->unfinished);
}

static void write_rows(struct filter *filter, struct model *m, struct sink *out)
{
	const uint64_t until = monotonic_ns() + LOOK_NS;
	size_t count, row = 0;

	model_goroutines(m, &count);
	filter_begin(filter, m);
	sink_named_begin(out, "rows", SINK_ARRAY);
	for (; row < count; row++) {
		if (row % ROWS_BETWEEN_CLOCKS == 0 && monotonic_ns() > until)
			break;
		if (filter_passes(filter, (uint32_t)row))
			sink_uint(out, row);
	}
	sink_end(out);
	if (row < count)
		sink_named_uint(out, "looked_at", row);
}

void where_answer(struct model *m, const char *expr, bool takes_gzip,
		  struct http_reply *ret)
{
	AUTO(filter_free) struct filter *filter = filter_new();
	struct filter_error error = { .text = "" };
	struct sink *out = sink_part_new();

	sink_begin(out, SINK_OBJECT);
	if (filter_add_where(filter, "where", expr, &error))
		write_rows(filter, m, out);
	else
		write_error(&error, expr, out);
	sink_end(out);
	reply_take(ret, out, takes_gzip);
}
