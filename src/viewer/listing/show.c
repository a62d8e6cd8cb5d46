/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - the text of a snapshot: what is common to groups, in the order of order.h. With --all,
 * the runtime's goroutines, threads and every goroutine follow; those that are selected by id do
 * without it. */
#include "src/viewer/listing/viewer.h"

#include <unistd.h>

#include "lib/document/reader_inline.h"
#include "lib/document/sink.h"
#include "src/viewer/document/findings.h"
#include "src/viewer/document/sections.h"
#include "src/viewer/document/stack.h"
#include "src/viewer/document/summary.h"
#include "src/viewer/document/verdict.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/listing/group.h"
#include "src/viewer/listing/heading.h"
#include "src/viewer/listing/part.h"
#include "src/viewer/listing/runtime_lines.h"
#include "src/viewer/listing/threads.h"
#include "src/viewer/model/model.h"
#include "src/viewer/terminal/markdown.h"
#include "src/viewer/terminal/pager.h"
#include "src/viewer/terminal/text.h"

enum { INDENT = 4 };

struct show {
	const struct viewer_options *options;
	struct model *model;
	struct stack_style style;
	struct summary summary;
	bool filtered, named; /* named: goroutines are selected by id */
	const char *damage;   /* NULL: none */
	uint64_t system_left_out;
};

static bool is_out_broken(const struct show *show)
{
	return ferror(show->style.page.out);
}

static bool in_sections(const struct show *show)
{
	return show->options->grouping == GROUPING_CREATOR ||
	       show->options->grouping == GROUPING_LABEL;
}

/* The runtime's own are hidden unless selected by id; sections have no others. */
static bool is_hidden(const struct show *show, const struct summary_group *group)
{
	return summary_is_system(group) && !show->named && !in_sections(show);
}

static const struct reader_node *open_group(const struct show *show,
					    const struct summary_group *group)
{
	size_t n;

	return model_open(show->model, model_groups(show->model, &n)[group->row].place);
}

static void print_group(const struct show *show, const struct summary *summary, size_t i)
{
	const struct reader_node *node = open_group(show, &summary->groups[i]);

	group_print(&show->style, summary, &summary->groups[i], node);
	node_drop(node);
}

static void note_order(const struct show *show, struct summary *summary, size_t i,
		       uint64_t goroutines)
{
	const struct reader_node *node = open_group(show, &summary->groups[i]);

	order_add(&summary->order, &show->style, i, node_get(node, "frames"), goroutines);
	node_drop(node);
}

static void print_groups(struct show *show, struct summary *summary)
{
	const struct order *order = &summary->order;

	for (size_t i = 0; i < summary->group_count; i++) {
		const struct summary_group *group = &summary->groups[i];
		const uint64_t shown = summary_group_shown(summary, group);
		if (shown > 0 && !is_hidden(show, group))
			note_order(show, summary, i, shown);
		else if (shown > 0)
			show->system_left_out += group->goroutines;
	}
	order_sort(&summary->order);
	for (size_t i = 0; i < order->entry_count && !is_out_broken(show); i++)
		print_group(show, summary, order->entries[i].index);
}

static void print_system_groups(const struct show *show)
{
	const struct summary *summary = &show->summary;

	for (size_t i = 0; i < summary->group_count && !is_out_broken(show); i++)
		if (summary_group_shown(summary, &summary->groups[i]) > 0 &&
		    is_hidden(show, &summary->groups[i]))
			print_group(show, summary, i);
}

static void print_section(struct show *show, const struct section *section)
{
	struct summary part;
	struct text title = { 0 };

	summary_init_part(&part, &show->summary, section->rows, section->count);
	putc('\n', show->style.page.out);
	text_add_counted(&title, section->count, "goroutine");
	text_add(&title, " %s:", section->title);
	page_say(&show->style.page, COLOR_HEADING, 0, 2, &title);
	print_groups(show, &part);
	summary_done(&part);
}

/* Those to show, without the runtime's own unless they are asked for. */
static size_t shown_rows(struct show *show, uint32_t *ret)
{
	const struct summary *summary = &show->summary;
	size_t n, count = 0;
	const struct model_goroutine *all = model_goroutines(show->model, &n);

	for (size_t i = 0; i < summary->goroutines; i++) {
		if (all[summary->rows[i]].system && !show->style.all && !show->named)
			show->system_left_out++;
		else
			ret[count++] = summary->rows[i];
	}
	return count;
}

static void print_sections(struct show *show)
{
	const struct viewer_options *options = show->options;
	AUTO(xfree)
	uint32_t *rows = xcalloc(show->summary.goroutines + 1, sizeof(*rows));
	struct sections sections = { 0 };

	sections_make(&sections, show->model, rows, shown_rows(show, rows),
		      options->grouping, options->label);
	for (size_t i = 0; i < sections.count && !is_out_broken(show); i++)
		print_section(show, &sections.list[i]);
	sections_done(&sections);
}

static void print_threads(const struct show *show)
{
	for (size_t i = 0; i < model_list_count(show->model, MODEL_THREADS); i++) {
		const struct reader_node *thread = model_open(
			show->model, model_list_at(show->model, MODEL_THREADS, i));
		if (!is_out_broken(show))
			threads_print(&show->style, &show->summary, thread);
		node_drop(thread);
	}
}

static void print_goroutines(const struct show *show)
{
	size_t n;
	const struct model_goroutine *rows = model_goroutines(show->model, &n);

	for (size_t i = 0; i < show->summary.goroutines && !is_out_broken(show); i++) {
		const struct reader_node *goroutine = model_open_inline(
			show->model, rows[show->summary.rows[i]].place, INLINE_DEPTH);
		if (i == 0)
			putc('\n', show->style.page.out);
		group_print_goroutine(&show->style, goroutine);
		node_drop(goroutine);
	}
}

static void print_left_out(const struct show *show)
{
	uint64_t n = show->system_left_out;
	struct text text = { 0 };
	if (show->filtered && n == 0)
		return;
	text_add(&text, "Not shown: ");
	if (n > 0) {
		text_add_counted(&text, n, "goroutine");
		text_add(&text, " of the runtime");
	}
	if (show->filtered)
		putc('\n', show->style.page.out);
	else
		text_add(&text, "%shidden frames, threads", n > 0 ? ", " : "");
	text_add(&text, ": --all shows %s.", show->filtered && n == 1 ? "it" : "them");
	page_say(&show->style.page, COLOR_PLAIN, 0, 2, &text);
}

/* A program without Go has only threads to show. */
static void print_details(const struct show *show)
{
	const bool threads = show->style.all || show->summary.group_count == 0;

	if (show->style.all && !in_sections(show))
		print_system_groups(show);
	if (threads && !show->filtered)
		print_threads(show);
	if (threads || show->named || show->options->values)
		print_goroutines(show);
	if (!threads && !show->filtered)
		heading_print_threads(&show->style.page, &show->summary);
}

static void print_body(struct show *show)
{
	const struct page *page = &show->style.page;
	if (show->summary.goroutines > 0)
		heading_print_states(page, &show->summary);
	if (show->summary.goroutines > 0 && show->style.all && !show->filtered)
		runtime_lines_print(page, &show->summary);
	if (in_sections(show))
		print_sections(show);
	else
		print_groups(show, &show->summary);
	print_details(show);
	if (!show->style.all && show->summary.group_count > 0)
		print_left_out(show);
}

static void print_findings(struct show *show)
{
	const struct page *page = &show->style.page;
	const struct summary *summary = &show->summary;

	shown_findings_print(page, &summary->findings, MARKDOWN_LIST);
	if (summary->findings.bad || summary->heads.fault ||
	    !model_has_list(show->model, MODEL_FINDINGS))
		return;
	fputc('\n', page->out);
	shown_verdict_print(page, summary->heads.verdict);
}

static void print_all(struct show *show)
{
	const struct page *page = &show->style.page;
	heading_print_fault(page, &show->summary);
	heading_print_process(page, &show->summary);
	heading_print_trigger(page, &show->summary);
	heading_print_warnings(page, &show->summary, show->damage, show->style.all);
	heading_print_values(page, &show->summary);
	if (show->filtered)
		heading_print_shown(page, &show->summary);
	else
		print_findings(show);
	if (!show->filtered || show->summary.goroutines > 0)
		print_body(show);
}

/* As text, or as Markdown. */
static void print_to(struct show *show, FILE *out)
{
	FILE *markdown = show->options->markdown ? markdown_open(out) : NULL;

	show->style.page.out = markdown ? markdown : out;
	print_all(show);
	if (markdown)
		fclose(markdown);
}

/* The pager starts when the document is loaded: until then, interrupt keys are for us. */
static bool print_paged(struct show *show, const char *command, struct err *err)
{
	struct pager *pager = pager_start(command, err);
	if (!pager)
		return false;
	print_to(show, pager_stream(pager));
	return pager_finish(pager, err);
}

bool viewer_show(struct reader *reader, const struct viewer_options *options, FILE *out,
		 bool *ret_nothing, struct err *err)
{
	AUTO(model_free) struct model *model = model_load(reader, err);
	bool paged = true;
	if (!model)
		return false;
	AUTO(xfree)
	uint32_t *similar =
		options->grouping == GROUPING_SIMILAR ? sections_similar(model) : NULL;
	struct show show = {
		.options = options,
		.model = model,
		.style = { .page = { out,
				     options->markdown ? MARKDOWN_COLUMNS
						       : options->columns,
				     options->color && !options->markdown },
			   .all = options->all,
			   .indent = INDENT,
			   .frames = options->frames },
		.filtered = !filter_is_empty(options->filter),
		.named = filter_names_goroutines(options->filter),
		.damage = model_damage(model),
	};
	summary_init(&show.summary, model, options->filter, similar);
	show.style.module = text_of(node_get(show.summary.heads.go, "module"), NULL);
	show.style.goroot = show.summary.goroot;
	if (options->pager)
		paged = print_paged(&show, options->pager, err);
	else
		print_to(&show, out);
	*ret_nothing = show.filtered && show.summary.goroutines == 0;
	summary_done(&show.summary);
	return model_is_whole(model, err) && paged;
}

bool viewer_write_part(struct reader *reader, struct filter *filter, bool *ret_nothing,
		       struct err *err)
{
	AUTO(model_free) struct model *model = model_load(reader, err);
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);
	struct summary summary;
	if (!model)
		return false;
	summary_init(&summary, model, filter, NULL);
	part_write(model, summary.rows, summary.goroutines, out);
	*ret_nothing = summary.goroutines == 0;
	summary_done(&summary);
	return sink_finish(out, NULL, err) && model_is_whole(model, err);
}
