/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.h - a line that the user types. */
#ifndef GOSNAP_PROMPT_H
#define GOSNAP_PROMPT_H

#include <stddef.h>

#include "src/viewer/screen/key.h"

struct line;

enum { PROMPT_BYTES = 512 };

enum prompt_end { PROMPT_GOES_ON, PROMPT_DONE, PROMPT_GIVEN_UP };

struct prompt {
	const char *question; /* "/" */
	char words[PROMPT_BYTES];
	size_t len;
};

void prompt_begin(struct prompt *prompt, const char *question);
enum prompt_end prompt_key(struct prompt *prompt, const struct key *key);
/* As if they were typed. */
void prompt_add(struct prompt *prompt, const char *words);
/* Its end, if it does not fit, and where the next character goes. */
void prompt_draw(const struct prompt *prompt, struct line *line);

#endif
