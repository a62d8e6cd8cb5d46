/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/details.h"

#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

static void add_word(struct text *text, const char *before,
		     const struct reader_node *node)
{
	const char *word = text_of(node, NULL);
	if (word)
		text_add(text, "%s%s", before, word);
}

/* "full, 16"; nothing for unbuffered channels. */
static void add_buffer(struct text *text, const struct reader_node *channel)
{
	int64_t len = node_int(node_get(channel, "len"), -1);
	int64_t cap = node_int(node_get(channel, "cap"), -1);
	if (node_bool(node_get(channel, "closed"), false))
		text_add(text, " (closed)");
	else if (len >= 0 && cap > 0 && len == cap)
		text_add(text, " (full, %" PRId64 ")", cap);
	else if (len >= 0 && cap > 0)
		text_add(text, " (%" PRId64 " of %" PRId64 ")", len, cap);
}

void details_add_case(struct text *text, const struct reader_node *channel)
{
	text_add(text, "%s", text_of(node_get(channel, "operation"), "channel"));
	add_word(text, " ", node_get(channel, "address"));
	add_buffer(text, channel);
}

static void add_cases(struct text *text, const struct reader_node *cases)
{
	enum { CASES_SHOWN = 4 };
	size_t n = node_count(cases);
	for (size_t i = 0; i < n && i < CASES_SHOWN; i++) {
		text_add(text, i == 0 ? ": " : ", ");
		details_add_case(text, node_at(cases, i));
	}
	if (n > CASES_SHOWN)
		text_add(text, " and %zu more", n - CASES_SHOWN);
}

static void add_descriptor(struct text *text, const struct reader_node *what)
{
	add_word(text, " ", node_get(what, "protocol"));
	add_word(text, " ", node_get(what, "local"));
	add_word(text, " to ", node_get(what, "remote"));
	add_word(text, " ", node_get(what, "file"));
	add_word(text, ", ", node_get(what, "state"));
	if (node_get(what, "fd"))
		text_add(text, ", fd %" PRId64, node_int(node_get(what, "fd"), -1));
}

static void add_when(struct text *text, const struct reader_node *when)
{
	const char *time = text_of(when, NULL);
	if (!time)
		return;
	text_add(text, " at ");
	text_add_time(text, time);
}

static void add_count(struct text *text, const struct reader_node *lock, const char *name,
		      const char *one, const char *many)
{
	int64_t n = node_int(node_get(lock, name), 0);
	if (n > 0)
		text_add(text, ", %" PRId64 " %s", n, n == 1 ? one : many);
}

/* "locked, 3 waiters"; zero and false values are omitted. */
static void add_lock(struct text *text, const struct reader_node *lock)
{
	if (node_bool(node_get(lock, "locked"), false))
		text_add(text, ", locked");
	if (node_bool(node_get(lock, "starving"), false))
		text_add(text, ", starving");
	if (node_get(lock, "counter"))
		text_add(text, ", counter %" PRId64,
			 node_int(node_get(lock, "counter"), 0));
	add_count(text, lock, "readers", "reader", "readers");
	add_count(text, lock, "waiters", "waiter", "waiters");
}

void details_add_waiting(struct text *text, const struct reader_node *waiting_for)
{
	const char *kind = text_of(node_get(waiting_for, "kind"), NULL);
	/* A select without cases waits for nothing in particular. */
	if (!kind || (strcmp(kind, "select") == 0 && !node_get(waiting_for, "cases")))
		return;
	text_add(text, "%s%s",
		 node_bool(node_get(waiting_for, "nil"), false) ? "nil " : "", kind);
	if (strcmp(kind, "channel") != 0) /* the wait reason shows it */
		add_word(text, " ", node_get(waiting_for, "operation"));
	add_word(text, " ", node_get(waiting_for, "address"));
	add_lock(text, waiting_for);
	add_buffer(text, waiting_for);
	add_cases(text, node_get(waiting_for, "cases"));
	add_descriptor(text, waiting_for);
	add_when(text, node_get(waiting_for, "when"));
}

void details_add_labels(struct text *text, const struct reader_node *labels)
{
	bool first = true;
	for (size_t i = 0; i < node_count(labels); i++) {
		const struct reader_node *label = node_at(labels, i);
		const char *key = text_of(node_get(label, "key"), NULL);
		if (!key)
			continue;
		text_add(text, "%s%s=%s", first ? "" : ", ", key,
			 text_of(node_get(label, "value"), "?"));
		first = false;
	}
}

/* "main.text("late")", "(*main.failure) 0xc000012345" */
static bool begins_with_type(const char *words, const char *type)
{
	size_t len = strlen(type);
	words += *words == '(';
	return strncmp(words, type, len) == 0 && (words[len] == '(' || words[len] == ')');
}

static void add_one_panic(struct text *text, const struct reader_node *panic)
{
	const char *type = text_of(node_get(panic, "type"), NULL);
	const char *words = text_of(node_get(panic, "printed"), NULL);
	if (node_bool(node_get(panic, "goexit"), false))
		text_add(text, "runtime.Goexit");
	else if (type && words && !begins_with_type(words, type))
		text_add(text, "%s: %s", type, words);
	else
		text_add(text, "%s", words ? words : type ? type : "?");
	if (node_bool(node_get(panic, "recovered"), false))
		text_add(text, " [recovered]");
}

void details_add_panic(struct text *text, const struct reader_node *panics)
{
	if (details_panics(panics))
		add_one_panic(text, node_at(panics, 0));
}

bool details_panics(const struct reader_node *panics)
{
	for (size_t i = 0; i < node_count(panics); i++) {
		const struct reader_node *panic = node_at(panics, i);
		if (node_get(panic, "type") &&
		    !node_bool(node_get(panic, "recovered"), false) &&
		    !node_bool(node_get(panic, "goexit"), false))
			return true;
	}
	return false;
}

static void print_panics(const struct page *page, int indent,
			 const struct reader_node *panics)
{
	for (size_t i = 0; i < node_count(panics); i++) {
		struct text text = { 0 };
		text_add(&text, "panic: ");
		add_one_panic(&text, node_at(panics, i));
		page_say(page, COLOR_ALARM, indent, indent + 4, &text);
	}
}

static void print_defers(const struct page *page, int indent,
			 const struct reader_node *defers)
{
	for (size_t i = 0; i < node_count(defers); i++) {
		struct text text = { 0 };
		const char *function =
			text_of(node_get(node_at(defers, i), "function"), NULL);
		if (!function)
			continue;
		text_add(&text, "deferred: %s", function);
		page_say(page, COLOR_PLAIN, indent, indent + 4, &text);
	}
}

static void add_ancestors(struct text *text, const struct reader_node *ancestors)
{
	for (size_t i = 0; i < node_count(ancestors); i++) {
		int64_t id = node_int(node_get(node_at(ancestors, i), "goroutine"), -1);
		if (id >= 0)
			text_add(text, "%sgoroutine %" PRId64, text->words ? ", " : "",
				 id);
	}
}

static void add_bubble(struct text *text, const struct reader_node *bubble)
{
	int64_t id = node_int(node_get(bubble, "id"), -1);
	int64_t root = node_int(node_get(bubble, "root"), -1);
	if (id >= 0)
		text_add(text, "%" PRId64, id);
	if (root >= 0)
		text_add(text, "%screated by goroutine %" PRId64, text->words ? ", " : "",
			 root);
}

static void add_trace(struct text *text, const struct reader_node *trace)
{
	add_word(text, "", node_get(trace, "trace_id"));
	add_word(text, ", span ", node_get(trace, "span_id"));
	if (node_get(trace, "sampled") && !node_bool(node_get(trace, "sampled"), true))
		text_add(text, ", not sampled");
}

static void add_context(struct text *text, const struct reader_node *goroutine)
{
	const struct reader_node *ago = node_get(goroutine, "context_done_for_ns");

	add_word(text, "", node_get(goroutine, "context_error"));
	if (!ago)
		return;
	text_add(text, text->words ? ", " : "");
	text_add_duration(text, node_int(ago, 0));
	text_add(text, " ago");
}

static void print_line(const struct page *page, int indent, const char *before,
		       struct text *text)
{
	struct text line = { 0 };
	if (!text->words)
		return;
	text_add(&line, "%s%s", before, text->words);
	page_say(page, COLOR_PLAIN, indent, indent + 4, &line);
	text_done(text);
}

void details_print(const struct page *page, int indent,
		   const struct reader_node *goroutine)
{
	struct text text = { 0 };
	details_add_waiting(&text, node_get(goroutine, "waiting_for"));
	print_line(page, indent, "waits for ", &text);
	details_add_labels(&text, node_get(goroutine, "labels"));
	print_line(page, indent, "labels ", &text);
	add_trace(&text, node_get(goroutine, "trace"));
	print_line(page, indent, "trace ", &text);
	add_context(&text, goroutine);
	print_line(page, indent, "context done: ", &text);
	add_bubble(&text, node_get(goroutine, "bubble"));
	print_line(page, indent, "in synctest bubble ", &text);
	add_ancestors(&text, node_get(goroutine, "ancestors"));
	print_line(page, indent, "descends from ", &text);
	print_panics(page, indent, node_get(goroutine, "panics"));
	print_defers(page, indent, node_get(goroutine, "defers"));
}
