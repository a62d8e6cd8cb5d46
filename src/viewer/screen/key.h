/* SPDX-License-Identifier: Apache-2.0 */
/* key.h - one key, or what the mouse did. A character is its own code. */
#ifndef GOSNAP_KEY_H
#define GOSNAP_KEY_H

#include <stdbool.h>
#include <stdint.h>

enum key_code {
	KEYS_TAB = '\t',
	KEYS_ENTER = '\r',
	KEYS_ESCAPE = 0x1b,
	KEYS_BACKSPACE = 0x7f,
	KEYS_SPECIAL = 0x110000, /* beyond Unicode */
	KEYS_NONE = KEYS_SPECIAL,
	KEYS_UP,
	KEYS_DOWN,
	KEYS_LEFT,
	KEYS_RIGHT,
	KEYS_PAGE_UP,
	KEYS_PAGE_DOWN,
	KEYS_HOME,
	KEYS_END,
	KEYS_BACK_TAB,
	KEYS_RESIZED,
	KEYS_PRESSED, /* the left button of the mouse, at x, y */
	KEYS_WHEEL_UP,
	KEYS_WHEEL_DOWN,
};

/* Those that begin what the user types, and the list of keys. */
enum {
	KEYS_SEARCH = '/',
	KEYS_SEARCH_BACKWARD = '\\',
	KEYS_WORDS = '&',
	KEYS_FILTER = ':',
	KEYS_HELP = '?',
};

/* Any other ends the list of keys. */
static inline bool key_scrolls_help(int32_t code)
{
	switch (code) {
	case 'j':
	case 'k':
	case ' ':
	case KEYS_DOWN:
	case KEYS_UP:
	case KEYS_PAGE_DOWN:
	case KEYS_PAGE_UP:
	case KEYS_WHEEL_DOWN:
	case KEYS_WHEEL_UP:
		return true;
	}
	return false;
}

/* Ctrl and a capital letter. */
#define KEYS_CONTROL(letter) ((letter)&0x1f)

struct key {
	int32_t code;
	uint16_t x, y;
	uint16_t columns, rows; /* of the terminal, now */
};

#endif
