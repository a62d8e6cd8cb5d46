/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/gzip.h"
#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/html/page_frame.h"
#include "src/viewer/html/page_out.h"
#include "src/viewer/model/model.h"
#include "src/viewer/page_data/start.h"
#include "src/viewer/serve/http.h"
#include "src/viewer/serve/reply.h"
#include "src/viewer/serve/where.h"

struct document {
	struct model *m;
	char *name;
	bool of_folder;
	void *start; /* packed; NULL: nobody has asked for it */
	size_t start_bytes;
};

struct document *document_load(struct reader *reader, const char *name, bool of_folder,
			       struct err *err)
{
	struct model *m = model_load(reader, err);

	if (!m)
		return NULL;
	struct document *d = xcalloc(1, sizeof(*d));
	*d = (struct document){ .m = m, .name = xstrdup(name), .of_folder = of_folder };
	return d;
}

void document_free(struct document *d)
{
	if (!d)
		return;
	model_free(d->m);
	xfree(d->name);
	xfree(d->start);
	xfree(d);
}

const char *document_damage(const struct document *d)
{
	return model_damage(d->m);
}

static void append(void *arg, const void *bytes, size_t len)
{
	fwrite(bytes, 1, len, arg);
}

void document_page(struct http_reply *ret)
{
	char *page = NULL;
	size_t len = 0;
	FILE *whole = open_memstream(&page, &len);
	const struct page_out out = { append, whole };

	if (!whole)
		out_of_memory();
	page_frame_begin(&out, false);
	page_frame_end(&out);
	if (fclose(whole) != 0)
		out_of_memory();
	*ret = (struct http_reply){ .type = "text/html; charset=utf-8",
				    .policy = page_frame_served_policy(),
				    .bytes = page,
				    .len = len };
}

static char *make_start(struct document *d)
{
	return start_of(d->m, &(struct head_page){ .name = d->name,
						   .whole = true,
						   .of_folder = d->of_folder });
}

/* It is large, and every page asks for it: kept as most browsers take it. */
static void answer_start(struct document *d, bool takes_gzip, struct http_reply *ret)
{
	if (!takes_gzip) {
		reply_json(ret, make_start(d));
		return;
	}
	if (!d->start) {
		AUTO(xfree) char *plain = make_start(d);
		d->start = gzip_compress(plain, strlen(plain), &d->start_bytes);
	}
	reply_packed(ret, d->start, d->start_bytes);
}

/* Drops node. */
static void answer_node(const struct reader_node *node, bool takes_gzip,
			struct http_reply *ret)
{
	if (!node)
		return;
	struct sink *out = sink_part_new();
	node_write(out, node);
	node_drop(node);
	reply_take(ret, out, takes_gzip);
}

static const struct reader_node *goroutine_at(struct document *d, uint64_t row)
{
	size_t count;
	const struct model_goroutine *all = model_goroutines(d->m, &count);

	return row < count ? model_open(d->m, all[row].place) : NULL;
}

static void answer_globals(struct document *d, bool takes_gzip, struct http_reply *ret)
{
	const size_t count = model_list_count(d->m, MODEL_GLOBALS);
	struct sink *out = sink_part_new();

	sink_begin(out, SINK_ARRAY);
	for (size_t i = 0; i < count; i++) {
		const struct reader_node *node =
			model_open(d->m, model_list_at(d->m, MODEL_GLOBALS, i));
		if (node)
			node_write(out, node);
		node_drop(node);
	}
	sink_end(out);
	reply_take(ret, out, takes_gzip);
}

struct where *document_where(struct document *d, const struct http_request *request,
			     struct http_reply *ret)
{
	return where_new(d->m, request->expr, request->takes_gzip, ret);
}

void document_answer(struct document *d, const struct http_request *request,
		     struct http_reply *ret)
{
	const char *what = request->path, *rest;
	uint64_t number;

	if (strcmp(what, "start") == 0)
		answer_start(d, request->takes_gzip, ret);
	else if (strcmp(what, "globals") == 0)
		answer_globals(d, request->takes_gzip, ret);
	else if ((rest = reply_path_number(what, "goroutine/", &number)) && !*rest)
		answer_node(goroutine_at(d, number), request->takes_gzip, ret);
	else if ((rest = reply_path_number(what, "object/", &number)) && !*rest)
		answer_node(model_open_object(d->m, number), request->takes_gzip, ret);
}
