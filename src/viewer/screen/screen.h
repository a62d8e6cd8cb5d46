/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - a full screen in a terminal: rows out, keys in. The main header of src/viewer/screen. What
 * reads a document draws with this and has no terminal: in the sandbox, the parent has it (screen_host.h,
 * tty.h), checks each character of each row, and asks the user itself where something is to be written. Knows
 * rows and keys, and nothing of what they mean. */
#ifndef GOSNAP_SCREEN_H
#define GOSNAP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/util.h"
#include "src/viewer/screen/key.h"
#include "src/viewer/screen/line.h"

struct screen;
struct screen_host;

enum {
	SCREEN_ROWS_MAX = 500,
	SCREEN_COLUMNS_MAX = 1000,
	SCREEN_COPY_MAX = 48 << 10, /* bytes; terminals take 74,994 in base64 at most */
};

/* host: of the same process, where there is no sandbox. */
struct screen *screen_new(struct screen_host *host);
void screen_free(struct screen *screen);
DEFINE_AUTO(struct screen, screen_free)

/* Shown with the next screen_key(). */
void screen_row(struct screen *screen, unsigned row, const struct line *line);
/* Shows them, and asks for no key. */
void screen_update(struct screen *screen);
/* All rows are drawn anew. */
void screen_forget(struct screen *screen);
/* The next key; without SCREEN_WAITS, KEYS_NONE if there is none. False: the terminal is gone. */
enum {
	SCREEN_WAITS = 1,
	SCREEN_TYPES = 2, /* it belongs to words that the user types, and is no command */
};
MUST_CHECK bool screen_key(struct screen *screen, unsigned how, struct key *ret);

/* What the user asked for with the last key: y copies, w writes. Each is possible once for one such key. */
MUST_CHECK bool screen_copy(struct screen *screen, const char *words, size_t len);
/* What the user has chosen to write. */
enum screen_part { SCREEN_ROW, SCREEN_ROWS, SCREEN_STACKS };
struct screen_file_kind {
	bool markdown; /* by the name */
	enum screen_part part;
};
/* Asks the user for the name of a file, and what of that many rows is to be written; 1: that. has_stacks: the rows can
 * have them. A descriptor; -errno: there is none. */
int screen_file(struct screen *screen, size_t rows, bool has_stacks,
		struct screen_file_kind *ret);
/* Says it when the screen is gone. */
void screen_say(struct screen *screen, const char *words);

#endif
