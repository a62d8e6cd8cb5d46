/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/html.h"

#include <string.h>

#include "src/viewer/html/block.h"
#include "src/viewer/html/page_frame.h"
#include "src/viewer/html/page_out.h"
#include "src/viewer/html/sample.h"
#include "src/viewer/model/model.h"
#include "src/viewer/page_data/start.h"

struct making {
	const struct html_options *options;
	const struct page_out *out;
	struct model *m;
	struct sample sample;
	struct blocks goroutines, objects, globals;
};

static uint64_t bytes_of_values(struct model *m)
{
	uint64_t bytes = 0;
	size_t count;
	const struct model_goroutine *all = model_goroutines(m, &count);

	for (size_t i = 0; i < count; i++)
		bytes += all[i].place.bytes;
	for (size_t i = 0; i < model_object_count(m); i++)
		bytes += model_object_at(m, i).bytes;
	for (size_t i = 0; i < model_list_count(m, MODEL_GLOBALS); i++)
		bytes += model_list_at(m, MODEL_GLOBALS, i).bytes;
	return bytes;
}

static bool within(const struct making *m, uint64_t limit)
{
	return m->goroutines.bytes + m->objects.bytes + m->globals.bytes < limit;
}

static void carry(struct making *m, struct blocks *blocks, size_t number,
		  struct model_place place)
{
	AUTO(xfree) char *json = model_read(m->m, place);

	if (!json)
		return;
	blocks_add(blocks, number, json, place.bytes);
	if (!m->sample.all)
		sample_follow(&m->sample, json, place.bytes);
}

static void carry_goroutines(struct making *m)
{
	const uint64_t limit = m->options->values_max / (m->sample.all ? 1 : 2);
	size_t count;
	const struct model_goroutine *all = model_goroutines(m->m, &count);

	for (size_t i = 0; i < count; i++)
		if (m->sample.whole[i] &&
		    (within(m, limit) ||
		     table_get(&m->sample.named, (uint64_t)all[i].id, 0)))
			carry(m, &m->goroutines, i, all[i].place);
	blocks_finish(&m->goroutines);
}

static void carry_objects(struct making *m)
{
	for (size_t i = 0; i < model_object_count(m->m); i++)
		if (sample_has_object(&m->sample, i) && within(m, m->options->values_max))
			carry(m, &m->objects, i, model_object_at(m->m, i));
	blocks_finish(&m->objects);
}

static void carry_globals(struct making *m)
{
	for (size_t i = 0; i < model_list_count(m->m, MODEL_GLOBALS); i++)
		if (within(m, m->options->values_max))
			carry(m, &m->globals, i, model_list_at(m->m, MODEL_GLOBALS, i));
	blocks_finish(&m->globals);
}

static void write_start(struct making *m)
{
	const struct head_page page = { .name = m->options->name,
					.whole = m->sample.all,
					.values_max = m->options->values_max };
	struct start start;

	start_make(&start, m->m, &page, m->sample.whole);
	block_write_part(m->out, "head", start.head);
	block_write_part(m->out, "texts", start.texts);
	block_write_part(m->out, "rows", start.columns);
	start_done(&start);
}

/* Values first: where they are damaged, the start says. */
static void make(struct making *m)
{
	m->sample.all = bytes_of_values(m->m) <= m->options->values_max;
	sample_choose(&m->sample, m->m);
	page_frame_begin(m->out, true);
	carry_goroutines(m);
	carry_objects(m);
	carry_globals(m);
	write_start(m);
	page_frame_end(m->out);
}

bool html_write(struct reader *reader, const struct html_options *options,
		const struct page_out *out, bool *ret_nothing, struct err *err)
{
	AUTO(model_free) struct model *model = model_load(reader, err);
	struct making m = {
		.options = options,
		.out = out,
		.m = model,
		.goroutines = { out, .kind = "goroutines" },
		.objects = { out, .kind = "objects" },
		.globals = { out, .kind = "globals" },
	};

	*ret_nothing = !model;
	if (!model)
		return false;
	make(&m);
	sample_done(&m.sample);
	return model_is_whole(model, err);
}
