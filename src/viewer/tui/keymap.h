/* SPDX-License-Identifier: Apache-2.0 */
/* keymap.h - the keys, as a table: what happens and the help are both made of it. */
#ifndef GOSNAP_KEYMAP_H
#define GOSNAP_KEYMAP_H

#include <stddef.h>
#include <stdint.h>

#include "src/viewer/panes/pane.h"

struct tui;

struct binding {
	int32_t keys[3];   /* 0: no more */
	const char *shown; /* "j, Down" */
	const char *help;
	void (*run)(struct tui *t);
	enum pane_id pane; /* to which it goes; PANES: to none */
};

extern const struct binding keymap[];
extern const size_t keymap_count;

/* NULL: the key means nothing. */
const struct binding *keymap_find(int32_t key);

#endif
