/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/html.h"

#include <string.h>

#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/html/block.h"
#include "src/viewer/html/columns.h"
#include "src/viewer/html/head.h"
#include "src/viewer/html/page_frame.h"
#include "src/viewer/html/page_out.h"
#include "src/viewer/html/sample.h"
#include "src/viewer/html/shared.h"

struct making {
	const struct html_options *options;
	const struct page_out *out;
	struct sink *head; /* what is small, as it is in the document */
	bool in_array;	   /* there */
	struct shared texts;
	struct columns rows;
	struct sample sample;
	uint64_t document_bytes;  /* 0: not known */
	uint64_t parsed, written; /* elements, of the first and the second pass */
	struct blocks goroutines, objects, globals;
};

static bool is_head(const char *member)
{
	static const char *const members[] = {
		"snapshot",	"trigger",  "process", "go",	 "fault",
		"runtime",	"findings", "waits",   "groups", "threads",
		"verification", "warnings", "end",
	};
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (strcmp(member, members[i]) == 0)
			return true;
	return false;
}

static void note_array(void *arg, const char *member, bool begins)
{
	struct making *m = arg;

	if (!is_head(member))
		return;
	if (begins)
		sink_named_begin(m->head, member, SINK_ARRAY);
	else
		sink_end(m->head);
	m->in_array = begins;
}

static bool note_element(void *arg, const char *member, size_t index,
			 const struct reader_node *node)
{
	struct making *m = arg;

	(void)index;
	m->parsed++;
	sample_note(&m->sample, member, node);
	if (strcmp(member, "end") == 0)
		m->document_bytes =
			(uint64_t)node_int(node_get(node, "document_bytes"), 0);
	if (strcmp(member, "goroutines") == 0)
		columns_add(&m->rows, node, &m->texts);
	if (!is_head(member))
		return true;
	if (!m->in_array)
		sink_name(m->head, member);
	if (strcmp(member, "groups") == 0)
		head_write_group(m->head, node, &m->texts);
	else
		node_write(m->head, node);
	return true;
}

static bool within(const struct making *m, uint64_t limit)
{
	return m->goroutines.bytes + m->objects.bytes + m->globals.bytes < limit;
}

static bool is_carried(const struct making *m, const struct html_row *row)
{
	const uint64_t limit = m->options->values_max / (m->sample.all ? 1 : 2);

	return row->flags & ROW_WHOLE &&
	       (within(m, limit) || table_get(&m->sample.named, (uint64_t)row->id, 0));
}

static void carry(struct making *m, struct blocks *blocks, size_t number,
		  const struct reader_text *text)
{
	blocks_add(blocks, number, text->text, text->bytes);
	if (m->sample.all)
		return;
	const struct reader_node *node = node_of_text(text->text, text->bytes);
	sample_follow(&m->sample, node);
	node_drop(node);
}

/* What is written was parsed before, so it is JSON. */
static bool write_element(void *arg, const char *member, size_t index,
			  const struct reader_text *text)
{
	struct making *m = arg;

	if (m->written++ == m->parsed)
		return false;
	if (strcmp(member, "goroutines") == 0) {
		if (index < m->rows.count && is_carried(m, &m->rows.all[index]))
			carry(m, &m->goroutines, index, text);
	} else if (strcmp(member, "objects") == 0) {
		if (sample_has_object(&m->sample, index) &&
		    within(m, m->options->values_max))
			carry(m, &m->objects, index, text);
	} else if (strcmp(member, "globals") == 0) {
		if (within(m, m->options->values_max))
			carry(m, &m->globals, index, text);
	}
	return true;
}

/* What the page is about itself; damage: NULL if there is none. */
static void finish_head(struct making *m, const char *damage)
{
	if (m->in_array) /* it is cut off in there */
		sink_end(m->head);
	head_write_page(m->head,
			&(struct head_page){ .name = m->options->name,
					     .whole = m->sample.all,
					     .values_max = m->options->values_max,
					     .damage = damage });
	sink_end(m->head);
}

static bool make(struct making *m, struct reader *reader, bool *ret_nothing,
		 struct err *err)
{
	const struct reader_calls first = { .element = note_element,
					    .array = note_array,
					    .arg = m };
	const struct reader_calls second = { .text = write_element, .arg = m };
	struct err again;

	sink_begin(m->head, SINK_OBJECT);
	bool ok = reader_visit(reader, &first, err);
	*ret_nothing = !ok && !err_is(err, ERR_BAD_DATA);
	if (*ret_nothing)
		return false;
	m->sample.all = m->document_bytes <= m->options->values_max;
	sample_choose(&m->sample, &m->rows);
	finish_head(m, ok ? NULL : err->text);
	page_frame_begin(m->out, true);
	block_write_part(m->out, "head", m->head);
	block_write_part(m->out, "texts", m->texts.all);
	columns_write(&m->rows, m->out);
	/* A document that is damaged ends where it ended before. */
	if (!reader_visit(reader, &second, &again) && ok) {
		*err = again;
		ok = false;
	}
	blocks_finish(&m->goroutines);
	blocks_finish(&m->objects);
	blocks_finish(&m->globals);
	page_frame_end(m->out);
	return ok;
}

bool html_write(struct reader *reader, const struct html_options *options,
		const struct page_out *out, bool *ret_nothing, struct err *err)
{
	struct making m = {
		.options = options,
		.out = out,
		.head = sink_part_new(),
		.goroutines = { out, .kind = "goroutines" },
		.objects = { out, .kind = "objects" },
		.globals = { out, .kind = "globals" },
	};

	shared_init(&m.texts);
	const bool ok = make(&m, reader, ret_nothing, err);
	shared_done(&m.texts);
	columns_done(&m.rows);
	sample_done(&m.sample);
	sink_free(m.head);
	return ok;
}
