/* SPDX-License-Identifier: Apache-2.0 */
/* group.h - text for goroutines that share a stack: how many, what they do, where they
 * are; and one line for a single goroutine. */
#ifndef GOSNAP_GROUP_H
#define GOSNAP_GROUP_H

struct reader_node;
struct stack_style;
struct summary;
struct summary_group;

/* node: the group in the document. */
void group_print(const struct stack_style *style, const struct summary *summary,
		 const struct summary_group *group, const struct reader_node *node);
void group_print_goroutine(const struct stack_style *style,
			   const struct reader_node *goroutine);

#endif
