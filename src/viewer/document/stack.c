/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/stack.h"

#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/terminal/text.h"

enum {
	ROWS_FIRST = 40, /* rows shown of a stack too deep to read */
	ROWS_LAST = 20,
};

/* A frame and how often it repeats consecutively. */
struct row {
	const struct reader_node *frame;
	size_t times;
	bool marked, lines_differ;
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

/* The runtime's own traceback hides C, but users want to see what C waits for. */
static bool is_left_out(const struct stack_style *style, const struct reader_node *frame)
{
	return !style->all && node_bool(node_get(frame, "hidden"), false) &&
	       strcmp(node_string(node_get(frame, "language"), ""), "c") != 0;
}

/* "go f(x)" that has not started yet is in a wrapper, which is hidden once it has called
 * f. */
static bool is_wrapper(const struct stack_style *style, const struct reader_node *frame)
{
	return stack_is_users(style, frame) &&
	       strcmp(text_of(node_get(frame, "kind"), ""), "wrapper") == 0;
}

static struct row *make_rows(const struct stack_style *style,
			     const struct reader_node *frames, int64_t marked,
			     const bool *lines_differ, size_t *ret_n)
{
	size_t count = node_count(frames), n = 0, shown = 0;
	struct row *rows = xcalloc(count, sizeof(*rows));
	for (size_t i = 0; i < count; i++)
		shown += !is_left_out(style, node_at(frames, i));
	for (size_t i = 0; i < count; i++) {
		const struct reader_node *frame = node_at(frames, i);
		if (shown ? is_left_out(style, frame) : !is_wrapper(style, frame))
			continue;
		if (!style->all && n > 0 && same_place(rows[n - 1].frame, frame))
			rows[n - 1].times++;
		else
			rows[n++] = (struct row){ frame, 1, false, false };
		rows[n - 1].marked |= (int64_t)i == marked;
		rows[n - 1].lines_differ |= lines_differ && lines_differ[i];
	}
	*ret_n = n;
	return rows;
}

/* By name: import paths of the standard library have no dot in their first element. */
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

/* The path within the standard library; NULL: not in it. */
static const char *library_file(const struct stack_style *style, const char *file)
{
	size_t len = style->goroot ? strlen(style->goroot) : 0;
	return len > 0 && strncmp(file, style->goroot, len) == 0 ? file + len : NULL;
}

bool stack_is_users_function(const struct stack_style *style, const char *function,
			     const char *file)
{
	if (!*function)
		return false;
	if (style->goroot && file[0] == '/')
		return !library_file(style, file);
	return is_users_name(style, function);
}

bool stack_is_users(const struct stack_style *style, const struct reader_node *frame)
{
	return strcmp(node_string(node_get(frame, "language"), ""), "c") != 0 &&
	       stack_is_users_function(style, text_of(node_get(frame, "function"), ""),
				       text_of(node_get(frame, "file"), ""));
}

const char *stack_file(const struct stack_style *style, const char *file)
{
	static const char cache[] = "/pkg/mod/";
	const char *within = library_file(style, file), *module = strstr(file, cache);
	if (style->all)
		return file;
	if (within)
		return within;
	return module ? module + strlen(cache) : file;
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

static void add_repeated(struct text *text, const struct reader_node *repeated)
{
	int64_t frames = node_int(node_get(repeated, "frames"), 0);
	if (frames <= 0)
		return;
	text_add(text, ", and ");
	if (frames > 1)
		text_add(text, "these %" PRId64 " calls ", frames);
	text_add_count(text, (uint64_t)node_int(node_get(repeated, "times"), 0));
	text_add(text, " more times");
}

static void add_notes(struct text *text, const struct stack_style *style,
		      const struct row *row)
{
	const char *kind = text_of(node_get(row->frame, "kind"), NULL);
	if (kind)
		text_add(text, " [%s]", kind);
	if (style->all && node_bool(node_get(row->frame, "inlined"), false))
		text_add(text, " [inlined]");
	if (style->all && node_bool(node_get(row->frame, "hidden"), false))
		text_add(text, " [hidden]");
	if (style->all)
		text_add(text, " %s", text_of(node_get(row->frame, "pc"), ""));
	if (row->marked)
		text_add(text, " [fault]");
	if (row->lines_differ)
		text_add(text, " [or other lines]");
	if (row->times > 1) {
		text_add(text, ", ");
		text_add_count(text, row->times);
		text_add(text, " times");
	}
	add_repeated(text, node_get(row->frame, "repeated"));
}

/* The part of a name to show in the given columns: drops leading path elements, but never
 * the last. end: of the path, before brackets that may contain another. */
static const char *tail(const char *name, const char *end, size_t columns)
{
	size_t width = text_width(name);
	while (width > columns) {
		const char *next = memchr(name + 1, '/', (size_t)(end - name - 1));
		if (!next)
			break;
		for (; name < next; name++)
			width -= text_starts_character(*name);
	}
	return name;
}

/* Adds a path, without its beginning if that takes too many columns. */
static void add_tail(struct text *text, const char *name, const char *end, size_t columns)
{
	static const char dots[] = "...";
	const char *begin = name;
	if (text_width(name) > columns && end > name + 1)
		begin = tail(name, end, columns - strlen(dots));
	text_add(text, "%s%s", begin > name ? dots : "", begin);
}

/* "main.Max[...]", as the runtime prints it. */
static void add_without_types(struct text *text, const char *function)
{
	size_t depth = 0;
	for (; *function; function++) {
		if (*function == '[' && depth++ == 0)
			text_add(text, "[...]");
		else if (*function == ']' && depth > 0)
			depth--;
		else if (depth == 0)
			text_add(text, "%c", *function);
	}
}

static void add_function(struct text *text, const struct stack_style *style,
			 const struct reader_node *frame)
{
	const char *pc = text_of(node_get(frame, "pc"), "?");
	const char *function = text_of(node_get(frame, "function"), pc);
	size_t columns =
		style->all ? SIZE_MAX : style->page.columns - (size_t)style->indent;
	struct text brief = { 0 };
	if (text_width(function) > columns) {
		add_without_types(&brief, function);
		function = text_words(&brief);
	}
	add_tail(text, function, function + strcspn(function, "(["), columns);
	text_done(&brief);
}

/* What addr2line needs. Of the program itself, where every line has it, the last part of the name is
 * enough. */
static char *place_in_object(const struct stack_style *style,
			     const struct reader_node *frame, const char *module)
{
	const char *address = text_of(node_get(frame, "object_address"), NULL);
	const char *slash = strrchr(module, '/');
	const bool is_go =
		strcmp(node_string(node_get(frame, "language"), ""), "go") == 0;

	if (is_go && !style->all && slash)
		module = slash + 1;
	return address ? xasprintf("in %s at %s", module, address)
		       : xasprintf("in %s", module);
}

static void add_place(struct text *text, const struct stack_style *style,
		      const struct reader_node *frame, size_t columns)
{
	const char *file = text_of(node_get(frame, "file"), NULL);
	const char *module = text_of(node_get(frame, "object_file"), NULL);
	AUTO(xfree) char *place = NULL;
	if (file)
		place = xasprintf("%s:%" PRId64, stack_file(style, file),
				  node_int(node_get(frame, "line"), 0));
	else if (module)
		place = place_in_object(style, frame, module);
	if (place)
		add_tail(text, place, place + strlen(place),
			 file && !style->all ? columns : SIZE_MAX);
}

static void print_row(const struct stack_style *style, const struct row *row)
{
	FILE *out = style->page.out;
	bool own = stack_is_users(style, row->frame);
	size_t room = style->page.columns - (size_t)style->indent - 4;
	struct text function = { 0 }, place = { 0 }, notes = { 0 };
	add_function(&function, style, row->frame);
	add_notes(&notes, style, row);
	add_place(&place, style, row->frame, room - text_width(text_words(&notes)));
	text_add(&place, "%s", text_words(&notes));
	fprintf(out, "%*s", style->indent, "");
	page_print(&style->page,
		   row->marked ? COLOR_ALARM
		   : own       ? COLOR_OWN
			       : COLOR_PLAIN,
		   text_words(&function));
	if (place.words) {
		size_t used =
			(size_t)style->indent + text_width(text_words(&function)) + 2;
		if (used + text_width(place.words) > style->page.columns)
			fprintf(out, "\n%*s", style->indent + 4, "");
		else
			fputs("  ", out);
		page_print(&style->page, COLOR_PLAIN,
			   place.words + strspn(place.words, " "));
	}
	putc('\n', out);
	text_done(&function);
	text_done(&notes);
	text_done(&place);
}

static void print_gap(const struct stack_style *style, size_t frames)
{
	struct text text = { 0 };
	text_add(&text, "... ");
	text_add_counted(&text, frames, style->frames ? "more frame" : "frame");
	if (!style->frames)
		text_add(&text, " omitted: --all shows them ...");
	page_paragraph(&style->page, COLOR_PLAIN, style->indent, style->indent,
		       text.words);
	text_done(&text);
}

/* Which rows of n are left out: *ret_count of them from *ret_first on. */
static void cut(const struct stack_style *style, size_t n, size_t *ret_first,
		size_t *ret_count)
{
	const size_t first = style->frames ? style->frames : ROWS_FIRST;
	const size_t last = style->frames ? 0 : ROWS_LAST;
	const bool deep = n > first + last && (style->frames || !style->all);

	*ret_first = first;
	*ret_count = deep ? n - first - last : 0;
}

void stack_print(const struct stack_style *style, const struct reader_node *frames,
		 int64_t marked, const bool *lines_differ)
{
	size_t n, gap, omitted;
	struct row *rows = make_rows(style, frames, marked, lines_differ, &n);
	if (n == 0 && node_count(frames) > 0)
		fprintf(style->page.out, "%*s(in the runtime only)\n", style->indent, "");
	cut(style, n, &gap, &omitted);
	for (size_t i = 0; i < n; i++) {
		if (omitted > 0 && i == gap) {
			print_gap(style, omitted);
			i += omitted;
		}
		if (i < n)
			print_row(style, &rows[i]);
	}
	xfree(rows);
}
