/* SPDX-License-Identifier: Apache-2.0 */
/* sections.h - goroutines in the parts in which people ask for them. Prints nothing. */
#ifndef GOSNAP_SECTIONS_H
#define GOSNAP_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

struct model;

enum grouping {
	GROUPING_EXACT, /* equal stacks, as in the document */
	GROUPING_SIMILAR, /* the same functions, whatever the lines, recursion counted once */
	GROUPING_CREATOR, /* in sections: by the function that created them */
	GROUPING_LABEL,	  /* in sections: by the value of a label */
};

struct section {
	char *title;	/* "tenant=acme" */
	uint32_t *rows; /* goroutines of the model */
	size_t count, cap;
};

/* Initialize to { NULL }. */
struct sections {
	struct section *list;
	size_t count, cap;
};

/* The largest first. how: by creator or label. */
void sections_make(struct sections *sections, struct model *m, const uint32_t *rows,
		   size_t count, enum grouping how, const char *label);
void sections_done(struct sections *sections);

/* For each group, the largest one with a similar stack. The caller frees it. */
uint32_t *sections_similar(struct model *m);

#endif
