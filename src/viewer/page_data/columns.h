/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - what a list shows of each goroutine, which a page has of all of them: a column for each
 * field. */
#ifndef GOSNAP_COLUMNS_H
#define GOSNAP_COLUMNS_H

#include <stdbool.h>

struct shared;
struct sink;

/* An array for each column. whole: by rows, whose values the page has; NULL: of all. */
void columns_write(struct sink *out, struct shared *texts, const bool *whole);

#endif
