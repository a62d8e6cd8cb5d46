/* SPDX-License-Identifier: Apache-2.0 */
/* filtered.h - a small document of five goroutines with most of what filters ask for: two handlers with
 * values, one that selects, one of the runtime, and one without a group. */
#ifndef GOSNAP_FILTERED_H
#define GOSNAP_FILTERED_H

struct model;

/* The caller frees it with model_free(). */
struct model *filtered_model(void);

#endif
