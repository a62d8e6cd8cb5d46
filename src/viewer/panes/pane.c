/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/panes/pane.h"

#include <string.h>

#include "src/viewer/lookup/search.h"
#include "src/viewer/panes/browse.h"

enum { COLUMNS_SEARCHED = 900 }; /* of a row, whatever the width of the screen */

void pane_begin(struct pane *pane, const struct pane_kind *kind)
{
	*pane = (struct pane){ .kind = kind, .state = xcalloc(1, kind->state_bytes + 1) };
}

void pane_done(struct pane *pane)
{
	if (!pane->kind)
		return;
	if (pane->kind->done)
		pane->kind->done(pane->state);
	xfree(pane->state);
}

static void scroll(struct pane *pane)
{
	if (pane->cursor >= pane->count)
		pane->cursor = pane->count ? pane->count - 1 : 0;
	if (pane->cursor < pane->top)
		pane->top = pane->cursor;
	if (pane->height && pane->cursor >= pane->top + pane->height)
		pane->top = pane->cursor - pane->height + 1;
	if (pane->top + pane->height > pane->count)
		pane->top = pane->count > pane->height ? pane->count - pane->height : 0;
}

/* Half of what is seen may be below the cursor. */
static void reveal(struct pane *pane)
{
	const size_t above = pane->height / 2;

	if (pane->opened && pane->cursor > pane->top + above)
		pane->top = pane->cursor - above;
	pane->opened = false;
}

void pane_update(struct pane *pane, struct browse *b, unsigned columns, unsigned height)
{
	pane->columns = columns;
	pane->height = height;
	pane->count = pane->kind->update(b, pane->state, columns);
	reveal(pane);
	scroll(pane);
}

void pane_move(struct pane *pane, struct browse *b, size_t row)
{
	pane->cursor = row;
	scroll(pane);
	if (pane->count && pane->kind->select)
		pane->kind->select(b, pane->state, pane->cursor);
}

void pane_follow(struct pane *pane, struct browse *b)
{
	const size_t row = pane->kind->find ? pane->kind->find(b, pane->state) : SIZE_MAX;

	if (row < pane->count)
		pane->cursor = row;
	/* With what is around it. */
	if (row < pane->count && (row < pane->top || row >= pane->top + pane->height))
		pane->top = row > pane->height / 2 ? row - pane->height / 2 : 0;
	scroll(pane);
}

void pane_draw(struct pane *pane, struct browse *b, size_t row, struct line *line)
{
	pane->kind->draw(b, pane->state, row, line);
}

void pane_act(struct pane *pane, struct browse *b, enum row_action action)
{
	if (pane->cursor >= pane->count || !pane->kind->act) {
		browse_say(b, "nothing can be opened here");
		return;
	}
	pane->kind->act(b, pane->state, pane->cursor, action);
	pane->opened = action != ROW_CLOSE;
}

char *pane_words(struct pane *pane, struct browse *b, size_t row)
{
	struct line line;

	line_begin(&line, COLUMNS_SEARCHED);
	pane_draw(pane, b, row, &line);
	char *words = line_words(&line);
	line_done(&line);
	return words;
}

void pane_copy(struct pane *pane, struct browse *b, size_t row, struct text *text)
{
	if (row >= pane->count)
		return;
	if (pane->kind->copy) {
		pane->kind->copy(b, pane->state, row, text);
		return;
	}
	AUTO(xfree) char *words = pane_words(pane, b, row);
	text_add(text, "%s\n", words);
}

uint64_t pane_address(struct pane *pane, struct browse *b)
{
	return pane->cursor < pane->count && pane->kind->address
		       ? pane->kind->address(b, pane->state, pane->cursor)
		       : 0;
}

int64_t pane_goroutine_id(struct pane *pane, struct browse *b)
{
	return pane->cursor < pane->count && pane->kind->goroutine
		       ? pane->kind->goroutine(b, pane->state, pane->cursor)
		       : -1;
}

static bool matches(struct pane *pane, struct browse *b, size_t row,
		    struct search *search)
{
	struct line line;

	if (pane->kind->matches)
		return pane->kind->matches(b, pane->state, row, search);
	line_begin(&line, COLUMNS_SEARCHED);
	pane_draw(pane, b, row, &line);
	const bool has = line_has(&line, search_words(search));
	line_done(&line);
	return has;
}

size_t pane_search(struct pane *pane, struct browse *b, struct search *search,
		   bool forward, size_t times)
{
	const size_t step = forward ? 1 : pane->count - 1;
	size_t row = pane->cursor, found = 0;

	for (size_t i = 0; i < pane->count; i++) {
		row = (row + step) % pane->count;
		if (matches(pane, b, row, search) && ++found == times)
			return row;
	}
	return found ? pane_search(pane, b, search, forward, (times - 1) % found + 1)
		     : SIZE_MAX;
}
