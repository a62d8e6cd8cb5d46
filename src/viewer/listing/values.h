/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - arguments and variables of a goroutine's frames, one line each. */
#ifndef GOSNAP_VALUES_H
#define GOSNAP_VALUES_H

#include <stddef.h>

struct page;
struct reader_node;
struct text;

/* For each frame that has values, or a reason for having none; nothing if the document
 * has no values. */
void values_print(const struct page *page, int indent,
		  const struct reader_node *goroutine);
/* One value, in Go syntax, as far as it fits a line or two; or that many bytes. */
void values_add(struct text *text, const struct reader_node *value);
void values_add_long(struct text *text, const struct reader_node *value, size_t bytes);
/* What readers must know before they trust the value of a variable: " (no longer needed)". */
void values_add_notes(struct text *text, const struct reader_node *variable);
/* A list of variables. */
void values_print_list(const struct page *page, int indent,
		       const struct reader_node *variables);

#endif
