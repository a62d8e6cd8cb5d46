/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - which findings of the document name which goroutine. */
#ifndef GOSNAP_FILTER_FINDINGS_H
#define GOSNAP_FILTER_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader_node;

struct findings {
	struct finding_of {
		int64_t id; /* of a goroutine */
		char *kind;
	} * list;
	size_t count, cap;
	bool sorted;
};

void findings_add(struct findings *all, const struct reader_node *finding);
/* The kind of the i-th that names it; NULL: there are no more. */
const char *findings_of(struct findings *all, int64_t id, size_t i);
void findings_done(struct findings *all);

#endif
