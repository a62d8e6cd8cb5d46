/* SPDX-License-Identifier: Apache-2.0 */
/* terminfo.h - what terminfo says of the terminal: whether it can show a screen, and how it is given back
 * when the process ends, also by a signal that can be caught. */
#ifndef GOSNAP_TERMINFO_H
#define GOSNAP_TERMINFO_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

/* ERR_USAGE */
MUST_CHECK bool terminfo_can_show(int out, struct err *err);
/* Notes how the terminal is now; to be called once, before ncurses changes it. */
void terminfo_give_back_later(int in, int out);
/* Does it now, if it was not done. */
void terminfo_give_back(void);
/* From newterm() on, each letter is shown where it was drawn, by terminals that would put some in another order. */
void terminfo_keep_order(void);

#endif
