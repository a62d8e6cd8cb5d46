/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - the text of a snapshot. The first pass counts what passes the filter. The
 * second prints the groups to a temporary file, from which they are copied in the order
 * of order.h. With --all, a third prints the runtime's goroutines, threads and every
 * goroutine; it also prints goroutines selected by id. */
#include "src/viewer/listing/viewer.h"

#include <string.h>
#include <unistd.h>

#include "lib/document/reader_inline.h"
#include "lib/document/reader.h"
#include "src/viewer/document/findings.h"
#include "src/viewer/document/stack.h"
#include "src/viewer/document/summary.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/listing/group.h"
#include "src/viewer/listing/heading.h"
#include "src/viewer/listing/runtime_lines.h"
#include "src/viewer/listing/threads.h"
#include "src/viewer/terminal/pager.h"
#include "src/viewer/terminal/text.h"

enum { INDENT = 4 };

struct show {
	struct reader *reader;
	struct stack_style style;
	struct summary summary;
	struct inliner *objects; /* NULL: values stay references */
	bool filtered, named;	 /* named: goroutines are selected by id */
	bool ordered;		 /* this pass records where the text of each group is */
	bool system_groups;	 /* this pass prints them */
	uint64_t system_left_out;
	uint64_t goroutines_printed; /* individually */
};

/* The runtime's own are hidden unless selected by id. */
static bool is_hidden(const struct show *show, const struct summary_group *group)
{
	return summary_is_system(group) && !show->named;
}

static void note_order(struct show *show, const struct summary_group *group,
		       const struct reader_node *node, long at)
{
	struct order_entry *entry =
		order_add(&show->summary.order, &show->style, node_get(node, "frames"),
			  summary_group_shown(&show->summary, group));
	entry->at = at;
	entry->length = ftell(show->style.page.out) - at;
}

static void print_group(struct show *show, const struct reader_node *node)
{
	const struct summary_group *group =
		summary_find(&show->summary, node_int(node_get(node, "id"), -1));
	long at = show->ordered ? ftell(show->style.page.out) : 0;
	if (!group || summary_group_shown(&show->summary, group) == 0)
		return;
	if (is_hidden(show, group) && !show->style.all)
		show->system_left_out += group->goroutines;
	if (is_hidden(show, group) != show->system_groups)
		return;
	group_print(&show->style, &show->summary, group, node);
	if (show->ordered)
		note_order(show, group, node, at);
}

static bool print_groups(void *arg, const char *member, size_t index,
			 const struct reader_node *node)
{
	struct show *show = arg;
	(void)index;
	if (strcmp(member, "groups") == 0)
		print_group(show, node);
	/* Groups precede goroutines in the document: skip the rest. */
	return strcmp(member, "goroutines") != 0 && !ferror(show->style.page.out);
}

static void print_goroutine(struct show *show, const struct reader_node *node)
{
	if (!summary_passes(&show->summary, node))
		return;
	if (show->goroutines_printed++ == 0)
		putc('\n', show->style.page.out);
	const struct reader_node *whole =
		show->objects ? inliner_fill(show->objects, node, INLINE_DEPTH)
			      : node_hold(node);
	group_print_goroutine(&show->style, whole);
	node_drop(whole);
}

static bool print_rest(void *arg, const char *member, size_t index,
		       const struct reader_node *node)
{
	struct show *show = arg;
	(void)index;
	if (strcmp(member, "threads") == 0 && !show->filtered)
		threads_print(&show->style, &show->summary, node);
	else if (strcmp(member, "goroutines") == 0)
		print_goroutine(show, node);
	else if (strcmp(member, "groups") == 0 && show->style.all)
		print_group(show, node);
	return !ferror(show->style.page.out);
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

/* The first pass has already reported any damage. */
static void pass(struct show *show, reader_fn *fn)
{
	struct err told;
	if (!reader_each(show->reader, fn, show, &told))
		return;
}

static bool copy_text(FILE *from, long at, long length, FILE *to)
{
	char buffer[4096];
	if (fseek(from, at, SEEK_SET) != 0)
		return false;
	while (length > 0) {
		size_t want =
			length < (long)sizeof(buffer) ? (size_t)length : sizeof(buffer);
		size_t n = fread(buffer, 1, want, from);
		if (n == 0)
			return false;
		fwrite(buffer, 1, n, to);
		length -= (long)n;
	}
	return true;
}

/* False: no space for the temporary file, and nothing has been printed. */
static bool spool_groups(struct show *show, FILE *spool)
{
	FILE *out = show->style.page.out;
	show->style.page.out = spool;
	show->ordered = true;
	pass(show, print_groups);
	show->style.page.out = out;
	show->ordered = false;
	return fflush(spool) == 0 && !ferror(spool);
}

static void print_ordered_groups(struct show *show)
{
	const struct order *order = &show->summary.order;
	FILE *out = show->style.page.out;
	struct err err;
	int fd = spool_open(&err);
	FILE *spool = fd < 0 ? NULL : fdopen(fd, "w+");
	if (spool && spool_groups(show, spool)) {
		order_sort(&show->summary.order);
		for (size_t i = 0; i < order->entry_count && !ferror(out); i++)
			if (!copy_text(spool, order->entries[i].at,
				       order->entries[i].length, out))
				break;
	} else {
		show->system_left_out = 0;
		pass(show, print_groups); /* in document order */
	}
	if (spool)
		fclose(spool);
	else if (fd >= 0)
		close(fd);
}

static void print_body(struct show *show)
{
	const struct page *page = &show->style.page;
	if (show->summary.goroutines > 0)
		heading_print_states(page, &show->summary);
	if (show->summary.goroutines > 0 && show->style.all && !show->filtered)
		runtime_lines_print(page, &show->summary);
	print_ordered_groups(show);
	/* A program without Go has only threads to show. */
	if (show->style.all || show->named || show->summary.group_count == 0) {
		struct err told;
		show->objects = inliner_new(show->reader, &told);
		show->system_groups = true;
		pass(show, print_rest);
	} else if (!show->filtered) {
		heading_print_threads(page, &show->summary);
	}
	if (!show->style.all && show->summary.group_count > 0)
		print_left_out(show);
}

static void print_all(struct show *show, const char *damage)
{
	const struct page *page = &show->style.page;
	heading_print_fault(page, &show->summary);
	heading_print_process(page, &show->summary);
	heading_print_trigger(page, &show->summary);
	heading_print_warnings(page, &show->summary, damage, show->style.all);
	heading_print_values(page, &show->summary);
	if (show->filtered)
		heading_print_shown(page, &show->summary);
	else
		shown_findings_print(page, &show->summary.findings, "Findings:");
	if (!show->filtered || show->summary.goroutines > 0)
		print_body(show);
}

/* The pager starts after the slow pass: until then, interrupt keys are for us. */
static bool print_paged(struct show *show, const char *command, const char *damage,
			struct err *err)
{
	struct pager *pager = pager_start(command, err);
	if (!pager)
		return false;
	show->style.page.out = pager_stream(pager);
	print_all(show, damage);
	return pager_finish(pager, err);
}

bool viewer_show(struct reader *reader, const struct viewer_options *options, FILE *out,
		 bool *ret_nothing, struct err *err)
{
	struct show show = {
		.reader = reader,
		.style = { .page = { out, options->columns, options->color },
			   .all = options->all,
			   .indent = INDENT },
		.filtered = !filter_is_empty(options->filter),
		.named = filter_names_goroutines(options->filter),
	};
	struct err unpaged;
	bool whole, paged = true;
	summary_init(&show.summary, options->filter);
	whole = summary_read(&show.summary, reader, err);
	show.style.module = text_of(node_get(show.summary.go, "module"), NULL);
	show.style.goroot = show.summary.goroot;
	if (options->pager)
		paged = print_paged(&show, options->pager, whole ? NULL : err->text,
				    &unpaged);
	else
		print_all(&show, whole ? NULL : err->text);
	if (whole && !paged)
		*err = unpaged;
	*ret_nothing = show.filtered && show.summary.goroutines == 0;
	summary_done(&show.summary);
	inliner_free(show.objects);
	return whole && paged;
}
