/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/start.h"

#include "lib/base/util.h"
#include "lib/document/sink.h"
#include "src/viewer/page_data/columns.h"
#include "src/viewer/page_data/shared.h"

void start_make(struct start *ret, struct model *m, const struct head_page *page,
		const bool *whole)
{
	struct shared texts;

	shared_init(&texts, m);
	*ret = (struct start){ .head = sink_part_new(), .columns = sink_part_new() };
	head_write(ret->head, &texts, page);
	columns_write(ret->columns, &texts, whole);
	ret->texts = TAKE(texts.all);
	shared_done(&texts);
}

void start_done(struct start *start)
{
	sink_free(start->head);
	sink_free(start->texts);
	sink_free(start->columns);
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

	start_make(&start, m, page, NULL);
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
