/* SPDX-License-Identifier: Apache-2.0 */
#include "src/causes/document_stack.h"

#include <string.h>

#include "lib/document/reader.h"

enum { MAIN = 1 }; /* the main goroutine's id */

static void add_call(struct stack_text *stack, const struct reader_node *frame)
{
	const char *language = text_of(node_get(frame, "language"), "go"),
		   *kind = text_of(node_get(frame, "kind"), "");

	stack_text_call(stack,
			&(struct stack_call){
				.function = text_of(node_get(frame, "function"), NULL),
				.file = text_of(node_get(frame, "file"), NULL),
				.c = strcmp(language, "c") == 0,
				.hidden = node_bool(node_get(frame, "hidden"), false),
				.wrapper = strcmp(kind, "wrapper") == 0,
			});
}

void document_stack(struct stack_text *ret, const struct reader_node *frames)
{
	*ret = (struct stack_text){ .most = STACK_LINES };
	for (size_t i = 0; i < node_count(frames); i++)
		add_call(ret, node_at(frames, i));
	stack_text_end(ret);
}

bool document_fault_is_sent(const struct document_fault *f)
{
	const struct reader_node *signal = node_get(f->fault, "signal");
	const int64_t pid = node_int(node_get(signal, "pid"), -1);

	return strcmp(text_of(node_get(f->fault, "kind"), ""), "signal") == 0 &&
	       pid >= 0 && pid != node_int(node_get(f->process, "pid"), -1) &&
	       pid != node_int(node_get(f->process, "ns_pid"), -1);
}

/* Where it happened is in a goroutine or a thread; else the main goroutine has to do. */
static const char *stack_of(const struct document_fault *f)
{
	const struct reader_node *place = node_get(f->fault, "place");

	return text_of(node_get(place, "stack"), "main");
}

bool document_fault_in_group(const struct document_fault *f,
			     const struct reader_node *group)
{
	const struct reader_node *ids = node_get(group, "goroutines");
	const bool main = strcmp(stack_of(f), "main") == 0;
	const int64_t id = main ? MAIN : node_int(node_get(f->fault, "goroutine"), -1);

	if (!f->fault || strcmp(stack_of(f), "thread") == 0 ||
	    document_fault_is_sent(f) ||
	    strcmp(text_of(node_get(group, "runtime"), ""),
		   text_of(node_get(f->fault, "runtime"), "")) != 0)
		return false;
	for (size_t i = 0; i < node_count(ids); i++)
		if (node_int(node_at(ids, i), -2) == id)
			return true;
	return false;
}

bool document_fault_in_thread(const struct document_fault *f,
			      const struct reader_node *thread)
{
	return f->fault && strcmp(stack_of(f), "thread") == 0 &&
	       !document_fault_is_sent(f) &&
	       node_int(node_get(thread, "id"), -1) ==
		       node_int(node_get(f->fault, "thread"), -2);
}

/* Of a stack that overflowed: what it has again and again. */
static void find_cycle(const struct reader_node *frames, size_t *first, size_t *end)
{
	for (size_t i = 0; i < node_count(frames); i++) {
		const struct reader_node *repeated =
			node_get(node_at(frames, i), "repeated");
		const int64_t n = node_int(node_get(repeated, "frames"), 0);
		if (n <= 0 || (uint64_t)n > i + 1)
			continue;
		*first = i + 1 - (size_t)n;
		*end = i + 1;
		return;
	}
}

void document_fault_text(struct text *text, const struct document_fault *f,
			 const struct reader_node *frames, struct stack_text *ret_stack)
{
	const struct reader_node *place = node_get(f->fault, "place");
	size_t first = (size_t)node_int(node_get(place, "frame"), 0),
	       end = node_count(frames);

	*ret_stack = (struct stack_text){ .most = STACK_FAULT_CALLS };
	find_cycle(frames, &first, &end);
	for (size_t i = first; i < end; i++)
		add_call(ret_stack, node_at(frames, i));
	stack_text_end(ret_stack);
	fingerprint_add_fault(text, text_of(node_get(f->fault, "kind"), "?"),
			      text_of(node_get(f->fault, "cause"), NULL), ret_stack);
}
