/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - the text of a snapshot. The first pass counts, the second prints the groups into
 * a temporary file, from where they come in the order that order.h tells; with --all a third
 * prints what belongs to the runtime, threads and every goroutine. */
#include "viewer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader.h"
#include "stack.h"
#include "summary.h"
#include "text.h"
#include "threads.h"

enum {
	WARNINGS_SHOWN = 10,
	IDS_SHOWN = 8,
	INDENT = 4,
};

struct show {
	struct reader *reader;
	FILE *out;
	struct stack_style style;
	struct summary summary;
	bool ordered;	    /* this pass notes where the text of each group is */
	bool system_groups; /* what this pass prints */
	uint64_t system_left_out;
};

struct viewer_options viewer_options_for(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	return (struct viewer_options){
		.color = isatty(fileno(out)) && !(no_color && *no_color) && term &&
			 strcmp(term, "dumb") != 0,
	};
}

static void print_text(const struct show *show, int first, int rest, struct text *text)
{
	text_paragraph(show->out, first, rest, text->words ? text->words : "");
	text_done(text);
}

/* "2026-11-21T03:12:05.123456789Z" as "2026-11-21 03:12:05 UTC" */
static void add_time(struct text *text, const char *time)
{
	if (strlen(time) < 19 || time[10] != 'T')
		text_add(text, "%s", time);
	else
		text_add(text, "%.10s %.8s UTC", time, time + 11);
}

static void add_process(struct text *text, const struct summary *summary)
{
	const char *exe = text_of(node_get(summary->process, "exe"), NULL);
	const char *module = text_of(node_get(summary->go, "module"), NULL);
	const char *version = text_of(node_get(summary->go, "version"), NULL);
	const char *slash = exe ? strrchr(exe, '/') : NULL;
	text_add(text, "%s (%s",
		 slash ? slash + 1
		 : exe ? exe
		       : "a process",
		 version		   ? version
		 : summary->goroutines > 0 ? "Go"
					   : "not Go");
	if (node_get(summary->process, "pid"))
		text_add(text, ", pid %" PRId64,
			 node_int(node_get(summary->process, "pid"), 0));
	if (module)
		text_add(text, ", %s", module);
	text_add(text, "): ");
}

static void print_heading(const struct show *show)
{
	const struct summary *summary = &show->summary;
	const char *taken_at = text_of(node_get(summary->snapshot, "taken_at"), NULL);
	int64_t pause_ns = node_int(node_get(summary->snapshot, "pause_ns"), -1);
	struct text text = { NULL };
	add_process(&text, summary);
	if (summary->go || summary->goroutines > 0) {
		text_add_counted(&text, summary->goroutines, "goroutine");
		text_add(&text, " in ");
		text_add_counted(&text, summary->group_count, "group");
		text_add(&text, ", ");
	}
	text_add_counted(&text, summary->threads, "thread");
	if (pause_ns >= 0) {
		text_add(&text, ", held for ");
		text_add_duration(&text, pause_ns);
	}
	if (taken_at) {
		text_add(&text, pause_ns >= 0 ? " at " : ", at ");
		add_time(&text, taken_at);
	}
	print_text(show, 0, 2, &text);
}

static void print_warning(const struct show *show, const char *where, const char *what)
{
	struct text text = { NULL };
	text_add(&text, "warning: %s%s%s", where, *where ? ": " : "", what);
	print_text(show, 0, 2, &text);
}

/* damage: NULL, or what the reader says of the document. */
static void print_warnings(const struct show *show, const char *damage)
{
	const struct summary *summary = &show->summary;
	const char *partial = text_of(node_get(summary->end, "partial"), NULL);
	size_t n = summary->warning_count;
	uint64_t more = summary->warnings_left_out;
	if (!show->style.options.all && n > WARNINGS_SHOWN) {
		more += n - WARNINGS_SHOWN;
		n = WARNINGS_SHOWN;
	}
	if (damage)
		print_warning(show, "", damage);
	if (partial)
		print_warning(show, "the snapshot ends early", partial);
	for (size_t i = 0; i < n; i++)
		print_warning(show, text_of(node_get(summary->warnings[i], "where"), ""),
			      text_of(node_get(summary->warnings[i], "what"), "?"));
	if (more > 0) {
		struct text text = { NULL };
		text_add_counted(&text, more, "more warning");
		print_text(show, 2, 2, &text);
	}
}

static void add_span(struct text *text, const struct summary_tally *tally)
{
	struct text shortest = { NULL }, longest = { NULL };
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

static int compare_tallies(const void *a, const void *b)
{
	const struct summary_tally *x = a, *y = b;
	return (x->count < y->count) - (x->count > y->count);
}

/* A line for each state: how many user goroutines, and how long they have waited. */
static void print_states(struct show *show)
{
	struct summary *summary = &show->summary;
	struct text text = { NULL };
	size_t width = 0;
	qsort(summary->user_tallies, SUMMARY_STATES, sizeof(summary->user_tallies[0]),
	      compare_tallies);
	for (size_t i = 0; i < summary->state_count; i++) {
		size_t w = text_width(summary->states[summary->user_tallies[i].state]);
		width = w > width && w < 40 ? w : width;
	}
	putc('\n', show->out);
	for (size_t i = 0; i < SUMMARY_STATES && summary->user_tallies[i].count > 0;
	     i++) {
		const struct summary_tally *tally = &summary->user_tallies[i];
		struct text count = { NULL };
		text_add_count(&count, tally->count);
		text_add(&text, "%9s  %-*s  ", count.words, (int)width,
			 summary->states[tally->state]);
		add_span(&text, tally);
		while (text.words[text.len - 1] == ' ')
			text.words[--text.len] = '\0';
		text_print(show->out, text.words);
		putc('\n', show->out);
		text_done(&count);
		text_done(&text);
	}
	if (summary->system > 0) {
		text_add_count(&text, summary->system);
		fprintf(show->out, "%9s  of the runtime itself\n", text.words);
		text_done(&text);
	}
}

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
			add_span(text, tally);
		}
	}
}

static void add_ids(struct text *text, const struct reader_node *ids, uint64_t count)
{
	size_t n = node_count(ids), shown = n < IDS_SHOWN ? n : IDS_SHOWN;
	for (size_t i = 0; i < shown; i++)
		text_add(text, "%s%" PRId64, i == 0 ? "ids " : ", ",
			 node_int(node_at(ids, i), -1));
	if (shown > 0 && count > shown) {
		text_add(text, " and ");
		text_add_count(text, count - shown);
		text_add(text, " more");
	}
}

static void print_group_heading(const struct show *show, const struct reader_node *node,
				const struct summary_group *group)
{
	const struct reader_node *ids = node_get(node, "goroutines");
	uint64_t count = summary_group_size(node);
	struct text text = { NULL };
	if (count == 1 && node_count(ids) == 1)
		text_add(&text, "goroutine %" PRId64, node_int(node_at(ids, 0), -1));
	else
		text_add_counted(&text, count, "goroutine");
	if (group)
		add_states(&text, &show->summary, group);
	if (group && group->locked > 0)
		text_add(&text, " (locked to %s)",
			 group->locked == 1 ? "a thread" : "threads");
	print_text(show, 0, 2, &text);
	if (count > 1) {
		add_ids(&text, ids, count);
		print_text(show, 2, 2, &text);
	}
}

/* A hint of who holds a lock. */
static void print_locked_out(const struct show *show, const struct reader_node *frames)
{
	struct text text = { NULL };
	uint64_t waiters;
	const char *function =
		order_others_locked_out(&show->summary.order, frames, &waiters);
	if (!function)
		return;
	text_add(&text, "inside %s, where ", function);
	text_add_count(&text, waiters);
	text_add(&text, " %s for a lock", waiters == 1 ? "waits" : "wait");
	print_text(show, 2, 2, &text);
}

static void add_creator(struct text *text, const struct show *show,
			const char *created_by)
{
	const char *at = strstr(created_by, " at ");
	const char *file = at ? at + strlen(" at ") : "";
	text_add(text, "created by %.*s%s", (int)(strlen(created_by) - strlen(file)),
		 created_by, stack_file(&show->style, file));
}

static void print_group_end(const struct show *show, const struct summary_group *group)
{
	struct text text = { NULL };
	if (group->broken > 0) {
		text_add(&text, "... %s", group->broken_why);
		if (group->broken < group->goroutines) {
			text_add(&text, " (");
			text_add_count(&text, group->broken);
			text_add(&text, " of them)");
		}
		print_text(show, INDENT, INDENT + 4, &text);
	}
	if (!group->created_by)
		return;
	add_creator(&text, show, group->created_by);
	if (group->created_elsewhere)
		text_add(&text, ", others elsewhere");
	else if (!group->parents_differ && group->parent > 0)
		text_add(&text, " in goroutine %" PRId64, group->parent);
	print_text(show, INDENT, INDENT + 4, &text);
}

static void print_group(struct show *show, const struct reader_node *node)
{
	const struct summary_group *group =
		summary_find(&show->summary, node_int(node_get(node, "id"), -1));
	const struct reader_node *frames = node_get(node, "frames");
	bool system = summary_is_system(group);
	long at = show->ordered ? ftell(show->out) : 0;
	if (system && !show->style.options.all)
		show->system_left_out += group->goroutines;
	if (system != show->system_groups)
		return;
	putc('\n', show->out);
	print_group_heading(show, node, group);
	print_locked_out(show, frames);
	stack_print(&show->style, frames);
	if (group)
		print_group_end(show, group);
	if (show->ordered) {
		struct order_entry *entry = order_add(&show->summary.order, &show->style,
						      frames, summary_group_size(node));
		entry->at = at;
		entry->length = ftell(show->out) - at;
	}
}

static void print_goroutine(const struct show *show, const struct reader_node *node)
{
	const struct reader_node *stack = node_get(node, "stack"),
				 *thread = node_get(node, "thread");
	int64_t waiting_ns = node_int(node_get(node, "waiting_ns"), -1);
	struct text text = { NULL };
	text_add(&text, "goroutine %" PRId64 ": %s", node_int(node_get(node, "id"), -1),
		 summary_state_words(node));
	if (waiting_ns >= 0) {
		text_add(&text, ", ");
		text_add_duration(&text, waiting_ns);
	}
	if (node_bool(node_get(node, "system"), false))
		text_add(&text, ", system");
	if (thread)
		text_add(&text, ", %s thread %" PRId64,
			 node_bool(node_get(node, "locked"), false) ? "locked to" : "on",
			 node_int(thread, -1));
	if (node_get(stack, "used_bytes")) {
		text_add(&text, ", stack ");
		text_add_count(&text,
			       (uint64_t)node_int(node_get(stack, "used_bytes"), 0));
		text_add(&text, " of ");
		text_add_counted(&text,
				 (uint64_t)node_int(node_get(stack, "size_bytes"), 0),
				 "byte");
	}
	if (node_get(node, "address"))
		text_add(&text, ", g %s", text_of(node_get(node, "address"), "?"));
	print_text(show, 0, 2, &text);
}

static bool print_groups(void *arg, const char *member, size_t index,
			 const struct reader_node *node)
{
	struct show *show = arg;
	(void)index;
	if (strcmp(member, "groups") == 0)
		print_group(show, node);
	/* The groups come before the goroutines: the rest need not be read. */
	return strcmp(member, "goroutines") != 0 && !ferror(show->out);
}

static bool print_rest(void *arg, const char *member, size_t index,
		       const struct reader_node *node)
{
	struct show *show = arg;
	bool first = index == 0;
	if (strcmp(member, "threads") == 0) {
		threads_print(&show->style, node);
	} else if (strcmp(member, "goroutines") == 0) {
		fputs(first ? "\n" : "", show->out);
		print_goroutine(show, node);
	} else if (strcmp(member, "groups") == 0) {
		print_group(show, node);
	}
	return !ferror(show->out);
}

static void print_threads_line(const struct show *show)
{
	const struct summary *summary = &show->summary;
	uint64_t others =
		summary->threads - summary->threads_in_go - summary->threads_in_c;
	struct text text = { NULL };
	text_add_counted(&text, summary->threads, "thread");
	text_add(&text, ": ");
	text_add_count(&text, summary->threads_in_go);
	text_add(&text, " with a goroutine, ");
	text_add_count(&text, others);
	text_add(&text, " idle or in the runtime, ");
	text_add_count(&text, summary->threads_in_c);
	text_add(&text, " in C only");
	for (size_t i = 0; i < summary->threads_in_c && i < SUMMARY_THREADS; i++)
		text_add(&text, "%s%" PRId64, i == 0 ? " (" : ", ",
			 summary->thread_in_c[i]);
	if (summary->threads_in_c > 0)
		text_add(&text, summary->threads_in_c > SUMMARY_THREADS ? ", ...)" : ")");
	putc('\n', show->out);
	print_text(show, 0, 2, &text);
}

static void print_left_out(const struct show *show)
{
	struct text text = { NULL };
	text_add(&text, "Not shown: ");
	if (show->system_left_out > 0) {
		text_add_counted(&text, show->system_left_out, "goroutine");
		text_add(&text, " of the runtime, ");
	}
	text_add(&text, "hidden frames, threads: --all shows them.");
	print_text(show, 0, 2, &text);
}

/* Damage has been told of by the first pass. */
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

/* False: there is no room for a temporary file, and nothing has been printed. */
static bool spool_groups(struct show *show, FILE *spool)
{
	FILE *out = show->out;
	show->out = show->style.out = spool;
	show->ordered = true;
	pass(show, print_groups);
	show->out = show->style.out = out;
	show->ordered = false;
	return fflush(spool) == 0 && !ferror(spool);
}

static void print_ordered_groups(struct show *show)
{
	const struct order *order = &show->summary.order;
	struct err err;
	int fd = spool_open(&err);
	FILE *spool = fd < 0 ? NULL : fdopen(fd, "w+");
	if (spool && spool_groups(show, spool)) {
		order_sort(&show->summary.order);
		for (size_t i = 0; i < order->entry_count && !ferror(show->out); i++)
			if (!copy_text(spool, order->entries[i].at,
				       order->entries[i].length, show->out))
				break;
	} else {
		show->system_left_out = 0;
		pass(show, print_groups); /* as they come */
	}
	if (spool)
		fclose(spool);
	else if (fd >= 0)
		close(fd);
}

static bool show_passes(struct show *show, struct err *err)
{
	bool whole = summary_read(&show->summary, show->reader, err);
	bool go = show->summary.group_count > 0;
	show->style.module = text_of(node_get(show->summary.go, "module"), NULL);
	show->style.goroot = show->summary.goroot;
	print_heading(show);
	print_warnings(show, whole ? NULL : err->text);
	if (show->summary.goroutines > 0)
		print_states(show);
	print_ordered_groups(show);
	/* Of a program that is not Go there are only threads to be shown. */
	if (show->style.options.all || !go) {
		show->system_groups = true;
		pass(show, print_rest);
	} else {
		print_threads_line(show);
		print_left_out(show);
	}
	return whole;
}

bool viewer_show(struct reader *reader, const struct viewer_options *options, FILE *out,
		 struct err *err)
{
	struct show show = {
		.reader = reader,
		.out = out,
		.style = { .out = out, .options = *options, .indent = INDENT },
	};
	bool whole;
	summary_init(&show.summary);
	whole = show_passes(&show, err);
	summary_done(&show.summary);
	return whole;
}
