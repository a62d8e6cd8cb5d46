/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/html.h"

#include <inttypes.h>
#include <string.h>

#include "src/viewer/html/block.h"
#include "src/viewer/html/page_frame.h"
#include "src/viewer/html/page_out.h"
#include "src/viewer/html/sample.h"

/* Bytes of values: before compression, and in the page. */
struct room {
	uint64_t plain, packed;
};

struct making {
	const struct html_options *options;
	const struct page_out *out;
	struct model *m;
	struct start start;
	struct sample sample;
	struct room room;
	struct blocks goroutines, objects, globals;
	size_t with_values; /* goroutines */
	bool lacks_values;  /* for want of room */
};

static uint64_t bytes_of_values(struct model *m)
{
	enum { NUMBER = 24 };
	uint64_t bytes = 0;
	size_t count;
	const struct model_goroutine *all = model_goroutines(m, &count);

	for (size_t i = 0; i < count; i++)
		bytes += all[i].place.bytes + NUMBER;
	for (size_t i = 0; i < model_object_count(m); i++)
		bytes += model_object_at(m, i).bytes + NUMBER;
	for (size_t i = 0; i < model_list_count(m, MODEL_GLOBALS); i++)
		bytes += model_list_at(m, MODEL_GLOBALS, i).bytes + NUMBER;
	return bytes;
}

/* What of the page is not values, at most, if the start has so many bytes. */
static uint64_t packed_without_values(uint64_t start)
{
	return page_frame_bytes() + block_bytes_at_most(start) +
	       2 * block_bytes_at_most(0);
}

/* How many bytes the start may have. fixed: what of the page is neither start nor values. */
static uint64_t limit_of_start(uint64_t size, uint64_t fixed)
{
	const uint64_t packed = size > fixed ? (size - fixed) / 3 * 2 : 0;
	const uint64_t limit = packed < size / 2 ? packed : size / 2;

	return limit > START_PAGE_BYTES ? limit - START_PAGE_BYTES : 0;
}

static bool refuse(const struct making *m, uint64_t fixed, struct err *err)
{
	const uint64_t least = start_bytes_least(&m->start);
	uint64_t kib = 16;

	while (limit_of_start(kib << 10, fixed) < least)
		kib += 16;
	return err_set(err, ERR_LIMIT,
		       "%s: the page needs at least --max-size=%" PRIu64 "K",
		       m->options->name, kib);
}

static bool fits(const struct making *m, const struct blocks *blocks, uint64_t bytes,
		 unsigned share)
{
	const uint64_t waiting = blocks_waiting_with(blocks, bytes);

	return m->goroutines.bytes + m->objects.bytes + m->globals.bytes + waiting <=
		       m->room.plain / share &&
	       m->goroutines.packed + m->objects.packed + m->globals.packed +
			       block_bytes_at_most(waiting) <=
		       m->room.packed / share;
}

/* False: it is damaged. */
static bool carry(struct making *m, struct blocks *blocks, size_t number,
		  struct model_place place)
{
	AUTO(xfree) char *json = model_read(m->m, place);

	if (!json)
		return false;
	blocks_add(blocks, number, json, place.bytes);
	if (!m->sample.all)
		sample_follow(&m->sample, json, place.bytes);
	return true;
}

static void carry_goroutines(struct making *m)
{
	const struct row_list *rows = &m->start.rows;

	for (size_t i = 0; i < rows->count; i++) {
		bool *whole = &m->sample.whole[i];
		const struct model_place place = row_at(rows, i)->place;
		const unsigned share = m->sample.named[i] ? 1 : 2;
		const bool room = *whole && fits(m, &m->goroutines, place.bytes, share);
		m->lacks_values |= !room;
		*whole = room && carry(m, &m->goroutines, i, place);
		m->with_values += *whole;
	}
	blocks_finish(&m->goroutines);
}

static void carry_other(struct making *m, struct blocks *blocks, size_t number,
			struct model_place place)
{
	if (fits(m, blocks, place.bytes, 1))
		carry(m, blocks, number, place);
	else
		m->lacks_values = true;
}

static void carry_objects(struct making *m)
{
	for (size_t i = 0; i < model_object_count(m->m); i++)
		if (sample_has_object(&m->sample, i))
			carry_other(m, &m->objects, i, model_object_at(m->m, i));
	blocks_finish(&m->objects);
}

static void carry_globals(struct making *m)
{
	for (size_t i = 0; i < model_list_count(m->m, MODEL_GLOBALS); i++)
		carry_other(m, &m->globals, i, model_list_at(m->m, MODEL_GLOBALS, i));
	blocks_finish(&m->globals);
}

static void write_start(struct making *m)
{
	start_finish(&m->start,
		     &(struct head_page){ .name = m->options->name,
					  .whole = !m->lacks_values,
					  .size_max = m->options->size_max },
		     m->sample.whole);
	block_write_part(m->out, "head", m->start.head);
	block_write_part(m->out, "texts", m->start.texts);
	block_write_part(m->out, "rows", m->start.columns);
}

/* The start comes last: only then is known what was damaged, and what did not fit. */
static void write_page(struct making *m)
{
	page_frame_begin(m->out, true);
	carry_goroutines(m);
	carry_objects(m);
	carry_globals(m);
	write_start(m);
	page_frame_end(m->out);
}

static uint64_t minus(uint64_t size, uint64_t used)
{
	return used < size ? size - used : 0;
}

static void plan(struct making *m)
{
	const uint64_t size = m->options->size_max, start = start_bytes(&m->start);

	m->room = (struct room){ minus(size, start),
				 minus(size, packed_without_values(start)) };
	m->sample.all = m->start.counts.goroutines.left_out == 0 &&
			bytes_of_values(m->m) <= m->room.plain;
	m->lacks_values = !m->sample.all;
	sample_choose(&m->sample, &m->start);
}

static bool make(struct making *m, struct html_summary *ret, struct err *err)
{
	const uint64_t fixed = packed_without_values(0);

	ret->nothing =
		!start_make(&m->start, m->m, limit_of_start(m->options->size_max, fixed));
	if (ret->nothing)
		return refuse(m, fixed, err);
	plan(m);
	write_page(m);
	ret->counts = m->start.counts;
	ret->with_values = m->with_values;
	ret->lacks_values = m->lacks_values;
	return model_is_whole(m->m, err);
}

bool html_write(struct reader *reader, const struct html_options *options,
		const struct page_out *out, struct html_summary *ret, struct err *err)
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

	*ret = (struct html_summary){ .nothing = true };
	if (!model)
		return false;
	const bool ok = make(&m, ret, err);
	sample_done(&m.sample);
	start_done(&m.start);
	return ok;
}
