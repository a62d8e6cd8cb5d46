/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "src/viewer/filter/filter.h"
#include "src/viewer/terminal/text.h"

enum {
	BEFORE = 50, /* bytes shown in front of what is wrong */
	SHOWN = 72,
};

/* Where the character begins, though the text may not be UTF-8. */
static size_t whole_before(const char *text, size_t at)
{
	for (size_t back = 0; back < 4 && back <= at; back++)
		if (text_starts_character(text[at - back]))
			return at - back;
	return at;
}

/* Where the part that is shown begins. */
static size_t begin_of(const char *text, size_t at)
{
	return at > BEFORE ? whole_before(text, at - BEFORE) : 0;
}

/* Line breaks and tabs take one column. */
static void add_line(struct text *ret, const char *from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text_append(ret, strchr("\n\t\r", from[i]) ? " " : &from[i], 1);
}

void filter_error_explain(const struct filter_error *error, const char *text,
			  struct text *ret)
{
	const size_t begin = begin_of(text, error->at);
	struct text before = { .words = NULL };
	size_t len = strlen(text + begin);

	if (len > SHOWN)
		len = whole_before(text + begin, SHOWN);
	text_add(ret, "%s\n  %s", error->text, begin > 0 ? "..." : "");
	add_line(ret, text + begin, len);
	text_add(ret, "%s\n  ", text[begin + len] ? "..." : "");
	add_line(&before, text + begin, error->at - begin);
	text_add(ret, "%*s^",
		 (int)(text_width(text_words(&before)) + (begin > 0 ? strlen("...") : 0)),
		 "");
	text_done(&before);
}
