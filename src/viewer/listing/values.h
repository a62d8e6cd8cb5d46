/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - arguments and variables of a goroutine's frames, one line each. */
#ifndef GOSNAP_VALUES_H
#define GOSNAP_VALUES_H

struct page;
struct reader_node;
struct text;

/* For each frame that has values, or a reason for having none; nothing if the document
 * has no values. */
void values_print(const struct page *page, int indent,
		  const struct reader_node *goroutine);
/* A list of variables. */
void values_print_list(const struct page *page, int indent,
		       const struct reader_node *variables);

#endif
