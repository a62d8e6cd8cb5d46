/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/listing/heading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/document/details.h"
#include "src/viewer/document/summary.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

enum { WARNINGS_SHOWN = 10, MESSAGE_LINES = 8 };

static void add_process(struct text *text, const struct summary *summary)
{
	const char *exe = text_of(node_get(summary->heads.process, "exe"), NULL);
	const char *module = text_of(node_get(summary->heads.go, "module"), NULL);
	const char *version = text_of(node_get(summary->heads.go, "version"), NULL);
	const char *slash = exe ? strrchr(exe, '/') : NULL;
	text_add(text, "%s (%s",
		 slash ? slash + 1
		 : exe ? exe
		       : "a process",
		 version		       ? version
		 : summary->all_goroutines > 0 ? "Go"
					       : "not Go");
	if (node_get(summary->heads.process, "pid"))
		text_add(text, ", pid %" PRId64,
			 node_int(node_get(summary->heads.process, "pid"), 0));
	if (module)
		text_add(text, ", %s", module);
	text_add(text, ")");
}

/* Those that --json selected, of how many. */
static void add_selection(struct text *text, const struct summary *summary)
{
	const struct reader_node *selection =
		node_get(summary->heads.snapshot, "selection");
	const int64_t of = node_int(node_get(selection, "of_goroutines"), -1);

	if (of < 0)
		return;
	text_add(text, " (selected of ");
	text_add_count(text, (uint64_t)of);
	text_add(text, ")");
}

void heading_print_process(const struct page *page, const struct summary *summary)
{
	const char *taken_at =
		text_of(node_get(summary->heads.snapshot, "taken_at"), NULL);
	int64_t pause_ns = node_int(node_get(summary->heads.snapshot, "pause_ns"), -1);
	struct text text = { 0 };
	add_process(&text, summary);
	text_add(&text, ": ");
	if (summary->heads.go || summary->all_goroutines > 0) {
		text_add_counted(&text, summary->all_goroutines, "goroutine");
		add_selection(&text, summary);
		text_add(&text, " in ");
		text_add_counted(&text, summary->group_count, "group");
		text_add(&text, ", ");
	}
	text_add_counted(&text, summary->threads, "thread");
	if (pause_ns >= 0) {
		text_add(&text, ", stopped for ");
		text_add_duration(&text, pause_ns);
	}
	if (taken_at) {
		text_add(&text, pause_ns >= 0 ? " at " : ", at ");
		text_add_time(&text, taken_at);
	}
	page_say(page, COLOR_PLAIN, 0, 2, &text);
}

void heading_print_whose(const struct page *page, const struct summary *summary)
{
	const char *taken_at =
		text_of(node_get(summary->heads.snapshot, "taken_at"), NULL);
	struct text text = { 0 };

	add_process(&text, summary);
	if (taken_at) {
		text_add(&text, ", at ");
		text_add_time(&text, taken_at);
	}
	page_say(page, COLOR_HEADING, 0, 2, &text);
}

/* What the runtime printed. */
static void print_message(const struct page *page, const char *message)
{
	for (int i = 0; *message && i < MESSAGE_LINES; i++) {
		struct text text = { 0 };
		size_t len = strcspn(message, "\n");
		text_add(&text, "%.*s", (int)len, message);
		page_say(page, COLOR_PLAIN, 4, 8, &text);
		message += len + (message[len] == '\n');
	}
}

void heading_print_fault(const struct page *page, const struct summary *summary)
{
	const char *verdict = text_of(node_get(summary->heads.fault, "verdict"), NULL);
	struct text text = { 0 };
	if (!verdict)
		return;
	text_add(&text, "%s", verdict);
	page_say(page, COLOR_ALARM, 0, 2, &text);
	print_message(page, text_of(node_get(summary->heads.fault, "message"), ""));
}

/* NULL: by hand, or of a core. */
static const char *why_taken(const char *kind)
{
	static const struct {
		const char *kind, *words;
	} known[] = {
		{ "api", "the program asked for it" },
		{ "panic", "the program panicked" },
		{ "signal", "the program got a signal" },
		{ "exit", "the program was about to end" },
		{ "timeout", "the program had run for too long" },
		{ "function", "a function was called" },
		{ "oom", "the kernel killed it for want of memory" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].kind, kind) == 0)
			return known[i].words;
	return NULL;
}

void heading_print_trigger(const struct page *page, const struct summary *summary)
{
	const struct reader_node *attributes =
		node_get(summary->heads.trigger, "attributes");
	const char *why =
		why_taken(text_of(node_get(summary->heads.trigger, "kind"), ""));
	const char *signal = text_of(node_get(summary->heads.trigger, "signal"), NULL);
	const char *function =
		text_of(node_get(summary->heads.trigger, "function"), NULL);
	const struct reader_node *sender = node_get(summary->heads.trigger, "sender");
	struct text text = { 0 };
	if (!why && node_count(attributes) == 0)
		return;
	text_add(&text, "taken because %s", why ? why : "somebody wanted it");
	if (signal)
		text_add(&text, " (%s)", signal);
	if (function)
		text_add(&text, " (%s)", function);
	if (sender)
		text_add(&text, " from %s (%" PRId64 ")",
			 text_of(node_get(sender, "name"), "?"),
			 node_int(node_get(sender, "pid"), 0));
	if (node_get(summary->heads.trigger, "goroutine"))
		text_add(&text, ", goroutine %" PRId64,
			 node_int(node_get(summary->heads.trigger, "goroutine"), 0));
	if (node_count(attributes) > 0)
		text_add(&text, ": ");
	details_add_labels(&text, attributes);
	page_say(page, COLOR_PLAIN, 0, 2, &text);
}

static void print_warning(const struct page *page, const char *where, const char *what)
{
	struct text text = { 0 };
	text_add(&text, "warning: %s%s%s", where, *where ? ": " : "", what);
	page_say(page, COLOR_ALARM, 0, 2, &text);
}

void heading_print_warnings(const struct page *page, const struct summary *summary,
			    const char *damage, bool all)
{
	const char *incomplete =
		text_of(node_get(summary->heads.end, "incomplete_reason"), NULL);
	size_t n = summary->warning_count;
	uint64_t more = summary->warnings_left_out;
	if (!all && n > WARNINGS_SHOWN) {
		more += n - WARNINGS_SHOWN;
		n = WARNINGS_SHOWN;
	}
	if (damage)
		print_warning(page, "", damage);
	if (incomplete)
		print_warning(page, "the snapshot ends early", incomplete);
	for (size_t i = 0; i < n; i++)
		print_warning(page, text_of(node_get(summary->warnings[i], "where"), ""),
			      text_of(node_get(summary->warnings[i], "what"), "?"));
	if (more > 0) {
		struct text text = { 0 };
		text_add_counted(&text, more, "more warning");
		page_say(page, COLOR_ALARM, 2, 2, &text);
	}
}

void heading_print_values(const struct page *page, const struct summary *summary)
{
	const char *none = text_of(node_get(node_get(summary->heads.snapshot, "capture"),
					    "no_values_reason"),
				   NULL);
	int64_t omitted =
		node_int(node_get(summary->heads.end, "goroutines_without_values"), 0);
	struct text text = { 0 };

	if (none)
		text_add(&text, "no variables: %s", none);
	if (omitted > 0) {
		text_add(&text, "%svariables of ", none ? "; " : "");
		text_add_counted(&text, (uint64_t)omitted, "goroutine");
		text_add(&text, " were omitted");
	}
	if (text.words)
		page_say(page, COLOR_PLAIN, 0, 2, &text);
}

static int compare_tallies(const void *a, const void *b)
{
	const struct summary_tally *x = a, *y = b;
	return (x->count < y->count) - (x->count > y->count);
}

static void print_state(const struct page *page, const struct summary_tally *tally,
			const char *state, size_t width)
{
	struct text count = { 0 }, times = { 0 };
	text_add_count(&count, tally->count);
	summary_add_times(&times, tally);
	fprintf(page->out, "%9s  ", count.words);
	page_print(page, COLOR_PLAIN, state);
	if (times.words)
		fprintf(page->out, "%*s%s",
			2 + (text_width(state) < width ? (int)(width - text_width(state))
						       : 0),
			"", times.words);
	putc('\n', page->out);
	text_done(&count);
	text_done(&times);
}

/* One line per state: how many user goroutines, and how long they have waited. */
void heading_print_states(const struct page *page, struct summary *summary)
{
	const struct summary_tally *tallies = summary->user_tallies;
	size_t width = 0;
	qsort(summary->user_tallies, SUMMARY_STATES, sizeof(summary->user_tallies[0]),
	      compare_tallies);
	for (size_t i = 0; i < summary->state_count; i++) {
		size_t w = text_width(summary->states[tallies[i].state]);
		width = w > width && w < 40 ? w : width;
	}
	putc('\n', page->out);
	for (size_t i = 0; i < SUMMARY_STATES && tallies[i].count > 0; i++)
		print_state(page, &tallies[i], summary->states[tallies[i].state], width);
	if (summary->system > 0) {
		struct text text = { 0 };
		text_add_count(&text, summary->system);
		fprintf(page->out, "%9s  of the runtime itself\n", text.words);
		text_done(&text);
	}
}

static void add_missing(struct text *text, const struct summary *summary)
{
	struct text missing = { 0 };
	filter_add_missing(summary->filter, &missing);
	if (missing.words)
		text_add(text, " The snapshot has no goroutine %s.", missing.words);
	text_done(&missing);
}

void heading_print_shown(const struct page *page, const struct summary *summary)
{
	struct text text = { 0 };
	if (summary->goroutines == 0) {
		text_add(&text, "None of ");
		text_add_counted(&text, summary->all_goroutines, "goroutine");
		text_add(&text, " matches ");
		filter_blame(summary->filter, &text);
	} else {
		text_add_count(&text, summary->goroutines);
		text_add(&text, " of ");
		text_add_counted(&text, summary->all_goroutines, "goroutine");
		text_add(&text, " %s, in ",
			 summary->goroutines == 1 ? "matches" : "match");
		text_add_count(&text, summary->shown_groups);
		text_add(&text, " of ");
		text_add_counted(&text, summary->group_count, "group");
	}
	text_add(&text, ".");
	if (summary->goroutines > 0)
		add_missing(&text, summary);
	putc('\n', page->out);
	page_say(page, COLOR_HEADING, 0, 2, &text);
}

void heading_print_threads(const struct page *page, const struct summary *summary)
{
	uint64_t others =
		summary->threads - summary->threads_in_go - summary->threads_in_c;
	struct text text = { 0 };
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
	putc('\n', page->out);
	page_say(page, COLOR_PLAIN, 0, 2, &text);
}
