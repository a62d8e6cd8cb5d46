/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/typing.h"

#include <stdint.h>

#include "src/viewer/screen/key.h"

/* Completion adds more than it is known here. */
enum { LEN_UNKNOWN = 1 << 20 };

static void begin(struct typing *typing, int32_t key)
{
	typing->len = 0;
	switch (key) {
	case KEYS_SEARCH:
	case KEYS_SEARCH_BACKWARD:
	case KEYS_WORDS:
	case KEYS_FILTER:
		typing->what = TYPING_WORDS;
		break;
	case KEYS_HELP:
		typing->what = TYPING_IN_HELP;
	}
}

static void go_on(struct typing *typing, int32_t key)
{
	switch (key) {
	case KEYS_ENTER:
	case '\n':
	case KEYS_ESCAPE:
		typing->what = TYPING_NOTHING;
		break;
	case KEYS_BACKSPACE:
	case '\b':
		if (typing->len)
			typing->len--;
		else
			typing->what = TYPING_NOTHING;
		break;
	case KEYS_CONTROL('U'):
		typing->len = 0;
		break;
	case KEYS_TAB:
		typing->len = LEN_UNKNOWN;
		break;
	default:
		typing->len += key >= ' ' && key < KEYS_SPECIAL;
	}
}

bool typing_is_command(struct typing *typing, const struct key *key)
{
	const bool is_command = typing->what == TYPING_NOTHING;

	if (key->code == KEYS_NONE || key->code == KEYS_RESIZED)
		return false;
	if (is_command)
		begin(typing, key->code);
	else if (typing->what == TYPING_WORDS)
		go_on(typing, key->code);
	else if (!key_scrolls_help(key->code))
		typing->what = TYPING_NOTHING;
	return is_command;
}

void typing_goes_on(struct typing *typing)
{
	if (typing->what == TYPING_NOTHING)
		*typing = (struct typing){ TYPING_WORDS, LEN_UNKNOWN };
}
