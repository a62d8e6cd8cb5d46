/* SPDX-License-Identifier: Apache-2.0 */
/* details.h - text for details that only some goroutines have: the object waited for,
 * labels, panics, defers, ancestors. Missing ones add nothing. */
#ifndef GOSNAP_DETAILS_H
#define GOSNAP_DETAILS_H

#include <stdbool.h>

struct page;
struct reader_node;
struct text;

/* "mutex 0xc00012a0c8", "channel 0xc00010e000 (full, 16)", "tcp 10.0.0.7:80 to ..." */
void details_add_waiting(struct text *text, const struct reader_node *waiting_for);
/* "receive 0xc00010e000 (full, 16)", of a select */
void details_add_case(struct text *text, const struct reader_node *channel);
/* "handler=/order, tenant=7" */
void details_add_labels(struct text *text, const struct reader_node *labels);
/* "runtime.boundsError: index out of range [5] with length 3": the innermost panic in
 * progress. */
void details_add_panic(struct text *text, const struct reader_node *panics);
/* Is one of them unrecovered? */
bool details_panics(const struct reader_node *panics);
/* All details of a goroutine, one line each. */
void details_print(const struct page *page, int indent,
		   const struct reader_node *goroutine);

#endif
