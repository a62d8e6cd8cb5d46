/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/findings.h"

#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

bool shown_finding_is_bad(const struct reader_node *finding)
{
	return strcmp(text_of(node_get(finding, "severity"), "info"), "info") != 0;
}

void shown_findings_add(struct shown_findings *all, const struct reader_node *finding)
{
	all->bad |= shown_finding_is_bad(finding);
	if (all->count == SHOWN_FINDINGS)
		all->omitted++;
	else
		all->list[all->count++] = node_hold(finding);
}

bool shown_findings_explains(const struct reader_node *warning)
{
	static const char *const explain[] = { "findings", "go", "layout", "executable",
					       "memory" };
	const char *where = text_of(node_get(warning, "where"), "");

	for (size_t i = 0; i < ARRAY_SIZE(explain); i++)
		if (strcmp(where, explain[i]) == 0)
			return true;
	return false;
}

const char *shown_findings_missing(const struct reader_node *missing, bool is_go)
{
	if (missing)
		return text_of(node_get(missing, "what"), "?");
	return is_go ? "the document has no findings, as it was made by an older gosnap, "
		       "or with --no-analysis"
		     : "this is not a Go program";
}

void shown_findings_done(struct shown_findings *all)
{
	for (size_t i = 0; i < all->count; i++)
		node_drop(all->list[i]);
}

static void print_one(const struct page *page, const struct reader_node *finding,
		      bool titled)
{
	const char *advice = text_of(node_get(finding, "advice"), NULL);
	const int first = titled ? 2 : 0;
	struct text text = { 0 };

	text_add(&text, "%s: %s", text_of(node_get(finding, "severity"), "info"),
		 text_of(node_get(finding, "text"), "?"));
	page_say(page, shown_finding_is_bad(finding) ? COLOR_ALARM : COLOR_PLAIN, first,
		 first + 4, &text);
	if (titled || !advice)
		return;
	text_add(&text, "%s", advice);
	page_say(page, COLOR_PLAIN, 4, 4, &text);
}

void shown_findings_print(const struct page *page, const struct shown_findings *all,
			  const char *title)
{
	struct text text = { 0 };

	if (!all->count)
		return;
	fputc('\n', page->out);
	if (title)
		fprintf(page->out, "%s\n", title);
	for (size_t i = 0; i < all->count; i++)
		print_one(page, all->list[i], title != NULL);
	if (!all->omitted)
		return;
	text_add(&text, "and ");
	text_add_count(&text, all->omitted);
	text_add(&text, " more: see \"findings\" of the document");
	page_say(page, COLOR_PLAIN, 2, 4, &text);
}
