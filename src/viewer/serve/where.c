/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/where.h"

#include "lib/base/util.h"
#include "lib/document/sink.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/model/model.h"
#include "src/viewer/serve/reply.h"

/* Of its own: what others take meanwhile is not counted. */
#define LOOK_NS (UINT64_C(20) * 1000 * 1000 * 1000)
#define STEP_NS (UINT64_C(10) * 1000 * 1000)
enum { ROWS_BETWEEN_CLOCKS = 64 };

struct where {
	struct filter *filter;
	struct model *m;
	struct sink *out;
	size_t row;
	uint64_t looked_ns;
	bool takes_gzip;
};

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

struct where *where_new(struct model *m, const char *expr, bool takes_gzip,
			struct http_reply *ret)
{
	AUTO(filter_free) struct filter *filter = filter_new();
	struct filter_error error = { .text = "" };
	struct sink *out = sink_part_new();

	sink_begin(out, SINK_OBJECT);
	if (!filter_add_where(filter, "where", expr, &error)) {
		write_error(&error, expr, out);
		sink_end(out);
		reply_take(ret, out, takes_gzip);
		return NULL;
	}
	filter_begin(filter, m);
	sink_named_begin(out, "rows", SINK_ARRAY);
	struct where *w = xcalloc(1, sizeof(*w));
	*w = (struct where){
		.filter = TAKE(filter), .m = m, .out = out, .takes_gzip = takes_gzip
	};
	return w;
}

void where_free(struct where *w)
{
	if (!w)
		return;
	filter_free(w->filter);
	sink_free(w->out);
	xfree(w);
}

/* False: it goes on. */
static bool look(struct where *w, size_t count)
{
	const uint64_t begin = monotonic_ns();
	uint64_t took = 0;

	for (; w->row < count; w->row++) {
		if (w->row % ROWS_BETWEEN_CLOCKS == 0)
			took = monotonic_ns() - begin;
		if (took > STEP_NS || w->looked_ns + took > LOOK_NS)
			break;
		if (filter_passes(w->filter, (uint32_t)w->row))
			sink_uint(w->out, w->row);
	}
	w->looked_ns += took;
	return w->row == count || w->looked_ns > LOOK_NS;
}

bool where_step(struct where *w, struct http_reply *ret)
{
	size_t count;

	model_goroutines(w->m, &count);
	if (!look(w, count))
		return false;
	sink_end(w->out);
	if (w->row < count)
		sink_named_uint(w->out, "looked_at", w->row);
	sink_end(w->out);
	reply_take(ret, TAKE(w->out), w->takes_gzip);
	return true;
}
