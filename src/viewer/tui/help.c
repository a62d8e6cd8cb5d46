/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/tui/keymap.h"
#include "src/viewer/tui/tui_priv.h"

enum { KEY_COLUMN = 24 };

static size_t last_top(const struct tui *t)
{
	const size_t room = t->rows - 1;

	return keymap_count + 1 > room ? keymap_count + 1 - room : 0;
}

void help_draw(struct tui *t)
{
	struct line line;

	for (unsigned y = 0; y < t->rows; y++) {
		const size_t row = t->help_top + y;
		line_begin(&line, t->columns);
		if (y + 1 == t->rows) {
			line_add(&line, STYLE_FAINT,
				 "j, k: more keys  any other key: back to the document");
		} else if (row == 0) {
			line_add(&line, STYLE_HEADING, "Keys");
		} else if (row <= keymap_count) {
			line_add(&line, STYLE_HEADING, keymap[row - 1].shown);
			line_pad(&line, KEY_COLUMN);
			line_add(&line, STYLE_PLAIN, keymap[row - 1].help);
		}
		screen_row(t->screen, y, &line);
		line_done(&line);
	}
}

void help_key(struct tui *t)
{
	const size_t page = t->rows > 2 ? t->rows - 2 : 1, last = last_top(t);

	switch (t->key.code) {
	case 'j':
	case KEYS_DOWN:
	case KEYS_WHEEL_DOWN:
		t->help_top++;
		break;
	case ' ':
	case KEYS_PAGE_DOWN:
		t->help_top += page;
		break;
	case 'k':
	case KEYS_UP:
	case KEYS_WHEEL_UP:
		t->help_top -= t->help_top > 0;
		break;
	case KEYS_PAGE_UP:
		t->help_top -= t->help_top < page ? t->help_top : page;
		break;
	}
	t->helps = key_scrolls_help(t->key.code);
	if (t->help_top > last)
		t->help_top = last;
}
