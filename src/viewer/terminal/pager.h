/* SPDX-License-Identifier: Apache-2.0 */
/* pager.h - a program that shows text a page at a time, between us and the terminal. */
#ifndef GOSNAP_PAGER_H
#define GOSNAP_PAGER_H

#include <stdio.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct pager;

/* The command that the user wants: GOSNAP_PAGER, else PAGER, else less. NULL: none, since
 * it is empty, or cat, or cannot be found. Borrowed from the environment. */
const char *pager_command(void);

/* Runs the command by the shell; less is told to leave by itself when all fits the screen,
 * to keep colours and to clear nothing, unless LESS says otherwise. Until the end keys that
 * interrupt are the pager's, not ours. NULL: err says why. */
struct pager *pager_start(const char *command, struct err *err);
/* Where to write. An error there is no failure: the user has seen enough. */
FILE *pager_stream(struct pager *pager);
/* Returns when the user leaves it. ERR_SYS: it could not be run. NULL is fine. */
MUST_CHECK bool pager_finish(struct pager *pager, struct err *err);

#endif
