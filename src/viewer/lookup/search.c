/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/lookup/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, YES, NO };

struct search {
	const struct model *model;
	char *words;
	uint64_t address; /* 0: the words are none */
	int64_t id;	  /* INT64_MIN: likewise */
	uint8_t *texts, *groups;
	size_t text_count, group_count;
};

/* Written as documents write it. */
static int64_t id_of(const char *words)
{
	const int64_t id = strtoll(words, NULL, 10);
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, id);
	return strcmp(digits, words) == 0 ? id : INT64_MIN;
}

struct search *search_new(const struct model *model, const char *words)
{
	struct search *search = xcalloc(1, sizeof(*search));

	search->model = model;
	search->words = xstrdup(words);
	search->text_count = model_text_count(model);
	search->texts = xcalloc(search->text_count + 1, 1);
	model_groups(model, &search->group_count);
	search->groups = xcalloc(search->group_count + 1, 1);
	if (sscanf(words, "0x%" SCNx64, &search->address) != 1)
		search->address = 0;
	search->id = id_of(words);
	return search;
}

void search_free(struct search *search)
{
	if (!search)
		return;
	xfree(search->texts);
	xfree(search->groups);
	xfree(search->words);
	xfree(search);
}

const char *search_words(const struct search *search)
{
	return search->words;
}

bool search_text(struct search *search, model_text number)
{
	if (number >= search->text_count)
		return false;
	if (search->texts[number] == UNKNOWN)
		search->texts[number] =
			strcasestr(model_text_of(search->model, number), search->words)
				? YES
				: NO;
	return search->texts[number] == YES;
}

static bool has_frame(struct search *search, uint32_t group)
{
	size_t count, ignored;
	const struct model_group *g = &model_groups(search->model, &ignored)[group];
	const struct model_frame *frames = model_frames(search->model, &count);

	for (uint32_t i = 0; i < g->frame_count; i++)
		if (search_text(search, frames[g->first_frame + i].function) ||
		    search_text(search, frames[g->first_frame + i].file))
			return true;
	return false;
}

bool search_group(struct search *search, uint32_t group)
{
	if (group >= search->group_count)
		return false;
	if (search->groups[group] == UNKNOWN)
		search->groups[group] = has_frame(search, group) ? YES : NO;
	return search->groups[group] == YES;
}

bool search_goroutine(struct search *search, const struct model_goroutine *g)
{
	return search_text(search, model_state(g)) ||
	       search_text(search, g->waits_kind) || search_text(search, g->labels) ||
	       search_text(search, g->creator) ||
	       (search->address && g->waits_address == search->address) ||
	       g->id == search->id || search_group(search, g->group);
}
