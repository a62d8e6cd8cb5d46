/* SPDX-License-Identifier: Apache-2.0 */
/* choice.h - which groups and goroutines a page has that has no room for all: those that somebody will look for
 * first, see named.h; then the largest groups, and as many goroutines of each as there is room for. */
#ifndef GOSNAP_PAGE_CHOICE_H
#define GOSNAP_PAGE_CHOICE_H

#include "src/viewer/page_data/columns.h"
#include "src/viewer/page_data/named.h"

/* Rows of all groups. The caller frees it. */
uint32_t *choice_of_groups(const struct model *m, const struct named *named);
/* Goroutines of those of these groups that are written, which with their texts take up so many bytes at most. The
 * caller frees ret->rows. */
void choice_of_rows(struct row_list *ret, struct shared *texts, const struct named *named,
		    const uint32_t *groups, const bool *written, uint64_t limit);

#endif
