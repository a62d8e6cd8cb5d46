/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/tui/tui_priv.h"

enum { WHEEL_ROWS = 3 };

static const struct area *area_at(const struct tui *t)
{
	for (size_t i = 0; i < t->layout.count; i++) {
		const struct area *a = &t->layout.areas[i];
		if (t->key.x >= a->x && t->key.x < a->x + a->columns &&
		    t->key.y >= a->y && t->key.y < a->y + a->rows)
			return a;
	}
	return NULL;
}

static void scroll(struct tui *t, struct pane *pane)
{
	const bool up = t->key.code == KEYS_WHEEL_UP;

	if (up)
		pane_move(pane, t->b,
			  pane->cursor > WHEEL_ROWS ? pane->cursor - WHEEL_ROWS : 0);
	else
		pane_move(pane, t->b, pane->cursor + WHEEL_ROWS);
}

/* The wheel moves in the pane below the mouse; a press goes to a row, and opens the one that it is on. */
void mouse_act(struct tui *t)
{
	const struct area *area = area_at(t);

	if (!area)
		return;
	struct pane *pane = &t->b->panes[area->pane];
	const bool had_focus = t->b->focus == area->pane;
	const unsigned at = t->key.y - area->y; /* 0: its title */
	tui_focus(t, area->pane);
	if (t->key.code != KEYS_PRESSED)
		scroll(t, pane);
	else if (at && pane->top + at - 1 == pane->cursor && had_focus)
		pane_act(pane, t->b, ROW_ENTER);
	else if (at && pane->top + at - 1 < pane->count)
		pane_move(pane, t->b, pane->top + at - 1);
}
