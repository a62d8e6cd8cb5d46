/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/call_text.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/document/reader.h"
#include "src/viewer/document/stack.h"
#include "src/viewer/listing/values.h"
#include "src/viewer/terminal/text.h"

enum { INDENT = 4 };

struct call_text {
	struct stack_style style;
	char *goroot;
};

struct call_text *call_text_new(FILE *out)
{
	struct call_text *t = xcalloc(1, sizeof(*t));

	t->style = (struct stack_style){
		.page = { .out = out,
			  .columns = page_columns(fileno(out)),
			  .color = page_is_terminal(fileno(out)) },
		.indent = INDENT,
	};
	return t;
}

void call_text_free(struct call_text *t)
{
	if (!t)
		return;
	xfree(t->goroot);
	xfree(t);
}

static void print_heading(const struct call_text *t, const struct reader_node *call)
{
	const struct reader_node *goroutine = node_get(call, "goroutine");
	const struct reader_node *took = node_get(call, "took_ns");
	struct text line = { 0 };

	text_add(&line, "%s  %s", text_of(node_get(call, "time"), "?"),
		 text_of(node_get(call, "function"), "?"));
	if (goroutine)
		text_add(&line, "  goroutine %" PRId64, node_int(goroutine, 0));
	text_add(&line, "  pid %" PRId64, node_int(node_get(call, "pid"), 0));
	if (node_get(call, "call"))
		text_add(&line, "  call %" PRId64, node_int(node_get(call, "call"), 0));
	if (took) {
		text_add(&line, "  returns after ");
		text_add_duration(&line, node_int(took, 0));
	}
	page_say(&t->style.page, COLOR_HEADING, 0, INDENT, &line);
}

static void print_values(const struct call_text *t, const struct reader_node *values,
			 const char *what, const struct reader_node *why)
{
	struct text line = { 0 };

	if (why) {
		text_add(&line, "(%s unreadable: %s)", what, text_of(why, "?"));
		page_say(&t->style.page, COLOR_PLAIN, INDENT, 2 * INDENT, &line);
	}
	values_print_list(&t->style.page, INDENT, values);
}

static void print_call_of(struct call_text *t, const struct reader_node *call)
{
	const struct reader_node *frames = node_get(call, "frames");

	print_heading(t, call);
	print_values(t, node_get(call, "arguments"), "arguments",
		     node_get(call, "arguments_unreadable"));
	if (!t->goroot)
		t->goroot = stack_goroot(frames);
	t->style.goroot = t->goroot;
	stack_print(&t->style, frames, -1, NULL);
}

static void print_return(struct call_text *t, const struct reader_node *call)
{
	print_heading(t, call);
	print_values(t, node_get(call, "results"), "results",
		     node_get(call, "results_unreadable"));
}

static void print_snapshot(struct call_text *t, const struct reader_node *taken)
{
	const struct reader_node *file = node_get(taken, "file");
	const struct reader_node *reason = node_get(taken, "reason");
	const struct reader_node *pause = node_get(taken, "pause_ns");
	struct text line = { 0 };

	text_add(&line, "%s%s at call %" PRId64 " of %s, pid %" PRId64,
		 file ? "snapshot " : "no snapshot", text_of(file, ""),
		 node_int(node_get(taken, "call"), 0),
		 text_of(node_get(taken, "function"), "?"),
		 node_int(node_get(taken, "pid"), 0));
	if (pause) {
		text_add(&line, ", which stood still for ");
		text_add_duration(&line, node_int(pause, 0));
	}
	if (reason)
		text_add(&line, ": %s", text_of(reason, "?"));
	page_say(&t->style.page, file && !reason ? COLOR_HEADING : COLOR_ALARM, 0, INDENT,
		 &line);
}

static void print_latency(struct call_text *t, const struct reader_node *latency)
{
	const struct reader_node *buckets = node_get(latency, "buckets");
	struct text line = { 0 };

	text_add(&line, "%s: ", text_of(node_get(latency, "function"), "?"));
	text_add_counted(&line, (uint64_t)node_int(node_get(latency, "returns"), 0),
			 "return");
	page_say(&t->style.page, COLOR_HEADING, 0, INDENT, &line);
	for (size_t i = 0; i < node_count(buckets); i++) {
		const struct reader_node *bucket = node_at(buckets, i);
		const int64_t below = node_int(node_get(bucket, "below_ns"), 0);
		line = (struct text){ 0 };
		text_add(&line, below ? "below " : "longer");
		if (below)
			text_add_duration(&line, below);
		text_add(&line, ": ");
		text_add_count(&line, (uint64_t)node_int(node_get(bucket, "returns"), 0));
		page_say(&t->style.page, COLOR_PLAIN, INDENT, 2 * INDENT, &line);
	}
}

static void print_totals(struct call_text *t, const struct reader_node *totals)
{
	static const struct {
		const char *member, *words;
	} parts[] = {
		{ "told", " told" },
		{ "lost", " lost" },
		{ "returns", " returns" },
		{ "returns_told", " told" },
		{ "returns_lost", " lost" },
		{ "excluded", " excluded by --when" },
		{ "beyond_rate", " beyond --rate" },
		{ "beyond_count", " beyond --count" },
		{ "snapshots", " snapshots" },
		{ "snapshots_failed", " snapshots failed" },
		{ "beyond_interval", " calls without one" },
	};
	struct text line = { 0 };

	text_add_counted(&line, (uint64_t)node_int(node_get(totals, "calls"), 0), "call");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct reader_node *n = node_get(totals, parts[i].member);
		if (!n)
			continue;
		text_add(&line, ", ");
		text_add_count(&line, (uint64_t)node_int(n, 0));
		text_add(&line, "%s", parts[i].words);
	}
	page_say(&t->style.page, COLOR_ALARM, 0, INDENT, &line);
}

void call_text_print(struct call_text *t, const char *json, size_t len)
{
	static const struct {
		const char *event;
		void (*print)(struct call_text *t, const struct reader_node *node);
	} printers[] = {
		{ "call", print_call_of },    { "return", print_return },
		{ "latency", print_latency }, { "lost", print_totals },
		{ "end", print_totals },      { "snapshot", print_snapshot },
	};
	const struct reader_node *node = node_of_text(json, len);
	const char *event = text_of(node_get(node, "event"), "");

	for (size_t i = 0; i < ARRAY_SIZE(printers); i++)
		if (strcmp(printers[i].event, event) == 0)
			printers[i].print(t, node);
	fputc('\n', t->style.page.out);
	node_drop(node);
}
