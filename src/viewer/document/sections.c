/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/sections.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/document/reader.h"
#include "src/viewer/model/model.h"
#include "src/viewer/model/texts.h"
#include "src/viewer/terminal/text.h"

/* Goroutines are told apart by a number. */
struct splitting {
	struct sections *sections;
	struct model *model;
	const char *label;
	struct texts values; /* of the label */
	struct table
		of_labels; /* the value's number plus one, by the number of all labels */
	struct table of_numbers; /* the section plus one */
};

static model_text find_value(struct splitting *s, const struct model_goroutine *row)
{
	const struct reader_node *labels =
		model_open_member(s->model, row->place, "labels");
	model_text number = MODEL_NO_TEXT;

	for (size_t i = 0; i < node_count(labels); i++) {
		const struct reader_node *label = node_at(labels, i);
		struct text title = { 0 };
		if (strcmp(text_of(node_get(label, "key"), ""), s->label) != 0)
			continue;
		text_add(&title, "%s=%s", s->label,
			 text_of(node_get(label, "value"), "?"));
		number = texts_number(&s->values, title.words, title.len);
		text_done(&title);
	}
	node_drop(labels);
	return number;
}

static uint64_t number_of(struct splitting *s, const struct model_goroutine *row)
{
	if (!s->label)
		return row->creator;
	if (row->labels == MODEL_NO_TEXT)
		return MODEL_NO_TEXT;
	uint64_t known = table_get(&s->of_labels, row->labels, 0);
	if (known == 0) {
		known = (uint64_t)find_value(s, row) + 1;
		table_set(&s->of_labels, row->labels, 0, known);
	}
	return known - 1;
}

static char *title_of(const struct splitting *s, uint64_t number)
{
	if (s->label)
		return number == MODEL_NO_TEXT
			       ? xasprintf("without the label %s", s->label)
			       : xstrdup(texts_get(&s->values, (model_text)number));
	return number == MODEL_NO_TEXT
		       ? xstrdup("with an unknown creator")
		       : xasprintf("created by %s",
				   model_text_of(s->model, (model_text)number));
}

static void add_row(struct splitting *s, uint32_t row)
{
	struct sections *all = s->sections;
	size_t n;
	const uint64_t number = number_of(s, &model_goroutines(s->model, &n)[row]);
	uint64_t at = table_get(&s->of_numbers, number, 0);

	if (at == 0) {
		GROW(all->list, all->count, all->cap);
		all->list[all->count++] =
			(struct section){ .title = title_of(s, number) };
		at = all->count;
		table_set(&s->of_numbers, number, 0, at);
	}
	struct section *section = &all->list[at - 1];
	GROW(section->rows, section->count, section->cap);
	section->rows[section->count++] = row;
}

static int by_size(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->title, y->title);
}

void sections_make(struct sections *sections, struct model *m, const uint32_t *rows,
		   size_t count, enum grouping how, const char *label)
{
	struct splitting s = { .sections = sections,
			       .model = m,
			       .label = how == GROUPING_LABEL ? label : NULL };

	for (size_t i = 0; i < count; i++)
		add_row(&s, rows[i]);
	if (sections->count > 0)
		qsort(sections->list, sections->count, sizeof(*sections->list), by_size);
	texts_done(&s.values);
	table_free(&s.of_labels);
	table_free(&s.of_numbers);
}

void sections_done(struct sections *sections)
{
	for (size_t i = 0; i < sections->count; i++) {
		xfree(sections->list[i].title);
		xfree(sections->list[i].rows);
	}
	xfree(sections->list);
}

static uint64_t hash_of(const struct model_frame *frames, const struct model_group *group)
{
	model_text last = MODEL_NO_TEXT;
	uint64_t hash = 0;

	for (size_t i = 0; i < group->frame_count; i++) {
		const struct model_frame *frame = &frames[group->first_frame + i];
		if (frame->hidden || frame->function == last)
			continue;
		last = frame->function;
		hash = table_hash(hash, last);
	}
	return hash;
}

uint32_t *sections_similar(struct model *m)
{
	size_t n, frame_count;
	const struct model_group *groups = model_groups(m, &n);
	const struct model_frame *frames = model_frames(m, &frame_count);
	uint32_t *similar = xcalloc(n + 1, sizeof(*similar));
	struct table largest = { 0 };

	for (size_t i = 0; i < n; i++) {
		const uint64_t hash = hash_of(frames, &groups[i]);
		const uint64_t known = table_get(&largest, hash, 0);
		if (known == 0 || groups[known - 1].count < groups[i].count)
			table_set(&largest, hash, 0, i + 1);
	}
	for (size_t i = 0; i < n; i++)
		similar[i] =
			(uint32_t)table_get(&largest, hash_of(frames, &groups[i]), 0) - 1;
	table_free(&largest);
	return similar;
}
