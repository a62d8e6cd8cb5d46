/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h - frames as text, innermost first. What the runtime's own traceback hides is
 * left out, recursion is folded, very deep stacks are cut, and files are named without the
 * folder that all of the standard library or of the module cache are in, unless all is asked
 * for. What is too long for a line loses folders, never its name or line. */
#ifndef GOSNAP_STACK_H
#define GOSNAP_STACK_H

#include "src/viewer/terminal/page.h"

struct reader_node;

struct stack_style {
	struct page page;
	bool all;
	const char *module; /* the program's own; NULL: unknown. Borrowed */
	const char *goroot; /* "/usr/lib/go-1.24/src/"; NULL: unknown. Borrowed */
	int indent;
};

/* The function is neither Go's standard library's nor C's. */
bool stack_is_users(const struct stack_style *style, const struct reader_node *frame);
/* A file as it is to be named: a part of it. */
const char *stack_file(const struct stack_style *style, const char *file);
/* Where the standard library's sources were, when one of these frames tells; the caller
 * frees it. */
char *stack_goroot(const struct reader_node *frames);

void stack_print(const struct stack_style *style, const struct reader_node *frames);

#endif
