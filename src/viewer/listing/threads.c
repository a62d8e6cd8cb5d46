/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/listing/threads.h"

#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/document/stack.h"
#include "src/viewer/document/summary.h"
#include "src/viewer/terminal/text.h"

enum { REGISTER_COLUMNS = 26 };

static void add_number(struct text *text, const char *before,
		       const struct reader_node *node)
{
	if (node_int(node, -1) >= 0)
		text_add(text, "%s%" PRId64, before, node_int(node, -1));
}

static void add_words(struct text *text, const char *before,
		      const struct reader_node *node)
{
	const char *words = text_of(node, NULL);
	if (words && *words)
		text_add(text, "%s%s", before, words);
}

/* Less is the time between two looks. */
static void add_sleep(struct text *text, const struct reader_node *thread)
{
	const int64_t ns = node_int(node_get(thread, "asleep_ns"), 0);

	if (ns < 1000000000)
		return;
	text_add(text, " for ");
	text_add_duration(text, ns);
}

static void print_heading(const struct stack_style *style,
			  const struct reader_node *thread)
{
	const char *stack = text_of(node_get(thread, "stack_kind"), NULL);
	struct text text = { 0 };
	text_add(&text, "thread %" PRId64, node_int(node_get(thread, "id"), -1));
	add_words(&text, " ", node_get(thread, "name"));
	add_words(&text, ", state ", node_get(thread, "state"));
	add_words(&text, ", waits in ", node_get(thread, "wchan"));
	if (node_get(thread, "wchan"))
		add_sleep(&text, thread);
	add_number(&text, ", M", node_get(thread, "m"));
	add_number(&text, ", P", node_get(thread, "p"));
	add_number(&text, ", goroutine ", node_get(thread, "goroutine"));
	if (stack)
		text_add(&text, ", on %s",
			 strcmp(stack, "goroutine") == 0 ? "its stack"
			 : strcmp(stack, "c") == 0	 ? "a C stack"
			 : strcmp(stack, "g0") == 0	 ? "the runtime's stack"
							 : stack);
	page_paragraph(&style->page, COLOR_HEADING, 0, 2, text.words);
	text_done(&text);
}

struct registers {
	const struct page *page;
	size_t column, gap; /* gap: blanks before the next column */
};

static void print_register(void *arg, const char *name, const struct reader_node *value)
{
	struct registers *registers = arg;
	const char *words = text_of(value, NULL);
	struct text text = { 0 };
	size_t width;
	if (!words)
		return;
	text_add(&text, "%s %s", name, words);
	width = text_width(text.words);
	if (registers->column > 0 &&
	    registers->column + registers->gap + width > registers->page->columns) {
		putc('\n', registers->page->out);
		registers->column = registers->gap = 0;
	}
	fprintf(registers->page->out, "%*s",
		registers->column > 0 ? (int)registers->gap : 2, "");
	page_print(registers->page, COLOR_PLAIN, text.words);
	registers->column += registers->gap + width;
	registers->gap = REGISTER_COLUMNS - width % REGISTER_COLUMNS;
	text_done(&text);
}

void threads_print(const struct stack_style *style, const struct summary *summary,
		   const struct reader_node *thread)
{
	const struct reader_node *unwind = node_get(thread, "unwind");
	struct registers registers = { .page = &style->page };
	putc('\n', style->page.out);
	print_heading(style, thread);
	if (style->all) {
		node_each(node_get(thread, "registers"), print_register, &registers);
		if (registers.column > 0)
			putc('\n', style->page.out);
	}
	stack_print(style, node_get(thread, "frames"),
		    summary_fault_in_thread(summary, thread), NULL);
	if (node_string(node_get(unwind, "reason"), NULL)) {
		struct text text = { 0 };
		text_add(&text, "... %s: %s", text_of(node_get(unwind, "status"), "?"),
			 text_of(node_get(unwind, "reason"), "?"));
		page_paragraph(&style->page, COLOR_ALARM, style->indent,
			       style->indent + 4, text.words);
		text_done(&text);
	}
}
