/* SPDX-License-Identifier: Apache-2.0 */
/* tty.h - the terminal itself, by ncurses. While it is open, nothing else of this process, nor of its
 * children, has it: standard input, output and error lead nowhere. However the process ends, unless by
 * SIGKILL, the terminal is as it was. What is drawn is checked here: nobody who draws can make the terminal
 * do anything else. */
#ifndef GOSNAP_TTY_H
#define GOSNAP_TTY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/viewer/screen/key.h"

struct tty;

/* ERR_USAGE: it is none, or cannot show a screen. */
MUST_CHECK bool tty_can_open(struct err *err);
/* Keeps it from everybody else, and does not draw yet. NULL: as tty_can_open(). */
struct tty *tty_open(struct err *err);
/* Gives it back. */
void tty_close(struct tty *tty);
DEFINE_AUTO(struct tty, tty_close)

/* Takes the screen, if that has not been done. */
MUST_CHECK bool tty_begin(struct tty *tty);
/* A row as a struct line encodes it; beyond its end, it becomes empty. */
void tty_row(struct tty *tty, unsigned row, const char *bytes, size_t len);
/* Shows what was drawn. */
void tty_update(struct tty *tty);
/* What happened first and was not told yet; KEYS_NONE: nothing so far. */
struct key tty_key(struct tty *tty);
/* Readable when tty_key() may have something; not to be read. */
int tty_events(const struct tty *tty);
/* Into the clipboard of the terminal's user, by OSC 52, where the terminal permits it. */
void tty_copy(struct tty *tty, const char *bytes, size_t len);

#endif
