/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - where panes are on a screen of some size. A list is always there, and below or beside it what belongs
 * to the row that is chosen in it. */
#ifndef GOSNAP_LAYOUT_H
#define GOSNAP_LAYOUT_H

#include "src/viewer/panes/pane.h"

enum { LAYOUT_AREAS = 4, LAYOUT_ROWS_MIN = 8, LAYOUT_COLUMNS_MIN = 30 };

/* Its first row is its title. */
struct area {
	enum pane_id pane;
	unsigned x, y, columns, rows;
};

struct layout {
	enum pane_id list, detail,
		below; /* chosen last: of lists, of details, of those but the stack */
	struct area areas[LAYOUT_AREAS];
	size_t count;
	unsigned verdict_rows, tabs_row, body_row,
		left; /* left: columns of the left half; 0: there is one */
};

/* Lists have something that is looked at in the others. */
bool layout_is_list(enum pane_id pane);
/* focus is among the areas. */
void layout_make(struct layout *layout, enum pane_id focus, unsigned columns,
		 unsigned rows);
/* NULL: it is not on the screen. */
const struct area *layout_find(const struct layout *layout, enum pane_id pane);

#endif
