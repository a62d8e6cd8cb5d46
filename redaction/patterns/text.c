/* SPDX-License-Identifier: Apache-2.0 */
#include "redaction/patterns/patterns.h"

#include <ctype.h>
#include <strings.h>

size_t count_letters(const char *text, size_t len, size_t at, const char *letters)
{
	size_t n = 0;

	while (at + n < len && text[at + n] && strchr(letters, text[at + n]))
		n++;
	return n;
}

bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && strncasecmp(text, word, len) == 0;
}

bool is_name_letter(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.", c));
}

size_t end_of_quoted(const char *text, size_t len, size_t at, char quote)
{
	for (; at < len && text[at] != quote; at++)
		if (text[at] == '\\')
			at++;
	return at < len ? at : len;
}

/* In a header, the value is the rest of the line. */
bool begins_line(const char *text, size_t at)
{
	return at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r';
}

size_t end_of_word(const char *text, size_t len, size_t at)
{
	while (at < len && !strchr(" \t\r\n&;,\"'`)]}<>", text[at]))
		at++;
	return at;
}

size_t end_of_line(const char *text, size_t len, size_t at)
{
	while (at < len && text[at] != '\n' && text[at] != '\r')
		at++;
	return at;
}

/* Blanks at the beginning of the line that text[at] is in. */
static size_t indent_of(const char *text, size_t len, size_t at)
{
	while (at > 0 && !begins_line(text, at))
		at--;
	return count_letters(text, len, at, " \t");
}

size_t end_of_block(const char *text, size_t len, size_t at)
{
	const size_t least = indent_of(text, len, at) + 1;
	size_t end = at, line = at;

	while (line < len && text[line] == '\n') {
		const size_t begin = line + 1,
			     indent = count_letters(text, len, begin, " \t");
		line = end_of_line(text, len, begin);
		if (line > begin + indent && indent < least)
			break;
		if (line > begin + indent)
			end = line;
		if (line < len && text[line] == '\r')
			line++;
	}
	return end;
}
