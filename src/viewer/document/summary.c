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

void summary_init(struct summary *summary, struct filter *filter)
{
	*summary = (struct summary){ .filter = filter, .state_count = 1 };
	summary->states[0] = xstrdup("other");
}

static void group_done(struct summary_group *group)
{
	xfree(group->place);
	xfree(group->created_by);
	xfree(group->waits_for.words);
	xfree(group->labels.words);
	xfree(group->panic.words);
	xfree(group->broken_why);
}

void summary_done(struct summary *summary)
{
	node_drop(summary->snapshot);
	node_drop(summary->trigger);
	node_drop(summary->process);
	node_drop(summary->go);
	node_drop(summary->fault);
	node_drop(summary->runtime);
	node_drop(summary->end);
	for (size_t i = 0; i < summary->warning_count; i++)
		node_drop(summary->warnings[i]);
	xfree(summary->warnings);
	for (size_t i = 0; i < summary->state_count; i++)
		xfree(summary->states[i]);
	for (size_t i = 0; i < summary->group_count; i++)
		group_done(&summary->groups[i]);
	xfree(summary->groups);
	order_done(&summary->order);
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

static int compare_groups(const void *a, const void *b)
{
	const struct summary_group *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static struct summary_group *find_group(struct summary *summary, int64_t id)
{
	struct summary_group key = { .id = id };
	if (!summary->groups_sorted && summary->group_count > 0)
		qsort(summary->groups, summary->group_count, sizeof(key), compare_groups);
	summary->groups_sorted = true;
	return summary->group_count == 0
		       ? NULL
		       : bsearch(&key, summary->groups, summary->group_count, sizeof(key),
				 compare_groups);
}

const struct summary_group *summary_find(struct summary *summary, int64_t id)
{
	return find_group(summary, id);
}

uint64_t summary_group_shown(const struct summary *summary,
			     const struct summary_group *group)
{
	return filter_is_empty(summary->filter) ? group->size : group->goroutines;
}

bool summary_is_system(const struct summary_group *group)
{
	return group->goroutines > 0 && group->system == group->goroutines;
}

static void note_creator(struct summary_group *group, const struct reader_node *by)
{
	struct text text = { 0 };
	int64_t parent = node_int(node_get(by, "goroutine"), -1);
	const char *function = text_of(node_get(by, "function"), NULL);
	const char *file = text_of(node_get(by, "file"), NULL);
	if (group->goroutines == 1)
		group->parent = parent;
	else if (group->parent != parent)
		group->parents_differ = true;
	const char *pc = text_of(node_get(by, "pc"), NULL);
	if (!function && !pc)
		return;
	text_add(&text, "%s", function ? function : pc);
	if (file)
		text_add(&text, " at %s:%" PRId64, file,
			 node_int(node_get(by, "line"), 0));
	if (!group->created_by)
		group->created_by = xstrdup(text.words ? text.words : "");
	else if (text.words && strcmp(group->created_by, text.words) != 0)
		group->created_elsewhere = true;
	text_done(&text);
}

static void note_end_of_stack(struct summary_group *group,
			      const struct reader_node *unwind)
{
	const char *status = text_of(node_get(unwind, "status"), "complete");
	if (strcmp(status, "complete") == 0)
		return;
	group->broken++;
	if (!group->broken_why)
		group->broken_why =
			xasprintf("%s: %s", status,
				  text_of(node_get(unwind, "reason"), "no reason given"));
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

static void note_details(struct summary_group *group, const struct reader_node *goroutine)
{
	const struct reader_node *what = node_get(goroutine, "waiting_for");
	bool first = group->goroutines == 1;
	struct text waits_for = { 0 }, labels = { 0 }, panic = { 0 };
	if (!group->waits_for.differ)
		details_add_waiting(&waits_for, what);
	note_shared(&group->waits_for, first, &waits_for);
	if (!group->labels.differ)
		details_add_labels(&labels, node_get(goroutine, "labels"));
	note_shared(&group->labels, first, &labels);
	if (!group->panic.differ)
		details_add_panic(&panic, node_get(goroutine, "panics"));
	note_shared(&group->panic, first, &panic);
	if (first)
		group->waits_addr = node_address(node_get(what, "address"), 0);
}

static void add_to_group(struct summary_group *group, const struct reader_node *goroutine,
			 size_t state)
{
	struct summary_tally *tally = group_tally(group, &state);
	if (group->goroutines < SUMMARY_IDS)
		group->ids[group->goroutines] = node_int(node_get(goroutine, "id"), -1);
	group->goroutines++;
	group->system += node_bool(node_get(goroutine, "system"), false);
	group->locked += node_bool(node_get(goroutine, "locked"), false);
	count_in(tally, state, node_int(node_get(goroutine, "waiting_ns"), -1));
	note_creator(group, node_get(goroutine, "created_by"));
	note_details(group, goroutine);
	note_end_of_stack(group, node_get(goroutine, "unwind"));
}

static bool passes(struct summary *summary, const struct summary_group *group,
		   const struct reader_node *goroutine)
{
	return filter_passes(summary->filter, goroutine,
			     group ? group->frames_pass
				   : filter_passes_frames(summary->filter,
							  node_get(goroutine, "frames")));
}

bool summary_passes(struct summary *summary, const struct reader_node *goroutine)
{
	return passes(summary,
		      find_group(summary, node_int(node_get(goroutine, "group"), -1)),
		      goroutine);
}

static void add_goroutine(struct summary *summary, const struct reader_node *goroutine)
{
	int64_t waiting_ns = node_int(node_get(goroutine, "waiting_ns"), -1);
	struct summary_group *group =
		find_group(summary, node_int(node_get(goroutine, "group"), -1));
	size_t state;
	summary->all_goroutines++;
	if (!passes(summary, group, goroutine))
		return;
	state = intern_state(summary, summary_state_words(goroutine));
	summary->goroutines++;
	if (node_bool(node_get(goroutine, "system"), false)) {
		summary->system++;
	} else {
		count_in(&summary->user_tallies[state], state, waiting_ns);
		waiters_add(&summary->waiters, goroutine);
	}
	if (!group)
		return;
	summary->shown_groups += group->goroutines == 0;
	add_to_group(group, goroutine, state);
}

/* Number of goroutines in a group, according to the document. */
static uint64_t size_of(const struct reader_node *group)
{
	int64_t ids = (int64_t)node_count(node_get(group, "goroutines"));
	int64_t count = node_int(node_get(group, "count"), ids);
	return count < 0 ? 0 : (uint64_t)count;
}

/* NULL: no function belongs to the program. */
static char *place_of(const struct summary *summary, const struct reader_node *frames)
{
	const struct stack_style style = {
		.module = text_of(node_get(summary->go, "module"), NULL),
		.goroot = summary->goroot,
	};
	for (size_t i = 0; i < node_count(frames); i++) {
		const struct reader_node *frame = node_at(frames, i);
		if (stack_is_users(&style, frame))
			return xstrdup(text_of(node_get(frame, "function"), "?"));
	}
	return NULL;
}

static void add_group(struct summary *summary, const struct reader_node *node)
{
	const struct reader_node *frames = node_get(node, "frames");
	if (!summary->goroot)
		summary->goroot = stack_goroot(frames);
	GROW(summary->groups, summary->group_count, summary->group_cap);
	summary->groups[summary->group_count++] = (struct summary_group){
		.id = node_int(node_get(node, "id"), -1),
		.size = size_of(node),
		.frames_pass = filter_passes_frames(summary->filter, frames),
		.place = place_of(summary, frames),
		.parent = -1,
	};
	summary->groups_sorted = false;
	order_note_lock(&summary->order, frames, size_of(node));
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

static void add_warning(struct summary *summary, const struct reader_node *warning)
{
	if (summary->warning_count == SUMMARY_WARNINGS) {
		summary->warnings_left_out++;
		return;
	}
	if (!summary->warnings)
		summary->warnings = xcalloc(SUMMARY_WARNINGS, sizeof(*summary->warnings));
	summary->warnings[summary->warning_count++] = node_hold(warning);
}

static void keep(const struct reader_node **place, const struct reader_node *node)
{
	node_drop(*place);
	*place = node_hold(node);
}

void summary_add_head(struct summary *summary, const char *member,
		      const struct reader_node *node)
{
	if (strcmp(member, "snapshot") == 0)
		keep(&summary->snapshot, node);
	else if (strcmp(member, "trigger") == 0)
		keep(&summary->trigger, node);
	else if (strcmp(member, "process") == 0)
		keep(&summary->process, node);
	else if (strcmp(member, "go") == 0)
		keep(&summary->go, node);
	else if (strcmp(member, "fault") == 0)
		keep(&summary->fault, node);
	else if (strcmp(member, "runtime") == 0)
		keep(&summary->runtime, node);
	else if (strcmp(member, "end") == 0)
		keep(&summary->end, node);
}

static bool add_member(void *arg, const char *member, size_t index,
		       const struct reader_node *node)
{
	struct summary *summary = arg;
	(void)index;
	if (strcmp(member, "goroutines") == 0)
		add_goroutine(summary, node);
	else if (strcmp(member, "groups") == 0)
		add_group(summary, node);
	else if (strcmp(member, "threads") == 0)
		add_thread(summary, node);
	else if (strcmp(member, "warnings") == 0)
		add_warning(summary, node);
	else if (strcmp(member, "findings") == 0)
		shown_findings_add(&summary->findings, node);
	else
		summary_add_head(summary, member, node);
	return true;
}

static int64_t fault_in(const struct summary *summary, const char *stack)
{
	const struct reader_node *place = node_get(summary->fault, "place");

	return strcmp(text_of(node_get(place, "stack"), ""), stack) == 0
		       ? node_int(node_get(place, "frame"), -1)
		       : -1;
}

int64_t summary_fault_in_thread(const struct summary *summary,
				const struct reader_node *thread)
{
	return node_int(node_get(thread, "id"), -1) ==
			       node_int(node_get(summary->fault, "thread"), -2)
		       ? fault_in(summary, "thread")
		       : -1;
}

int64_t summary_fault_in_group(const struct summary *summary,
			       const struct reader_node *group)
{
	const struct reader_node *ids = node_get(group, "goroutines");
	int64_t id = node_int(node_get(summary->fault, "goroutine"), -1);

	for (size_t i = 0; id >= 0 && i < node_count(ids); i++)
		if (node_int(node_at(ids, i), -1) == id)
			return fault_in(summary, "goroutine");
	return -1;
}

bool summary_read(struct summary *summary, struct reader *reader, struct err *err)
{
	bool whole = reader_each(reader, add_member, summary, err);
	order_locks_known(&summary->order);
	return whole;
}
