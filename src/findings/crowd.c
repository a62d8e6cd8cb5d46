/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/crowd.h"

#include <string.h>

static struct crowd *crowd_at(struct crowds *c, const struct finder *f,
			      struct text *place, uint32_t first)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(text_words(&c->list[i].place), text_words(place)) == 0) {
			text_done(place);
			return &c->list[i];
		}
	GROW(c->list, c->count, c->cap);
	c->list[c->count] = (struct crowd){
		.place = *place,
		.first = first,
		.own = place_of(f, first),
	};
	return &c->list[c->count++];
}

static void add(struct crowd *crowd, const struct finder *f, uint32_t goroutine)
{
	crowd->count++;
	if (crowd->id_count < FINDING_GOROUTINES)
		crowd->ids[crowd->id_count++] =
			finder_goroutine(f, goroutine).goroutine->id;
}

void crowds_find(struct crowds *ret, const struct finder *f,
		 bool (*is_one)(const struct finder *f, uint32_t goroutine))
{
	const struct groups *groups = f->about.groups;

	*ret = (struct crowds){ 0 };
	for (size_t i = 0; i < groups->count; i++) {
		const uint32_t *members = groups->members + groups->list[i].first;
		struct crowd *crowd = NULL;
		for (uint32_t m = 0; m < groups->list[i].count; m++) {
			if (!is_one(f, members[m]))
				continue;
			if (!crowd) {
				struct text place = { 0 };
				say_where(f, &place, members[m]);
				say_created(f, &place, members[m]);
				crowd = crowd_at(ret, f, &place, members[m]);
			}
			add(crowd, f, members[m]);
		}
	}
}

void crowds_done(struct crowds *c)
{
	for (size_t i = 0; i < c->count; i++) {
		text_done(&c->list[i].place);
		xfree(c->list[i].own);
	}
	xfree(c->list);
}

void crowd_shows(const struct crowd *crowd, struct finding *to)
{
	memcpy(to->goroutines, crowd->ids, crowd->id_count * sizeof(*crowd->ids));
	to->goroutine_count = crowd->id_count;
	places_add(&to->places, crowd->own);
}
