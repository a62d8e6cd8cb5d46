/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/prompt.h"

#include <string.h>

#include "src/viewer/screen/line.h"

void prompt_begin(struct prompt *prompt, const char *question)
{
	*prompt = (struct prompt){ .question = question };
}

static size_t encode(uint32_t c, char ret[4])
{
	if (c < 0x80) {
		ret[0] = (char)c;
		return 1;
	}
	const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	for (size_t i = more; i > 0; i--, c >>= 6)
		ret[i] = (char)(0x80 | (c & 0x3f));
	ret[0] = (char)((0xff00 >> (more + 1) & 0xff) | c);
	return more + 1;
}

static void add(struct prompt *prompt, uint32_t c)
{
	char bytes[4];
	const size_t n = encode(c, bytes);

	if (c < ' ' || c >= KEYS_SPECIAL || prompt->len + n >= sizeof(prompt->words))
		return;
	memcpy(prompt->words + prompt->len, bytes, n);
	prompt->len += n;
	prompt->words[prompt->len] = '\0';
}

void prompt_add(struct prompt *prompt, const char *words)
{
	for (; *words; words++)
		add(prompt, (unsigned char)*words);
}

static void take_back(struct prompt *prompt)
{
	while (prompt->len && !text_starts_character(prompt->words[--prompt->len]))
		continue;
	prompt->words[prompt->len] = '\0';
}

enum prompt_end prompt_key(struct prompt *prompt, const struct key *key)
{
	switch (key->code) {
	case KEYS_ENTER:
	case '\n':
		return PROMPT_DONE;
	case KEYS_ESCAPE:
		return PROMPT_GIVEN_UP;
	case KEYS_BACKSPACE:
	case '\b':
		if (!prompt->len)
			return PROMPT_GIVEN_UP;
		take_back(prompt);
		break;
	case KEYS_CONTROL('U'):
		prompt->words[prompt->len = 0] = '\0';
		break;
	default:
		add(prompt, (uint32_t)key->code);
	}
	return PROMPT_GOES_ON;
}

void prompt_draw(const struct prompt *prompt, struct line *line)
{
	const size_t asked = strlen(prompt->question) + 2;
	const unsigned room = line->columns > asked ? line->columns - (unsigned)asked : 0;
	const char *from = prompt->words, *end = from + prompt->len;

	/* The end is seen. */
	while (*from && line_fit(from, (size_t)(end - from), room) < (size_t)(end - from))
		do
			from++;
		while (!text_starts_character(*from));
	line_add(line, STYLE_HEADING, prompt->question);
	line_add(line, STYLE_PLAIN, from);
	line_flags(line, STYLE_SELECTED);
	line_add(line, STYLE_PLAIN, " ");
	line_flags(line, 0);
}
