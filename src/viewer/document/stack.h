/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h - frames as text, innermost first. Unless everything is requested, hides the
 * frames that the runtime's own traceback hides, folds recursion, truncates very deep
 * stacks, and omits the common folder of the standard library or module cache from file
 * names. Long lines lose folders, never the file name or line number. */
#ifndef GOSNAP_STACK_H
#define GOSNAP_STACK_H

#include <stdint.h>

#include "src/viewer/terminal/page.h"

struct reader_node;

struct stack_style {
	struct page page;
	bool all;
	const char *module; /* the program's module; NULL: unknown. Borrowed */
	const char *goroot; /* "/usr/lib/go-1.24/src/"; NULL: unknown. Borrowed */
	int indent;
	size_t frames; /* at most this many; 0: as many as there are */
};

/* The function is neither in Go's standard library nor C. */
bool stack_is_users(const struct stack_style *style, const struct reader_node *frame);
/* The same of a frame that is not C. "": unknown. */
bool stack_is_users_function(const struct stack_style *style, const char *function,
			     const char *file);
/* The part of a file name to show; points into file. */
const char *stack_file(const struct stack_style *style, const char *file);
/* The folder of the standard library's sources, if one of these frames shows it; the
 * caller frees it. */
char *stack_goroot(const struct reader_node *frames);

/* marked: index of the frame of a fault; -1: none. lines_differ: in which frames similar stacks have
 * other lines; NULL: in none. */
void stack_print(const struct stack_style *style, const struct reader_node *frames,
		 int64_t marked, const bool *lines_differ);

#endif
