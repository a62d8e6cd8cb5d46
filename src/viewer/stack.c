/* SPDX-License-Identifier: Apache-2.0 */
#include "stack.h"

#include <inttypes.h>
#include <string.h>

#include "reader.h"
#include "text.h"

enum {
	ROWS_FIRST = 40, /* of a stack too deep to be read */
	ROWS_LAST = 20,
};

/* A frame and how often it follows itself. */
struct row {
	const struct reader_node *frame;
	size_t times;
};

static bool same_place(const struct reader_node *a, const struct reader_node *b)
{
	return node_int(node_get(a, "line"), -1) == node_int(node_get(b, "line"), -1) &&
	       strcmp(text_of(node_get(a, "function"), ""),
		      text_of(node_get(b, "function"), "")) == 0 &&
	       strcmp(text_of(node_get(a, "file"), ""),
		      text_of(node_get(b, "file"), "")) == 0 &&
	       node_get(a, "function");
}

/* The runtime's own traceback knows no C; a person wants to see what C is waiting for. */
static bool is_left_out(const struct stack_style *style, const struct reader_node *frame)
{
	return !style->options.all && node_bool(node_get(frame, "hidden"), false) &&
	       strcmp(node_string(node_get(frame, "language"), ""), "c") != 0;
}

static struct row *make_rows(const struct stack_style *style,
			     const struct reader_node *frames, size_t *ret_n)
{
	size_t count = node_count(frames), n = 0;
	struct row *rows = xcalloc(count, sizeof(*rows));
	for (size_t i = 0; i < count; i++) {
		const struct reader_node *frame = node_at(frames, i);
		if (is_left_out(style, frame))
			continue;
		if (!style->options.all && n > 0 && same_place(rows[n - 1].frame, frame))
			rows[n - 1].times++;
		else
			rows[n++] = (struct row){ frame, 1 };
	}
	*ret_n = n;
	return rows;
}

/* By its name: import paths of the standard library have no dot in their first element. */
static bool is_users_name(const struct stack_style *style, const char *function)
{
	size_t first = strcspn(function, "/"),
	       len = style->module ? strlen(style->module) : 0;
	if (strncmp(function, "main.", 5) == 0)
		return true;
	if (len > 0 && strncmp(function, style->module, len) == 0 &&
	    strchr("./", function[len]))
		return true;
	return function[first] == '/' && memchr(function, '.', first);
}

/* Of a standard library's file its path in there, else NULL. */
static const char *library_file(const struct stack_style *style, const char *file)
{
	size_t len = style->goroot ? strlen(style->goroot) : 0;
	return len > 0 && strncmp(file, style->goroot, len) == 0 ? file + len : NULL;
}

bool stack_is_users(const struct stack_style *style, const struct reader_node *frame)
{
	const char *function = text_of(node_get(frame, "function"), NULL);
	const char *file = text_of(node_get(frame, "file"), "");
	if (!function || strcmp(node_string(node_get(frame, "language"), ""), "c") == 0)
		return false;
	if (style->goroot && file[0] == '/')
		return !library_file(style, file);
	return is_users_name(style, function);
}

const char *stack_file(const struct stack_style *style, const char *file)
{
	const char *within = style->options.all ? NULL : library_file(style, file);
	return within ? within : file;
}

char *stack_goroot(const struct reader_node *frames)
{
	for (size_t i = 0; i < node_count(frames); i++) {
		const struct reader_node *frame = node_at(frames, i);
		const char *function = text_of(node_get(frame, "function"), "");
		const char *file = text_of(node_get(frame, "file"), "");
		const char *src = strstr(file, "/src/runtime/");
		if (file[0] == '/' && src && strncmp(function, "runtime.", 8) == 0)
			return xstrndup(file, (size_t)(src - file) + strlen("/src/"));
	}
	return NULL;
}

static void add_notes(struct text *text, const struct stack_style *style,
		      const struct row *row)
{
	const char *kind = text_of(node_get(row->frame, "kind"), NULL);
	if (kind)
		text_add(text, " [%s]", kind);
	if (style->options.all && node_bool(node_get(row->frame, "inlined"), false))
		text_add(text, " [inlined]");
	if (style->options.all && node_bool(node_get(row->frame, "hidden"), false))
		text_add(text, " [hidden]");
	if (style->options.all)
		text_add(text, " %s", text_of(node_get(row->frame, "pc"), ""));
	if (row->times > 1) {
		text_add(text, ", ");
		text_add_count(text, row->times);
		text_add(text, " times");
	}
}

static void add_place(struct text *text, const struct stack_style *style,
		      const struct reader_node *frame)
{
	const char *file = text_of(node_get(frame, "file"), NULL);
	const char *module = text_of(node_get(frame, "module"), NULL);
	if (file)
		text_add(text, "%s:%" PRId64, stack_file(style, file),
			 node_int(node_get(frame, "line"), 0));
	else if (module)
		text_add(text, "in %s", module);
}

static void print_row(const struct stack_style *style, const struct row *row)
{
	const char *function = text_of(node_get(row->frame, "function"), NULL);
	bool bold = style->options.color && stack_is_users(style, row->frame);
	struct text place = { NULL };
	add_place(&place, style, row->frame);
	if (!function)
		function = text_of(node_get(row->frame, "pc"), "?");
	add_notes(&place, style, row);
	fprintf(style->out, "%*s%s", style->indent, "", bold ? "\033[1m" : "");
	text_print(style->out, function);
	fputs(bold ? "\033[0m" : "", style->out);
	if (place.words) {
		size_t used = (size_t)style->indent + text_width(function) + 2;
		if (used + text_width(place.words) > TEXT_COLUMNS)
			fprintf(style->out, "\n%*s", style->indent + 4, "");
		else
			fputs("  ", style->out);
		text_print(style->out, place.words + strspn(place.words, " "));
	}
	putc('\n', style->out);
	text_done(&place);
}

void stack_print(const struct stack_style *style, const struct reader_node *frames)
{
	size_t n, cut = 0;
	struct row *rows = make_rows(style, frames, &n);
	if (n == 0 && node_count(frames) > 0)
		fprintf(style->out, "%*s(in the runtime only)\n", style->indent, "");
	if (!style->options.all && n > ROWS_FIRST + ROWS_LAST)
		cut = n - ROWS_FIRST - ROWS_LAST;
	for (size_t i = 0; i < n; i++) {
		if (cut > 0 && i == ROWS_FIRST) {
			struct text text = { NULL };
			text_add(&text, "... ");
			text_add_counted(&text, cut, "frame");
			text_add(&text, " left out: --all shows them ...");
			text_paragraph(style->out, style->indent, style->indent,
				       text.words);
			text_done(&text);
			i += cut;
		}
		print_row(style, &rows[i]);
	}
	xfree(rows);
}
