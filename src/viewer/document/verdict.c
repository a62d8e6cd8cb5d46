/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/verdict.h"

#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

bool shown_verdict_is_unknown(const struct reader_node *verdict)
{
	return strcmp(text_of(node_get(verdict, "outcome"), "unknown"), "none") != 0;
}

static const char *first_sentence(const struct reader_node *verdict)
{
	return text_of(node_get(verdict, "text"),
		       "Cannot tell whether anything is wrong: the snapshot does not say "
		       "what was checked.");
}

void shown_verdict_add(struct text *text, const struct reader_node *verdict)
{
	const struct reader_node *unchecked = node_get(verdict, "not_checked");

	text_add(text, "%s", first_sentence(verdict));
	for (size_t i = 0; i < node_count(unchecked); i++)
		text_add(text, " Not checked: %s.", text_of(node_at(unchecked, i), "?"));
}

static void print_line(const struct page *page, const char *title,
		       const struct reader_node *line)
{
	struct text text = { .words = NULL };

	if (!line)
		return;
	text_add(&text, "%s%s.", title, text_of(line, "?"));
	page_say(page, COLOR_PLAIN, 2, 4, &text);
}

static void print_lines(const struct page *page, const char *title,
			const struct reader_node *lines)
{
	for (size_t i = 0; i < node_count(lines); i++)
		print_line(page, title, node_at(lines, i));
}

void shown_verdict_print(const struct page *page, const struct reader_node *verdict)
{
	const bool is_unknown = shown_verdict_is_unknown(verdict);
	struct text text = { .words = NULL };

	text_add(&text, "%s", first_sentence(verdict));
	page_say(page, is_unknown ? COLOR_ALARM : COLOR_PLAIN, 0, 2, &text);
	print_lines(page, "Not checked: ", node_get(verdict, "not_checked"));
	print_line(page, "Checked: ", node_get(verdict, "checked"));
	print_lines(page, "", node_get(verdict, "facts"));
	print_line(page, "Next: ", node_get(verdict, "next"));
}
