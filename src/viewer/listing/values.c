/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/listing/values.h"

#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

enum {
	LINE_BYTES = 2000, /* per value */
	DEPTH_MAX = 50,	   /* for hostile documents */
};

struct writing {
	struct text *text;
	size_t end; /* stop adding there */
	int depth;
};

static void add(struct writing *w, const struct reader_node *value);

static bool is_full(struct writing *w)
{
	return w->text->len >= w->end || w->depth > DEPTH_MAX;
}

static void add_omitted(struct writing *w, const struct reader_node *value,
			const char *before)
{
	int64_t omitted = node_int(node_get(value, "omitted"), 0);

	if (omitted <= 0)
		return;
	text_add(w->text, "%s... ", before);
	text_add_count(w->text, (uint64_t)omitted);
	text_add(w->text, " more");
}

/* What is omitted of a buffer is what was there before. */
static bool is_unused(const struct reader_node *value)
{
	return strcmp(text_of(node_get(value, "limited_by"), ""), "unused") == 0;
}

static void add_unused(struct writing *w, const struct reader_node *value)
{
	const int64_t skipped = node_int(node_get(value, "skipped"), 0);
	const int64_t unused =
		skipped +
		(is_unused(value) ? node_int(node_get(value, "omitted"), 0) : 0);

	if (unused <= 0)
		return;
	text_add(w->text, " (");
	text_add_count(w->text, (uint64_t)unused);
	text_add(w->text, " bytes not in use)");
}

static void add_zeros(struct writing *w, const struct reader_node *value)
{
	int64_t zeros = node_int(node_get(value, "zeros"), 0);

	if (zeros <= 0)
		return;
	text_add(w->text, *text_of(node_get(value, "bytes"), "?") ? " and " : "");
	text_add_count(w->text, (uint64_t)zeros);
	text_add(w->text, " zero bytes");
}

static void add_quoted(struct writing *w, const char *words)
{
	text_add(w->text, "\"");
	for (; *words && !is_full(w); words++) {
		if (*words == '"' || *words == '\\')
			text_add(w->text, "\\%c", *words);
		else if (*words == '\n')
			text_add(w->text, "\\n");
		else
			text_add(w->text, "%c", *words);
	}
	text_add(w->text, *words ? "\"..." : "\"");
}

static void add_string(struct writing *w, const struct reader_node *value)
{
	const char *words = node_string(node_get(value, "value"), "");

	if (node_get(value, "encoding"))
		text_add(w->text, "0x%s", words);
	else
		add_quoted(w, words);
	if (!is_unused(value))
		add_omitted(w, value, " ");
}

static void add_list(struct writing *w, const struct reader_node *value)
{
	const struct reader_node *elements = node_get(value, "elements");
	size_t n = node_count(elements);

	text_add(w->text, "[");
	for (size_t i = 0; i < n && !is_full(w); i++) {
		text_add(w->text, i ? ", " : "");
		add(w, node_at(elements, i));
	}
	add_omitted(w, value, n ? ", " : "");
	text_add(w->text, "]");
}

static void add_entries(struct writing *w, const struct reader_node *value)
{
	const struct reader_node *entries = node_get(value, "entries");
	size_t n = node_count(entries);

	text_add(w->text, "map[");
	/* It leads further than what is shown does. */
	if (!entries && node_get(value, "to") && !node_get(value, "omitted"))
		text_add(w->text, "...");
	for (size_t i = 0; i < n && !is_full(w); i++) {
		text_add(w->text, i ? ", " : "");
		add(w, node_get(node_at(entries, i), "key"));
		text_add(w->text, ": ");
		add(w, node_get(node_at(entries, i), "value"));
	}
	add_omitted(w, value, n ? ", " : "");
	text_add(w->text, "]");
}

static void add_members(struct writing *w, const struct reader_node *value,
			const char *name)
{
	const struct reader_node *fields = node_get(value, name);

	text_add(w->text, "{");
	for (size_t i = 0; i < node_count(fields) && !is_full(w); i++) {
		const struct reader_node *field = node_at(fields, i);
		text_add(w->text, "%s%s: ", i ? ", " : "",
			 text_of(node_get(field, "name"), "_"));
		add(w, field);
	}
	add_omitted(w, value, node_count(fields) ? ", " : "");
	text_add(w->text, "}");
}

static void add_fields(struct writing *w, const struct reader_node *value)
{
	add_members(w, value, "fields");
}

/* Includes the variables that a closure captured. */
static void add_function(struct writing *w, const struct reader_node *value)
{
	text_add(w->text, "%s", text_of(node_get(value, "function"), "?"));
	if (node_count(node_get(value, "captures")))
		add_members(w, value, "captures");
}

static void add_pointer(struct writing *w, const struct reader_node *value)
{
	const struct reader_node *target = node_get(value, "target");

	if (target) {
		text_add(w->text, "&");
		add(w, target);
	} else if (node_get(value, "goroutine")) {
		text_add(w->text, "goroutine %" PRId64,
			 node_int(node_get(value, "goroutine"), -1));
	} else {
		text_add(w->text, "%s", text_of(node_get(value, "to"), "?"));
	}
}

/* "goroutines 5, 6 wait to receive", "goroutine 7 waits to send 1" */
static void add_queue(struct writing *w, const struct reader_node *value,
		      const char *name, const char *omitted, const char *what)
{
	const struct reader_node *queue = node_get(value, name);
	size_t n = node_count(queue);

	for (size_t i = 0; i < n && !is_full(w); i++) {
		const struct reader_node *one = node_at(queue, i);
		const struct reader_node *offer = node_get(one, "value");
		const struct reader_node *id = node_get(one, "goroutine");
		text_add(w->text, i ? ", " : n == 1 ? ", goroutine " : ", goroutines ");
		text_add(w->text, "%" PRId64, node_int(id ? id : one, -1));
		if (offer) {
			text_add(w->text, " with ");
			add(w, offer);
		}
	}
	if (!n)
		return;
	if (node_int(node_get(value, omitted), 0) > 0)
		text_add(w->text, " and %" PRId64 " more",
			 node_int(node_get(value, omitted), 0));
	text_add(w->text, " wait%s to %s", n == 1 ? "s" : "", what);
}

static void add_channel(struct writing *w, const struct reader_node *value)
{
	int64_t cap = node_int(node_get(value, "cap"), 0);

	text_add(w->text, "channel");
	if (cap > 0)
		text_add(w->text, " %" PRId64 " of %" PRId64,
			 node_int(node_get(value, "len"), 0), cap);
	if (node_bool(node_get(value, "closed"), false))
		text_add(w->text, " closed");
	if (node_count(node_get(value, "elements"))) {
		text_add(w->text, " ");
		add_list(w, value);
	}
	add_queue(w, value, "receivers", "receivers_omitted", "receive");
	add_queue(w, value, "senders", "senders_omitted", "send");
}

static void add_inside(struct writing *w, const struct reader_node *value)
{
	text_add(w->text, "%s(", text_of(node_get(value, "dynamic_type"), "?"));
	add(w, node_get(value, "dynamic_value"));
	text_add(w->text, ")");
}

/* A number, which is a string if it is large, or a bool. */
static void add_plain(struct writing *w, const struct reader_node *value)
{
	AUTO(xfree) char *words = node_words(node_get(value, "value"));

	text_add(w->text, "%s", words);
}

static void add_by_kind(struct writing *w, const struct reader_node *value)
{
	static const struct {
		const char *kind;
		void (*add)(struct writing *, const struct reader_node *);
	} kinds[] = {
		{ "string", add_string },   { "array", add_list },
		{ "slice", add_list },	    { "map", add_entries },
		{ "struct", add_fields },   { "union", add_fields },
		{ "chan", add_channel },    { "interface", add_inside },
		{ "pointer", add_pointer }, { "unsafe.Pointer", add_pointer },
	};
	const char *type = node_string(node_get(value, "type"), "");
	const char *kind = node_string(node_get(value, "kind"), type);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].kind, kind) == 0) {
			kinds[i].add(w, value);
			return;
		}
	}
	if (node_get(value, "function"))
		add_function(w, value);
	else
		add_plain(w, value);
}

static void add_bytes(struct writing *w, const char *hex)
{
	enum { DIGITS = 64 };

	text_add(w->text, "%s%.*s%s", *hex ? "0x" : "", DIGITS, hex,
		 strlen(hex) > DIGITS ? "..." : "");
}

/* Completely, so that only the note remains. */
static bool is_redacted(const struct reader_node *value)
{
	return node_get(value, "redacted") && !node_get(value, "value");
}

/* How many there are of what cannot be read is often what is wanted. */
static void add_unreadable(struct writing *w, const struct reader_node *value)
{
	const struct reader_node *len = node_get(value, "len");
	const char *why = text_of(node_get(value, "unreadable"), "");

	if (len)
		text_add(w->text, "(length %" PRId64 ", %s)", node_int(len, 0), why);
	else
		text_add(w->text, "(%s)", why);
}

static void add(struct writing *w, const struct reader_node *value)
{
	const char *words = text_of(node_get(value, "text"), NULL);

	if (is_full(w))
		return;
	w->depth++;
	if (node_get(value, "unreadable"))
		add_unreadable(w, value);
	else if (node_bool(node_get(value, "optimized_out"), false))
		text_add(w->text, "(optimized out)");
	else if (node_bool(node_get(value, "nil"), false))
		text_add(w->text, "nil");
	else if (words && node_get(value, "bytes"))
		add_quoted(w, words);
	else if (words)
		text_add(w->text, "%s", words);
	else if (is_redacted(value))
		text_add(w->text, "(redacted)");
	else if (node_get(value, "seen") && !node_get(value, "function"))
		text_add(w->text, "(%s, seen above)",
			 text_of(node_get(value, "seen"), ""));
	else if (node_get(value, "bytes") && is_unused(value) &&
		 !*text_of(node_get(value, "bytes"), ""))
		text_add(w->text, "\"\"");
	else if (node_get(value, "bytes"))
		add_bytes(w, text_of(node_get(value, "bytes"), ""));
	else
		add_by_kind(w, value);
	add_zeros(w, value);
	add_unused(w, value);
	w->depth--;
}

/* In Go syntax: {Name: "x", Limits: [1, 2]}. */
void values_add_long(struct text *text, const struct reader_node *value, size_t bytes)
{
	struct writing w = { .text = text, .end = text->len + bytes };

	add(&w, value);
	if (is_full(&w))
		text_add(text, " ...");
}

void values_add(struct text *text, const struct reader_node *value)
{
	values_add_long(text, value, LINE_BYTES);
}

void values_add_notes(struct text *line, const struct reader_node *v)
{
	static const struct {
		const char *member, *words;
	} notes[] = {
		{ "captured", " (captured)" },
		{ "dead", " (no longer needed)" },
		{ "may_be_unset", " (may be uninitialized)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (node_bool(node_get(v, notes[i].member), false))
			text_add(line, "%s", notes[i].words);
}

void values_print_list(const struct page *page, int indent,
		       const struct reader_node *variables)
{
	for (size_t i = 0; i < node_count(variables); i++) {
		const struct reader_node *v = node_at(variables, i);
		struct text line = { 0 };
		text_add(&line, "%s %s", text_of(node_get(v, "name"), "?"),
			 text_of(node_get(v, "type"), "?"));
		values_add_notes(&line, v);
		text_add(&line, " = ");
		values_add(&line, v);
		page_say(page, COLOR_PLAIN, indent, indent + 4, &line);
	}
}

static void print_note(const struct page *page, int indent, const char *what,
		       const char *why)
{
	struct text line = { 0 };

	text_add(&line, "(%s: %s)", what, why);
	page_say(page, COLOR_PLAIN, indent, indent + 4, &line);
}

static void print_frame(const struct page *page, int indent,
			const struct reader_node *frame)
{
	const struct reader_node *arguments = node_get(frame, "arguments");
	const struct reader_node *locals = node_get(frame, "locals");
	struct text line = { 0 };

	if (!node_count(arguments) && !node_count(locals))
		return;
	text_add(&line, "%s", text_of(node_get(frame, "function"), "?"));
	page_say(page, COLOR_OWN, indent, indent + 4, &line);
	values_print_list(page, indent + 4, arguments);
	values_print_list(page, indent + 4, locals);
	if (node_get(frame, "values_omitted_by"))
		print_note(page, indent + 4, "more were omitted",
			   "too many bytes for one goroutine, see --full");
}

void values_print(const struct page *page, int indent,
		  const struct reader_node *goroutine)
{
	const struct reader_node *frames = node_get(goroutine, "frames");
	const char *omitted = text_of(node_get(goroutine, "values_omitted_by"), NULL);
	const char *said = NULL; /* for the frame above */

	if (omitted)
		print_note(page, indent, "no variables",
			   strcmp(omitted, "failure") == 0
				   ? "the gosnap process that read them died"
				   : "the document would be too large, see --max-size");
	for (size_t i = 0; i < node_count(frames); i++) {
		const struct reader_node *frame = node_at(frames, i);
		const char *why = text_of(node_get(frame, "values_unreadable"), NULL);
		if (node_bool(node_get(frame, "hidden"), false))
			continue;
		if (why && !(said && strcmp(why, said) == 0))
			print_note(page, indent, "no variable names", why);
		print_frame(page, indent, frame);
		said = why;
	}
}
