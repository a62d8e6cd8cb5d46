/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - what was looked at before, to go back to and forward again. */
#ifndef GOSNAP_HISTORY_H
#define GOSNAP_HISTORY_H

#include <stdbool.h>

struct browse;
struct history;

struct history *history_new(void);
void history_free(struct history *history);

/* What is looked at now can be gone back to. */
void history_note(struct history *history, const struct browse *b);
/* Goes back (-1) or forward (1). False: there is nowhere to go. */
bool history_go(struct history *history, struct browse *b, int step);

#endif
