/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/start.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/document/sink.h"
#include "src/viewer/page_data/choice.h"
#include "src/viewer/page_data/shared.h"
#include "src/viewer/page_data/states.h"

enum {
	MEMBERS_SHARE = 4,
	LISTS_SHARE = 16,
	ROWS_SHARE = 4
}; /* of the limit, one of so many */

static const enum model_list lists[] = { MODEL_FINDINGS, MODEL_WAITS, MODEL_THREADS,
					 MODEL_WARNINGS };

static void begin(struct start *s, struct shared *texts)
{
	shared_init(texts, s->m);
	s->head = sink_part_new();
	s->columns = sink_part_new();
	head_begin(s->head, s->m);
}

static void end(struct start *s, struct shared *texts)
{
	s->texts = TAKE(texts->all);
	shared_done(texts);
}

static uint64_t left(const struct start *s, const struct shared *texts, uint64_t limit)
{
	const uint64_t used = sink_part_bytes(s->head) + sink_part_bytes(texts->all);

	return used < limit ? limit - used : 0;
}

/* False: it does not fit. */
static bool write_all(struct start *s, struct shared *texts, uint64_t limit)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct head_count *count = &s->counts.lists[lists[i]];
		head_write_list(s->head, s->m, lists[i], left(s, texts, limit), count);
		if (count->left_out > 0)
			return false;
	}
	head_write_groups(s->head, texts, NULL, limit, NULL, &s->counts.groups);
	const size_t head = sink_part_bytes(s->head);
	s->rows.all = model_goroutines(s->m, &s->rows.count);
	return s->counts.groups.left_out == 0 && head < limit &&
	       columns_write(s->columns, texts, &s->rows, limit - head) &&
	       sink_part_bytes(s->columns) + COLUMNS_FLAGS_BYTES * s->rows.count <=
		       left(s, texts, limit);
}

static bool make_all(struct start *s, uint64_t limit)
{
	struct shared texts;

	begin(s, &texts);
	const bool fits = write_all(s, &texts, limit);
	end(s, &texts);
	return fits;
}

const struct named *start_named(struct start *start)
{
	if (!start->is_named)
		named_find(&start->named, start->m);
	start->is_named = true;
	return &start->named;
}

static void write_chosen(struct start *s, struct shared *texts, uint64_t limit)
{
	const struct named *named = start_named(s);
	size_t count;

	model_groups(s->m, &count);
	AUTO(xfree) uint32_t *order = choice_of_groups(s->m, named);
	AUTO(xfree) bool *written = xcalloc(count + 1, sizeof(*written));
	head_write_groups(s->head, texts, order, limit - limit / ROWS_SHARE, written,
			  &s->counts.groups);
	const uint64_t head = sink_part_bytes(s->head);
	choice_of_rows(&s->rows, texts, named, order, written,
		       head < limit ? limit - head : 0);
	/* All texts are there, and counted. */
	if (!columns_write(s->columns, texts, &s->rows, UINT64_MAX))
		abort();
}

/* Members have at most a quarter of it, lists another, groups what is left of three, goroutines the rest. */
static bool make_part(struct start *s, uint64_t limit)
{
	struct shared texts;

	begin(s, &texts);
	const bool fits = sink_part_bytes(s->head) <= limit / MEMBERS_SHARE;
	for (size_t i = 0; fits && i < ARRAY_SIZE(lists); i++)
		head_write_list(s->head, s->m, lists[i], limit / LISTS_SHARE,
				&s->counts.lists[lists[i]]);
	if (fits && limit / LISTS_SHARE >= STATES_BYTES)
		states_write(s->head, s->m);
	if (fits)
		write_chosen(s, &texts, limit);
	end(s, &texts);
	return fits;
}

uint64_t start_bytes_least(const struct start *start)
{
	return MEMBERS_SHARE * sink_part_bytes(start->head);
}

static void drop_parts(struct start *s)
{
	sink_free(s->head);
	sink_free(s->texts);
	sink_free(s->columns);
}

bool start_make(struct start *ret, struct model *m, uint64_t limit)
{
	size_t count;

	*ret = (struct start){ .m = m };
	model_goroutines(m, &count);
	bool fits = make_all(ret, limit);
	if (!fits) {
		drop_parts(ret);
		fits = make_part(ret, limit);
	}
	ret->counts.goroutines = (struct head_count){ count, count - ret->rows.count };
	return fits;
}

void start_finish(struct start *start, const struct head_page *page, const bool *whole)
{
	columns_write_flags(start->columns, &start->rows, whole);
	head_end(start->head, start->m, page, &start->counts);
}

void start_done(struct start *start)
{
	drop_parts(start);
	named_done(&start->named);
	xfree(start->rows.rows);
}

uint64_t start_bytes(const struct start *start)
{
	return sink_part_bytes(start->head) + sink_part_bytes(start->texts) +
	       sink_part_bytes(start->columns) + COLUMNS_FLAGS_BYTES * start->rows.count +
	       START_PAGE_BYTES;
}

static char *put(char *at, const char *text, size_t len)
{
	memcpy(at, text, len);
	return at + len;
}

static char *put_part(char *at, const char *before, const struct sink *part)
{
	at = put(at, before, strlen(before));
	return put(at, sink_part_text(part), sink_part_bytes(part));
}

char *start_of(struct model *m, const struct head_page *page)
{
	static const char head[] = "{\"head\":", texts[] = ",\"texts\":[",
			  columns[] = "],\"columns\":[", end[] = "]}";
	struct start start;

	if (!start_make(&start, m, UINT64_MAX))
		abort(); /* everything fits */
	start_finish(&start, page, NULL);
	char *all = xmalloc(sizeof(head) + sizeof(texts) + sizeof(columns) + sizeof(end) +
			    sink_part_bytes(start.head) + sink_part_bytes(start.texts) +
			    sink_part_bytes(start.columns));
	char *at = put_part(all, head, start.head);
	at = put_part(at, texts, start.texts);
	at = put_part(at, columns, start.columns);
	put(at, end, sizeof(end));
	start_done(&start);
	return all;
}
