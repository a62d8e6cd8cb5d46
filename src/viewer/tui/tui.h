/* SPDX-License-Identifier: Apache-2.0 */
/* tui.h - a document in a terminal, to look around in. The main header of src/viewer/tui, which has the keys,
 * where on the screen panes are, and the lines around them. Knows panes as lists of rows, and nothing of what
 * is in them. */
#ifndef GOSNAP_TUI_H
#define GOSNAP_TUI_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct model;
struct screen;
struct source_files;

/* Until the user leaves. All borrowed. False: the terminal is gone. */
MUST_CHECK bool tui_run(struct model *model, struct screen *screen,
			struct source_files *sources, struct err *err);

#endif
