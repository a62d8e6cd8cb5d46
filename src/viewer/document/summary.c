/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/document/details.h"
#include "src/viewer/document/stack.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/terminal/text.h"

static void group_done(struct summary_group *group)
{
	xfree(group->lines_differ);
	xfree(group->created_by);
	xfree(group->waits_for.words);
	xfree(group->labels.words);
	xfree(group->panic.words);
	xfree(group->broken_why);
}

void summary_done(struct summary *summary)
{
	for (size_t i = 0; i < summary->warning_count; i++)
		node_drop(summary->warnings[i]);
	xfree(summary->warnings);
	for (size_t i = 0; i < summary->state_count; i++)
		xfree(summary->states[i]);
	for (size_t i = 0; i < summary->group_count; i++)
		group_done(&summary->groups[i]);
	xfree(summary->groups);
	xfree(summary->rows);
	order_done(&summary->order);
	table_free(&summary->places);
	if (!summary->whole)
		waiters_done(&summary->waiters);
	shown_findings_done(&summary->findings);
	xfree(summary->goroot);
}

const char *summary_state_words(const struct reader_node *goroutine)
{
	const char *status = text_of(node_get(goroutine, "status"), "unknown");
	const char *reason = text_of(node_get(goroutine, "wait_reason"), NULL);
	return reason && strcmp(status, "waiting") == 0 ? reason : status;
}

void summary_add_times(struct text *text, const struct summary_tally *tally)
{
	struct text shortest = { 0 }, longest = { 0 };
	if (tally->timed == 0)
		return;
	text_add_duration(&shortest, tally->shortest_ns);
	text_add_duration(&longest, tally->longest_ns);
	if (strcmp(shortest.words, longest.words) == 0)
		text_add(text, "%s", longest.words);
	else
		text_add(text, "%s to %s", shortest.words, longest.words);
	text_done(&shortest);
	text_done(&longest);
}

static size_t intern_state(struct summary *summary, const char *words)
{
	for (size_t i = 1; i < summary->state_count; i++)
		if (strcmp(summary->states[i], words) == 0)
			return i;
	if (summary->state_count == SUMMARY_STATES)
		return 0;
	summary->states[summary->state_count] = xstrdup(words);
	return summary->state_count++;
}

static void count_in(struct summary_tally *tally, size_t state, int64_t waiting_ns)
{
	tally->state = state;
	tally->count++;
	if (waiting_ns < 0)
		return;
	if (tally->timed == 0 || waiting_ns < tally->shortest_ns)
		tally->shortest_ns = waiting_ns;
	if (tally->timed == 0 || waiting_ns > tally->longest_ns)
		tally->longest_ns = waiting_ns;
	tally->timed++;
}

/* The last slot is for all states without one of their own. */
static struct summary_tally *group_tally(struct summary_group *group, size_t *state)
{
	for (size_t i = 0; i < group->tally_count; i++)
		if (group->tallies[i].state == *state)
			return &group->tallies[i];
	if (group->tally_count == SUMMARY_GROUP_STATES) {
		*state = 0;
		return &group->tallies[SUMMARY_GROUP_STATES - 1];
	}
	return &group->tallies[group->tally_count++];
}

uint64_t summary_group_shown(const struct summary *summary,
			     const struct summary_group *group)
{
	return summary->part ? group->goroutines : group->size;
}

bool summary_is_system(const struct summary_group *group)
{
	return group->goroutines > 0 && group->system == group->goroutines;
}

static void note_creator(struct summary *summary, struct summary_group *group,
			 const struct model_goroutine *row)
{
	const char *file = model_text_of(summary->model, row->creator_file);
	struct text text = { 0 };
	if (group->goroutines == 1)
		group->parent = row->parent;
	else if (group->parent != row->parent)
		group->parents_differ = true;
	if (row->creator == MODEL_NO_TEXT)
		return;
	const struct summary_creator by = { row->creator, row->creator_file,
					    row->creator_line };
	if (group->created_by) {
		group->created_elsewhere |= memcmp(&by, &group->creator, sizeof(by)) != 0;
		return;
	}
	group->creator = by;
	text_add(&text, "%s", model_text_of(summary->model, row->creator));
	if (*file)
		text_add(&text, " at %s:%" PRIu32, file, row->creator_line);
	group->created_by = text.words;
}

static void note_end_of_stack(struct summary *summary, struct summary_group *group,
			      const struct model_goroutine *row)
{
	if (!row->incomplete)
		return;
	group->broken++;
	if (group->broken_why)
		return;
	const struct reader_node *unwind =
		model_open_member(summary->model, row->place, "unwind");
	group->broken_why =
		xasprintf("%s: %s", text_of(node_get(unwind, "status"), "?"),
			  text_of(node_get(unwind, "reason"), "no reason given"));
	node_drop(unwind);
}

/* Takes ownership of the text. */
static void note_shared(struct summary_shared *shared, bool first, struct text *text)
{
	const char *words = shared->words;
	if (first) {
		shared->words = text->words;
		return;
	}
	if (!shared->differ)
		shared->differ = !words || !text->words ? words != text->words
							: strcmp(words, text->words) != 0;
	text_done(text);
}

/* What a member of the goroutine says, in words. */
static struct text words_of(struct summary *summary, const struct model_goroutine *row,
			    const char *member,
			    void (*add)(struct text *, const struct reader_node *))
{
	const struct reader_node *node =
		model_open_member(summary->model, row->place, member);
	struct text text = { 0 };

	add(&text, node);
	node_drop(node);
	return text;
}

/* Opens what rows do not tell: who waits for the same object, or has the same labels, is not
 * opened. */
static void note_details(struct summary *summary, struct summary_group *group,
			 const struct model_goroutine *row)
{
	const bool first = group->goroutines == 1;
	struct text text = { 0 };
	if (first ||
	    (!group->waits_for.differ &&
	     (row->waits_address == 0 || row->waits_address != group->waits_addr))) {
		if (row->waits_kind != MODEL_NO_TEXT)
			text = words_of(summary, row, "waiting_for", details_add_waiting);
		note_shared(&group->waits_for, first, &text);
	}
	text = (struct text){ 0 };
	if (first && row->labels != MODEL_NO_TEXT)
		text = words_of(summary, row, "labels", details_add_labels);
	if (first)
		note_shared(&group->labels, true, &text);
	group->labels.differ |= !first && row->labels != group->labels_number;
	text = (struct text){ 0 };
	if (row->panics)
		text = words_of(summary, row, "panics", details_add_panic);
	note_shared(&group->panic, first, &text);
	if (!first)
		return;
	group->waits_addr = row->waits_address;
	group->labels_number = row->labels;
}

/* In which lines stacks of the same functions are not the same. */
static void compare_lines(struct summary *summary, size_t first, size_t other)
{
	size_t n;
	const struct model_group *groups = model_groups(summary->model, &n);
	const struct model_frame *frames = model_frames(summary->model, &n);
	const struct model_frame *a = frames + groups[first].first_frame;
	const struct model_frame *b = frames + groups[other].first_frame;
	struct summary_group *group = &summary->groups[first];

	if (first == other || groups[first].frame_count != groups[other].frame_count)
		return;
	if (!group->lines_differ)
		group->lines_differ =
			xcalloc(groups[first].frame_count + 1, sizeof(bool));
	for (size_t i = 0; i < groups[first].frame_count; i++)
		group->lines_differ[i] |= a[i].line != b[i].line;
}

static void open_group(struct summary *summary, size_t i)
{
	size_t n;
	const struct model_group *row = &model_groups(summary->model, &n)[i];
	const struct reader_node *node = model_open(summary->model, row->place);
	const struct reader_node *frames = node_get(node, "frames");

	if (!summary->goroot)
		summary->goroot = stack_goroot(frames);
	order_note_lock(&summary->order, frames, row->count);
	node_drop(node);
}

/* A new one, unless there is one for this row. */
static struct summary_group *group_of_part(struct summary *part, uint32_t row)
{
	uint64_t place = table_get(&part->places, row, 0);

	if (place == 0) {
		GROW(part->groups, part->group_count, part->group_cap);
		part->groups[part->group_count++] =
			(struct summary_group){ .row = row, .parent = -1, .stacks = 1 };
		place = part->group_count;
		table_set(&part->places, row, 0, place);
		open_group(part, row);
	}
	return &part->groups[place - 1];
}

/* The one that it is shown with. */
static struct summary_group *group_of(struct summary *summary,
				      const struct model_goroutine *row)
{
	const uint32_t i = row->group;

	if (summary->whole)
		return group_of_part(summary, i);
	const uint32_t first = summary->similar ? summary->similar[i] : i;
	struct summary_group *group = &summary->groups[first];

	if (!summary->groups[i].met) {
		summary->groups[i].met = true;
		group->stacks++;
		compare_lines(summary, first, i);
	}
	return group;
}

static void add_to_group(struct summary *summary, const struct model_goroutine *row,
			 size_t state)
{
	struct summary_group *group = group_of(summary, row);
	struct summary_tally *tally = group_tally(group, &state);

	summary->shown_groups += group->goroutines == 0;
	if (group->goroutines < SUMMARY_IDS)
		group->ids[group->goroutines] = row->id;
	group->goroutines++;
	group->system += row->system;
	group->locked += row->locked;
	count_in(tally, state, row->waiting_ns);
	note_creator(summary, group, row);
	note_details(summary, group, row);
	note_end_of_stack(summary, group, row);
}

static void add_goroutine(struct summary *summary, const struct model_goroutine *row)
{
	const model_text words = model_state(row);
	const size_t state = intern_state(
		summary, words == MODEL_NO_TEXT ? "unknown"
						: model_text_of(summary->model, words));

	if (row->system) {
		summary->system++;
	} else {
		count_in(&summary->user_tallies[state], state, row->waiting_ns);
		if (!summary->whole)
			waiters_add(&summary->waiters, summary->model, row);
	}
	if (row->group != MODEL_NONE)
		add_to_group(summary, row, state);
}

static void add_thread(struct summary *summary, const struct reader_node *thread)
{
	const char *stack = node_string(node_get(thread, "stack_kind"), "");
	summary->threads++;
	if (node_get(thread, "goroutine")) {
		summary->threads_in_go++;
	} else if (strcmp(stack, "c") == 0) {
		if (summary->threads_in_c < SUMMARY_THREADS)
			summary->thread_in_c[summary->threads_in_c] =
				node_int(node_get(thread, "id"), -1);
		summary->threads_in_c++;
	}
}

static void add_warnings(struct summary *summary)
{
	const size_t n = model_list_count(summary->model, MODEL_WARNINGS);
	const size_t kept = n < SUMMARY_WARNINGS ? n : SUMMARY_WARNINGS;

	summary->warnings = xcalloc(kept + 1, sizeof(*summary->warnings));
	for (size_t i = 0; i < kept; i++)
		summary->warnings[i] = model_open(
			summary->model, model_list_at(summary->model, MODEL_WARNINGS, i));
	summary->warning_count = kept;
	summary->warnings_left_out = n - kept;
}

static void add_lists(struct summary *summary)
{
	struct model *m = summary->model;

	for (size_t i = 0; i < model_list_count(m, MODEL_THREADS); i++) {
		const struct reader_node *thread =
			model_open(m, model_list_at(m, MODEL_THREADS, i));
		add_thread(summary, thread);
		node_drop(thread);
	}
	for (size_t i = 0; i < model_list_count(m, MODEL_FINDINGS); i++) {
		const struct reader_node *finding =
			model_open(m, model_list_at(m, MODEL_FINDINGS, i));
		shown_findings_add(&summary->findings, finding);
		node_drop(finding);
	}
	add_warnings(summary);
}

static void begin(struct summary *summary, struct model *m)
{
	summary->model = m;
	summary->heads = *model_heads(m);
	summary->state_count = 1;
	summary->states[0] = xstrdup("other");
}

static void begin_groups(struct summary *summary)
{
	size_t n;
	const struct model_group *groups = model_groups(summary->model, &n);

	summary->groups = xcalloc(n + 1, sizeof(*summary->groups));
	summary->group_count = n;
	for (size_t i = 0; i < n; i++) {
		summary->groups[i].parent = -1;
		summary->groups[i].row = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++) {
		const size_t first = summary->similar ? summary->similar[i] : i;
		summary->groups[first].size += groups[i].count;
	}
	for (size_t i = 0; i < n; i++)
		open_group(summary, i);
}

void summary_init(struct summary *summary, struct model *m, struct filter *filter,
		  const uint32_t *similar)
{
	const struct model_goroutine *rows;

	*summary = (struct summary){ .filter = filter,
				     .similar = similar,
				     .part = !filter_is_empty(filter) };
	begin(summary, m);
	begin_groups(summary);
	filter_begin(filter, m);
	rows = model_goroutines(m, &summary->all_goroutines);
	summary->rows = xcalloc(summary->all_goroutines + 1, sizeof(*summary->rows));
	for (size_t i = 0; i < summary->all_goroutines; i++) {
		if (!filter_passes(filter, (uint32_t)i))
			continue;
		summary->rows[summary->goroutines++] = (uint32_t)i;
		add_goroutine(summary, &rows[i]);
	}
	add_lists(summary);
	order_locks_known(&summary->order);
}

void summary_init_part(struct summary *part, const struct summary *whole,
		       const uint32_t *rows, size_t count)
{
	const struct model_goroutine *list;

	*part = (struct summary){ .filter = whole->filter,
				  .whole = whole,
				  .waiters = whole->waiters,
				  .part = true };
	begin(part, whole->model);
	list = model_goroutines(whole->model, &part->all_goroutines);
	part->rows = xcalloc(count + 1, sizeof(*part->rows));
	for (size_t i = 0; i < count; i++) {
		const struct model_goroutine *row = &list[rows[i]];
		part->rows[part->goroutines++] = rows[i];
		add_goroutine(part, row);
	}
	order_locks_known(&part->order);
}

static int64_t fault_in(const struct summary *summary, const char *stack)
{
	const struct reader_node *place = node_get(summary->heads.fault, "place");

	return strcmp(text_of(node_get(place, "stack"), ""), stack) == 0
		       ? node_int(node_get(place, "frame"), -1)
		       : -1;
}

int64_t summary_fault_in_thread(const struct summary *summary,
				const struct reader_node *thread)
{
	return node_int(node_get(thread, "id"), -1) ==
			       node_int(node_get(summary->heads.fault, "thread"), -2)
		       ? fault_in(summary, "thread")
		       : -1;
}

int64_t summary_fault_in_group(const struct summary *summary,
			       const struct reader_node *group)
{
	const struct reader_node *ids = node_get(group, "goroutines");
	int64_t id = node_int(node_get(summary->heads.fault, "goroutine"), -1);

	for (size_t i = 0; id >= 0 && i < node_count(ids); i++)
		if (node_int(node_at(ids, i), -1) == id)
			return fault_in(summary, "goroutine");
	return -1;
}
