/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/terminal/markdown.h"

#include <string.h>

#include "lib/base/util.h"
#include "src/viewer/terminal/text.h"

enum { CODE_INDENT = 4 };

struct markdown {
	FILE *out;
	struct text line; /* not at its end yet */
	struct text
		margin; /* the last line, if it was at the margin: what it is depends on the next */
	bool in_block; /* of code, or of a list */
	bool is_list;
};

/* What may stand for something but letters: at the beginning of a line, and anywhere. */
static const char first_marks[] = "#-+=>:";
static const char marks[] = "\\`*_[]<>|~&#";

static void print_escaped(FILE *out, const char *words)
{
	const char *begin = words;

	/* "1. " would begin a list. */
	if (strspn(words, "0123456789") > 0 &&
	    strchr(".)", words[strspn(words, "0123456789")])) {
		words += strspn(words, "0123456789");
		fprintf(out, "%.*s\\", (int)(words - begin), begin);
	} else if (*words && strchr(first_marks, *words)) {
		putc('\\', out);
		putc(*words++, out);
	}
	for (; *words; words++) {
		if (strchr(marks, *words))
			putc('\\', out);
		putc(*words, out);
	}
}

static void print_margin(struct markdown *m, const char *before)
{
	if (!m->margin.words)
		return;
	fputs(before, m->out);
	print_escaped(m->out, m->margin.words);
	fputs("\n\n", m->out);
	text_done(&m->margin);
}

/* A sentence below a title that ends in a colon, such as a finding. */
static void print_item(struct markdown *m, const char *words)
{
	print_margin(m, "### ");
	fputs("- ", m->out);
	print_escaped(m->out, words + strspn(words, " "));
	putc('\n', m->out);
	m->in_block = true;
}

static void print_code(struct markdown *m, const char *words)
{
	print_margin(m, "### ");
	fprintf(m->out, "%*s%s\n", CODE_INDENT, "", words);
	m->in_block = true;
}

static void end_block(struct markdown *m)
{
	if (m->in_block)
		putc('\n', m->out);
	m->in_block = false;
}

static void take_line(struct markdown *m)
{
	const char *words = text_words(&m->line);

	if (words[0] == ' ' && m->is_list) {
		print_item(m, words);
	} else if (words[0] == ' ') {
		print_code(m, words);
	} else {
		end_block(m);
		print_margin(m, "");
		m->is_list = strcmp(words, MARKDOWN_LIST) == 0;
		if (words[0])
			text_add(&m->margin, "%s", words);
	}
	text_done(&m->line);
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
	struct markdown *m = cookie;

	for (size_t at = 0; at < size;) {
		const char *end = memchr(bytes + at, '\n', size - at);
		const size_t len = end ? (size_t)(end - bytes) - at : size - at;
		text_append(&m->line, bytes + at, len);
		if (end)
			take_line(m);
		at += len + (end != NULL);
	}
	return ferror(m->out) ? 0 : (ssize_t)size;
}

static int finish(void *cookie)
{
	struct markdown *m = cookie;

	if (m->line.len > 0)
		take_line(m);
	print_margin(m, "");
	text_done(&m->line);
	xfree(m);
	return 0;
}

FILE *markdown_open(FILE *out)
{
	struct markdown *m = xcalloc(1, sizeof(*m));
	FILE *file = NULL;

	m->out = out;
	file = fopencookie(m, "w",
			   (cookie_io_functions_t){ .write = take, .close = finish });
	if (!file)
		xfree(m);
	return file;
}
