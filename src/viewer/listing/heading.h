/* SPDX-License-Identifier: Apache-2.0 */
/* heading.h - the text before the stacks: the process, how many goroutines in which
 * state, and the document's warnings. */
#ifndef GOSNAP_HEADING_H
#define GOSNAP_HEADING_H

#include <stdbool.h>

struct page;
struct summary;

/* What ended the process, if anything did. */
void heading_print_fault(const struct page *page, const struct summary *summary);
/* Only whose document it is, and of when. */
void heading_print_whose(const struct page *page, const struct summary *summary);
void heading_print_process(const struct page *page, const struct summary *summary);
/* Why it was taken, unless somebody just wanted to look. */
void heading_print_trigger(const struct page *page, const struct summary *summary);
/* damage: the reader's error, or NULL. all: even if there are many. */
void heading_print_warnings(const struct page *page, const struct summary *summary,
			    const char *damage, bool all);
/* Says which values are missing that a reader might expect. */
void heading_print_values(const struct page *page, const struct summary *summary);
/* Sorts the tallies. */
void heading_print_states(const struct page *page, struct summary *summary);
/* With a filter: how many passed, and if none did, which filter is responsible. */
void heading_print_shown(const struct page *page, const struct summary *summary);
/* The threads, in one line. */
void heading_print_threads(const struct page *page, const struct summary *summary);

#endif
