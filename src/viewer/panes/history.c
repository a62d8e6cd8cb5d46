/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/panes/history.h"

#include <string.h>

#include "src/viewer/panes/browse.h"

enum { PLACES = 50 };

struct place {
	struct subject subject;
	struct narrowing narrowing;
	size_t frame, cursors[PANES];
	enum pane_id pane;
};

struct history {
	struct place places[PLACES + 1];
	size_t count, now; /* now == count: it is none of these */
};

struct history *history_new(void)
{
	return xcalloc(1, sizeof(struct history));
}

static void drop_from(struct history *history, size_t from)
{
	while (history->count > from)
		narrowing_done(&history->places[--history->count].narrowing);
}

void history_free(struct history *history)
{
	if (!history)
		return;
	drop_from(history, 0);
	xfree(history);
}

static struct place place_of(const struct browse *b)
{
	struct place place = { .subject = b->subject,
			       .narrowing = narrowing_copy(&b->narrowing),
			       .frame = b->frame,
			       .pane = b->focus };

	for (size_t i = 0; i < PANES; i++)
		place.cursors[i] = b->panes[i].cursor;
	return place;
}

void history_note(struct history *history, const struct browse *b)
{
	drop_from(history, history->now);
	if (history->count == PLACES) {
		narrowing_done(&history->places[0].narrowing);
		memmove(history->places, history->places + 1,
			(PLACES - 1) * sizeof(history->places[0]));
		history->count--;
	}
	history->places[history->count++] = place_of(b);
	history->now = history->count;
}

static void visit(const struct place *place, struct browse *b)
{
	browse_narrow(b, narrowing_copy(&place->narrowing));
	browse_subject(b, place->subject.kind, place->subject.row,
		       place->subject.finding);
	browse_frame(b, place->frame);
	for (size_t i = 0; i < PANES; i++)
		b->panes[i].cursor = place->cursors[i];
	b->wanted = place->pane;
	b->stays = true;
}

bool history_go(struct history *history, struct browse *b, int step)
{
	if (step < 0 ? history->now == 0 : history->now + 1 >= history->count)
		return false;
	/* So that one can come forward to here again. */
	if (history->now == history->count) {
		history->places[history->count++] = place_of(b);
	} else {
		narrowing_done(&history->places[history->now].narrowing);
		history->places[history->now] = place_of(b);
	}
	history->now += (size_t)step;
	visit(&history->places[history->now], b);
	return true;
}
