/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - arguments and variables of a goroutine's frames, in a line each. */
#ifndef GOSNAP_VALUES_H
#define GOSNAP_VALUES_H

struct page;
struct reader_node;
struct text;

/* As Go would write it: {Name: "x", Limits: [1, 2]}. */
void values_add(struct text *text, const struct reader_node *value);
/* Of each frame that has some, or says why it has none; nothing for a document without values. */
void values_print(const struct page *page, int indent,
		  const struct reader_node *goroutine);

#endif
