/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - the document's findings, worst first, as text. Finds nothing itself. */
#ifndef GOSNAP_SHOWN_FINDINGS_H
#define GOSNAP_SHOWN_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

struct page;
struct reader_node;

enum { SHOWN_FINDINGS = 8 };

/* Initialize to { 0 }. */
struct shown_findings {
	const struct reader_node *list[SHOWN_FINDINGS];
	size_t count, omitted;
	bool bad; /* there is one that is a warning or worse */
};

/* It is a warning or worse. */
bool shown_finding_is_bad(const struct reader_node *finding);
void shown_findings_add(struct shown_findings *all, const struct reader_node *finding);
/* It says why something was not looked for. */
bool shown_findings_explains(const struct reader_node *warning);
/* Why nothing can be said of a document without the member; missing: such a warning, or NULL. */
const char *shown_findings_missing(const struct reader_node *missing, bool is_go);
void shown_findings_done(struct shown_findings *all);
/* Below a title; with title NULL, each has its advice. Prints nothing if there are none. */
void shown_findings_print(const struct page *page, const struct shown_findings *all,
			  const char *title);

#endif
