/* SPDX-License-Identifier: Apache-2.0 */
/* heading.h - what comes before the stacks: whose snapshot, how many goroutines in which
 * state, and what the document itself warns of. */
#ifndef GOSNAP_HEADING_H
#define GOSNAP_HEADING_H

#include <stdbool.h>

struct page;
struct summary;

void heading_print_process(const struct page *page, const struct summary *summary);
/* damage: NULL, or what the reader says of the document. all: even if there are many. */
void heading_print_warnings(const struct page *page, const struct summary *summary,
			    const char *damage, bool all);
/* That values are missing of which somebody might think that they are there. */
void heading_print_values(const struct page *page, const struct summary *summary);
/* Sorts the tallies. */
void heading_print_states(const struct page *page, struct summary *summary);
/* With a filter: how many of all have passed, and when none, what is to blame. */
void heading_print_shown(const struct page *page, const struct summary *summary);
/* The threads in a line. */
void heading_print_threads(const struct page *page, const struct summary *summary);

#endif
