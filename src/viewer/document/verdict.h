/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.h - prints what a document says of a process in which no finding is a warning: that none was found, or
 * that it cannot be told; what was checked, and what tells most of the process. */
#ifndef GOSNAP_SHOWN_VERDICT_H
#define GOSNAP_SHOWN_VERDICT_H

#include <stdbool.h>

struct page;
struct reader_node;
struct text;

/* verdict: the document's member. NULL: an older gosnap has written it, or it has only selected goroutines, so
 * that nothing is known. */
bool shown_verdict_is_unknown(const struct reader_node *verdict);
/* The first sentence, and what could not be checked. */
void shown_verdict_add(struct text *text, const struct reader_node *verdict);
void shown_verdict_print(const struct page *page, const struct reader_node *verdict);

#endif
