/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/start.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/html/columns.h"
#include "src/viewer/html/head.h"
#include "src/viewer/html/shared.h"
#include "src/viewer/model/model.h"

struct start {
	struct model *m;
	struct shared texts;
	/* By numbers of the model's texts: what they are here; 0: not yet, or nothing. */
	uint32_t *strings, *values;
};

static uint32_t string(struct start *s, model_text number)
{
	uint32_t *known = &s->strings[number];

	if (number != MODEL_NO_TEXT && !*known)
		*known = shared_add_string(&s->texts, model_text_of(s->m, number));
	return *known;
}

/* What the document has written there; nothing, if that is damaged. */
static uint32_t value(struct start *s, model_text number)
{
	uint32_t *known = &s->values[number];

	if (number == MODEL_NO_TEXT || *known)
		return *known;
	const char *text = model_text_of(s->m, number);
	const struct reader_node *node = node_of_text(text, strlen(text));
	*known = shared_add(&s->texts, node);
	node_drop(node);
	return *known;
}

static uint32_t address(struct start *s, uint64_t address)
{
	char text[sizeof("0x") + 16];

	if (!address)
		return 0;
	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return shared_add_string(&s->texts, text);
}

static struct html_row row_of(struct start *s, const struct model_goroutine *g,
			      const struct model_group *groups)
{
	return (struct html_row){
		.id = g->id,
		.group = g->group == MODEL_NONE ? -1 : groups[g->group].id,
		.waiting_ns = g->waiting_ns,
		.thread = g->thread,
		.flags = ROW_WHOLE | (g->system ? ROW_SYSTEM : 0) |
			 (g->locked ? ROW_LOCKED : 0) | (g->panics ? ROW_PANICS : 0),
		.stack_bytes = g->stack_bytes,
		.runtime = value(s, g->runtime),
		.status = string(s, g->status),
		.wait_reason = string(s, g->reason),
		.wait_kind = string(s, g->waits_kind),
		.wait_address = address(s, g->waits_address),
		.created_by = string(s, g->creator),
		.labels = value(s, g->labels),
	};
}

static void fill_columns(struct start *s, struct columns *ret)
{
	size_t count, group_count;
	const struct model_goroutine *all = model_goroutines(s->m, &count);
	const struct model_group *groups = model_groups(s->m, &group_count);

	for (size_t i = 0; i < count; i++) {
		const struct html_row row = row_of(s, &all[i], groups);
		columns_append(ret, &row);
	}
}

static void write_heads(struct start *s, struct sink *out)
{
	const struct model_heads *heads = model_heads(s->m);
#define HEAD(member)                                                                     \
	if (heads->member) {                                                             \
		sink_name(out, #member);                                                 \
		node_write(out, heads->member);                                          \
	}
	HEAD(snapshot)
	HEAD(trigger)
	HEAD(process)
	HEAD(go)
	HEAD(fault)
	HEAD(runtime)
	HEAD(verification)
	HEAD(end)
#undef HEAD
}

static void write_list(struct start *s, const char *name, enum model_list list,
		       struct sink *out)
{
	const size_t count = model_list_count(s->m, list);

	sink_named_begin(out, name, SINK_ARRAY);
	for (size_t i = 0; i < count; i++) {
		const struct reader_node *node =
			model_open(s->m, model_list_at(s->m, list, i));
		if (node)
			node_write(out, node);
		node_drop(node);
	}
	sink_end(out);
}

static void write_groups(struct start *s, struct sink *out)
{
	size_t count;
	const struct model_group *groups = model_groups(s->m, &count);

	sink_named_begin(out, "groups", SINK_ARRAY);
	for (size_t i = 0; i < count; i++) {
		const struct reader_node *node = model_open(s->m, groups[i].place);
		if (node)
			head_write_group(out, node, &s->texts);
		node_drop(node);
	}
	sink_end(out);
}

static struct sink *head_of(struct start *s, const struct head_page *page)
{
	struct sink *out = sink_part_new();

	sink_begin(out, SINK_OBJECT);
	write_heads(s, out);
	write_list(s, "findings", MODEL_FINDINGS, out);
	write_list(s, "waits", MODEL_WAITS, out);
	write_list(s, "threads", MODEL_THREADS, out);
	write_list(s, "warnings", MODEL_WARNINGS, out);
	write_groups(s, out);
	head_write_page(out, page);
	sink_end(out);
	return out;
}

static struct sink *columns_of(struct start *s)
{
	struct columns rows = { .all = NULL };
	struct sink *out = sink_part_new();

	fill_columns(s, &rows);
	columns_print(&rows, out);
	columns_done(&rows);
	return out;
}

static char *joined(const struct sink *head, const struct sink *texts,
		    const struct sink *columns)
{
	return xasprintf("{\"head\":%.*s,\"texts\":[%.*s],\"columns\":[%.*s]}",
			 (int)sink_part_bytes(head), sink_part_text(head),
			 (int)sink_part_bytes(texts), sink_part_text(texts),
			 (int)sink_part_bytes(columns), sink_part_text(columns));
}

char *start_of(struct model *m, const struct head_page *page)
{
	const size_t count = model_text_count(m);
	struct start s = { .m = m,
			   .strings = xcalloc(count, sizeof(*s.strings)),
			   .values = xcalloc(count, sizeof(*s.values)) };

	shared_init(&s.texts);
	AUTO(sink_free) struct sink *head = head_of(&s, page), *columns = columns_of(&s);
	char *all = joined(head, s.texts.all, columns);
	shared_done(&s.texts);
	xfree(s.strings);
	xfree(s.values);
	return all;
}
