/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/listing/group.h"

#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/document/details.h"
#include "src/viewer/document/stack.h"
#include "src/viewer/document/summary.h"
#include "src/viewer/listing/values.h"
#include "src/viewer/terminal/text.h"

enum { WORDS_SHOWN = 240 }; /* columns for a panic, or for labels */

static void add_states(struct text *text, const struct summary *summary,
		       const struct summary_group *group)
{
	for (size_t i = 0; i < group->tally_count; i++) {
		const struct summary_tally *tally = &group->tallies[i];
		text_add(text, i == 0 ? ": " : "; ");
		if (group->tally_count > 1) {
			text_add_count(text, tally->count);
			text_add(text, " ");
		}
		text_add(text, "%s", summary->states[tally->state]);
		if (tally->timed > 0) {
			text_add(text, ", ");
			summary_add_times(text, tally);
		}
	}
}

/* The first ids; those of the document if it was cut off before its goroutines. */
static size_t first_ids(const struct summary_group *group, const struct reader_node *node,
			int64_t ret[SUMMARY_IDS])
{
	const struct reader_node *ids = node_get(node, "goroutines");
	const bool met = group->goroutines > 0;
	size_t n = met ? (size_t)group->goroutines : node_count(ids);
	n = n < SUMMARY_IDS ? n : SUMMARY_IDS;
	for (size_t i = 0; i < n; i++)
		ret[i] = met ? group->ids[i] : node_int(node_at(ids, i), -1);
	return n;
}

static void print_ids(const struct page *page, const int64_t *ids, size_t n,
		      uint64_t count)
{
	struct text text = { 0 };
	for (size_t i = 0; i < n; i++)
		text_add(&text, "%s%" PRId64, i == 0 ? "ids " : ", ", ids[i]);
	if (n > 0 && count > n) {
		text_add(&text, " and ");
		text_add_count(&text, count - n);
		text_add(&text, " more");
	}
	page_say(page, COLOR_PLAIN, 2, 2, &text);
}

/* Names the Go runtime, if there are several and it is not the first. */
static void add_runtime(struct text *text, const struct reader_node *node)
{
	const char *runtime = text_of(node_get(node, "runtime"), NULL);
	const char *slash = runtime ? strrchr(runtime, '/') : NULL;

	if (runtime)
		text_add(text, ", in the Go runtime of %s", slash ? slash + 1 : runtime);
}

static void print_heading(const struct page *page, const struct summary *summary,
			  const struct summary_group *group,
			  const struct reader_node *node)
{
	int64_t ids[SUMMARY_IDS];
	uint64_t count = summary_group_shown(summary, group);
	size_t n = first_ids(group, node, ids);
	struct text text = { 0 };
	if (count == 1 && n == 1)
		text_add(&text, "goroutine %" PRId64, ids[0]);
	else
		text_add_counted(&text, count, "goroutine");
	if (group->stacks > 1)
		text_add(&text, " on %" PRIu64 " similar stacks", group->stacks);
	add_states(&text, summary, group);
	if (group->locked > 0)
		text_add(&text, " (locked to %s)",
			 group->locked == 1 ? "a thread" : "threads");
	add_runtime(&text, node);
	page_say(page, COLOR_HEADING, 0, 2, &text);
	if (count > 1)
		print_ids(page, ids, n, count);
}

static void print_words(const struct stack_style *style, enum color color,
			const char *before, const struct summary_shared *shared)
{
	struct text text = { 0 };
	if (!shared->words || shared->differ)
		return;
	text_add(&text, "%s%s", before, shared->words);
	if (!style->all)
		text_shorten(&text, WORDS_SHOWN);
	page_say(&style->page, color, 2, 6, &text);
}

/* What all members have in common. */
static void print_shared(const struct stack_style *style, const struct summary *summary,
			 const struct summary_group *group)
{
	uint64_t waiters = waiters_of(&summary->waiters, group->waits_addr);
	struct text text = { 0 };
	if (group->waits_for.words && !group->waits_for.differ) {
		text_add(&text, "for %s", group->waits_for.words);
		if (waiters > group->goroutines) {
			text_add(&text, ", with ");
			text_add_counted(&text, waiters - group->goroutines, "other");
		}
		page_say(&style->page, COLOR_PLAIN, 2, 6, &text);
	}
	print_words(style, COLOR_ALARM, "panic: ", &group->panic);
	print_words(style, COLOR_PLAIN, "labels ", &group->labels);
}

/* A hint at who holds a lock. */
static void print_locked_out(const struct page *page, const struct summary *summary,
			     const struct reader_node *frames)
{
	struct text text = { 0 };
	uint64_t waiters;
	const char *function = order_others_locked_out(&summary->order, frames, &waiters);
	if (!function)
		return;
	text_add(&text, "inside %s, where ", function);
	text_add_count(&text, waiters);
	text_add(&text, " %s for a lock", waiters == 1 ? "waits" : "wait");
	page_say(page, COLOR_HEADING, 2, 2, &text);
}

static void add_creator(struct text *text, const struct stack_style *style,
			const char *created_by)
{
	const char *at = strstr(created_by, " at ");
	const char *file = at ? at + strlen(" at ") : "";
	text_add(text, "created by %.*s%s", (int)(strlen(created_by) - strlen(file)),
		 created_by, stack_file(style, file));
}

static void print_end(const struct stack_style *style, const struct summary_group *group)
{
	struct text text = { 0 };
	if (group->broken > 0) {
		text_add(&text, "... %s", group->broken_why);
		if (group->broken < group->goroutines) {
			text_add(&text, " (");
			text_add_count(&text, group->broken);
			text_add(&text, " of them)");
		}
		page_say(&style->page, COLOR_ALARM, style->indent, style->indent + 4,
			 &text);
	}
	if (!group->created_by)
		return;
	add_creator(&text, style, group->created_by);
	if (group->created_elsewhere)
		text_add(&text, ", others elsewhere");
	else if (!group->parents_differ && group->parent > 0)
		text_add(&text, " in goroutine %" PRId64, group->parent);
	page_say(&style->page, COLOR_PLAIN, style->indent, style->indent + 4, &text);
}

void group_print(const struct stack_style *style, const struct summary *summary,
		 const struct summary_group *group, const struct reader_node *node)
{
	const struct reader_node *frames = node_get(node, "frames");
	putc('\n', style->page.out);
	print_heading(&style->page, summary, group, node);
	print_shared(style, summary, group);
	print_locked_out(&style->page, summary, frames);
	stack_print(style, frames, summary_fault_in_group(summary, node),
		    group->lines_differ);
	print_end(style, group);
}

static void add_stack(struct text *text, const struct reader_node *stack)
{
	int64_t used = node_int(node_get(stack, "used_bytes"), -1);
	int64_t size = node_int(node_get(stack, "size_bytes"), -1);
	if (used < 0 || size < 0)
		return;
	text_add(text, ", stack ");
	text_add_size(text, (uint64_t)used);
	text_add(text, " of ");
	text_add_size(text, (uint64_t)size);
}

void group_print_goroutine(const struct stack_style *style,
			   const struct reader_node *goroutine)
{
	const struct reader_node *thread = node_get(goroutine, "thread");
	int64_t waiting_ns = node_int(node_get(goroutine, "waiting_ns"), -1);
	struct text text = { 0 };
	text_add(&text, "goroutine %" PRId64 ": %s",
		 node_int(node_get(goroutine, "id"), -1), summary_state_words(goroutine));
	if (waiting_ns >= 0) {
		text_add(&text, ", ");
		text_add_duration(&text, waiting_ns);
	}
	if (node_bool(node_get(goroutine, "system"), false))
		text_add(&text, ", system");
	if (thread)
		text_add(&text, ", %s thread %" PRId64,
			 node_bool(node_get(goroutine, "locked"), false) ? "locked to"
									 : "on",
			 node_int(thread, -1));
	add_runtime(&text, goroutine);
	add_stack(&text, node_get(goroutine, "stack"));
	if (node_get(goroutine, "address"))
		text_add(&text, ", g %s", text_of(node_get(goroutine, "address"), "?"));
	page_say(&style->page, COLOR_PLAIN, 0, 2, &text);
	details_print(&style->page, style->indent, goroutine);
	values_print(&style->page, style->indent, goroutine);
}
